/**
 * Removes directories in which another process may be active: a compromised runner could replace a directory by a link
 * and make the service remove files elsewhere. On Linux each directory is kept open and its entries are accessed
 * through its descriptor, so that no path is resolved twice.
 */
import { constants } from 'node:fs';
import { open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Attempts: a process that is being stopped may still create a file in an emptied directory. */
const TRIES = 10;
const PAUSE_MS = 20;

/** Deeper than any directory of the service; each level needs a descriptor. */
const DEEPEST = 32;

/** Removes `path` and its content. Throws if something cannot be removed. */
export async function removeTree(path: string, depth = 0): Promise<void> {
  try {
    // Nearly always a plain file, for which unlink is much faster.
    await unlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    // Error codes of unlink for a directory.
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
    await removeDirectory(path, depth);
  }
}

async function removeDirectory(path: string, depth: number): Promise<void> {
  if (process.platform !== 'linux') return rm(path, { recursive: true, force: true, maxRetries: TRIES });
  if (depth > DEEPEST) throw new Error(`${path} is nested too deeply`);
  for (let tries = 1; ; tries++) {
    await emptyDirectory(path, depth);
    try {
      return await rmdir(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || tries === TRIES) throw error;
      await pause(PAUSE_MS);
    }
  }
}

async function emptyDirectory(path: string, depth: number): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const held = `/proc/self/fd/${handle.fd}`;
    const names = await readdir(held);
    await Promise.all(names.map((name) => removeTree(join(held, name), depth + 1)));
  } finally {
    await handle.close();
  }
}
