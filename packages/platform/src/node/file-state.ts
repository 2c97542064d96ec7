/** Who owns a file, who may use it, and whether another program has changed it. */
import { chmodSync, chownSync, closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import type { FileState } from '../shared-types.ts';

export type { FileState } from '../shared-types.ts';

/** SQLite counts the changes of a database in its first 100 bytes: two in one tick of the clock are told apart. */
const HEAD_BYTES = 100;

/**
 * Null if there is no such file. The file stays open until `opened` is disposed: to close a file ends the locks of this process on it, such as
 * that of SQLite.
 */
export function stateOfFile(path: string, opened: DisposableStack): FileState | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { dev, ino, size, mtimeNs } = stats;
  // To open a pipe would wait for a program at its other end.
  const head = stats.isFile() ? headOf(path, opened) : '';
  const version = `${dev}:${ino}:${size}:${mtimeNs}:${head}`;
  const [mode, uid, gid, links] = [stats.mode, stats.uid, stats.gid, stats.nlink].map(Number);
  return { version, mode: mode & 0o7777, uid, gid, links };
}

function headOf(path: string, opened: DisposableStack): string {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  opened.defer(() => closeSync(file));
  return head.toString('base64', 0, readSync(file, head, 0, HEAD_BYTES, 0));
}

/** Gives a file the permissions and the owner of another one. */
export function takeOver(path: string, { mode, uid, gid }: FileState): void {
  // Only the superuser can give files away.
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
  chmodSync(path, mode);
}

/** Replaces a file at `target`, in one step for other programs. */
export function renameFile(path: string, target: string): void {
  renameSync(path, target);
}
