/**
 * Puts a backup in the place of what a data directory holds.
 *
 *   restore.partial/    everything is copied here and checked; nothing else has changed, and a start is as before
 *   restore.swapping/   the same directory from the moment on at which the old state goes; while it is there no service starts
 *
 * The data directory itself stays, for it may be a mount point, and so do names in it that are not of a service.
 */
import {
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Database } from '../engines/sqlite/database.ts';
import { failure } from '../errors.ts';
import { type DataDirectory, INTERRUPTED_RESTORE, openDataDirectory } from '../jobs/data-directory.ts';
import { type FileKind, isJobFileName } from '../storage/store.ts';
import { syncPath } from './backup.ts';
import { DATABASES, describeFile, type Manifest, readManifest } from './manifest.ts';

const PARTIAL = 'restore.partial';
const KINDS: readonly FileKind[] = ['input', 'output'];

export interface RestoreOptions {
  /** The directory of the backup. */
  readonly source: string;
  readonly dataDirectory: string;
  /** Whether jobs and accounts that are there may be replaced. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
}

/** Throws BACKUP_INVALID, DATA_DIR_LOCKED, SETTING_INVALID, USAGE; the data directory is as before then. */
export async function restore(options: RestoreOptions): Promise<Manifest> {
  const source = resolve(options.source);
  const manifest = readManifest(source);
  const owner = ownerOf(options.dataDirectory);
  const data = openDataDirectory(options.dataDirectory);
  try {
    if (!options.overwrite && isUsed(data.path)) {
      const detail = `the data directory '${data.path}' holds jobs or accounts; restore into another one (DATA_DIR), or say --overwrite to replace them`;
      throw failure('USAGE', { detail });
    }
    const partial = join(data.path, PARTIAL);
    rmSync(partial, { recursive: true, force: true });
    try {
      await stage(manifest, source, partial, options.signal);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      throw error;
    }
    giveTo(owner, data.path, [partial, join(data.path, 'lock.sqlite')]);
    await swap(manifest, data, partial, owner);
  } finally {
    data.release();
  }
  return manifest;
}

/** Copies every file of the backup and holds the copy against its checksum. */
async function stage(
  manifest: Manifest,
  source: string,
  partial: string,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(partial, { mode: 0o700 });
  for (const kind of KINDS) mkdirSync(join(partial, `${kind}s`), { mode: 0o700 });
  for (const { path, bytes, sha256 } of manifest.files) {
    signal.throwIfAborted();
    await copyChecked(source, partial, path);
    const copy = await describeFile(partial, path, signal);
    if (copy.bytes !== bytes || copy.sha256 !== sha256)
      throw failure('BACKUP_INVALID', { path: source, reason: `${path} does not have its checksum` });
    await syncPath(join(partial, path));
  }
  for (const [name, schema] of Object.entries(manifest.databases)) {
    const database = new Database(join(partial, name), 'read-only');
    const found = database.userVersion;
    database.close();
    if (found !== schema)
      throw failure('BACKUP_INVALID', {
        path: source,
        reason: `${name} has schema version ${found}, not ${schema}`,
      });
  }
  for (const kind of KINDS) await syncPath(join(partial, `${kind}s`));
}

async function copyChecked(source: string, target: string, path: string): Promise<void> {
  try {
    // Not a link: what happens to the data directory must not happen to the backup.
    await copyFile(
      join(source, path),
      join(target, path),
      constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
    );
    chmodSync(join(target, path), 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw failure('BACKUP_INVALID', { path: source, reason: `${path} is missing` }, undefined, error);
  }
}

/** From here on only the end, or another restore, makes the data directory whole. The database of jobs goes in last. */
async function swap(
  manifest: Manifest,
  data: DataDirectory,
  partial: string,
  owner: Owner | null,
): Promise<void> {
  const swapping = join(data.path, INTERRUPTED_RESTORE);
  // Of a restore that was killed: it marks the directory until this one does.
  const former = `${swapping}.former`;
  rmSync(former, { recursive: true, force: true });
  if (existsSync(swapping)) renameSync(swapping, former);
  renameSync(partial, swapping);
  await syncPath(data.path);
  for (const name of Object.keys(DATABASES))
    for (const suffix of ['', '-wal', '-shm', '-journal'])
      rmSync(join(data.path, name + suffix), { force: true });
  for (const kind of KINDS) {
    const directory = join(data.path, `${kind}s`);
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    giveTo(owner, directory, []);
    for (const name of jobFilesIn(directory, kind)) unlinkSync(join(directory, name));
  }
  const order = [...manifest.files].sort((a, b) => rank(a.path) - rank(b.path));
  for (const { path } of order) {
    await move(join(swapping, path), join(data.path, path));
    giveTo(owner, join(data.path, path), []);
  }
  for (const kind of KINDS) await syncPath(join(data.path, `${kind}s`));
  await syncPath(data.path);
  for (const done of [former, swapping]) rmSync(done, { recursive: true, force: true });
  await syncPath(data.path);
}

function rank(path: string): number {
  if (path === 'jobs.sqlite') return 2;
  return Object.hasOwn(DATABASES, path) ? 1 : 0;
}

async function move(from: string, to: string): Promise<void> {
  try {
    renameSync(from, to);
  } catch (error) {
    // `inputs` or `outputs` may be another file system.
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to);
    await syncPath(to);
  }
}

/** Whether a restore would replace something. */
function isUsed(path: string): boolean {
  if ([...Object.keys(DATABASES), INTERRUPTED_RESTORE].some((name) => existsSync(join(path, name))))
    return true;
  return KINDS.some((kind) => jobFilesIn(join(path, `${kind}s`), kind).length > 0);
}

function jobFilesIn(directory: string, kind: FileKind): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((name) => isJobFileName(kind, name));
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Whose the files are to be if root restores: those of the data directory, or of the directory that it is made in. */
function ownerOf(dataDirectory: string): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const path = resolve(dataDirectory);
  const { uid, gid } = statSync(existsSync(path) ? path : dirname(path), { throwIfNoEntry: false }) ?? {
    uid: 0,
    gid: 0,
  };
  return { uid, gid };
}

function giveTo(owner: Owner | null, path: string, more: readonly string[]): void {
  if (owner === null) return;
  for (const one of [path, ...more]) if (existsSync(one)) chownSync(one, owner.uid, owner.gid);
}
