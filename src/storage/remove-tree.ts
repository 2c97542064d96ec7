/**
 * Removes directories in which somebody else may be at work: a runner that was taken over could put a link where a directory
 * has just been, and have the service remove files elsewhere. On Linux each directory is held open and its entries are named
 * through that, so that no path is followed twice.
 */
import { constants } from 'node:fs';
import { open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that is just being stopped may still put a file into a directory that was emptied. */
const TRIES = 10;
const PAUSE_MS = 20;

/** Deeper than anything that is made here; each level holds a descriptor. */
const DEEPEST = 32;

/** Removes `path` and all that is in it. Throws where something cannot be removed. */
export async function removeTree(path: string, depth = 0): Promise<void> {
  try {
    // Nearly always a plain file, and unlink is much the cheaper call.
    await unlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    // What systems say of a directory.
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
