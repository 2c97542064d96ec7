/**
 * A database without jobs next to files of jobs was lost or replaced by mistake: a start would treat every
 * file as an orphan and remove it. Such a start fails unless the operator confirms it.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { Database } from '@geomill/sqlite/database.ts';
import { asDatabaseFailure } from '@geomill/sqlite/database-failure.ts';
import { type FileKind, type FileStore, isJobFileName } from '../storage/store.ts';
import { type DataDirectory, INTERRUPTED_RESTORE } from './data-directory.ts';
import { jobErrors } from './errors.ts';

const EXAMPLES = 3;

type DatabasePlace = Pick<DataDirectory, 'path' | 'databasePath'>;

/** Throws SERVICE_DATABASE_UNUSABLE after a killed restore: the state may be incomplete. */
export function refuseHalfRestored({ path, databasePath }: DatabasePlace): void {
  if (!readdirSync(path).some((name) => name.startsWith(INTERRUPTED_RESTORE))) return;
  throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, {
    path: databasePath,
    reason: "a restore ended before it was complete; run 'geomill restore' again with --overwrite",
  });
}

/** Throws SERVICE_DATABASE_EMPTY, and SERVICE_DATABASE_DAMAGED or SERVICE_DATABASE_UNUSABLE where the database cannot be read. Changes nothing. */
export function refuseEmptyDatabase({ path, databasePath }: DatabasePlace): void {
  const state = stateOf(databasePath);
  if (state === 'used') return;
  refuseFiles(
    databasePath,
    state,
    kindsBeside(state).flatMap((kind) => jobFiles(path, kind)),
  );
}

/** A submission that was killed before the first job leaves an input; a row comes before an output and an upload. */
function kindsBeside(state: string): readonly FileKind[] {
  return state === 'without jobs' ? ['output', 'upload'] : ['input', 'output', 'upload'];
}

function refuseFiles(databasePath: string, state: string, files: readonly string[]): void {
  if (files.length === 0) return;
  const examples = files.slice(0, EXAMPLES).join(', ') + (files.length > EXAMPLES ? ', ...' : '');
  throw failure(jobErrors.SERVICE_DATABASE_EMPTY, {
    path: databasePath,
    state,
    files: files.length,
    examples,
  });
}

/** As `refuseEmptyDatabase`, for files in a store that is not in the data directory. */
export async function refuseForeignFiles(
  { databasePath }: Pick<DatabasePlace, 'databasePath'>,
  store: FileStore,
): Promise<void> {
  const state = stateOf(databasePath);
  if (state === 'used') return;
  const files: string[] = [];
  for (const kind of kindsBeside(state))
    for await (const { key } of store.list(kind)) {
      files.push(`${kind}s/${key}`);
      if (files.length > EXAMPLES) break;
    }
  refuseFiles(databasePath, state, files);
}

function stateOf(path: string): 'missing' | 'new' | 'without jobs' | 'used' {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return 'missing';
  if (size === 0) return 'new';
  try {
    const database = new Database(path, 'read-only');
    try {
      if (database.userVersion === 0) return 'new';
      return hadJobs(database) ? 'used' : 'without jobs';
    } finally {
      database.close();
    }
  } catch (error) {
    throw asDatabaseFailure(error, path);
  }
}

/** An owner's row stays when their jobs and uploads are deleted; versions of the schema before there were owners have jobs alone. */
function hadJobs(database: Database): boolean {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('jobs', 'owners')")
    .all<{ name: string }>();
  return tables.some(({ name }) => database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined);
}

function jobFiles(dataDirectory: string, kind: FileKind): string[] {
  const directory = `${kind}s`;
  try {
    const names = readdirSync(join(dataDirectory, directory));
    return names.filter((name) => isJobFileName(kind, name)).map((name) => `${directory}/${name}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
