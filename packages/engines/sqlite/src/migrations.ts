/** Brings the schema of one of our own databases up to date. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Database } from './database.ts';

/** SQLite's code for a statement that cannot be prepared, such as one that names a table that is missing. */
const SQLITE_ERROR = 1;

export interface SchemaHistory {
  /** The version that the first step creates in an empty database. */
  readonly firstVersion: number;
  /** Each step after the first leads from one version to the next. */
  readonly steps: readonly string[];
  /** Steps from released versions before the first, the oldest first: each leads to the next version, the last one to the first. */
  readonly earlier?: readonly string[];
}

export function versionOf({ firstVersion, steps }: SchemaHistory): number {
  return firstVersion + steps.length - 1;
}

/** The oldest version that can be brought up to date. */
function oldestVersionOf({ firstVersion, earlier = [] }: SchemaHistory): number {
  return firstVersion - earlier.length;
}

/**
 * Why a database with the version cannot be used, in the words of every command; null: it can, after it was brought up to date if it is
 * older. 0: it is empty.
 */
export function versionFault(found: number, history: SchemaHistory): string | null {
  const known = versionOf(history);
  if (found === 0 || (found >= oldestVersionOf(history) && found <= known)) return null;
  const remedy =
    found > known
      ? 'use the geomill that wrote it, or a newer one'
      : 'it was written before the first release; use the geomill that wrote it, or an empty data directory';
  return `it has schema version ${found} and this geomill knows ${known}; ${remedy}`;
}

/** As `versionFault`, for commands that need the newest version and change nothing. */
export function currentVersionFault(found: number, history: SchemaHistory): string | null {
  const known = versionOf(history);
  if (found === known) return null;
  return (
    versionFault(found, history) ??
    `it has schema version ${found} and this geomill has ${known}; start the service of this geomill once, which brings it up to date, or use the geomill that wrote it`
  );
}

/**
 * Applies the steps that the database does not have yet. Several processes may do so at the same time. Throws
 * SERVICE_DATABASE_UNUSABLE if the database has a newer version, one older than all that were released, or not the
 * tables of the version that it states.
 */
export function bringUpToDate(database: Database, path: string, history: SchemaHistory): void {
  const version = versionOf(history);
  if (database.userVersion === version) return;
  database.transaction(() => {
    // Read again: another process may have applied steps while this one waited for the lock.
    const found = database.userVersion;
    const reason = versionFault(found, history);
    if (reason !== null) throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path, reason });
    try {
      for (const step of stepsFrom(found, history)) database.exec(step);
    } catch (error) {
      if (!isSchemaFault(error)) throw error;
      const lacking = `it states schema version ${found}, but is not a whole database of that version (${error.message}); restore a backup, or use an empty data directory`;
      throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path, reason: lacking }, undefined, error);
    }
    database.userVersion = version;
  });
}

/** Whether a statement does not fit the tables that are there. A full disk or a damaged file has another code. */
function isSchemaFault(error: unknown): error is Error {
  return error instanceof Error && (error as { errcode?: unknown }).errcode === SQLITE_ERROR;
}

function stepsFrom(found: number, history: SchemaHistory): readonly string[] {
  const { steps, earlier = [] } = history;
  if (found === 0) return steps;
  return [...earlier, ...steps.slice(1)].slice(found - oldestVersionOf(history));
}
