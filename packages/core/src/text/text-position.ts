/** Line and column of a byte in a UTF-8 text, as an editor shows them. */
import { LF } from './ascii.ts';

export interface TextPosition {
  /** Both count from 1; columns are characters (code points). */
  readonly line: number;
  readonly column: number;
}

export interface BytePosition extends TextPosition {
  /** In bytes, from 0. */
  readonly offset: number;
}

export const TEXT_START: BytePosition = { line: 1, column: 1, offset: 0 };

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Number of bytes of the byte order mark at the start of a text; it is no column. */
export function byteOrderMarkLength(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? BYTE_ORDER_MARK.length : 0;
}

/** Counts the bytes of a text in pieces of any size, which may cut characters. */
export class PositionCounter {
  #line: number;
  #column: number;
  #offset: number;

  constructor({ line, column, offset }: BytePosition = TEXT_START) {
    this.#line = line;
    this.#column = column;
    this.#offset = offset;
  }

  add(bytes: Uint8Array): void {
    let start = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
      this.#line++;
      this.#column = 1;
      start = at + 1;
    }
    for (let at = start; at < bytes.length; at++)
      // Continuation bytes are no characters of their own.
      if ((bytes[at] & 0xc0) !== 0x80) this.#column++;
    this.#offset += bytes.length;
  }

  /** Of the byte after all that were added. */
  position(): BytePosition {
    return { line: this.#line, column: this.#column, offset: this.#offset };
  }
}

/** Of the byte after `bytes`, which begin at `start`. */
export function positionAfter(bytes: Uint8Array, start: BytePosition = TEXT_START): BytePosition {
  const counter = new PositionCounter(start);
  counter.add(bytes);
  return counter.position();
}

/** "line 12, column 7" */
export function positionText({ line, column }: TextPosition): string {
  return `line ${line}, column ${column}`;
}
