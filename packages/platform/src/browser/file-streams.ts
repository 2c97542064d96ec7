/** Files as streams, as file-streams.ts of Node.js has them. */

import type { HeldFile } from '../shared-types.ts';
import { BLOCK } from './block-store.ts';
import {
  closeFile,
  copyPart,
  createFile,
  openFileSize,
  openToRead,
  readFileAt,
  writeFileAt,
} from './files.ts';
import { workerFiles } from './worker-files.ts';

export type { HeldFile } from '../shared-types.ts';

export async function copyFilePart(path: string, start: number, end: number, target: string): Promise<void> {
  copyPart(path, start, end, target);
}

export async function writeStream(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const file = createFile(path);
  try {
    let at = 0;
    for await (const part of bytes) {
      signal.throwIfAborted();
      writeFileAt(file, part, at);
      at += part.length;
    }
  } finally {
    closeFile(file);
  }
}

/** Nothing is copied: the file is the Blob. */
export async function writeBlob(path: string, blob: Blob, _signal: AbortSignal): Promise<void> {
  workerFiles().mount(path, blob);
}

export function heldFile(path: string, mediaType: string): HeldFile {
  // Each block as a Blob, which browsers keep outside of the memory of the worker.
  const parts: Blob[] = [];
  for (const block of blocksOf(path)) parts.push(new Blob([block]));
  const blob = new Blob(parts, { type: mediaType });
  return { bytes: async () => new Uint8Array(await blob.arrayBuffer()), blob: () => blob };
}

export function fileStream(path: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  return heldFile(path, '').blob().stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
}

export function wholeFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return heldFile(path, '').bytes();
}

export async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  for (const block of blocksOf(path)) {
    const lines = (rest + decoder.decode(block, { stream: true })).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield withoutReturn(line);
  }
  rest += decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

function* blocksOf(path: string): Generator<Uint8Array<ArrayBuffer>> {
  const file = openToRead(path);
  try {
    const size = openFileSize(file);
    for (let at = 0; at < size; at += BLOCK) {
      const block = new Uint8Array(Math.min(BLOCK, size - at));
      readFileAt(file, block, at);
      yield block;
    }
  } finally {
    closeFile(file);
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
