/** Files of the worker, as files.ts of Node.js has them. */

import type { FileFacts, OpenFile } from '../shared-types.ts';
import { systemError } from './block-store.ts';
import { workerFiles } from './worker-files.ts';

export type { FileFacts, OpenFile } from '../shared-types.ts';

export function openToRead(path: string): OpenFile {
  return workerFiles().openToRead(path);
}

export function openToChange(path: string): OpenFile {
  return workerFiles().openToChange(path);
}

export function createFile(path: string, overwrite = false): OpenFile {
  const files = workerFiles();
  if (!overwrite || files.facts(path) === null) return files.create(path);
  const file = files.openToChange(path);
  files.truncate(file, 0);
  return file;
}

export function closeFile(file: OpenFile): void {
  workerFiles().close(file);
}

export function openFileSize(file: OpenFile): number {
  return workerFiles().sizeOfOpen(file);
}

export function readFileAt(
  file: OpenFile,
  target: Uint8Array,
  offset: number,
  from = 0,
  to = target.length,
): number {
  return workerFiles().readAt(file, target.subarray(from, to), offset);
}

export function writeFileAt(file: OpenFile, bytes: Uint8Array, offset: number): void {
  workerFiles().writeAt(file, bytes, offset);
}

export function fileBytes(path: string): Uint8Array<ArrayBuffer> {
  const handle = openToRead(path);
  try {
    const bytes = new Uint8Array(openFileSize(handle));
    readFileAt(handle, bytes, 0);
    return bytes;
  } finally {
    closeFile(handle);
  }
}

export function writeNewFile(path: string, content: Uint8Array | string): void {
  const handle = createFile(path);
  try {
    writeFileAt(handle, typeof content === 'string' ? new TextEncoder().encode(content) : content, 0);
  } finally {
    closeFile(handle);
  }
}

export function fileSize(path: string): number {
  const facts = fileFacts(path);
  if (facts === null) throw systemError('ENOENT', `'${path}' does not exist`);
  return facts.size;
}

export function fileFacts(path: string): FileFacts | null {
  const facts = workerFiles().facts(path);
  if (facts === null) return null;
  const { size, isFile, id } = facts;
  return { size, isFile, isDirectory: !isFile, modifiedMs: 0, identity: String(id) };
}

export function realPath(path: string): string {
  fileSize(path);
  return path;
}

export function requireWritable(_path: string): void {}

export function writeFile(path: string, bytes: Uint8Array): void {
  const file = createFile(path, true);
  try {
    writeFileAt(file, bytes, 0);
  } finally {
    closeFile(file);
  }
}

export function removeFile(path: string): void {
  workerFiles().remove(path);
}

export function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}

export function removeDirectory(path: string): void {
  workerFiles().remove(path);
}

export function makeDirectory(path: string): void {
  workerFiles().makeDirectory(path);
}

export function makeNewDirectory(prefix: string): string {
  return workerFiles().makeNewDirectory(prefix);
}

export function namesIn(path: string): string[] {
  return workerFiles().namesIn(path);
}

const COPIED_BYTES = 1 << 20;

export function copyFile(path: string, target: string): void {
  removeFile(target);
  copyPart(path, 0, fileSize(path), target);
}

/** Copies `[start, end)` to a new file. */
export function copyPart(path: string, start: number, end: number, target: string): void {
  const source = openToRead(path);
  const copy = createFile(target);
  try {
    const buffer = new Uint8Array(COPIED_BYTES);
    for (let at = start; at < end; ) {
      const count = readFileAt(source, buffer.subarray(0, Math.min(COPIED_BYTES, end - at)), at);
      if (count === 0) break;
      writeFileAt(copy, buffer.subarray(0, count), at - start);
      at += count;
    }
  } finally {
    closeFile(source);
    closeFile(copy);
  }
}
