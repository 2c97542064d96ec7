/**
 * Files, read and written at once. Offsets and sizes are in bytes. Errors are those of the system, with its `code` ("ENOENT", "ENOSPC"); a
 * platform without such a system throws errors with the same codes.
 */
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { FileFacts, OpenFile } from '../shared-types.ts';

export type { FileFacts, OpenFile } from '../shared-types.ts';

/** Opens an existing file for reading. Throws ENOENT. */
export function openToRead(path: string): OpenFile {
  return openSync(path, 'r');
}

/** Opens an existing file for reading and writing. Throws ENOENT. */
export function openToChange(path: string): OpenFile {
  return openSync(path, 'r+');
}

/** Creates a file, which can be written and read. Throws EEXIST, or empties an existing file if `overwrite`. */
export function createFile(path: string, overwrite = false): OpenFile {
  return openSync(path, overwrite ? 'w+' : 'wx+');
}

export function closeFile(file: OpenFile): void {
  closeSync(file);
}

export function openFileSize(file: OpenFile): number {
  return fstatSync(file).size;
}

/**
 * Fills `[from, to)` of `target` with the bytes at `offset` of the file. Returns the number of bytes, which is smaller only at the end of the
 * file. The range saves callers with many small reads a view of their memory for each.
 */
export function readFileAt(
  file: OpenFile,
  target: Uint8Array | Int8Array,
  offset: number,
  from = 0,
  to = target.length,
): number {
  let at = from;
  while (at < to) {
    const count = readSync(file, target, at, to - at, offset + at - from);
    if (count === 0) break;
    at += count;
  }
  return at - from;
}

/** Writes all of `bytes` at `offset` of the file. */
export function writeFileAt(file: OpenFile, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, offset + done);
}

/** The content of a file. Throws ENOENT. */
export function fileBytes(path: string): Uint8Array<ArrayBuffer> {
  return readFileSync(path);
}

/** Replaces the content of a file, or creates it. */
export function writeFile(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes);
}

/** Creates a file, with UTF-8 for a text. Throws EEXIST. */
export function writeNewFile(path: string, content: Uint8Array | string): void {
  writeFileSync(path, content, { flag: 'wx' });
}

/** Throws ENOENT. */
export function fileSize(path: string): number {
  return statSync(path).size;
}

/** Follows links. Null: there is nothing at the path. */
export function fileFacts(path: string): FileFacts | null {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) return null;
  const { size, mtimeMs: modifiedMs, dev, ino } = facts;
  const [isFile, isDirectory] = [facts.isFile(), facts.isDirectory()];
  return { size, isFile, isDirectory, modifiedMs, identity: `${dev}:${ino}` };
}

/** The absolute path of a file without links. Throws ENOENT. */
export function realPath(path: string): string {
  return realpathSync(path);
}

/** Throws EACCES or EROFS if the file must not be changed, or nothing must be created in the directory. */
export function requireWritable(path: string): void {
  accessSync(path, constants.W_OK);
}

/** Does nothing if there is no file. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** Whether an error is that of a file, and not of what is in it. */
export function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Removes a directory with all that is in it. Does nothing if there is no directory. */
export function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Creates a directory, and those above it that are missing. Does nothing if the directory exists. */
export function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true });
}

/** Creates a directory whose name begins with that of `prefix`, a path, and which did not exist. Returns its path. */
export function makeNewDirectory(prefix: string): string {
  return mkdtempSync(prefix);
}

/** Names, without paths, of the files and directories in a directory, in no certain order. */
export function namesIn(path: string): string[] {
  return readdirSync(path);
}

/** Copies a file, by sharing its blocks where the file system can. Replaces a file at `target`. */
export function copyFile(path: string, target: string): void {
  copyFileSync(path, target, constants.COPYFILE_FICLONE);
}
