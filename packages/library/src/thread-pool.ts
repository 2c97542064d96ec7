/** Worker threads that the calls of a converter share. No thread belongs to two calls at once. */

import { startWorker, type ThreadNote, type ThreadSource } from '@geomill/pipeline/threads.ts';
import type { Thread } from '@geomill/platform/threads.ts';

export class ThreadPool {
  readonly #idle: Thread[] = [];
  readonly #size: number;
  #isClosed = false;

  /** `size`: maximum number of threads that are kept between calls. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Threads for a call. An abort terminates those that it has, because they may be in the middle of a task. */
  forCall(signal: AbortSignal): ThreadSource {
    return {
      size: Number.POSITIVE_INFINITY,
      take: (count) => Array.from({ length: count }, () => this.#take()),
      giveBack: async (threads, idle) => {
        if (!signal.aborted) await Promise.race([idle(), abortOf(signal)]);
        if (signal.aborted || this.#isClosed) await terminate(threads);
        else await terminate(threads.filter((thread) => !this.#keep(thread)));
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await terminate(this.#idle.splice(0));
  }

  #take(): Thread {
    const thread = this.#idle.pop() ?? this.#start();
    thread.keepAlive(true);
    return thread;
  }

  #start(): Thread {
    const thread = startWorker();
    const forget = (): void => {
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
    };
    // Between calls there is no other listener, and an error without one would end the process.
    thread.listen({ error: forget, end: forget });
    return thread;
  }

  /** Returns false if there are enough threads, or if this one has ended. */
  #keep(thread: Thread): boolean {
    if (this.#idle.length >= this.#size || thread.hasEnded) return false;
    thread.send({ end: true } satisfies ThreadNote);
    // A converter that is not closed must not keep the process alive.
    thread.keepAlive(false);
    this.#idle.push(thread);
    return true;
  }
}

async function terminate(threads: readonly Thread[]): Promise<void> {
  await Promise.all(threads.map((thread) => thread.terminate()));
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
