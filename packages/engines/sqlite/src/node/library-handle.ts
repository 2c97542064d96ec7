/** A connection for a library that runs its own statements on the handle of `node:sqlite`. */
import type { DatabaseSync } from 'node:sqlite';
import { openWithLog } from '../open-with-log.ts';

/** Same file, same journal as `Database`; commits reach the disk. The caller closes it. */
export function openLibraryHandle(path: string): DatabaseSync {
  const handle = openWithLog(path, 5000) as DatabaseSync;
  handle.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;');
  return handle;
}
