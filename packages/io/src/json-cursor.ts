/** Walks through a JSON text of any length, value by value: only one value at a time has to fit into the window. */
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  ZERO,
} from '@geomill/core/text/ascii.ts';
import { JsonFault } from '@geomill/core/text/json-fault.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { JsonWindow } from './json-window.ts';

const NINE = 0x39;

export class JsonCursor {
  readonly scanner: JsonScanner;
  readonly #window: JsonWindow;
  /** Offset in the window of the next byte to read. */
  #at = 0;
  /** Number of open arrays and objects. */
  #depth = 0;

  constructor(window: JsonWindow) {
    this.#window = window;
    this.scanner = window.scanner;
  }

  /** Offset in the source. */
  get offset(): number {
    return this.#window.base + this.#at;
  }

  /**
   * Calls `read` with an offset in the window and goes on at the offset that it returns; again with a larger window if a value
   * does not end in it. Throws the failures of the window.
   */
  step(read: (at: number) => number): void {
    for (;;) {
      try {
        this.#at = read(this.#at);
        return;
      } catch (fault) {
        if (!(fault instanceof JsonFault)) throw fault;
        if (!this.#window.needsMore(fault)) throw this.#window.failureOf(fault, {});
      }
      this.#window.grow(this.#at);
      this.#at = 0;
    }
  }

  /** The next byte that is no white space; 0 at the end of the source. */
  peek(): number {
    this.step(this.#space);
    return this.#at < this.scanner.limit ? this.scanner.bytes[this.#at] : 0;
  }

  /** Calls `onMember` for each member of the object here, which reads its value. */
  object(onMember: (key: string) => void): void {
    this.#open(OPEN_BRACE, "'{'");
    let byte = this.peek();
    while (byte !== CLOSE_BRACE) {
      onMember(this.#key());
      byte = this.#separator(CLOSE_BRACE);
    }
    this.#close();
  }

  /** Calls `onElement` for each element of the array here, which reads it. */
  array(onElement: () => void): void {
    this.#open(OPEN_BRACKET, "'['");
    let byte = this.peek();
    while (byte !== CLOSE_BRACKET) {
      onElement();
      byte = this.#separator(CLOSE_BRACKET);
    }
    this.#close();
  }

  /** Skips the value here. */
  skip(): void {
    this.step(this.#value);
  }

  /** The text of the value here. Throws a structure error if it has more than `maxBytes`, as `what`. */
  text(what: string, maxBytes: number): string {
    let text = '';
    this.step((at) => {
      const end = this.#value(at);
      if (end - at > maxBytes)
        throw this.scanner.fault(at, `${what} is longer than ${maxBytes} bytes`, 'structure');
      text = this.scanner.text(at, end);
      return end;
    });
    return text;
  }

  /** Throws a syntax error for the byte here. */
  fail(expected: string): never {
    this.step((at) => {
      throw this.scanner.unexpected(at, expected);
    });
    throw new Error('a step that throws returned');
  }

  /** Throws a structure error for the byte here. */
  refuse(reason: string): never {
    this.step((at) => {
      throw this.scanner.fault(at, reason, 'structure');
    });
    throw new Error('a step that throws returned');
  }

  readonly #space = (at: number): number => {
    const next = this.scanner.space(at);
    if (next >= this.scanner.limit && !this.#window.reachesEnd)
      throw this.scanner.unexpected(next, 'a value');
    return next;
  };

  readonly #value = (at: number): number => {
    const { scanner } = this;
    const first = scanner.bytes[at];
    const end = scanner.skip(at, this.#depth);
    // The end of a number shows only with the byte after it.
    if (end >= scanner.limit && (first === MINUS || (first >= ZERO && first <= NINE)))
      throw scanner.unexpected(end, 'the rest of a number');
    return end;
  };

  #open(byte: number, expected: string): void {
    if (this.peek() !== byte) this.fail(expected);
    this.#at++;
    this.#depth++;
  }

  #close(): void {
    this.#at++;
    this.#depth--;
  }

  /** Skips the comma here, if there is one; returns the closing byte, or the first byte of what comes after the comma. */
  #separator(close: number): number {
    const byte = this.peek();
    if (byte === close) return close;
    if (byte !== COMMA) this.fail(`',' or '${String.fromCharCode(close)}'`);
    this.#at++;
    const next = this.peek();
    if (next === close) this.fail('a value');
    return next;
  }

  /** Reads a key and the colon after it. */
  #key(): string {
    if (this.peek() !== QUOTE) this.fail('a key in double quotes');
    let key = '';
    this.step((at) => {
      const end = this.scanner.string(at);
      const next = this.scanner.punctuation(end + 1, COLON);
      key = JSON.parse(this.scanner.text(at, end + 1)) as string;
      return this.#space(next);
    });
    return key;
  }
}
