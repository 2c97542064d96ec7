/** Line and column of a byte in a UTF-8 text, counted only when an error needs them. */
import { LF } from '../bytes/ascii.ts';
import { openFileSource } from './byte-source.ts';

export interface TextPosition {
  /** Both count from 1; columns are characters. */
  readonly line: number;
  readonly column: number;
}

const BLOCK_BYTES = 1 << 20;

/** Reads the file up to `offset` in blocks; the memory does not depend on its size. Throws FILE_NOT_FOUND. */
export function positionInFile(path: string, offset: number): TextPosition {
  using source = openFileSource(path);
  const end = Math.min(offset, source.byteLength);
  const counter = new PositionCounter();
  for (let at = 0; at < end; at += BLOCK_BYTES)
    counter.add(source.slice(at, Math.min(end, at + BLOCK_BYTES)));
  return counter.position();
}

/** " (line 12, column 7)" */
export function positionText({ line, column }: TextPosition): string {
  return ` (line ${line}, column ${column})`;
}

class PositionCounter {
  #line = 1;
  #column = 1;

  add(bytes: Uint8Array): void {
    let start = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
      this.#line++;
      this.#column = 1;
      start = at + 1;
    }
    for (let at = start; at < bytes.length; at++)
      // Continuation bytes and the byte order mark are no characters of their own.
      if ((bytes[at] & 0xc0) !== 0x80) this.#column++;
  }

  position(): TextPosition {
    return { line: this.#line, column: this.#column };
  }
}
