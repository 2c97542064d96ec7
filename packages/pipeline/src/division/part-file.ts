/**
 * The results of the tasks of a part, in a file: the encoded chunks one after another, and at the end an index with all else. A reader
 * has one result at a time in memory.
 */

import {
  asGeomillError,
  failure,
  type GeomillError,
  type PlainError,
  reviveError,
} from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { OrderedTasks } from '@geomill/core/ordered-tasks.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import {
  closeFile,
  createFile,
  type OpenFile,
  openFileSize,
  openToRead,
  readFileAt,
  writeFileAt,
} from '@geomill/platform/files.ts';
import { deserialized, serialized } from '@geomill/platform/serialization.ts';
import { pipelineCatalogue } from '../catalogue.ts';
import type { Executor } from '../executor.ts';
import { readStoredChunk } from '../stored-chunk.ts';
import type { Task, TaskResult } from '../task.ts';

type Entry =
  | {
      readonly error: PlainError;
      readonly stack?: string;
      /** No other result can make it disappear: the task began where the records before it end. Default: that is not known. */
      readonly isCertain?: true;
    }
  | {
      /** Without the chunk. */
      readonly result: TaskResult;
      /** Position of the chunk in the file; its length is 0 if there is none. */
      readonly at: number;
      readonly byteLength: number;
    };

const MAGIC = 'geomill part 1\n\0';
const TRAILER_BYTES = MAGIC.length + 8;

export interface PartRun {
  readonly tasks: readonly Task[];
  readonly executor: Executor;
  /** Where the results go; must not exist. */
  readonly path: string;
  /** Only the input up to this offset is there: results that may depend on more are left out. Null: all is there. */
  readonly readableEnd?: number | null;
  /** The task before the first one; null: there is none. Default: it is not known, nor is it certain that the first task begins with a record. */
  readonly previous?: Task | null;
  /** Errors of the program end the run, so that it can be repeated. Default: they are results, too. */
  readonly throwsFaults?: true;
  /** Called after each task with the number of those that are done. */
  readonly onDone?: (done: number) => void;
}

/**
 * Runs the tasks and writes their results, errors too. After an error that no other task can change the rest is not run; nobody will
 * ask for it. Rejects only where nothing can be said about the tasks: the disk is full, or the executor was stopped.
 */
export async function writePart(run: PartRun): Promise<void> {
  const { tasks, executor, path, readableEnd, previous, throwsFaults, onDone } = run;
  const file = createFile(path);
  const running = new OrderedTasks({
    tasks,
    run: (task: Task) => executor.run({ ...task, keepBatch: false }),
    width: executor.width * 2,
  });
  try {
    const entries: (Entry | null)[] = [];
    let at = 0;
    const write = (bytes: Uint8Array): void => {
      writeFileAt(file, bytes, at);
      at += bytes.length;
    };
    let expectedStart: number | null = null;
    for (let next = await running.next(); next !== null; next = await running.next()) {
      const outcome = 'error' in next.outcome ? failed(next.outcome.error) : next.outcome.result;
      const { partition } = partitionOf(next.task);
      const isExpected = partition.start === expectedStart;
      if ('error' in outcome) {
        if (outcome.error.code === 'CANCELLED') throw failure(generalErrors.CANCELLED, {});
        if (throwsFaults && outcome.fault === 'ours') throw revived(outcome);
        const mayNeedMore = readableEnd != null && partition.end >= readableEnd;
        const isCertain =
          isExpected ||
          partition.featuresBefore !== undefined ||
          (entries.length === 0 && (await endsAt(partition.start, previous, executor)));
        const { error, stack } = outcome;
        const entry = { error, ...(stack === undefined ? {} : { stack }) };
        entries.push(mayNeedMore ? null : isCertain ? { ...entry, isCertain } : entry);
        if (isExpected) break;
        expectedStart = null;
      } else if (readableEnd != null && outcome.nextStart > readableEnd) {
        entries.push(null);
        expectedStart = null;
      } else {
        const { chunk, ...result } = outcome;
        const entry = { result: { ...result, batch: null, chunk: null }, at, byteLength: 0 };
        if (chunk !== null) write(serialized(chunk));
        entries.push({ ...entry, byteLength: at - entry.at });
        expectedStart = outcome.nextStart;
      }
      onDone?.(entries.length);
    }
    await running.close();
    const index = serialized(entries);
    write(index);
    const trailer = new Uint8Array(TRAILER_BYTES);
    new DataView(trailer.buffer).setBigUint64(0, BigInt(index.length), true);
    new TextEncoder().encodeInto(MAGIC, trailer.subarray(8));
    write(trailer);
  } finally {
    await running.close();
    closeFile(file);
  }
}

export function partitionOf({ input }: Task): Extract<Task['input'], { kind: 'partition' }> {
  if (input.kind !== 'partition')
    throw failure(generalErrors.INTERNAL, { reason: 'a part has a task without a partition' });
  return input;
}

/** Whether the records of the task before end there, or there is none. */
async function endsAt(
  start: number,
  previous: Task | null | undefined,
  executor: Executor,
): Promise<boolean> {
  if (previous === null) return true;
  if (previous === undefined) return false;
  try {
    return (await executor.run({ ...previous, keepBatch: false })).nextStart === start;
  } catch {
    // Then the part of that task reports an error.
    return false;
  }
}

type Failed = Extract<Entry, { error: PlainError }>;

function failed(thrown: unknown): Failed & Pick<GeomillError, 'fault'> {
  const error = asGeomillError(thrown);
  return {
    fault: error.fault,
    error: error.toPlain(),
    ...(error.fault === 'ours' && error.stack !== undefined ? { stack: error.stack } : {}),
  };
}

function revived({ error: plain, stack }: Failed): GeomillError {
  const error = reviveError(plain, pipelineCatalogue);
  if (stack !== undefined) error.stack = stack;
  return error;
}

export class PartReader {
  readonly #file: OpenFile;
  readonly #entries: readonly (Entry | null)[];

  /** Throws INTERNAL if it is not a complete file of a part. */
  constructor(path: string) {
    this.#file = openToRead(path);
    try {
      const size = openFileSize(this.#file);
      const trailer = this.#bytes(Math.max(0, size - TRAILER_BYTES), Math.min(size, TRAILER_BYTES));
      if (size <= TRAILER_BYTES || latin1Text(trailer, 8) !== MAGIC)
        throw failure(generalErrors.INTERNAL, { reason: 'the results of a part are incomplete' });
      const byteLength = Number(new DataView(trailer.buffer).getBigUint64(0, true));
      if (byteLength > size - TRAILER_BYTES)
        throw failure(generalErrors.INTERNAL, { reason: 'the results of a part are incomplete' });
      this.#entries = deserialized(this.#bytes(size - TRAILER_BYTES - byteLength, byteLength)) as Entry[];
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The first error that no other result can make disappear; null: there is none. */
  get certainError(): GeomillError | null {
    const found = this.#entries.find((entry) => entry !== null && 'error' in entry && entry.isCertain);
    return found === undefined ? null : revived(found as Failed);
  }

  /** The result of a task; null: the part has none. Throws the error of the task. */
  result(index: number): TaskResult | null {
    const entry = this.#entries[index];
    if (entry === undefined || entry === null) return null;
    if ('error' in entry) throw revived(entry);
    const { result, at, byteLength } = entry;
    return byteLength === 0 ? result : { ...result, chunk: readStoredChunk(this.#bytes(at, byteLength)) };
  }

  close(): void {
    closeFile(this.#file);
  }

  #bytes(start: number, byteLength: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(byteLength);
    if (readFileAt(this.#file, bytes, start) < byteLength)
      throw failure(generalErrors.INTERNAL, { reason: 'the results of a part are incomplete' });
    return bytes;
  }
}
