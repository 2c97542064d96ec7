/** The data directory of one service: where its parts are, and the lock that keeps a second service out. */
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileLock, tryFileLock } from '../engines/sqlite/file-lock.ts';
import { failure } from '../errors.ts';

/** The database of keys, clients and users. The command line opens it beside the service, without the lock. */
export function accountsPath(dataDirectory: string): string {
  return join(dataDirectory, 'accounts.sqlite');
}

/** Begins the names of what a restore leaves in a data directory if it is killed while it replaces the old state. */
export const INTERRUPTED_RESTORE = 'restore.swapping';

export interface DataDirectory {
  readonly path: string;
  readonly databasePath: string;
  readonly slotsDirectory: string;
  release(): void;
}

/**
 * Makes the directory if need be and locks it until `release` or the end of the process. Throws SETTING_INVALID where
 * nothing can be written, and DATA_DIR_LOCKED.
 */
export function openDataDirectory(path: string): DataDirectory {
  makeWritable(path);
  const pidPath = join(path, 'service.pid');
  const lock = takeLock(join(path, 'lock.sqlite'));
  if (lock === null) throw failure('DATA_DIR_LOCKED', { path, holder: describeHolder(pidPath) });
  // Only for people and for the message above; the lock is what counts.
  writeFileSync(pidPath, `${process.pid}\n`);
  return {
    path,
    databasePath: join(path, 'jobs.sqlite'),
    slotsDirectory: join(path, 'slots'),
    release() {
      rmSync(pidPath, { force: true });
      lock.release();
    },
  };
}

function takeLock(path: string): FileLock | null {
  try {
    return tryFileLock(path);
  } catch (error) {
    const reason = `${(error as Error).message}; it holds no data: remove it while no service runs`;
    throw failure('SERVICE_DATABASE_UNUSABLE', { path, reason }, undefined, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a file stands there',
  ENOTDIR: 'a file stands in the way',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
};

/** Tried before SQLite does, which says "unable to open database file" to everything. */
function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = REASONS[code ?? ''] ?? message;
    throw failure('SETTING_INVALID', { name: 'DATA_DIR', value: path, reason }, undefined, error);
  }
}

function describeHolder(pidPath: string): string {
  try {
    return ` (process ${readFileSync(pidPath, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
