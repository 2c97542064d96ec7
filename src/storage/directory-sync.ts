/** Makes new names in a directory durable. */
import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { SharedSync } from './shared-sync.ts';

const fsyncAsync = promisify(fsync);

/** Its `sync` resolves when every name that exists in the directory then is durable. */
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
    // Some network file systems refuse it; they write names through by themselves.
  } finally {
    closeSync(descriptor);
  }
}
