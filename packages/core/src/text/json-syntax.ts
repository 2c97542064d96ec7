/**
 * Finds the first syntax error of a JSON text (RFC 8259), for messages: JSON.parse states its position only sometimes, and
 * never what it expected at the end of the text.
 *
 * The error is at the first byte with which no JSON text can go on. There are three exceptions, because an earlier byte says more:
 * a word that is no value (`nul`), an escape that does not exist, and a string without closing quote are reported where they begin.
 */
import { invalidUtf8At } from '../bytes/utf8.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './ascii.ts';
import { isSpace } from './json-bytes.ts';
import { BracketEnd, MAX_DEPTH, TO_CLOSING, TOO_DEEP } from './json-ends.ts';
import { type BytePosition, byteOrderMarkLength, positionAfter, positionText } from './text-position.ts';

export interface JsonSyntaxError {
  /** In bytes, from 0; the length of the text if it ends too early. */
  readonly offset: number;
  /** What was expected, and what was found. */
  readonly reason: string;
}

type State = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'after value';

const WORD = /^[\w.+-]{1,21}/;
const LONGEST_WORD = 20;
const LITERALS = ['true', 'false', 'null'].map((word) => new TextEncoder().encode(word));
const ESCAPES = new Set(new TextEncoder().encode('"\\/bfnrtu'));
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text that is not JSON. The message says where, and what was expected and found. */
export class JsonTextError extends Error {
  readonly position: BytePosition;
  /** What was expected and found. */
  readonly reason: string;

  constructor({ offset, reason }: JsonSyntaxError, text: Uint8Array) {
    const position = positionAfter(text.subarray(0, offset));
    super(`${positionText(position)}: ${reason}`);
    this.name = 'JsonTextError';
    this.position = position;
    this.reason = reason;
  }
}

/**
 * The value of a JSON text in UTF-8, with or without a byte order mark, which counts as no column. Throws JsonTextError, also if
 * it is nested deeper than MAX_DEPTH; time and memory are proportional to the length of the text.
 */
export function parseJsonText(bytes: Uint8Array): unknown {
  const text = bytes.subarray(byteOrderMarkLength(bytes));
  try {
    // The parser accepts any depth, but takes half a minute for 64 MiB of brackets.
    const start = text.findIndex((byte) => !isSpace(byte));
    if (text[start] === OPEN_BRACE || text[start] === OPEN_BRACKET) {
      const brackets = new BracketEnd((_, reason) => new SyntaxError(reason));
      brackets.open(text[start]);
      brackets.scan(text, start + 1, text.length, 0);
    }
    return JSON.parse(strict.decode(text));
  } catch (cause) {
    const error = jsonSyntaxError(text, MAX_DEPTH);
    if (error === null) throw cause;
    throw new JsonTextError(error, text);
  }
}

/** The first syntax error of a whole text; null if it has none. `maxDepth`: of arrays and objects. */
export function jsonSyntaxError(
  bytes: Uint8Array,
  maxDepth = Number.POSITIVE_INFINITY,
): JsonSyntaxError | null {
  const invalidAt = invalidUtf8At(bytes, 0, bytes.length);
  const error = new SyntaxScan(bytes, maxDepth).error();
  if (invalidAt >= 0 && (error === null || invalidAt < error.offset))
    return {
      offset: invalidAt,
      reason: `byte 0x${hex(bytes[invalidAt])} is not valid UTF-8`,
    };
  return error;
}

class SyntaxScan {
  readonly #bytes: Uint8Array;
  readonly #maxDepth: number;
  /** The bytes that close the open arrays and objects. */
  readonly #closing: number[] = [];
  #state: State = 'value';
  /** Start of the number or literal before the current byte, if nothing is between them; otherwise -1. */
  #wordStart = -1;
  /** Whether the token before the current one is a comma. */
  #afterComma = false;

  constructor(bytes: Uint8Array, maxDepth: number) {
    this.#bytes = bytes;
    this.#maxDepth = maxDepth;
  }

  error(): JsonSyntaxError | null {
    const bytes = this.#bytes;
    for (let at = 0; ; ) {
      if (at < bytes.length && isSpace(bytes[at])) {
        this.#wordStart = -1;
        at++;
        continue;
      }
      if (at === bytes.length && this.#state === 'after value' && this.#closing.length === 0) return null;
      const next = at === bytes.length ? this.#unexpected(at) : this.#take(at);
      if (typeof next !== 'number') return next;
      this.#afterComma = bytes[at] === COMMA;
      at = next;
    }
  }

  /** The offset after the token at `at`, or the error. */
  #take(at: number): number | JsonSyntaxError {
    const byte = this.#bytes[at];
    const closing = this.#closing.at(-1);
    switch (this.#state) {
      case 'colon':
        if (byte !== COLON) return this.#unexpected(at);
        this.#state = 'value';
        return at + 1;
      case 'after value':
        if (byte === COMMA && closing !== undefined) {
          this.#state = closing === CLOSE_BRACE ? 'name' : 'value';
          return at + 1;
        }
        return byte === closing ? this.#close(at) : this.#unexpected(at);
      case 'name':
      case 'name or end':
        if (byte === QUOTE) return this.#string(at, 'colon');
        return byte === CLOSE_BRACE && this.#state === 'name or end' ? this.#close(at) : this.#unexpected(at);
      default:
        if (byte === CLOSE_BRACKET && this.#state === 'value or end') return this.#close(at);
        return this.#value(at, byte);
    }
  }

  #value(at: number, byte: number): number | JsonSyntaxError {
    if (byte === QUOTE) return this.#string(at, 'after value');
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (this.#closing.length === this.#maxDepth) return { offset: at, reason: TOO_DEEP };
      this.#closing.push(byte + TO_CLOSING);
      this.#state = byte === OPEN_BRACE ? 'name or end' : 'value or end';
      return at + 1;
    }
    const end = byte === MINUS || isDigit(byte) ? numberEnd(this.#bytes, at) : literalEnd(this.#bytes, at);
    if (end === at) return this.#unexpected(at);
    this.#state = 'after value';
    this.#wordStart = at;
    return end;
  }

  #close(at: number): number {
    this.#closing.pop();
    this.#state = 'after value';
    this.#wordStart = -1;
    return at + 1;
  }

  #string(start: number, next: State): number | JsonSyntaxError {
    const bytes = this.#bytes;
    for (let at = start + 1; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#state = next;
        this.#wordStart = -1;
        return at + 1;
      }
      if (byte < SPACE)
        return { offset: at, reason: `expected the closing quote of a string but found ${this.#found(at)}` };
      if (byte !== BACKSLASH) continue;
      if (at + 1 === bytes.length) break;
      const digits = bytes[at + 1] === 0x75 ? 4 : 0;
      let valid = ESCAPES.has(bytes[at + 1]);
      for (let i = at + 2; i < at + 2 + digits; i++) valid &&= isHexDigit(bytes[i]);
      if (!valid) {
        const found = lenient.decode(bytes.subarray(at, at + 2 + digits)).slice(0, 2 + digits);
        return { offset: at, reason: `'${found}' is not an escape of JSON; write a backslash as '\\\\'` };
      }
      at += 1 + digits;
    }
    return { offset: start, reason: 'the string that begins here has no closing quote' };
  }

  #unexpected(at: number): JsonSyntaxError {
    if (at < this.#bytes.length && this.#wordStart >= 0) {
      const word = this.#wordAt(this.#wordStart);
      // A number or literal with something attached, such as 007, 1.e5 or nulll.
      if (this.#wordStart + word.length > at)
        return {
          offset: at,
          reason: `'${shortened(word)}' is no ${/^[-\d]/.test(word) ? 'number' : 'value'} of JSON`,
        };
    }
    return {
      offset: at,
      reason: `expected ${this.#expected()} but ${this.#foundOrEnd(at)}${this.#advice(at)}`,
    };
  }

  #expected(): string {
    const closing = this.#closing.at(-1);
    switch (this.#state) {
      case 'value':
        return 'a value';
      case 'value or end':
        return "a value or ']'";
      case 'name':
        return 'the name of a member in double quotes';
      case 'name or end':
        return "the name of a member in double quotes or '}'";
      case 'colon':
        return "':'";
      case 'after value':
        return closing === undefined ? 'the end of the value' : `',' or '${String.fromCharCode(closing)}'`;
    }
  }

  #foundOrEnd(at: number): string {
    if (at < this.#bytes.length) return `found ${this.#found(at)}`;
    return this.#bytes.every(isSpace) ? 'the text is empty' : 'the text ends';
  }

  /** A word whole, anything else as one character. */
  #found(at: number): string {
    const byte = this.#bytes[at];
    const word = this.#wordAt(at);
    if (word !== '') return `'${shortened(word)}'`;
    if (byte === 0x0a || byte === 0x0d) return 'the end of the line';
    const [character] = lenient.decode(this.#bytes.subarray(at, at + 4));
    return byte <= SPACE || byte === 0x7f ? `byte 0x${hex(byte)}` : `'${character}'`;
  }

  #wordAt(at: number): string {
    return WORD.exec(lenient.decode(this.#bytes.subarray(at, at + LONGEST_WORD + 1)))?.[0] ?? '';
  }

  #advice(at: number): string {
    const byte = this.#bytes[at];
    if (this.#afterComma && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET))
      return '; remove the comma before it';
    if (byte === 0x27) return '; texts of JSON are in double quotes';
    if (byte === 0x2f || byte === 0x23) return '; JSON has no comments';
    if (/^(?:True|False|None)$/.test(this.#wordAt(at))) return '; JSON has true, false and null';
    if (/^[+-]?(?:NaN|Infinity|inf)$/.test(this.#wordAt(at))) return '; JSON has finite numbers only';
    return '';
  }
}

/** The offset after the longest number that begins at `at`; `at` if none does. */
function numberEnd(bytes: Uint8Array, at: number): number {
  const afterDigits = (from: number): number => {
    let end = from;
    while (isDigit(bytes[end])) end++;
    return end;
  };
  const start = bytes[at] === MINUS ? at + 1 : at;
  let end = bytes[start] === 0x30 ? start + 1 : afterDigits(start);
  if (end === start) return at;
  if (bytes[end] === 0x2e && isDigit(bytes[end + 1])) end = afterDigits(end + 1);
  if ((bytes[end] | 0x20) === 0x65) {
    const digits = bytes[end + 1] === 0x2b || bytes[end + 1] === MINUS ? end + 2 : end + 1;
    if (isDigit(bytes[digits])) end = afterDigits(digits);
  }
  return end;
}

/** The offset after true, false or null at `at`; `at` if none of them is there. */
function literalEnd(bytes: Uint8Array, at: number): number {
  const found = LITERALS.find((word) => word.every((byte, i) => bytes[at + i] === byte));
  return at + (found?.length ?? 0);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function shortened(word: string): string {
  return word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD)}...` : word;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
