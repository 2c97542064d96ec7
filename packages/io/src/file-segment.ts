/** A range of bytes in a file: a whole file, or an uncompressed member of an archive. */
import { type ByteSource, openFileSource } from './byte-source.ts';

/** Plain data, so that a worker thread can open segments that the main thread located. */
export interface FileSegment {
  readonly path: string;
  /** File name for messages, as the user knows it: "roads.zip/roads.dbf". */
  readonly name: string;
  /** Byte offset in the file. */
  readonly start: number;
  readonly byteLength: number;
}

/** Opens the segment as a source whose offsets start at 0. Throws FILE_NOT_FOUND. */
export function openSegment(segment: FileSegment): ByteSource {
  const file = openFileSource(segment.path);
  const { start, byteLength } = segment;
  return {
    byteLength,
    slice: (from, to) => file.slice(start + from, start + Math.min(to, byteLength)),
    readInto: (target, from) => file.readInto(target, start + from),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** Calls `use` with the opened segment and always closes it. */
export function withSegment<Result>(segment: FileSegment, use: (source: ByteSource) => Result): Result {
  using source = openSegment(segment);
  return use(source);
}
