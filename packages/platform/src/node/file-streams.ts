/** Files as streams: for what is too large for memory, and for callers with streams of their own. */
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { HeldFile } from '../shared-types.ts';

export type { HeldFile } from '../shared-types.ts';

/** Copies `[start, end)`, which are offsets in bytes, to a new file. Rejects with EEXIST. */
export async function copyFilePart(path: string, start: number, end: number, target: string): Promise<void> {
  const { pipeline } = await import('node:stream/promises');
  await pipeline(createReadStream(path, { start, end: end - 1 }), createWriteStream(target, { flags: 'wx' }));
}

/** Writes bytes to a new file, as they come. Rejects with EEXIST, with what `bytes` throws, and when the signal aborts. */
export async function writeStream(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const { pipeline } = await import('node:stream/promises');
  await pipeline(bytes, createWriteStream(path, { flags: 'wx' }), { signal });
}

/** Makes a Blob a new file. Rejects as `writeStream`. */
export function writeBlob(path: string, blob: Blob, signal: AbortSignal): Promise<void> {
  return writeStream(path, blob.stream(), signal);
}

export function heldFile(path: string, mediaType: string): HeldFile {
  const content = new Uint8Array(readFileSync(path));
  return { bytes: async () => content, blob: () => new Blob([content], { type: mediaType }) };
}

/** The content of a file, which is opened now and read as the caller takes it. */
export function fileStream(path: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { Readable } = process.getBuiltinModule('node:stream');
  return Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** The content of a file, without keeping the thread from other work. */
export async function wholeFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(path));
}

/** The lines of a text in UTF-8, without their ends. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const { createInterface } = await import('node:readline');
  yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}
