/**
 * Where worker threads come from: made for one conversion and ended with it (the command line), or kept by a process for all
 * of its conversions (a runner, which gives up the permission to start threads before it sees user data).
 */
import { Worker } from 'node:worker_threads';
import type { Expectation } from './task.ts';

/** Beside sessions, tasks and calls: what a kept thread is told between them. */
export type ThreadNote = { readonly expect: Expectation } | { readonly end: true };

export interface ThreadSource {
  /** Most threads that one conversion gets; below 2 it works in its own thread. */
  readonly size: number;
  /** Threads for one conversion; they belong to it until `giveBack`. */
  take(count: number): readonly Worker[];
  /** `idle` resolves when the threads have finished what they were told; a caller that gives none back waits for nothing. */
  giveBack(threads: readonly Worker[], idle: () => Promise<void>): Promise<void>;
}

function startThread(): Worker {
  return new Worker(new URL('./worker-entry.js', import.meta.url));
}

/** New threads for each conversion, ended at once when it ends, also in the middle of a task. */
export const newThreads: ThreadSource = {
  size: Number.POSITIVE_INFINITY,
  take: (count) => Array.from({ length: count }, startThread),
  async giveBack(threads) {
    await Promise.all(threads.map((thread) => thread.terminate()));
  },
};

/**
 * Threads that are started once. Between conversions they hold loaded code and no data. A thread that dies is not replaced:
 * the process may not start another one.
 */
export class KeptThreads implements ThreadSource {
  readonly #threads = new Set<Worker>();

  constructor(count: number) {
    for (let index = 0; index < count; index++) {
      const thread = startThread();
      this.#threads.add(thread);
      // Between conversions nobody else listens, and an error without a listener would end the process.
      thread.on('error', () => this.#threads.delete(thread));
      thread.on('exit', () => this.#threads.delete(thread));
    }
  }

  get size(): number {
    return this.#threads.size;
  }

  take(count: number): readonly Worker[] {
    return [...this.#threads].slice(0, count);
  }

  /** Waits for the threads, which cannot be replaced: a failed conversion may leave some in the middle of a task. */
  async giveBack(threads: readonly Worker[], idle: () => Promise<void>): Promise<void> {
    await idle();
    for (const thread of threads) thread.postMessage({ end: true } satisfies ThreadNote);
  }

  /** Ends the threads; for tests. */
  async terminate(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }
}

/**
 * Gives up the permission to start threads, for good: a thread that is started with options of its own would not be under
 * the permission model (nodejs/node#62222). Each thread has to do it for itself, see worker-entry.js. False where this Node cannot: before 26.
 */
export function dropWorkerPermission(): boolean {
  // Undefined in a process without the permission model; `drop` is missing in Node 24.
  const permission: Partial<NodeJS.ProcessPermission> | undefined = process.permission;
  if (permission?.drop === undefined) return false;
  permission.drop('worker');
  return true;
}
