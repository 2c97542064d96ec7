/** Where tasks run: in this thread for small inputs, in worker threads for large ones. Same tasks, same results. */
import { Worker } from 'node:worker_threads';
import { batchBuffers } from '../batch/feature-batch.ts';
import { asGeomillError, failure, GeomillError } from '../errors.ts';
import type { SourceLayer } from '../formats/format.ts';
import { createPerformer, type Performer } from './perform.ts';
import type { Expectation, Session, Task, TaskOutcome, TaskResult } from './task.ts';

export interface Executor {
  /** Tasks that can run at once. */
  readonly width: number;
  begin(session: Session): void;
  /** Runs a task; buffers of a batch input are moved away from the caller. Rejects with the task's GeomillError. */
  run(task: Task): Promise<TaskResult>;
  /** Stops at once, also in the middle of a task. */
  stop(): Promise<void>;
}

/**
 * Bytes of input per partition. Measured from 256 KB to 8 MB: at 1 MB a batch and its encoding stay in the caches, and
 * a message per partition does not show yet.
 */
export const PARTITION_BYTES = 1 << 20;
/** Starting threads takes as long as reading about this many partitions. */
const FEW_PARTITIONS = 6;

/** Inputs of this many bytes get their threads before it is known how they can be cut. */
export const CERTAINLY_LARGE_BYTES = (FEW_PARTITIONS + 2) * PARTITION_BYTES;

/** `inputBytes`: size of the input file. It tells many layers of a few rows, a partition each, from many full ones. */
export function executorFor(layers: readonly SourceLayer[], threads: number, inputBytes: number): Executor {
  const partitionCount = layers.reduce((sum, layer) => sum + layer.partitions.length, 0);
  const isUncut = partitionCount <= layers.length && inputBytes <= FEW_PARTITIONS * PARTITION_BYTES;
  if (partitionCount <= FEW_PARTITIONS || isUncut) return inlineExecutor();
  return threadExecutor(Math.min(threads, partitionCount));
}

function inlineExecutor(): Executor {
  let performer: Promise<Performer> | null = null;
  return {
    width: 1,
    begin(session) {
      performer = createPerformer(session);
      performer.catch(() => {});
    },
    async run(task) {
      if (performer === null) throw new Error('a task came before its session');
      return (await performer).perform(task).result;
    },
    stop: async () => {},
  };
}

interface Waiting {
  readonly task: Task;
  readonly resolve: (result: TaskResult) => void;
  readonly reject: (error: GeomillError) => void;
}

/** `count` worker threads, started at once: they load their code while the main thread opens the input. */
export function threadExecutor(count: number, expectation: Expectation | null = null): Executor {
  const idle: Worker[] = [];
  const busy = new Map<Worker, Waiting>();
  const queue: Waiting[] = [];
  let stopped: GeomillError | null = null;

  const dispatch = (): void => {
    while (idle.length > 0 && queue.length > 0) {
      const worker = idle.pop() as Worker;
      const waiting = queue.shift() as Waiting;
      busy.set(worker, waiting);
      worker.postMessage({ task: waiting.task }, transferOf(waiting.task));
    }
  };
  const failAll = (error: GeomillError): void => {
    stopped ??= error;
    for (const waiting of [...busy.values(), ...queue]) waiting.reject(error);
    busy.clear();
    queue.length = 0;
  };
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: expectation });
    worker.on('message', (outcome: TaskOutcome) => {
      const waiting = busy.get(worker);
      busy.delete(worker);
      idle.push(worker);
      if ('result' in outcome) waiting?.resolve(outcome.result);
      else waiting?.reject(revive(outcome));
      dispatch();
    });
    worker.on('error', (error) => failAll(workerFailure(error)));
    idle.push(worker);
    return worker;
  });

  return {
    width: count,
    begin(session) {
      for (const worker of workers) worker.postMessage({ session });
    },
    run(task) {
      return new Promise((resolve, reject) => {
        if (stopped !== null) return reject(stopped);
        queue.push({ task, resolve, reject });
        dispatch();
      });
    },
    async stop() {
      failAll(failure('CANCELLED', {}));
      await Promise.all(workers.map((worker) => worker.terminate()));
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
