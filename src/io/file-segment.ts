/** A range of bytes in a file: a whole file, or an uncompressed member of an archive. */
import { type ByteSource, openFileSource } from './byte-source.ts';

/** Plain data, so that a worker thread can open what the main thread found. */
export interface FileSegment {
  readonly path: string;
  /** The name the user knows it by, for messages: "roads.zip/roads.dbf". */
  readonly name: string;
  /** Byte offset in the file. */
  readonly start: number;
  readonly byteLength: number;
}

/** Opens the segment as a source of its own, offsets from 0. Throws FILE_NOT_FOUND. */
export function openSegment(segment: FileSegment): ByteSource {
  const file = openFileSource(segment.path);
  const { start, byteLength } = segment;
  return {
    byteLength,
    slice: (from, to) => file.slice(start + from, start + Math.min(to, byteLength)),
    readInto: (target, from) => file.readInto(target, start + from),
    close: () => file.close(),
  };
}

/** Calls `use` with the opened segment and closes it whatever happens. */
export function withSegment<Result>(segment: FileSegment, use: (source: ByteSource) => Result): Result {
  const source = openSegment(segment);
  try {
    return use(source);
  } finally {
    source.close();
  }
}
