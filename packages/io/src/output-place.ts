/**
 * The last step of an output: it gets its name, and with it the place of a file that may be there. Another program may have
 * created or changed that file since the conversion began; then it stays as it is, and the output is an error.
 */
import { chmodSync, chownSync, closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { failure } from '@geomill/core/messages/errors.ts';
import { ioErrors } from './errors.ts';

/** A file at one moment. Plain data. */
export interface FileState {
  /** Differs if another program has replaced the file or written to it. */
  readonly version: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Number of names, as hard links. */
  readonly links: number;
}

/** What must be at a path when the output is moved there. Plain data. */
export interface ExpectedFile {
  readonly path: string;
  /** As the user knows it. */
  readonly name: string;
  /** Null: no file. */
  readonly state: FileState | null;
}

/** Number of unfinished outputs that this process has named. */
let unfinished = 0;

/**
 * The path of the unfinished output, without ending. Where a file is expected, several conversions, of this process or of others, may
 * write one output: each has files of its own, and the last step of all but one fails.
 */
export function unfinishedPath(path: string, expected: readonly ExpectedFile[] | undefined): string {
  if (expected === undefined) return path;
  unfinished += 1;
  return `${path}.${process.pid}-${unfinished}`;
}

/** SQLite counts the changes of a database in its first 100 bytes: two in one tick of the clock are told apart. */
const HEAD_BYTES = 100;

/** Null if there is no such file. */
export function fileState(path: string): FileState | null {
  using opened = new DisposableStack();
  return stateOf(path, opened);
}

function stateOf(path: string, opened: DisposableStack): FileState | null {
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

/** Throws OUTPUT_CHANGED. */
export function requireExpected(file: ExpectedFile): void {
  using opened = new DisposableStack();
  requireState(file, opened);
}

function requireState({ path, name, state }: ExpectedFile, opened: DisposableStack): void {
  if (stateOf(path, opened)?.version !== state?.version)
    throw failure(ioErrors.OUTPUT_CHANGED, { file: name });
}

/**
 * Renames complete files to their final paths, with the permissions and the owner of the files that they replace. All are
 * checked before the first is renamed. Throws OUTPUT_CHANGED.
 */
export function moveIntoPlace(
  files: readonly { readonly partial: string; readonly path: string }[],
  expected: readonly ExpectedFile[] = [],
): void {
  const states = new Map(expected.map(({ path, state }) => [path, state]));
  for (const { partial, path } of files) {
    const replaced = states.get(path) ?? null;
    if (replaced === null) continue;
    // Only the superuser can give files away.
    if (process.getuid?.() === 0) chownSync(partial, replaced.uid, replaced.gid);
    chmodSync(partial, replaced.mode);
  }
  // Closed after the last rename: to close a file ends the locks of this process on it, such as that of SQLite.
  using opened = new DisposableStack();
  for (const file of expected) requireState(file, opened);
  for (const { partial, path } of files) renameSync(partial, path);
}
