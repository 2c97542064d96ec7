/** The files of an output, as a call returns them. */
import { fileStream, heldFile, wholeFile } from '@geomill/platform/file-streams.ts';
import { fileSize } from '@geomill/platform/files.ts';
import { fileName } from '@geomill/platform/paths.ts';
import type { OutputFile } from './types.ts';

/** A file at a path of the caller. It is read when its content is asked for. */
export function fileAtPath(path: string, mediaType: string): OutputFile {
  return {
    ...{ name: fileName(path), path, mediaType, byteLength: fileSize(path) },
    bytes: () => wholeFile(path),
    blob: async () => new Blob([await wholeFile(path)], { type: mediaType }),
    stream: () => fileStream(path),
  };
}

/** The content of a temporary file, which is read now. */
export function fileInMemory(path: string, mediaType: string): OutputFile {
  const held = heldFile(path, mediaType);
  return {
    ...{ name: fileName(path), path: null, mediaType, byteLength: fileSize(path) },
    bytes: () => held.bytes(),
    blob: async () => held.blob(),
    stream: () => held.blob().stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
  };
}
