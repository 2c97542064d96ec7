/**
 * Sources of worker threads: created for one conversion and ended with it (the command line), or kept by a process for all
 * of its conversions (a runner, which drops the permission to start threads before it reads user data).
 */
import type { Worker } from 'node:worker_threads';
import { entryFile } from '@geomill/platform/program-files.ts';
import type { Expectation } from './task.ts';

/** Messages to kept threads, in addition to sessions, tasks and calls. */
export type ThreadNote = { readonly expect: Expectation } | { readonly end: true };

export interface ThreadSource {
  /** Maximum number of threads for one conversion; below 2 it runs in its own thread. */
  readonly size: number;
  /** Threads for one conversion; they belong to it until `giveBack`. */
  take(count: number): readonly Worker[];
  /** Returns the threads; `idle` resolves when they have finished their tasks. */
  giveBack(threads: readonly Worker[], idle: () => Promise<void>): Promise<void>;
}

/**
 * Of a thread: new objects before a collection of garbage. What tasks make is mostly outside of the heap, in arrays that are freed with their
 * objects; with V8's default, a process with two threads needs 60 to 90 MB more.
 */
const YOUNG_GENERATION_MB = 24;

export function startThread(): Worker {
  // Most commands convert a small file without threads: loading this takes a millisecond.
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
  return new Thread(entryFile('packages/pipeline/src/worker-entry.js'), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

/** New threads for each conversion, terminated when it ends, even during a task. */
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
      // Between conversions there is no other listener, and an error without one would end the process.
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
 * Drops the permission to start threads for good: a thread that is started with its own options is not under
 * the permission model (nodejs/node#62222). Each thread must call it, see worker-entry.js. Returns false before Node 26.
 */
export function dropWorkerPermission(): boolean {
  // Undefined in a process without the permission model; `drop` is missing in Node 24.
  const permission: Partial<NodeJS.ProcessPermission> | undefined = process.permission;
  if (permission?.drop === undefined) return false;
  permission.drop('worker');
  return true;
}
