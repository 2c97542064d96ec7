/**
 * Replaces the content of a data directory by a backup.
 *
 *   restore.partial/    all files are copied here and checked; nothing else has changed, and the service can start as before
 *   restore.swapping/   the same directory while the old state is being replaced; while it exists no service starts
 *
 * The data directory itself is kept, because it may be a mount point, and so are files in it that geomill did not create.
 */
import {
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { Database } from '@geomill/sqlite/database.ts';
import { type DataDirectory, INTERRUPTED_RESTORE, openDataDirectory } from '../jobs/data-directory.ts';
import { type FileKind, isJobFileName } from '../storage/store.ts';
import { syncPath } from './backup.ts';
import { maintenanceErrors } from './errors.ts';
import { DATABASES, describeFile, type Manifest, readManifest } from './manifest.ts';

const PARTIAL = 'restore.partial';
const KINDS: readonly FileKind[] = ['input', 'output', 'upload'];

export interface RestoreOptions {
  /** The directory of the backup. */
  readonly source: string;
  readonly dataDirectory: string;
  /** Whether existing jobs and accounts may be replaced. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
}

/** Throws BACKUP_INVALID, DATA_DIR_LOCKED, SETTING_INVALID, USAGE; the data directory is unchanged then. */
export async function restore(options: RestoreOptions): Promise<Manifest> {
  const source = resolve(options.source);
  const manifest = readManifest(source);
  const owner = ownerOf(options.dataDirectory);
  const data = openDataDirectory(options.dataDirectory);
  try {
    if (!options.overwrite && isUsed(data.path)) {
      const detail = `the data directory '${data.path}' holds jobs or accounts; restore into another one (DATA_DIR), or say --overwrite to replace them`;
      throw failure(generalErrors.USAGE, { detail });
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

/** Copies every file of the backup and verifies the checksum of the copy. */
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
      throw failure(maintenanceErrors.BACKUP_INVALID, {
        path: source,
        reason: `${path} does not have its checksum`,
      });
    await syncPath(join(partial, path));
  }
  for (const [name, schema] of Object.entries(manifest.databases)) {
    const database = new Database(join(partial, name), 'read-only');
    const found = database.userVersion;
    database.close();
    if (found !== schema)
      throw failure(maintenanceErrors.BACKUP_INVALID, {
        path: source,
        reason: `${name} has schema version ${found}, not ${schema}`,
      });
  }
  for (const kind of KINDS) await syncPath(join(partial, `${kind}s`));
}

/** A link could lead to any file of the machine, and a backup has none. */
function refuseLinks(source: string, path: string): void {
  for (const part of dirname(path) === '.' ? [path] : [dirname(path), path]) {
    const stat = lstatSync(join(source, part));
    const isRight = part === path ? stat.isFile() : stat.isDirectory();
    if (!isRight)
      throw failure(maintenanceErrors.BACKUP_INVALID, {
        path: source,
        reason: `${part} is ${stat.isSymbolicLink() ? 'a symbolic link' : 'something else than a backup has there'}; a backup has only files, in directories`,
      });
  }
}

async function copyChecked(source: string, target: string, path: string): Promise<void> {
  try {
    refuseLinks(source, path);
    // Not a link: changes in the data directory must not change the backup.
    await copyFile(
      join(source, path),
      join(target, path),
      constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
    );
    chmodSync(join(target, path), 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw failure(
      maintenanceErrors.BACKUP_INVALID,
      { path: source, reason: `${path} is missing` },
      undefined,
      error,
    );
  }
}

/** From here on the data directory is incomplete until this or another restore ends. The database of jobs is moved last. */
async function swap(
  manifest: Manifest,
  data: DataDirectory,
  partial: string,
  owner: Owner | null,
): Promise<void> {
  const swapping = join(data.path, INTERRUPTED_RESTORE);
  // From a killed restore: it marks the directory until this restore does.
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

/** Owner of the files if root restores: the owner of the data directory, or of its parent. */
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
