/** Line and column of a byte in a file, counted only when an error needs them. */
import { byteOrderMarkLength, PositionCounter, type TextPosition } from '@geomill/core/text/text-position.ts';
import { type ByteSource, openFileSource } from './byte-source.ts';

const BLOCK_BYTES = 1 << 20;

/**
 * Reads the file up to `offset` in blocks; the memory does not depend on its size. A byte order mark is no column.
 * Throws FILE_NOT_FOUND.
 */
export function positionInFile(path: string, offset: number): TextPosition {
  using source = openFileSource(path);
  return positionInSource(source, offset);
}

/** The same for an open source. */
export function positionInSource(source: ByteSource, offset: number): TextPosition {
  const end = Math.min(offset, source.byteLength);
  const counter = new PositionCounter();
  for (let at = byteOrderMarkLength(source.slice(0, Math.min(end, 3))); at < end; at += BLOCK_BYTES)
    counter.add(source.slice(at, Math.min(end, at + BLOCK_BYTES)));
  const { line, column } = counter.position();
  return { line, column };
}
