/** Converts SQLite's errors about the service's databases to errors for the operator. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { sqliteErrors } from './errors.ts';

/** Result codes of SQLite (https://sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** The primary result code of an error of SQLite; null for any other error. */
function resultCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return null;
  return thrown.errcode & 0xff;
}

/** Whether SQLite found that the file is not a database, or that its pages contradict each other. */
export function isDamage(thrown: unknown): boolean {
  const code = resultCode(thrown);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** Whether another connection holds a lock that the statement needs. */
export function isBusy(thrown: unknown): boolean {
  return resultCode(thrown) === SQLITE_BUSY;
}

/** An error of SQLite as SERVICE_DATABASE_DAMAGED or SERVICE_DATABASE_UNUSABLE of the database at `path`; anything else as it is. */
export function asDatabaseFailure(thrown: unknown, path: string): unknown {
  if (resultCode(thrown) === null) return thrown;
  const reason = (thrown as Error).message;
  if (isDamage(thrown))
    return failure(sqliteErrors.SERVICE_DATABASE_DAMAGED, { path, reason }, undefined, thrown);
  return failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path, reason }, undefined, thrown);
}
