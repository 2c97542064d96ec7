/** A connection for a library that runs its own statements on the handle of `node:sqlite`. */
import { DatabaseSync } from 'node:sqlite';

/** Same file, same journal as `Database`; commits reach the disk. The caller closes it. */
export function openLibraryHandle(path: string): DatabaseSync {
  const handle = new DatabaseSync(path, { timeout: 5000 });
  handle.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;');
  return handle;
}
