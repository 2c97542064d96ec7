/** Words, numbers and texts of a .mif. */
import { asciiSlice, CLOSE_PAREN, COMMA, LF, OPEN_PAREN, QUOTE, SPACE } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';

const MAX_WORD = 40;
const LOWER_CASE = 0x20;

export class MifTokens {
  at: number;
  readonly bytes: Uint8Array;
  readonly #end: number;
  readonly #numbers = new NumberScanner();
  readonly #refuse: (reason: string) => never;

  /** `refuse` throws the error of the object that is being read. */
  constructor(bytes: Uint8Array, start: number, end: number, refuse: (reason: string) => never) {
    this.bytes = bytes;
    this.at = start;
    this.#end = end;
    this.#refuse = refuse;
  }

  /** Skips blanks, line ends and commas; whether there is more. */
  more(): boolean {
    const { bytes } = this;
    const end = this.#end;
    let { at } = this;
    while (at < end && (bytes[at] <= SPACE || bytes[at] === COMMA)) at++;
    this.at = at;
    return at < end;
  }

  /** The next word in lower case; empty: what follows is none. It is only taken by `take`. */
  peekWord(): string {
    if (!this.more()) return '';
    const { bytes, at } = this;
    let end = at;
    while (end < this.#end && end - at < MAX_WORD && isLetter(bytes[end])) end++;
    return end === at ? '' : asciiSlice(bytes, at, end).toLowerCase();
  }

  take(word: string): void {
    this.at += word.length;
  }

  isNumberNext(): boolean {
    if (!this.more()) return false;
    const { at } = this;
    this.#numbers.scan(this.bytes, at, this.#end);
    return this.#numbers.end > at;
  }

  isTextNext(): boolean {
    return this.more() && this.bytes[this.at] === QUOTE;
  }

  number(what: string): number {
    const value = this.more() ? this.#numbers.scan(this.bytes, this.at, this.#end) : Number.NaN;
    if (!Number.isFinite(value)) return this.#refuse(`${what} is no number: ${this.shown()}`);
    this.at = this.#numbers.end;
    return value;
  }

  /** A whole number from 0 on, at most one for every two bytes that are left. */
  count(what: string): number {
    const value = this.number(what);
    if (!Number.isInteger(value) || value < 0) this.#refuse(`${what} is ${value}`);
    if (value > (this.#end - this.at) / 2)
      this.#refuse(`${what} is ${value}, and the file ends before so many`);
    return value;
  }

  /** The bytes of a text in quotes, in which two of them are one. */
  text(): Uint8Array {
    const { bytes } = this;
    const first = this.at + 1;
    let at = first;
    let isDoubled = false;
    for (; at < this.#end; at++) {
      if (bytes[at] !== QUOTE) continue;
      if (bytes[at + 1] !== QUOTE || at + 1 >= this.#end) break;
      isDoubled = true;
      at++;
    }
    if (at >= this.#end) this.#refuse('a text in quotes does not end');
    this.at = at + 1;
    const text = bytes.subarray(first, at);
    return isDoubled ? withSingleQuotes(text) : text;
  }

  /** What is in the parentheses that follow, in Latin-1; null: none follow. */
  group(): string | null {
    if (!this.more() || this.bytes[this.at] !== OPEN_PAREN) return null;
    const { bytes } = this;
    const first = this.at + 1;
    let isText = false;
    let at = first;
    for (; at < this.#end && (isText || bytes[at] !== CLOSE_PAREN); at++)
      if (bytes[at] === QUOTE) isText = !isText;
    if (at >= this.#end) this.#refuse("a '(' has no ')'");
    this.at = at + 1;
    return asciiSlice(bytes, first, at);
  }

  /** The rest of the line, for messages. */
  shown(): string {
    const line = this.bytes.indexOf(LF, this.at);
    const end = Math.min(line < 0 ? this.#end : line, this.#end, this.at + MAX_WORD);
    return this.at >= this.#end ? 'the file ends' : `'${asciiSlice(this.bytes, this.at, end).trim()}'`;
  }
}

function withSingleQuotes(text: Uint8Array): Uint8Array {
  const single = new Uint8Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    single[length++] = text[i];
    if (text[i] === QUOTE) i++;
  }
  return single.subarray(0, length);
}

function isLetter(byte: number): boolean {
  const lower = byte | LOWER_CASE;
  return lower >= 0x61 && lower <= 0x7a;
}
