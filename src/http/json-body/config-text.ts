/** The few small pieces of a body that are kept in memory, one at a time, and parsed as soon as each is complete. */
import { failure } from '../../errors.ts';

const FIRST_CAPACITY = 1024;

/** A byte order mark inside a text is a character of it, which JSON.parse then refuses. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class ConfigText {
  /** What all texts together may still take. */
  bytesLeft: number;
  /** One buffer for all, because a list of slices of a byte each (chunks may be so small) weighs a hundred times more. */
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

  /** Adds bytes that have a bound of their own. */
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
