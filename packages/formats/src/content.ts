/** What shows the format of an input besides its name. */
import { fileHead, openFileSource } from '@geomill/io/byte-source.ts';
import { isZip, zipNames } from '@geomill/io/zip-names.ts';
import { fileFacts, namesIn } from '@geomill/platform/files.ts';

export interface InputContent {
  /** The beginning; empty for a folder. */
  readonly head: Uint8Array;
  /** Paths of the members of a zip archive, or names of the files in a folder; else empty. */
  readonly members: readonly string[];
  readonly isFolder: boolean;
}

/** Bytes from the beginning of a file that are enough to recognise it. */
export const HEAD_BYTES = 4096;

/** Throws FILE_NOT_FOUND. */
export function contentOf(path: string): InputContent {
  // A device or a pipe is no folder, and is copied before it is read.
  if (fileFacts(path)?.isDirectory === true)
    return { head: new Uint8Array(0), members: namesIn(path), isFolder: true };
  const head = fileHead(path, HEAD_BYTES);
  if (!isZip(head)) return { head, members: [], isFolder: false };
  using source = openFileSource(path);
  return { head, members: zipNames(source), isFolder: false };
}
