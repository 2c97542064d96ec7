/** Brings the schema of a database of ours up to date. */
import { failure } from '../../errors.ts';
import type { Database } from './database.ts';

/**
 * Applies what is missing of `migrations`, the changes that lead from each version of the schema to the next, beginning
 * with an empty database. Several processes may do so at the same time. Throws SERVICE_DATABASE_UNUSABLE where the database is
 * from a newer version than this one.
 */
export function bringUpToDate(database: Database, path: string, migrations: readonly string[]): void {
  if (database.userVersion === migrations.length) return;
  database.transaction(() => {
    // Read again: another process may have been here while this one waited for the lock.
    const found = database.userVersion;
    if (found > migrations.length)
      throw failure('SERVICE_DATABASE_UNUSABLE', {
        path,
        reason: `it has schema version ${found} and this geomill knows ${migrations.length}; use the geomill that wrote it`,
      });
    for (const migration of migrations.slice(found)) database.exec(migration);
    database.userVersion = migrations.length;
  });
}
