/** The data directory of one service: where its parts are, and the lock that keeps a second service out. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryFileLock } from '../engines/sqlite/file-lock.ts';
import { failure } from '../errors.ts';

export interface DataDirectory {
  readonly path: string;
  readonly databasePath: string;
  readonly slotsDirectory: string;
  release(): void;
}

/** Makes the directory if need be and locks it until `release` or the end of the process. Throws DATA_DIR_LOCKED. */
export function openDataDirectory(path: string): DataDirectory {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const pidPath = join(path, 'service.pid');
  const lock = tryFileLock(join(path, 'lock.sqlite'));
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

function describeHolder(pidPath: string): string {
  try {
    return ` (process ${readFileSync(pidPath, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
