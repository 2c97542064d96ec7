/**
 * Scans JSON (RFC 8259, strictly) in a window of bytes, without creating strings or objects.
 *
 * The byte after the window, `bytes[limit]`, must be 0: valid JSON contains no zero byte, so every loop ends there
 * without a bounds check. Methods take an offset and return the offset after what they scanned; errors are thrown as
 * JsonFault. UTF-8 is validated during the scan, since bytes beyond ASCII can only occur in strings.
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import {
  asciiSlice,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  QUOTE,
  ZERO,
} from './ascii.ts';
import { JsonFault, type JsonFaultKind } from './json-fault.ts';
import { appendUnescaped } from './json-text.ts';
import { parseDecimal } from './number-scanner.ts';

/** Greatest nesting of arrays and objects; deeper nesting is an attack on the stack, not data. */
export const MAX_DEPTH = 512;

/** Compared with a byte minus ZERO to find '.', 'e' and 'E'. */
const POINT_DIGIT = 0x2e - ZERO;
const LOWER_E_DIGIT = 0x65 - ZERO;
const UPPER_E_DIGIT = 0x45 - ZERO;

const POWERS_OF_TEN = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** A byte order mark inside a string is part of the string. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class JsonScanner {
  bytes = new Uint8Array(1);
  /** Offset after the last byte of the window. */
  limit = 0;
  /** Offset after the last number that `number` scanned. */
  numberEnd = 0;
  /** That number has neither fraction nor exponent. */
  isInteger = false;
  /** The last string that `string` scanned contains a backslash. */
  hasEscapes = false;

  /** The error for an unexpected byte at `at`. */
  fault(at: number, reason: string, kind: JsonFaultKind = 'syntax', reportAt = at): JsonFault {
    return new JsonFault(kind, at, reason, reportAt);
  }

  /** The error for a byte other than the expected one. */
  unexpected(at: number, expected: string): JsonFault {
    if (this.endsWithComma(at)) {
      const what = `the comma before this ${this.byteName(at)} has nothing after it; remove it`;
      return new JsonFault('syntax', at, what);
    }
    return new JsonFault('syntax', at, `expected ${expected} but found ${this.byteName(at)}`);
  }

  /** Whether an array or object is closed at `at` right after a comma, which JSON does not allow. */
  endsWithComma(at: number): boolean {
    const { bytes } = this;
    if (at >= this.limit || (bytes[at] !== CLOSE_BRACE && bytes[at] !== CLOSE_BRACKET)) return false;
    let before = at - 1;
    while (before >= 0 && bytes[before] <= 0x20) before--;
    return before >= 0 && bytes[before] === COMMA;
  }

  byteName(at: number): string {
    if (at >= this.limit) return 'the end of the text';
    const byte = this.bytes[at];
    if (byte > 0x20 && byte < 0x7f) return `'${String.fromCharCode(byte)}'`;
    return `byte 0x${byte.toString(16).padStart(2, '0')}`;
  }

  /** Skips white space. */
  space(at: number): number {
    const { bytes } = this;
    let byte = bytes[at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
    return at;
  }

  /** Skips white space, the byte of `expected`, and white space again. */
  punctuation(at: number, byte: number): number {
    if (this.bytes[at] !== byte) {
      at = this.space(at);
      if (this.bytes[at] !== byte) throw this.unexpected(at, `'${String.fromCharCode(byte)}'`);
    }
    const next = this.bytes[++at];
    return next > 0x20 ? at : this.space(at);
  }

  /** `at` is the opening quote; returns the offset of the closing one. */
  string(at: number): number {
    const { bytes } = this;
    let i = at + 1;
    let escapes = false;
    for (;;) {
      const byte = bytes[i];
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH && byte < 0x80) i++;
      else if (byte === QUOTE) break;
      else if (byte === BACKSLASH) {
        escapes = true;
        i = this.#escape(i);
      } else if (byte >= 0x80) i = this.#sequence(i);
      else if (i >= this.limit) throw this.fault(i, 'this string does not end', 'syntax', at);
      else throw this.fault(i, `${this.byteName(i)} must be escaped inside a string`);
    }
    this.hasEscapes = escapes;
    return i;
  }

  #escape(at: number): number {
    const { bytes } = this;
    switch (bytes[at + 1]) {
      case QUOTE:
      case BACKSLASH:
      case 0x2f: // /
      case 0x62: // b
      case 0x66: // f
      case 0x6e: // n
      case 0x72: // r
      case 0x74: // t
        return at + 2;
      case 0x75: // u
        for (let i = at + 2; i < at + 6; i++) {
          const byte = bytes[i] | 0x20;
          const isHex = (bytes[i] >= ZERO && bytes[i] <= 0x39) || (byte >= 0x61 && byte <= 0x66);
          if (!isHex) throw this.unexpected(i, 'four hexadecimal digits after \\u');
        }
        return at + 6;
      default:
        throw this.unexpected(at + 1, 'an escape character after the backslash');
    }
  }

  /** One UTF-8 sequence of two to four bytes (Unicode 15, table 3-7): no overlong forms, no surrogates. */
  #sequence(at: number): number {
    const { bytes } = this;
    const lead = bytes[at];
    let low = 0x80;
    let high = 0xbf;
    let count = 1;
    if (lead >= 0xc2 && lead <= 0xdf) count = 1;
    else if (lead >= 0xe0 && lead <= 0xef) {
      count = 2;
      if (lead === 0xe0) low = 0xa0;
      else if (lead === 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      count = 3;
      if (lead === 0xf0) low = 0x90;
      else if (lead === 0xf4) high = 0x8f;
    } else throw this.fault(at, 'invalid UTF-8', 'encoding');
    for (let i = 1; i <= count; i++) {
      const byte = bytes[at + i];
      if (byte < low || byte > high) throw this.fault(at + i, 'invalid UTF-8', 'encoding', at);
      low = 0x80;
      high = 0xbf;
    }
    return at + count + 1;
  }

  /**
   * Scans a number and sets `numberEnd` and `isInteger`. Up to nine digits on either side of the point, fifteen
   * together, are read as 32-bit integers and combined by one exact division, which is enough for nearly every
   * coordinate; longer numbers and exponents go through parseDecimal.
   */
  number(at: number): number {
    const { bytes } = this;
    const start = at;
    let digit = bytes[at] - ZERO;
    const negative = digit === MINUS - ZERO;
    if (negative) digit = bytes[++at] - ZERO;
    if (digit < 0 || digit > 9) throw this.unexpected(at, 'a number');
    const wholeStart = at;
    let whole = 0;
    do {
      whole = (whole * 10 + digit) | 0;
      digit = bytes[++at] - ZERO;
    } while (digit >= 0 && digit <= 9);
    const wholeDigits = at - wholeStart;
    if (wholeDigits > 1 && bytes[wholeStart] === ZERO)
      throw this.fault(wholeStart, 'a number must not begin with further zeros');
    let fraction = 0;
    let fractionDigits = 0;
    this.isInteger = true;
    if (digit === POINT_DIGIT) {
      this.isInteger = false;
      const fractionStart = at + 1;
      digit = bytes[++at] - ZERO;
      while (digit >= 0 && digit <= 9) {
        fraction = (fraction * 10 + digit) | 0;
        digit = bytes[++at] - ZERO;
      }
      fractionDigits = at - fractionStart;
      if (fractionDigits === 0) throw this.unexpected(at, 'a digit after the decimal point');
    }
    if (
      digit === LOWER_E_DIGIT ||
      digit === UPPER_E_DIGIT ||
      wholeDigits > 9 ||
      fractionDigits > 9 ||
      wholeDigits + fractionDigits > 15
    )
      return this.#longNumber(start, at);
    this.numberEnd = at;
    const value =
      fractionDigits === 0
        ? whole
        : (whole * POWERS_OF_TEN[fractionDigits] + fraction) / POWERS_OF_TEN[fractionDigits];
    return negative ? -value : value;
  }

  /** The number at `start` whose digits and point end at `at`, possibly followed by an exponent. */
  #longNumber(start: number, at: number): number {
    const { bytes } = this;
    if ((bytes[at] | 0x20) === 0x65) {
      at++;
      if (bytes[at] === MINUS || bytes[at] === PLUS) at++;
      const digits = at;
      while (bytes[at] >= ZERO && bytes[at] <= 0x39) at++;
      if (at === digits) throw this.unexpected(at, 'a digit in the exponent');
      this.isInteger = false;
    }
    this.numberEnd = at;
    return parseDecimal(bytes, start, at);
  }

  /** Skips one value of any kind; `depth` is the number of open arrays and objects around it. */
  skip(at: number, depth: number): number {
    const { bytes } = this;
    const byte = bytes[at];
    if (byte === QUOTE) return this.string(at) + 1;
    if (byte === OPEN_BRACE) return this.#skipObject(at, depth + 1);
    if (byte === OPEN_BRACKET) return this.#skipArray(at, depth + 1);
    if (byte === MINUS || (byte >= ZERO && byte <= 0x39)) {
      this.number(at);
      return this.numberEnd;
    }
    return this.literal(at);
  }

  #skipObject(at: number, depth: number): number {
    const { bytes } = this;
    this.checkDepth(at, depth);
    at = this.space(at + 1);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) throw this.unexpected(at, "a key in double quotes or '}'");
      at = this.punctuation(this.string(at) + 1, COLON);
      at = this.space(this.skip(at, depth));
      if (bytes[at] === CLOSE_BRACE) return at + 1;
      if (bytes[at] !== COMMA) throw this.unexpected(at, "',' or '}'");
      at = this.space(at + 1);
    }
  }

  #skipArray(at: number, depth: number): number {
    const { bytes } = this;
    this.checkDepth(at, depth);
    at = this.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = this.space(this.skip(at, depth));
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      if (bytes[at] !== COMMA) throw this.unexpected(at, "',' or ']'");
      at = this.space(at + 1);
    }
  }

  checkDepth(at: number, depth: number): void {
    if (depth > MAX_DEPTH)
      throw this.fault(at, `arrays and objects are nested deeper than ${MAX_DEPTH} levels`, 'structure');
  }

  /** `true`, `false` or `null`. */
  literal(at: number): number {
    const { bytes } = this;
    const word = bytes[at] === 0x74 ? 'true' : bytes[at] === 0x66 ? 'false' : 'null';
    for (let i = 0; i < word.length; i++) {
      if (bytes[at + i] !== word.charCodeAt(i)) {
        if (i === 0) throw this.unexpected(at, 'a value');
        throw this.fault(at + i, `expected '${word}'`, 'syntax', at);
      }
    }
    return at + word.length;
  }

  /**
   * Appends the string between the quotes at `start - 1` and `end` as UTF-8; returns the number of unpaired surrogates
   * replaced.
   */
  unescape(start: number, end: number, into: ByteWriter): number {
    return appendUnescaped(this.bytes, start, end, into);
  }

  /** The bytes `[start, end)`, which have no escapes, as a JavaScript string. */
  text(start: number, end: number): string {
    return end - start < 24 && this.#isAscii(start, end)
      ? asciiSlice(this.bytes, start, end)
      : decoder.decode(this.bytes.subarray(start, end));
  }

  #isAscii(start: number, end: number): boolean {
    for (let i = start; i < end; i++) if (this.bytes[i] >= 0x80) return false;
    return true;
  }

  /** Whether a string with exactly these bytes begins at `at`, the opening quote. */
  isString(at: number, wanted: Uint8Array): boolean {
    const { bytes } = this;
    const { length } = wanted;
    at++;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== wanted[i]) return false;
    return bytes[at + length] === QUOTE;
  }

  /** Whether `[start, end)` contains exactly these bytes. */
  equals(start: number, end: number, wanted: Uint8Array): boolean {
    if (end - start !== wanted.length) return false;
    const { bytes } = this;
    for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
    return true;
  }
}
