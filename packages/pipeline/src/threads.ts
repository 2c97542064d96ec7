/**
 * Sources of worker threads: created for one conversion and ended with it (the command line), or kept by a process for all
 * of its conversions (a runner, which drops the permission to start threads before it reads user data).
 */
import { MOST_THREADS, startThread, type Thread } from '@geomill/platform/threads.ts';
import type { Expectation } from './task.ts';

/** Messages to kept threads, in addition to sessions, tasks and calls. */
export type ThreadNote = { readonly expect: Expectation } | { readonly end: true };

export interface ThreadSource {
  /** Maximum number of threads for one conversion; below 2 it runs in its own thread. */
  readonly size: number;
  /** Threads for one conversion; they belong to it until `giveBack`. */
  take(count: number): readonly Thread[];
  /** Returns the threads; `idle` resolves when they have finished their tasks. */
  giveBack(threads: readonly Thread[], idle: () => Promise<void>): Promise<void>;
}

export function startWorker(): Thread {
  return startThread('packages/pipeline/src/worker-entry.js');
}

/** New threads for each conversion, terminated when it ends, even during a task. */
export const newThreads: ThreadSource = {
  size: MOST_THREADS,
  take: (count) => Array.from({ length: count }, startWorker),
  async giveBack(threads) {
    await Promise.all(threads.map((thread) => thread.terminate()));
  },
};

/**
 * Threads that are started once. Between conversions they hold loaded code and no data. A thread that dies is not replaced:
 * the process may not start another one.
 */
export class KeptThreads implements ThreadSource {
  readonly #threads = new Set<Thread>();

  constructor(count: number, start = startWorker) {
    for (let index = 0; index < count; index++) {
      const thread = start();
      this.#threads.add(thread);
      const forget = (): void => void this.#threads.delete(thread);
      // Between conversions there is no other listener, and an error without one would end the process.
      thread.listen({ error: forget, end: forget });
    }
  }

  get size(): number {
    return this.#threads.size;
  }

  take(count: number): readonly Thread[] {
    return [...this.#threads].slice(0, count);
  }

  /** Waits for the threads, which cannot be replaced: a failed conversion may leave some in the middle of a task. */
  async giveBack(threads: readonly Thread[], idle: () => Promise<void>): Promise<void> {
    await idle();
    for (const thread of threads) thread.send({ end: true } satisfies ThreadNote);
  }

  /** Ends the threads; for tests. */
  async terminate(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }
}
