/** An executor whose announced tasks run in other processes, in parts, and in this one when no other has taken a part. */
import { fileFacts, makeDirectory, namesIn, removeFile, writeNewFile } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { serialized } from '@geomill/platform/serialization.ts';
import type { Executor } from '../executor.ts';
import type { Session, Task, TaskResult } from '../task.ts';
import { type Division, MAX_FILES, MAX_PARTS, type OfferedPart } from './division.ts';
import { PartReader, partitionOf, writePart } from './part-file.ts';

export interface DividedOptions {
  readonly local: Executor;
  readonly division: Division;
  /** Bytes of input per task, about. */
  readonly taskBytes: number;
  /** Partitions begin and end at bytes of the file that they are in. */
  readonly hasByteRanges: boolean;
  /** Unpacked files are below it, and files for parts go there. */
  readonly scratchDirectory: string;
  /** Keeps the unpacked files of a layer, until the end. */
  readonly hold: (layerIndex: number) => Promise<void>;
}

interface Part {
  readonly tasks: readonly Task[];
  /** Resolves with what opens the results. */
  readonly opening: PromiseWithResolvers<() => PartReader>;
  /** Null until a result is asked for: a thousand open files are more than many systems allow. */
  reader: Promise<PartReader> | null;
  /** Results that were not asked for yet. */
  left: number;
  isRead: boolean;
}

/** Fewer are not worth the way to another process and back. */
const LEAST_PARTS = 2;

export class DividedExecutor implements Executor {
  readonly #options: DividedOptions;
  readonly #directory: string;
  readonly #parts = new Map<number, Part>();
  /** Of the announced tasks, by layer and partition. */
  readonly #places = new Map<string, { readonly part: Part; readonly index: number }>();
  #nextNumber = 0;
  #session: Session | null = null;
  #sessions = 0;
  #isWorking = false;
  #isStopped = false;

  constructor(options: DividedOptions) {
    this.#options = options;
    this.#directory = joinedPath(options.scratchDirectory, 'division');
    makeDirectory(this.#directory);
  }

  get width(): number {
    return this.#options.local.width;
  }

  begin(session: Session): void {
    this.#forget();
    this.#session = session;
    this.#options.local.begin(session);
  }

  useEncodings: Executor['useEncodings'] = (encodings) => this.#options.local.useEncodings(encodings);

  call: Executor['call'] = (call, transfer) => this.#options.local.call(call, transfer);

  async announce(tasks: readonly Task[], progress: readonly [number, number]): Promise<void> {
    const { division, taskBytes, hold } = this.#options;
    const count = partCountOf(tasks.length, division, taskBytes);
    this.#forget();
    if (count === 0 || this.#session === null) return;
    for (const index of new Set(tasks.map(({ layerIndex }) => layerIndex))) await hold(index);
    const { files, readsInput } = this.#filesOf(this.#session);
    // An archive of very many shapefiles.
    if (files.length > MAX_FILES) return;
    const first = this.#nextNumber;
    const session = joinedPath(this.#directory, `session-${++this.#sessions}`);
    writeNewFile(session, serialized(this.#session));
    const parts: OfferedPart[] = [];
    // Of about equal length: a short last one would make the others wait for nothing.
    for (let i = 0; i < count; i++) {
      const from = Math.round((i * tasks.length) / count);
      const own = tasks.slice(from, Math.round(((i + 1) * tasks.length) / count));
      parts.push(this.#addPart(own));
    }
    division.offer({ first, session, parts, files, readsInput, progress });
    if (!this.#isWorking) void this.#work();
  }

  async run(task: Task): Promise<TaskResult> {
    const place = this.#places.get(keyOf(task));
    if (place === undefined || !isSameWork(task, place.part.tasks[place.index]))
      return this.#options.local.run(task);
    const { part, index } = place;
    part.reader ??= part.opening.promise.then((open) => open());
    const reader = await part.reader;
    try {
      return reader.result(index) ?? (await this.#options.local.run(task));
    } finally {
      part.left -= 1;
      if (part.left === 0) this.#close(part);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#options.local.stop();
  }

  #addPart(tasks: readonly Task[]): OfferedPart {
    const number = this.#nextNumber++;
    const opening = Promise.withResolvers<() => PartReader>();
    // Awaited when its first result is asked for; this prevents an unhandled rejection until then.
    opening.promise.catch(() => {});
    const part: Part = { tasks, opening, reader: null, left: tasks.length, isRead: false };
    this.#parts.set(number, part);
    for (const [index, task] of tasks.entries()) this.#places.set(keyOf(task), { part, index });
    const path = joinedPath(this.#directory, `tasks-${number}`);
    writeNewFile(path, serialized(tasks));
    this.#options.division
      .result(number)
      .then((file) => opening.resolve(() => new PartReader(file)))
      .catch(opening.reject);
    const partitions = [tasks[0], tasks[tasks.length - 1]].map((task) => partitionOf(task).partition);
    return {
      tasks: path,
      count: tasks.length,
      range: this.#options.hasByteRanges ? [partitions[0].start, partitions[1].end] : null,
    };
  }

  /** Runs parts here, as long as there are some that no other process has taken. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    const { division, local } = this.#options;
    for (;;) {
      const number = await division.takeOwn();
      if (this.#isStopped) return;
      const part = this.#parts.get(number);
      // Withdrawn meanwhile.
      if (part === undefined) continue;
      const path = joinedPath(this.#directory, `own-${number}`);
      try {
        await writePart({ tasks: part.tasks, executor: local, path });
        const reader = new PartReader(path);
        part.opening.resolve(() => reader);
      } catch (error) {
        part.opening.reject(error);
      } finally {
        // It stays readable while it is open.
        removeFile(path);
      }
    }
  }

  #forget(): void {
    if (this.#parts.size > 0) this.#options.division.withdraw();
    for (const part of this.#parts.values()) this.#close(part);
    this.#parts.clear();
    this.#places.clear();
  }

  #close(part: Part): void {
    if (part.isRead) return;
    part.isRead = true;
    const reader = part.reader ?? part.opening.promise.then((open) => open());
    reader.then(
      (opened) => opened.close(),
      () => {},
    );
  }

  #filesOf({ layers }: Session): { files: string[]; readsInput: boolean } {
    const { scratchDirectory, division } = this.#options;
    const texts = new Set<string>();
    for (const { source } of layers) collectTexts(source.state, texts);
    const files = new Set<string>();
    for (const text of texts)
      if (text.startsWith(`${scratchDirectory}/`)) for (const path of filesBelow(text)) files.add(path);
    return { files: [...files], readsInput: texts.has(division.inputPath) };
  }
}

/** 0: the tasks are not offered. */
function partCountOf(taskCount: number, { partCount, partBytes }: Division, taskBytes: number): number {
  if (partCount !== undefined) return Math.min(partCount, taskCount, MAX_PARTS);
  const perPart = Math.max(Math.ceil(taskCount / MAX_PARTS), Math.round(partBytes / taskBytes), 1);
  return taskCount < LEAST_PARTS * perPart ? 0 : Math.floor(taskCount / perPart);
}

function keyOf(task: Task): string {
  if (task.input.kind !== 'partition') return '';
  const { start, end } = task.input.partition;
  return `${task.layerIndex} ${start} ${end}`;
}

/** Whether a task asks for what the announced one with the same partition did. */
function isSameWork(task: Task, announced: Task): boolean {
  return (
    task.stage === announced.stage &&
    task.statisticsDepth === announced.statisticsDepth &&
    task.encoding === announced.encoding
  );
}

/** All texts in plain data. */
function collectTexts(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') found.add(value);
  else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const one of Object.values(value)) collectTexts(one, found);
}

function filesBelow(path: string): string[] {
  const facts = fileFacts(path);
  if (facts === null) return [];
  if (facts.isFile) return [path];
  return namesIn(path).flatMap((name) => filesBelow(`${path}/${name}`));
}
