/** Keeps other programs from writing to a database that a file is about to replace. */
import { openFileSource } from '@geomill/io/byte-source.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { openDatabase } from '@geomill/platform/sqlite.ts';

const MAGIC = 'SQLite format 3\0';
/** Byte 18 of the header: 1 for a rollback journal, 2 for a log. */
const WRITE_VERSION = 18;
const SQLITE_BUSY = 5;

/** A lock with which no other program can write to the file, until it is disposed. */
export interface WriteLock extends Disposable {
  /** Another program has the lock. */
  readonly isTaken: boolean;
}

/**
 * Does nothing for a file that is no database, and for a database in WAL mode: its log shows that it is in use, and a
 * connection would make one.
 */
export function lockForWriting(path: string): WriteLock {
  if (!hasRollbackJournal(path)) return { isTaken: false, [Symbol.dispose]: () => {} };
  const handle = openDatabase(path, { timeout: 0, allowExtension: false });
  try {
    handle.exec('BEGIN IMMEDIATE');
    return { isTaken: false, [Symbol.dispose]: () => handle.close() };
  } catch (error) {
    handle.close();
    if (!isBusy(error)) throw error;
    return { isTaken: true, [Symbol.dispose]: () => {} };
  }
}

function hasRollbackJournal(path: string): boolean {
  using source = openFileSource(path);
  const head = source.slice(0, WRITE_VERSION + 1);
  return latin1Text(head.subarray(0, MAGIC.length)) === MAGIC && head[WRITE_VERSION] === 1;
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === SQLITE_BUSY;
}
