/** Threads of a worker: none yet, so conversions run in the worker itself. */

export interface ThreadListener {
  message?(message: unknown): void;
  error?(error: unknown): void;
  end?(): void;
}

export interface Thread {
  readonly hasEnded: boolean;
  send(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  listen(listener: ThreadListener): () => void;
  terminate(): Promise<void>;
  keepAlive(isKept: boolean): void;
}

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
