/**
 * Makes a backup of a data directory; its service may be running.
 *
 * The database of jobs is copied first, in one read transaction; then the files that the copy refers to are linked. A job that
 * ended in between has no input any more: its current row replaces that of the copy. So every job in the backup is as it was
 * at some moment of the backup, and every file that a row refers to exists. The accounts are copied last, and include every
 * account that owns a job.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, constants, existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { Database } from '@geomill/sqlite/database.ts';
import { asDatabaseFailure } from '@geomill/sqlite/database-failure.ts';
import { sqliteErrors } from '@geomill/sqlite/errors.ts';
import { versionFault } from '@geomill/sqlite/migrations.ts';
import { copyDatabase, problemsOf } from '@geomill/sqlite/node/copy-database.ts';
import { JobSnapshot } from '../jobs/job-snapshot.ts';
import { type BackupFile, DATABASES, describeFile, MANIFEST, makeManifest } from './manifest.ts';

export interface BackupOptions {
  readonly dataDirectory: string;
  /** The directory to create. */
  readonly target: string;
  readonly withOutputs: boolean;
  /** Version of this geomill. */
  readonly version: string;
  readonly signal: AbortSignal;
}

export interface BackupResult {
  readonly jobs: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly bytes: number;
  /** Jobs whose files are missing in the data directory itself. */
  readonly incomplete: readonly string[];
}

/**
 * Makes the backup under another name and renames it when it is complete and durable. Throws USAGE,
 * SETTING_INVALID, SERVICE_DATABASE_DAMAGED, SERVICE_DATABASE_UNUSABLE.
 */
export async function backUp(options: BackupOptions): Promise<BackupResult> {
  const target = resolve(options.target);
  checkPlaces(options.dataDirectory, target);
  const partial = `${target}.partial-${randomBytes(6).toString('hex')}`;
  mkdirSync(partial, { mode: 0o700 });
  try {
    const result = await fill(partial, options);
    if (existsSync(target)) throw exists(target);
    renameSync(partial, target);
    await syncPath(dirname(target));
    return result;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function checkPlaces(dataDirectory: string, target: string): void {
  if (!existsSync(join(dataDirectory, 'jobs.sqlite'))) {
    const reason = 'there is no jobs.sqlite in it; name the data directory of a service';
    throw failure(generalErrors.SETTING_INVALID, { name: 'DATA_DIR', value: dataDirectory, reason });
  }
  if (existsSync(target)) throw exists(target);
  if (!existsSync(dirname(target)))
    throw failure(generalErrors.USAGE, {
      detail: `there is no directory '${dirname(target)}' to put the backup into`,
    });
}

function exists(target: string): Error {
  return failure(generalErrors.USAGE, { detail: `'${target}' exists already; give the backup a new name` });
}

async function fill(directory: string, options: BackupOptions): Promise<BackupResult> {
  const { dataDirectory, withOutputs, signal } = options;
  for (const name of ['inputs', 'outputs']) mkdirSync(join(directory, name), { mode: 0o700 });
  const copied = new Set<string>();
  const take = async (path: string): Promise<boolean> => {
    signal.throwIfAborted();
    if (copied.has(path)) return true;
    const isThere = await linkOrCopy(join(dataDirectory, path), join(directory, path));
    if (isThere) copied.add(path);
    return isThere;
  };
  const jobsPath = join(dataDirectory, 'jobs.sqlite');
  await copyOf(jobsPath, join(directory, 'jobs.sqlite'));
  const createdAt = Date.now();
  const snapshot = new JobSnapshot(join(directory, 'jobs.sqlite'), jobsPath);
  const incomplete = new Set<string>();
  let jobs: number;
  try {
    await takeInputs(snapshot, take, incomplete);
    if (withOutputs) await takeOutputs(snapshot, take, incomplete, createdAt);
    else snapshot.markOutputsRemoved(snapshot.withOutput(), createdAt);
    jobs = snapshot.count();
  } finally {
    snapshot.close();
  }
  const accountsPath = join(dataDirectory, 'accounts.sqlite');
  if (existsSync(accountsPath)) await copyOf(accountsPath, join(directory, 'accounts.sqlite'));
  const databases = schemasOf(directory, dataDirectory);
  const files: BackupFile[] = [];
  for (const path of [...Object.keys(databases), ...copied]) {
    files.push(await describeFile(directory, path, signal));
    await syncPath(join(directory, path));
  }
  const manifest = makeManifest({
    geomill: options.version,
    created_at: new Date(createdAt).toISOString(),
    outputs: withOutputs,
    databases,
    files,
  });
  await writeDurably(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
  for (const name of ['inputs', 'outputs', '.']) await syncPath(join(directory, name));
  const countOf = (kind: string): number => files.filter(({ path }) => path.startsWith(`${kind}/`)).length;
  return {
    jobs,
    inputs: countOf('inputs'),
    outputs: countOf('outputs'),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    incomplete: [...incomplete],
  };
}

type Take = (path: string) => Promise<boolean>;

/** A job's row ends before its inputs are removed: a job without its input has ended, and its current row is copied. */
async function takeInputs(snapshot: JobSnapshot, take: Take, incomplete: Set<string>): Promise<void> {
  const missing = async (): Promise<Set<string>> => {
    const ids = new Set<string>();
    for (const { id, inputKeys } of snapshot.waiting())
      for (const key of inputKeys) if (!(await take(`inputs/${key}`))) ids.add(id);
    return ids;
  };
  const ended = await missing();
  for (const id of ended) snapshot.update(id);
  // A queued job without its input lost it before the backup.
  if (ended.size > 0) for (const id of await missing()) incomplete.add(id);
}

/** Outputs are removed after the change of their row: by expiry, or with the whole job. */
async function takeOutputs(
  snapshot: JobSnapshot,
  take: Take,
  incomplete: Set<string>,
  now: number,
): Promise<void> {
  const missing = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (const id of snapshot.withOutput()) if (!(await take(`outputs/${id}`))) ids.push(id);
    return ids;
  };
  for (const id of await missing()) snapshot.update(id);
  const lost = await missing();
  snapshot.markOutputsRemoved(lost, now);
  for (const id of lost) incomplete.add(id);
}

async function copyOf(from: string, to: string): Promise<void> {
  try {
    await copyDatabase(from, to);
    const [problem] = problemsOf(to, 'quick');
    if (problem !== undefined)
      throw failure(sqliteErrors.SERVICE_DATABASE_DAMAGED, { path: from, reason: problem });
  } catch (error) {
    throw asDatabaseFailure(error, from);
  }
}

/** The schema versions of the copies. Throws SERVICE_DATABASE_UNUSABLE for one that this geomill does not know. */
function schemasOf(directory: string, dataDirectory: string): Record<string, number> {
  const schemas: Record<string, number> = {};
  for (const [name, known] of Object.entries(DATABASES)) {
    if (!existsSync(join(directory, name))) continue;
    const database = new Database(join(directory, name), 'read-only');
    const version = database.userVersion;
    database.close();
    const reason = versionFault(version, known);
    if (reason !== null)
      throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path: join(dataDirectory, name), reason });
    schemas[name] = version;
  }
  return schemas;
}

const NO_LINK = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EACCES']);

/**
 * Files of jobs never change after their creation, so a hard link is a copy without cost. False: there is no
 * such file.
 */
async function linkOrCopy(from: string, to: string): Promise<boolean> {
  try {
    try {
      linkSync(from, to);
    } catch (error) {
      if (!NO_LINK.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      // Not for a link: the runner of a job may have its own permission to read the same file.
      chmodSync(to, 0o600);
    }
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // The directory of the backup exists, so the file is missing.
    if (code === 'ENOENT' && syscall !== undefined && statSync(dirname(to)).isDirectory()) return false;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a file, or the names in a directory, durable. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } catch (error) {
    // Some network file systems reject fsync of directories; they write names through.
    if (!statSync(path).isDirectory()) throw error;
  } finally {
    await file.close();
  }
}
