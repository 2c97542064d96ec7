/**
 * Finds the ends of JSON strings, objects and arrays, in text that arrives in chunks cut anywhere, even within an
 * escape.
 *
 * Only quotes, backslashes and brackets are checked (RFC 8259 sections 4, 5 and 7); the reader of the value checks the
 * rest. Bytes of multi-byte characters cannot be mistaken for them, as all are above 0x7f.
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts';
import { byteName } from './json-bytes.ts';

/** Greatest nesting of arrays and objects, as in the GeoJSON reader; deeper nesting is an attack, not data. */
export const MAX_DEPTH = 512;

export const TOO_DEEP = `arrays and objects are nested deeper than ${MAX_DEPTH} levels`;

/** A closing bracket or brace is the opening one plus this. */
export const TO_CLOSING = 2;

/** Indexed by byte: 1 for the bytes to stop at. */
const IN_STRINGS = flagsOf(QUOTE, BACKSLASH);
const OUTSIDE_STRINGS = flagsOf(QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET);

/** Scans one string at a time. */
export class StringEnd {
  /** The closing quote has not been found yet. */
  isOpen = false;
  #isEscaped = false;

  /** Call this after the opening quote. */
  open(): void {
    this.isOpen = true;
    this.#isEscaped = false;
  }

  /** Scans `bytes` from `at` to `stop` (exclusive); returns the offset after the closing quote, or `stop`. */
  scan(bytes: Uint8Array, at: number, stop: number): number {
    if (this.#isEscaped && at < stop) {
      this.#isEscaped = false;
      at++;
    }
    while (at < stop) {
      at = skipOthers(IN_STRINGS, bytes, at, stop);
      if (at === stop) break;
      if (bytes[at++] === QUOTE) {
        this.isOpen = false;
        break;
      }
      // A backslash: the next byte, possibly the first of the next chunk, is not a closing quote.
      if (at === stop) this.#isEscaped = true;
      else at++;
    }
    return at;
  }
}

/** Makes the error for text that is not JSON; `offset` is that of the wrong byte. */
export type NotJson = (offset: number, reason: string) => Error;

/** Scans one object or array at a time. */
export class BracketEnd {
  readonly #notJson: NotJson;
  readonly #string = new StringEnd();
  /** The byte that closes each open level; level 0 is unused. */
  readonly #closing = new Uint8Array(MAX_DEPTH + 1);
  #depth = 0;

  constructor(notJson: NotJson) {
    this.#notJson = notJson;
  }

  /** The last bracket has not been found yet. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** Call this after the first bracket, `openingByte`. */
  open(openingByte: number): void {
    this.#depth = 1;
    this.#closing[1] = openingByte + TO_CLOSING;
  }

  /**
   * Scans `bytes` from `at` to `stop` (exclusive); returns the offset after the last bracket, or `stop`. `bytesBefore`
   * is the number of bytes before `bytes`. Throws the error of `notJson` for a bracket that does not match and for
   * nesting deeper than MAX_DEPTH.
   */
  scan(bytes: Uint8Array, at: number, stop: number, bytesBefore: number): number {
    const string = this.#string;
    const closing = this.#closing;
    let depth = this.#depth;
    if (string.isOpen) at = string.scan(bytes, at, stop);
    while (at < stop) {
      at = skipOthers(OUTSIDE_STRINGS, bytes, at, stop);
      if (at === stop) break;
      const byte = bytes[at++];
      if (byte === QUOTE) {
        string.open();
        at = string.scan(bytes, at, stop);
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (depth === MAX_DEPTH) throw this.#notJson(bytesBefore + at - 1, TOO_DEEP);
        closing[++depth] = byte + TO_CLOSING;
      } else {
        if (byte !== closing[depth])
          throw this.#notJson(bytesBefore + at - 1, mismatch(closing[depth], byte));
        if (--depth === 0) break;
      }
    }
    this.#depth = depth;
    return at;
  }
}

export function mismatch(expected: number, found: number): string {
  return `expected ${byteName(expected)} but found ${byteName(found)}`;
}

function flagsOf(...bytes: number[]): Uint8Array {
  const flags = new Uint8Array(256);
  for (const byte of bytes) flags[byte] = 1;
  return flags;
}

/**
 * Offset of the first flagged byte from `at` on, or `stop`. Checks four bytes at a time, which is up to twice as fast
 * as one by one; indexOf is only faster in long strings, and those of GeoJSON are short.
 */
function skipOthers(flags: Uint8Array, bytes: Uint8Array, at: number, stop: number): number {
  const lastFour = stop - 4;
  while (
    at <= lastFour &&
    (flags[bytes[at]] | flags[bytes[at + 1]] | flags[bytes[at + 2]] | flags[bytes[at + 3]]) === 0
  )
    at += 4;
  while (at < stop && flags[bytes[at]] === 0) at++;
  return at;
}
