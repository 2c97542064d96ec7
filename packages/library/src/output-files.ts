/** The files of an output, as a call returns them. */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { OutputFile } from './types.ts';

/** A file at a path of the caller. It is read when its content is asked for. */
export function fileAtPath(path: string, mediaType: string): OutputFile {
  return {
    ...{ name: basename(path), path, mediaType, byteLength: statSync(path).size },
    bytes: async () => new Uint8Array(await readFile(path)),
    blob: async () => new Blob([await readFile(path)], { type: mediaType }),
    stream: () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array<ArrayBuffer>>,
  };
}

/** The content of a temporary file, which is read now. */
export function fileInMemory(path: string, mediaType: string): OutputFile {
  const content = new Uint8Array(readFileSync(path));
  const blob = (): Blob => new Blob([content], { type: mediaType });
  return {
    ...{ name: basename(path), path: null, mediaType, byteLength: content.byteLength },
    bytes: async () => content,
    blob: async () => blob(),
    stream: () => blob().stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
  };
}
