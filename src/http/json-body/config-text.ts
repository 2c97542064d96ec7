/** Keeps the small pieces of a body in memory, one at a time, and parses each when it is complete. */
import { failure } from '../../errors.ts';

const FIRST_CAPACITY = 1024;

/** A byte order mark inside a text stays a character, which JSON.parse rejects. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class ConfigText {
  /** Number of bytes that all further texts together may have. */
  bytesLeft: number;
  /** One buffer, because chunks may be single bytes, and a list of slices needs a hundred bytes for each. */
  #buffer = new Uint8Array(FIRST_CAPACITY);
  #byteLength = 0;

  constructor(maxBytes: number) {
    this.bytesLeft = maxBytes;
  }

  /** Adds `bytes` from `start` to `end` (exclusive); these must not be more than `bytesLeft`. */
  append(bytes: Uint8Array, start: number, end: number): void {
    this.#add(bytes.subarray(start, end));
    this.bytesLeft -= end - start;
  }

  /** Adds bytes that have a limit of their own. */
  appendUncounted(bytes: Uint8Array): void {
    this.#add(bytes);
  }

  #add(bytes: Uint8Array): void {
    const needed = this.#byteLength + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#byteLength));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#byteLength);
    this.#byteLength = needed;
  }

  /** The text as it is; ill-formed UTF-8 becomes U+FFFD. The next text begins empty. */
  take(): string {
    const text = Buffer.from(this.#buffer.buffer, 0, this.#byteLength).toString('utf8');
    this.#byteLength = 0;
    return text;
  }

  /**
   * The value of the text, which begins at byte `offset` of the body; the next text begins empty.
   * Throws BODY_NOT_JSON; `what` names the text in the message.
   */
  parse(what: string, offset: number): unknown {
    const text = this.#buffer.subarray(0, this.#byteLength);
    this.#byteLength = 0;
    try {
      return JSON.parse(decoder.decode(text));
    } catch (error) {
      // The decoder throws a TypeError, the parser a SyntaxError.
      const isSyntax = error instanceof SyntaxError;
      const reason = `${what} is not valid ${isSyntax ? `JSON: ${error.message}` : 'UTF-8'}`;
      throw failure('BODY_NOT_JSON', { offset, reason }, { offset }, error);
    }
  }
}
