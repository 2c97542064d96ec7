/** Brings the schema of one of our own databases up to date. */
import { failure } from '../../errors.ts';
import type { Database } from './database.ts';

export interface SchemaHistory {
  /** The version that the first step creates in an empty database. Older versions cannot be opened. */
  readonly firstVersion: number;
  /** Each step after the first leads from one version to the next. */
  readonly steps: readonly string[];
}

export function versionOf({ firstVersion, steps }: SchemaHistory): number {
  return firstVersion + steps.length - 1;
}

/**
 * Applies the steps that the database does not have yet. Several processes may do so at the same time. Throws
 * SERVICE_DATABASE_UNUSABLE if the database has a newer version, or one older than the first.
 */
export function bringUpToDate(database: Database, path: string, history: SchemaHistory): void {
  const { firstVersion, steps } = history;
  const version = versionOf(history);
  if (database.userVersion === version) return;
  database.transaction(() => {
    // Read again: another process may have applied steps while this one waited for the lock.
    const found = database.userVersion;
    if (found > version || (found !== 0 && found < firstVersion)) {
      const remedy =
        found > version
          ? 'use the geomill that wrote it'
          : 'it was written before the first release; use the geomill that wrote it, or an empty data directory';
      const reason = `it has schema version ${found} and this geomill knows ${version}; ${remedy}`;
      throw failure('SERVICE_DATABASE_UNUSABLE', { path, reason });
    }
    for (const step of steps.slice(found === 0 ? 0 : found - firstVersion + 1)) database.exec(step);
    database.userVersion = version;
  });
}
