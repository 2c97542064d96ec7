/** Makes new names in a directory durable. */
import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { SharedSync } from './shared-sync.ts';

const fsyncAsync = promisify(fsync);

/** `sync` resolves when all names that exist in the directory at the call are durable. */
export function directorySync(path: string): SharedSync {
  return new SharedSync(() => syncDirectory(path));
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
    // Some network file systems reject it; they write names through.
  } finally {
    closeSync(descriptor);
  }
}
