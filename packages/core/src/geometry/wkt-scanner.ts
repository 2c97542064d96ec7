/** Reads well-known text byte by byte: blanks, words, numbers, and errors with offsets. */
import { failure, type GeomillError } from '../messages/errors.ts';
import { generalErrors } from '../messages/general-errors.ts';
import { CLOSE_PAREN, COMMA, SPACE } from '../text/ascii.ts';
import { NumberScanner } from '../text/number-scanner.ts';
import { isLetter, matches } from './wkt-words.ts';

const EMPTY = new TextEncoder().encode('empty');
const NAN = new TextEncoder().encode('nan');

/** A base class of WktReader, not a member of it: this saves its hot loops one indirection. */
export class WktScanner {
  /** The blanks in the last geometry include line ends. */
  hasLineEnds = false;
  protected readonly scanner = new NumberScanner();
  protected bytes = new Uint8Array(0) as Uint8Array;
  protected at = 0;
  protected endAt = 0; // exclusive
  #start = 0;

  protected open(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.#start = start;
    this.at = start;
    this.endAt = end;
    this.hasLineEnds = false;
  }

  protected readNumber(): number {
    this.skipBlanks();
    const at = this.at;
    const value = this.scanner.scan(this.bytes, at, this.endAt);
    this.at = this.scanner.end;
    if (this.at !== at) {
      if (!Number.isFinite(value)) throw this.fail(at, 'the number is beyond the range of doubles');
      return value;
    }
    if (this.takeWord(NAN)) return Number.NaN;
    throw this.unexpected('a number');
  }

  /** After an element of a list: consumes a comma and returns true, or a closing parenthesis and returns false. */
  protected more(): boolean {
    const byte = this.peek();
    if (byte !== COMMA && byte !== CLOSE_PAREN) throw this.unexpected("',' or ')'");
    this.at++;
    return byte === COMMA;
  }

  protected take(byte: number, name: string): void {
    if (this.peek() !== byte) throw this.unexpected(name);
    this.at++;
  }

  protected takeEmpty(): boolean {
    const byte = this.peek();
    return (byte === 0x45 || byte === 0x65) && this.takeWord(EMPTY);
  }

  protected takeWord(lower: Uint8Array): boolean {
    const after = this.at + lower.length;
    if (after > this.endAt || !matches(this.bytes, this.at, lower)) return false;
    if (after < this.endAt && isLetter(this.bytes[after])) return false;
    this.at = after;
    return true;
  }

  /** The next byte that is not blank, or -1. */
  protected peek(): number {
    this.skipBlanks();
    return this.at < this.endAt ? this.bytes[this.at] : -1;
  }

  protected skipBlanks(): void {
    const bytes = this.bytes;
    const end = this.endAt;
    let at = this.at;
    while (at < end && (bytes[at] === SPACE || (bytes[at] >= 0x09 && bytes[at] <= 0x0d))) {
      if (bytes[at] !== SPACE) this.hasLineEnds = true;
      at++;
    }
    this.at = at;
  }

  protected unexpected(wanted: string): GeomillError {
    const byte = this.peek();
    const found =
      byte < 0
        ? 'the text ends'
        : byte > 0x20 && byte < 0x7f
          ? `found '${String.fromCharCode(byte)}'`
          : `found byte ${byte}`;
    return this.fail(this.at, `${wanted} is expected, ${found}`);
  }

  protected fail(at: number, reason: string): GeomillError {
    return failure(generalErrors.WKT_SYNTAX, { offset: at - this.#start, reason });
  }
}
