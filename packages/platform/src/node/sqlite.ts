/**
 * Connections of SQLite to files. Synchronous: a statement takes microseconds, less than a switch of threads.
 */
import { pathToFileURL } from 'node:url';
import type { ConnectionSetting, SqlConnection } from '../shared-types.ts';

export type { Authorizer, ConnectionSetting, FunctionSetting, SqlConnection, SqlStatement, SqlValue } from '../shared-types.ts'; // biome-ignore format: one line

/** Opens a database; creates the file if it is missing, unless `readOnly`. */
export function openDatabase(
  path: string,
  { isImmutable = false, ...setting }: ConnectionSetting,
): SqlConnection {
  // Loaded here, so that the module can be in one file with others that every command loads.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  if (!isImmutable) return new DatabaseSync(path, setting);
  const location = pathToFileURL(path);
  location.searchParams.set('immutable', '1');
  return new DatabaseSync(location, setting);
}

/** Whether a statement failed because an integer is not exact as a number. */
export function isInexactInteger(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}
