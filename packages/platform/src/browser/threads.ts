/** Threads of a worker: none yet, so conversions run in the worker itself. */
import type { Thread } from '../shared-types.ts';

export type { Thread, ThreadListener } from '../shared-types.ts';

/** None: conversions run in the worker itself. */
export const MOST_THREADS = 0;

export function startThread(entry: string): Thread {
  throw new Error(`no thread can run ${entry}`);
}

export function isOutOfMemory(_error: unknown): boolean {
  return false;
}

export function dropThreadPermission(): boolean {
  return true;
}
