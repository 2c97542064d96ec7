/**
 * A lock that is released when its holder ends. SQLite's exclusive lock is a lock of the operating system on an open file, so
 * kill -9 releases it and no stale lock can remain. Alternative rejected: a file with a process id, which outlives its process, and
 * whose id another process may have by then.
 */
import { fileFacts } from '@geomill/platform/files.ts';
import { openDatabase } from '@geomill/platform/sqlite.ts';
import { isBusy } from './database-failure.ts';

export interface FileLock {
  release(): void;
}

/** Takes the lock, or returns null while another process holds it. Creates the file `path`. */
export function tryFileLock(path: string): FileLock | null {
  const handle = openDatabase(path, { timeout: 0 });
  try {
    handle.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    handle.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return {
    release() {
      if (handle.isOpen) handle.close();
    },
  };
}

/** Whether any process holds the lock; reads only. */
export function isFileLocked(path: string): boolean {
  if (fileFacts(path) === null) return false;
  const handle = openDatabase(path, { readOnly: true, timeout: 0 });
  try {
    handle.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    handle.close();
  }
}
