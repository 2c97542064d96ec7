/** The files of an output, as a call returns them. */
import { fileStream, wholeFile } from '@geomill/platform/file-streams.ts';
import { fileBytes, fileSize } from '@geomill/platform/files.ts';
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
  const content = new Uint8Array(fileBytes(path));
  const blob = (): Blob => new Blob([content], { type: mediaType });
  return {
    ...{ name: fileName(path), path: null, mediaType, byteLength: content.byteLength },
    bytes: async () => content,
    blob: async () => blob(),
    stream: () => blob().stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
  };
}
