/**
 * Files, read and written at once. Offsets and sizes are in bytes. Errors are those of the system, with its `code` ("ENOENT", "ENOSPC"); a
 * platform without such a system throws errors with the same codes.
 */
import { constants, copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** Throws EEXIST. */
export function writeNewFile(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes, { flag: 'wx' });
}

/** Throws ENOENT. */
export function fileSize(path: string): number {
  return statSync(path).size;
}

/** Null: there is nothing at the path. `isFile` false: a directory, or a device. */
export function fileFacts(path: string): { readonly size: number; readonly isFile: boolean } | null {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined ? null : { size: facts.size, isFile: facts.isFile() };
}

/** Does nothing if there is no file. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
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
