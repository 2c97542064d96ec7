/** Where tasks run: in this thread for small inputs, in worker threads for large ones. Same tasks, same results. */
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { batchBuffers } from '../batch/feature-batch.ts';
import { asGeomillError, failure, GeomillError } from '../errors.ts';
import type { SourceLayer } from '../formats/format.ts';
import type { Transformation } from '../transformations/transformation.ts';
import { createPerformer, type Performer } from './perform.ts';
import type { Expectation, Session, StepCall, Task, TaskOutcome, TaskResult } from './task.ts';
import type { ThreadNote, ThreadSource } from './threads.ts';

export interface Executor {
  /** Tasks that can run at once. */
  readonly width: number;
  begin(session: Session): void;
  /** Runs a task; buffers of a batch input are moved away from the caller. Rejects with the task's GeomillError. */
  run(task: Task): Promise<TaskResult>;
  /** Answers a collecting step; `transfer` is moved away from the caller. */
  call(call: StepCall, transfer: readonly ArrayBuffer[]): Promise<unknown>;
  /** Nothing more is done; resolves when no task is under way. Threads that are not kept stop in the middle of one. */
  stop(): Promise<void>;
}

/**
 * Bytes of input per partition. Measured from 256 KB to 8 MB: at 1 MB a batch and its encoding stay in the caches, and
 * a message per partition does not show yet.
 */
const PARTITION_BYTES = 1 << 20;
/**
 * Where steps work on geometries a byte of input costs many times as much, and buffers of points are ten times as large as
 * the points: smaller partitions spread the work over the threads, stay in the caches and let progress move.
 */
const PARTITION_BYTES_WITH_STEPS = 1 << 18;
/** Starting threads takes as long as reading about this many partitions. */
const FEW_PARTITIONS = 6;

/** How an input is cut and from which size on threads are worth their start. */
export interface Cutting {
  readonly partitionBytes: number;
  /** Inputs of this many bytes get their threads before it is known how they can be cut. */
  readonly certainlyLargeBytes: number;
  /** One union is one call after another: a single partition may keep all threads busy. */
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

/** `inputBytes`: size of the input file. It tells many layers of a few rows, a partition each, from many full ones. */
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

/** Milliseconds after which work in this thread lets others have a turn: a cancellation has to be heard. */
const TURN_MS = 50;

function inlineExecutor(registry: readonly Transformation[]): Executor {
  let performer: Promise<Performer> | null = null;
  let turnBegan = performance.now();
  const takeTurn = async (): Promise<Performer> => {
    if (performer === null) throw new Error('a task came before its session');
    if (performance.now() - turnBegan > TURN_MS) {
      await setImmediate();
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

interface Waiting {
  readonly message: { readonly task: Task } | { readonly call: StepCall };
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: GeomillError) => void;
}

/** `count` worker threads of `source`: they load their code while the main thread opens the input. */
export function threadExecutor(
  source: ThreadSource,
  count: number,
  expectation: Expectation | null = null,
): Executor {
  const workers = source.take(count);
  const idle: Worker[] = [...workers];
  const busy = new Map<Worker, Waiting>();
  const queue: Waiting[] = [];
  const quiet = Promise.withResolvers<void>();
  let stopped: GeomillError | null = null;
  let stopping: Promise<void> | null = null;

  const dispatch = (): void => {
    while (idle.length > 0 && queue.length > 0) {
      const worker = idle.pop() as Worker;
      const waiting = queue.shift() as Waiting;
      busy.set(worker, waiting);
      try {
        worker.postMessage(waiting.message, waiting.transfer);
      } catch (error) {
        // What cannot be sent is the sender's fault; the worker has nothing of it and is free.
        busy.delete(worker);
        idle.push(worker);
        waiting.reject(asGeomillError(error));
      }
    }
  };
  const failAll = (error: GeomillError): void => {
    stopped ??= error;
    for (const waiting of [...busy.values(), ...queue]) waiting.reject(error);
    queue.length = 0;
  };
  const isFree = (worker: Worker): void => {
    busy.delete(worker);
    if (stopped !== null && busy.size === 0) quiet.resolve();
  };
  const listeners = workers.map((worker) => ({
    message(outcome: TaskOutcome) {
      const waiting = busy.get(worker);
      isFree(worker);
      idle.push(worker);
      if ('result' in outcome) waiting?.resolve(outcome.result);
      else if ('answer' in outcome) waiting?.resolve(outcome.answer);
      else waiting?.reject(revive(outcome));
      dispatch();
    },
    error(error: unknown) {
      failAll(workerFailure(error));
      isFree(worker);
    },
  }));
  for (const [index, worker] of workers.entries()) {
    worker.on('message', listeners[index].message).on('error', listeners[index].error);
    if (expectation !== null) worker.postMessage({ expect: expectation } satisfies ThreadNote);
  }

  const send = (message: Waiting['message'], transfer: readonly ArrayBuffer[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (stopped !== null) return reject(stopped);
      queue.push({ message, transfer, resolve, reject });
      dispatch();
    });
  const stop = async (): Promise<void> => {
    failAll(failure('CANCELLED', {}));
    if (busy.size === 0) quiet.resolve();
    await source.giveBack(workers, () => quiet.promise);
    for (const [index, worker] of workers.entries())
      worker.off('message', listeners[index].message).off('error', listeners[index].error);
  };

  return {
    width: workers.length,
    begin(session) {
      for (const worker of workers) worker.postMessage({ session });
    },
    run: (task) => send({ task }, transferOf(task)) as Promise<TaskResult>,
    call: (call, transfer) => send({ call }, transfer),
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function transferOf(task: Task): ArrayBuffer[] {
  return task.input.kind === 'batch' ? [...new Set(batchBuffers(task.input.batch))] : [];
}

function revive(outcome: { error: ReturnType<GeomillError['toPlain']>; stack?: string }): GeomillError {
  const error = GeomillError.revive(outcome.error);
  if (outcome.stack !== undefined && error.fault === 'ours') error.stack = outcome.stack;
  return error;
}

function workerFailure(error: unknown): GeomillError {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return failure('JOB_OUT_OF_MEMORY', { limit: 'the memory of one worker thread' }, undefined, error);
  }
  return asGeomillError(error);
}
