/** The data directory of one service: the paths in it, and the lock that prevents a second service. */
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type FileLock, tryFileLock } from '@geomill/sqlite/file-lock.ts';
import { jobErrors } from './errors.ts';

/** The database of keys, clients and users. The command line opens it without the lock, while the service runs. */
export function accountsPath(dataDirectory: string): string {
  return join(dataDirectory, 'accounts.sqlite');
}

/** Prefix of the files that a killed restore leaves in a data directory. */
export const INTERRUPTED_RESTORE = 'restore.swapping';

export interface DataDirectory {
  readonly path: string;
  readonly databasePath: string;
  readonly slotsDirectory: string;
  release(): void;
}

/**
 * Creates the directory if it is missing, and locks it until `release` or the end of the process. Throws SETTING_INVALID where
 * it is not writable, and DATA_DIR_LOCKED.
 */
export function openDataDirectory(path: string): DataDirectory {
  makeWritable(path);
  const pidPath = join(path, 'service.pid');
  const lock = takeLock(join(path, 'lock.sqlite'));
  if (lock === null) throw failure(jobErrors.DATA_DIR_LOCKED, { path, holder: describeHolder(pidPath) });
  // For people and for the message above; only the lock itself is checked.
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
    throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path, reason }, undefined, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file with this name',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
};

/** Checked before SQLite opens the file: its message is always "unable to open database file". */
function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = REASONS[code ?? ''] ?? message;
    throw failure(generalErrors.SETTING_INVALID, { name: 'DATA_DIR', value: path, reason }, undefined, error);
  }
}

function describeHolder(pidPath: string): string {
  try {
    return ` (process ${readFileSync(pidPath, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
