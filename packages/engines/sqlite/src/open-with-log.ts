/** Opens one of our own databases with a write-ahead log. */
import { openDatabase, type SqlConnection } from '@geomill/platform/sqlite.ts';
import { isBusy } from './database-failure.ts';

/** Between two attempts to switch the journal; the switch itself takes about a millisecond. */
const RETRY_MS = 10;

/**
 * A connection whose database has a write-ahead log; other statements wait `timeoutMs` for the locks of other connections.
 *
 * SQLite does not wait with the statement that switches a new database to the log: where several processes open it at the
 * same time, each holds a lock that the others need, and all but one get SQLITE_BUSY at once, whatever the timeout says.
 * So that statement is repeated here, for as long as the timeout.
 */
export function openWithLog(path: string, timeoutMs: number): SqlConnection {
  const handle = openDatabase(path, { timeout: timeoutMs });
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      handle.exec('PRAGMA journal_mode = WAL');
      return handle;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) {
        handle.close();
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
