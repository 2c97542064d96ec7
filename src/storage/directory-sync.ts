/**
 * Makes new names in a directory durable, for many callers at the price of few: a sync that begins after a caller's
 * rename covers it, so all who ask while one sync runs share the next one.
 */
import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const fsyncAsync = promisify(fsync);

export class DirectorySync {
  readonly #path: string;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when every name that exists in the directory now is durable. */
  sync(): Promise<void> {
    if (this.#running === null) return this.#run();
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.#run();
    });
    return this.#next;
  }

  #run(): Promise<void> {
    this.#running = syncDirectory(this.#path).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }
}

async function syncDirectory(path: string): Promise<void> {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return; // Windows cannot open a directory, and needs no sync of it.
  }
  try {
    await fsyncAsync(descriptor);
  } catch {
    // Some network file systems refuse it; they write names through by themselves.
  } finally {
    closeSync(descriptor);
  }
}
