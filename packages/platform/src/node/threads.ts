/** Threads that run entries of the program. Each gets messages and answers them; see thread-port.js for its side. */
import type { Worker } from 'node:worker_threads';
import { entryFile } from '../program-files.ts';
import type { Thread } from '../shared-types.ts';

export type { Thread, ThreadListener } from '../shared-types.ts';

/**
 * Of a thread: new objects before a collection of garbage. What tasks make is mostly outside of the heap, in arrays that are freed with their
 * objects; with V8's default, a process with two threads needs 60 to 90 MB more.
 */
const YOUNG_GENERATION_MB = 24;

/** How many threads a process can start. */
export const MOST_THREADS = Number.POSITIVE_INFINITY;

/** Starts a thread; `entry`: path in the checkout of the file that it runs, which the build makes a file of its own. */
export function startThread(entry: string): Thread {
  // Most commands convert a small file without threads: loading this takes a millisecond.
  const { Worker: NodeThread } = process.getBuiltinModule('node:worker_threads');
  return threadOf(
    new NodeThread(entryFile(entry), { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } }),
  );
}

function threadOf(worker: Worker): Thread {
  return {
    get hasEnded() {
      return worker.threadId < 0;
    },
    send: (message, transfer) => worker.postMessage(message, transfer),
    listen({ message, error, end }) {
      if (message !== undefined) worker.on('message', message);
      if (error !== undefined) worker.on('error', error);
      if (end !== undefined) worker.on('exit', end);
      return () => {
        if (message !== undefined) worker.off('message', message);
        if (error !== undefined) worker.off('error', error);
        if (end !== undefined) worker.off('exit', end);
      };
    },
    async terminate() {
      await worker.terminate();
    },
    keepAlive(isKept) {
      if (isKept) worker.ref();
      else worker.unref();
    },
  };
}

/** Whether a thread failed because its memory was too small. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/**
 * Drops the permission to start threads for good: a thread that is started with its own options is not under
 * the permission model (nodejs/node#62222). Each thread does so, too, in thread-port.js. Returns false before Node 26.
 */
export function dropThreadPermission(): boolean {
  // Undefined in a process without the permission model; `drop` is missing in Node 24.
  const permission: Partial<NodeJS.ProcessPermission> | undefined = process.permission;
  if (permission?.drop === undefined) return false;
  permission.drop('worker');
  return true;
}
