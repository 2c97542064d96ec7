/** Executors: one that runs tasks in this thread, for small inputs, and one that runs them in worker threads, with the same results. */
import { batchBuffers } from '@geomill/core/columns/feature-batch.ts';
import { asGeomillError, failure, type GeomillError, reviveError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import type { PackedPiece } from '@geomill/io/zip-pack.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import { eventTurn } from '@geomill/platform/scheduling.ts';
import { isOutOfMemory, type Thread } from '@geomill/platform/threads.ts';
import { pipelineCatalogue } from './catalogue.ts';
import { pipelineErrors } from './errors.ts';
import type { Executor } from './executor.ts';
import { createPerformer, type Performer } from './perform.ts';
import type { Expectation, Piece, ReaderWork, StepCall, Task, TaskOutcome, TaskResult } from './task.ts';
import type { ThreadNote, ThreadSource } from './threads.ts';

/**
 * Bytes of input per partition. Measured from 256 KB to 8 MB: at 1 MB a batch and its encoding fit the CPU caches, and
 * the cost of one message per partition is negligible.
 */
const PARTITION_BYTES = 1 << 20;

/**
 * Steps on geometries cost many times as much per byte of input, and buffers of points are ten times as large as
 * the points: smaller partitions spread the work over the threads, fit the caches and make progress finer.
 */
const PARTITION_BYTES_WITH_STEPS = 1 << 18;

/** Starting the threads takes as long as reading about this many partitions. */
const FEW_PARTITIONS = 6;

/** Size of the partitions, and the number of them from which threads pay off. */
export interface Cutting {
  readonly partitionBytes: number;
  /** From this many bytes on, threads are started before the partitions are known. */
  readonly certainlyLargeBytes: number;
  /** A union makes many calls: even a single partition can keep all threads busy. */
  readonly collects: boolean;
}

export function cuttingFor(steps: 'none' | 'streaming' | 'collecting'): Cutting {
  const partitionBytes = steps === 'none' ? PARTITION_BYTES : PARTITION_BYTES_WITH_STEPS;
  return {
    partitionBytes,
    certainlyLargeBytes: (FEW_PARTITIONS + 2) * partitionBytes,
    collects: steps === 'collecting',
  };
}

/** Bytes of binary records for one thread: it converts them in the time that it takes to start and to compile its code. */
const BYTES_PER_THREAD = 1 << 26;

/** With so many bytes, a conversion takes seconds, and one more thread pays off. */
const MANY_BYTES = 1 << 28;

/**
 * How many of `threads` new threads a conversion of binary records without steps needs. In its first second, the main thread, which
 * writes the output, and V8's compilers keep one core busy: one more thread takes CPU time and gains none.
 */
export function threadsForBinary(threads: number, inputBytes: number): number {
  if (inputBytes > MANY_BYTES) return threads;
  return Math.max(1, Math.min(threads - 1, Math.ceil(inputBytes / BYTES_PER_THREAD)));
}

/** `inputBytes`: size of the input file. It distinguishes many layers of a few rows, a partition each, from many full ones. */
export function executorFor(
  layers: readonly SourceLayer[],
  threads: number,
  inputBytes: number,
  cutting: Cutting,
  registry: readonly Transformation[],
  source: ThreadSource,
): Executor {
  if (source.size < 2) return inlineExecutor(registry);
  const partitionCount = layers.reduce((sum, layer) => sum + layer.partitions.length, 0);
  const isSmall = inputBytes <= FEW_PARTITIONS * cutting.partitionBytes;
  const isUncut = partitionCount <= layers.length && isSmall;
  if (isUncut || (partitionCount <= FEW_PARTITIONS && (isSmall || !cutting.collects)))
    return inlineExecutor(registry);
  return threadExecutor(source, cutting.collects ? threads : Math.min(threads, partitionCount));
}

/** Milliseconds of work in this thread after which it yields, so that a cancellation is noticed. */
const TURN_MS = 50;

export function inlineExecutor(registry: readonly Transformation[] = transformations): Executor {
  let performer: Promise<Performer> | null = null;
  let turnBegan = performance.now();
  const takeTurn = async (): Promise<Performer> => {
    if (performer === null) throw new Error('a task came before its session');
    if (performance.now() - turnBegan > TURN_MS) {
      await eventTurn();
      turnBegan = performance.now();
    }
    return performer;
  };
  return {
    width: 1,
    begin(session) {
      performer = createPerformer(session, registry);
      performer.catch(() => {});
    },
    useEncodings(encodings) {
      performer =
        performer?.then((ready) => {
          ready.useEncodings(encodings);
          return ready;
        }) ?? null;
    },
    async run(task) {
      const ready = await takeTurn();
      return (await ready.perform(task)).result;
    },
    async call(call) {
      const ready = await takeTurn();
      return (await ready.call(call)).result;
    },
    stop: async () => {},
  };
}

/**
 * An executor on `count` worker threads of `source`, which load their code while the main thread opens the input. With `ahead`, each thread
 * gets its next task while it performs one, so that it does not wait for the main thread: for tasks of milliseconds, as a
 * long one would delay the next.
 */
export function threadExecutor(
  source: ThreadSource,
  count: number,
  expectation: Expectation | null = null,
  ahead = false,
): Executor {
  const workers = source.take(count);
  /** The messages under way, in their order. */
  const underWay = new Map<Thread, Waiting[]>(workers.map((worker) => [worker, []]));
  const most = ahead ? 2 : 1;
  const queue: Waiting[] = [];
  const quiet = Promise.withResolvers<void>();
  let stopped: GeomillError | null = null;
  let stopping: Promise<void> | null = null;

  const dispatch = (): void => {
    while (queue.length > 0) {
      const [worker, own] = leastBusy(underWay);
      if (own.length >= most) return;
      const waiting = queue.shift() as Waiting;
      try {
        worker.send(waiting.message, waiting.transfer);
        own.push(waiting);
      } catch (error) {
        // The message could not be cloned: the worker did not get it.
        waiting.reject(asGeomillError(error));
      }
    }
  };
  const failAll = (error: GeomillError): void => {
    stopped ??= error;
    for (const waiting of [...[...underWay.values()].flat(), ...queue]) waiting.reject(error);
    queue.length = 0;
  };
  const isQuiet = (): boolean => [...underWay.values()].every((own) => own.length === 0);
  const listenTo = (worker: Thread): (() => void) =>
    worker.listen({
      message(answer) {
        const outcome = answer as TaskOutcome;
        const waiting = underWay.get(worker)?.shift();
        if (stopped !== null && isQuiet()) quiet.resolve();
        if ('result' in outcome) waiting?.resolve(outcome.result);
        else if ('answer' in outcome) waiting?.resolve(outcome.answer);
        else waiting?.reject(revive(outcome));
        dispatch();
      },
      error(error: unknown) {
        failAll(workerFailure(error));
        underWay.get(worker)?.splice(0);
        if (isQuiet()) quiet.resolve();
      },
    });
  const ends = workers.map(listenTo);
  for (const worker of workers) {
    if (expectation !== null) worker.send({ expect: expectation } satisfies ThreadNote);
  }

  const send = (message: Waiting['message'], transfer: readonly ArrayBuffer[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (stopped !== null) return reject(stopped);
      queue.push({ message, transfer, resolve, reject });
      dispatch();
    });
  const stop = async (): Promise<void> => {
    failAll(failure(generalErrors.CANCELLED, {}));
    if (isQuiet()) quiet.resolve();
    await source.giveBack(workers, () => quiet.promise);
    for (const end of ends) end();
  };

  return {
    width: workers.length,
    begin(session) {
      for (const worker of workers) worker.send({ session });
    },
    useEncodings(encodings) {
      for (const worker of workers) worker.send({ encodings });
    },
    run: (task) => send({ task }, transferOf(task)) as Promise<TaskResult>,
    call: (call, transfer) => send({ call }, transfer),
    read: (reading) => send({ reading }, []),
    work: (work, transfer) => send({ work }, transfer),
    packer: {
      pack: (bytes, content) => send({ piece: { bytes, content } }, [bytes.buffer]) as Promise<PackedPiece>,
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function leastBusy(underWay: ReadonlyMap<Thread, Waiting[]>): readonly [Thread, Waiting[]] {
  const [first, ...others] = underWay;
  return others.reduce((least, other) => (other[1].length < least[1].length ? other : least), first);
}

function transferOf(task: Task): ArrayBuffer[] {
  return task.input.kind === 'batch' ? [...new Set(batchBuffers(task.input.batch))] : [];
}

function revive(outcome: { error: ReturnType<GeomillError['toPlain']>; stack?: string }): GeomillError {
  const error = reviveError(outcome.error, pipelineCatalogue);
  if (outcome.stack !== undefined && error.fault === 'ours') error.stack = outcome.stack;
  return error;
}

function workerFailure(error: unknown): GeomillError {
  if (isOutOfMemory(error)) {
    return failure(
      pipelineErrors.JOB_OUT_OF_MEMORY,
      { limit: 'the memory of one worker thread' },
      undefined,
      error,
    );
  }
  return asGeomillError(error);
}

export interface Waiting {
  readonly message:
    | { readonly task: Task }
    | { readonly call: StepCall }
    | { readonly piece: Piece }
    | { readonly reading: ReaderWork }
    | { readonly work: unknown };
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: GeomillError) => void;
}
