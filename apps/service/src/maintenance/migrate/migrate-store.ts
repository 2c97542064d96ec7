/**
 * Moves a stopped embedded service: its files to another store, its rows to PostgreSQL.
 *
 * The files first, each compared with its original and noted in the journal; then all rows in one transaction, which also says that
 * the move is complete. If the move is killed, it continues from the journal the next time, and no service starts in the target before it is
 * complete. The source is only read. If its database is kept, the move stores in it where the uploads are in the new store; the data
 * directory does not use these values.
 */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { Database } from '@geomill/sqlite/database.ts';
import { openDataDirectory } from '../../jobs/data-directory.ts';
import { refuseHalfRestored } from '../../jobs/empty-database.ts';
import { beginMove, finishMove, type Move, moveInto } from '../../jobs/moved-from.ts';
import { POSTGRES_JOBS } from '../../jobs/postgres-schema.ts';
import { LONG, type PostgresDatabase } from '../../postgres/database.ts';
import type { FileStore } from '../../storage/store.ts';
import { checkStored, copyFiles, refuseForeignStore, sizeOf } from './files.ts';
import { type CopiedFile, JOURNAL, MoveJournal } from './journal.ts';
import { type CopiedTable, copyRecords, copySecrets, refuseUsedTables } from './records.ts';
import { MoveSource } from './source.ts';

export interface MoveOptions {
  readonly dataDirectory: string;
  /** Null: the rows stay in the data directory. */
  readonly database: PostgresDatabase | null;
  readonly store: FileStore;
  readonly storeUrl: string;
  /** The files are in the store already. */
  readonly filesStay: boolean;
  /** Only checks. */
  readonly isDryRun: boolean;
  /** Makes the tables of accounts in `database`; with those of users, which need `service_secrets`, if `withUsers`. */
  readonly makeAccountTables: (database: PostgresDatabase, withUsers: boolean) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onCopied: (file: CopiedFile) => void;
}

export interface MoveResult {
  readonly files: readonly CopiedFile[];
  readonly tables: readonly CopiedTable[];
  /** Files that no row refers to. They were not copied. */
  readonly orphans: number;
  /** Of a dry run: what would be copied. */
  readonly size: { readonly files: number; readonly bytes: number };
  /** The move was complete before; nothing was done. */
  readonly wasFinished: boolean;
}

/** Throws DATA_DIR_LOCKED, SETTING_INVALID, USAGE, MIGRATION_INVALID, SERVICE_DATABASE_*, and errors of the store and the database. */
export async function moveService(options: MoveOptions): Promise<MoveResult> {
  const { dataDirectory, storeUrl, filesStay } = options;
  if (!existsSync(join(dataDirectory, 'jobs.sqlite'))) {
    const reason = 'there is no jobs.sqlite in it; name the data directory of a service';
    throw failure(generalErrors.SETTING_INVALID, { name: 'DATA_DIR', value: dataDirectory, reason });
  }
  if (!filesStay) refuseSameDirectory(dataDirectory, storeUrl);
  const data = openDataDirectory(dataDirectory);
  try {
    refuseHalfRestored(data);
    const source = new MoveSource(data.path);
    try {
      return await moveFrom(source, options);
    } finally {
      source.close();
    }
  } finally {
    data.release();
  }
}

async function moveFrom(source: MoveSource, options: MoveOptions): Promise<MoveResult> {
  const { store, database, filesStay, isDryRun } = options;
  const target = { store: filesStay ? null : options.storeUrl, toDatabase: database !== null };
  const nothing = { files: [], tables: [], orphans: 0, size: { files: 0, bytes: 0 }, wasFinished: false };
  const orphans = filesStay ? 0 : source.countOrphans();
  const begun = MoveJournal.find(source.directory, target);
  try {
    const inTarget = database === null ? null : await moveInto(database);
    if (begun !== null && isComplete(source, begun, inTarget, options)) {
      begun.finish();
      return { ...nothing, files: begun.all(), wasFinished: true };
    }
    await check(source, options);
    if (begun === null && database !== null) await refuseUsedTables(database);
    if (isDryRun) return { ...nothing, orphans, size: filesStay ? nothing.size : sizeOf(source) };
  } catch (error) {
    begun?.close();
    throw error;
  }
  const journal = begun ?? MoveJournal.begin(source.directory, target);
  try {
    if (database !== null) await prepare(source, journal.id, database, options);
    if (!filesStay) await copyFiles({ ...options, source, store, journal });
    const files = journal.all();
    const tables = await moveRecords(source, journal, options);
    journal.finish();
    return { ...nothing, files, tables, orphans };
  } finally {
    journal.close();
  }
}

/** Throws USAGE if the move was complete in another database. */
function isComplete(
  { directory }: MoveSource,
  journal: MoveJournal,
  inTarget: Move | null,
  { database }: MoveOptions,
): boolean {
  if (database === null) return journal.isFinished;
  if (inTarget?.id === journal.id) return inTarget.isFinished;
  if (!journal.isFinished) return false;
  const detail = `the move of ${directory} was complete, and DATABASE_URL is not the database that it filled; to move it again, remove ${join(directory, JOURNAL)} and begin with an empty store`;
  throw failure(generalErrors.USAGE, { detail });
}

async function check(source: MoveSource, { store, storeUrl, filesStay }: MoveOptions): Promise<void> {
  if (filesStay) return checkStored(source, store);
  source.checkSizes();
  await refuseForeignStore(source, store, storeUrl);
}

/** Makes all tables, empty, and the mark that prevents services from starting with them. */
async function prepare(
  source: MoveSource,
  id: string,
  database: PostgresDatabase,
  { makeAccountTables }: MoveOptions,
): Promise<void> {
  await database.bringUpToDate(POSTGRES_JOBS);
  await makeAccountTables(database, false);
  await database.transaction(async (statements) => {
    // Another move may begin at the same time.
    await statements.run('LOCK TABLE queue_clock IN EXCLUSIVE MODE');
    const begun = await moveInto(statements);
    if (begun?.id === id) return;
    if (begun !== null)
      throw failure(generalErrors.SETTING_INVALID, {
        name: 'DATABASE_SCHEMA',
        value: database.schema,
        reason: 'another data directory was moved into it; use a new one',
      });
    await refuseUsedTables(statements);
    await beginMove(statements, id);
    await copySecrets(source, statements);
  });
}

async function moveRecords(
  source: MoveSource,
  journal: MoveJournal,
  { database, filesStay, makeAccountTables }: MoveOptions,
): Promise<readonly CopiedTable[]> {
  const uploads = journal.all().filter(({ kind }) => kind === 'upload');
  const places = new Map(uploads.map(({ key, place }) => [key, place]));
  if (database === null) {
    writePlaces(source.directory, places);
    return [];
  }
  const hasUsers =
    source.accounts?.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'user'").get() !== undefined;
  if (hasUsers) await makeAccountTables(database, true);
  return database.transaction(async (statements) => {
    const tables = await copyRecords(source, filesStay ? null : places, statements);
    await finishMove(statements, journal.id);
    return tables;
  }, LONG);
}

/** In the database that stays. */
function writePlaces(directory: string, places: ReadonlyMap<string, string | null>): void {
  const jobs = new Database(join(directory, 'jobs.sqlite'), { synchronous: 'FULL' });
  try {
    const set = jobs.prepare('UPDATE uploads SET place = ? WHERE id = ?');
    jobs.transaction(() => {
      for (const [id, place] of places) set.run(place, id);
    });
  } finally {
    jobs.close();
  }
}

/** The layouts of the two stores differ, so one directory cannot hold both. */
function refuseSameDirectory(dataDirectory: string, storeUrl: string): void {
  if (!storeUrl.startsWith('file:')) return;
  const path = resolve(fileURLToPath(storeUrl));
  const real = existsSync(path) ? realpathSync(path) : path;
  if (real !== realpathSync(dataDirectory)) return;
  const reason = 'it is the data directory itself; use another directory';
  throw failure(generalErrors.SETTING_INVALID, { name: 'STORE_URL', value: storeUrl, reason });
}
