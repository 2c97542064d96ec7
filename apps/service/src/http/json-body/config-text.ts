/** Keeps the small pieces of a body in memory, one at a time, and parses each when it is complete. */
import { jsonSyntaxError } from '@geomill/core/text/json-syntax.ts';
import {
  type BytePosition,
  byteOrderMarkLength,
  PositionCounter,
  TEXT_START,
} from '@geomill/core/text/text-position.ts';

const FIRST_CAPACITY = 1024;

/** A byte order mark inside a text stays a character, which JSON.parse rejects. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Makes the error for a text that is not JSON; `position`: in the body or part that has the text. */
export type SyntaxFailure = (position: BytePosition, reason: string) => Error;

/** A part of the source that is not kept; a placeholder has its place. */
interface Gap {
  /** Of the placeholder in the kept text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Bytes of the source that are counted instead. */
  readonly replaced: GapCounter;
}

export class ConfigText {
  /** Number of bytes that all further texts together may have. */
  bytesLeft: number;
  /** One buffer, because chunks may be single bytes, and a list of slices needs a hundred bytes for each. */
  #buffer = new Uint8Array(FIRST_CAPACITY);
  #byteLength = 0;
  /** Of the text, in the source. */
  #start = TEXT_START;
  #gaps: Gap[] = [];

  constructor(maxBytes: number) {
    this.bytesLeft = maxBytes;
  }

  /** Call this before the first byte of a text, unless that is the first one of the source. */
  begin(start: BytePosition): void {
    this.#start = start;
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

  /** Adds a text instead of bytes of the source, which the caller adds to the counter that this returns. */
  replace(placeholder: string): GapCounter {
    const start = this.#byteLength;
    this.#add(encoder.encode(placeholder));
    const replaced = new GapCounter();
    this.#gaps.push({ start, end: this.#byteLength, replaced });
    return replaced;
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

  /** The value of the text, with or without a byte order mark. Throws the error of `failed`. The next text begins empty. */
  parse(failed: SyntaxFailure): unknown {
    try {
      return JSON.parse(decoder.decode(this.#buffer.subarray(this.#markLength, this.#byteLength)));
    } catch (error) {
      const found = this.syntaxError();
      // The grammar of the two is the same.
      if (found === null) throw error;
      throw failed(found.position, found.reason);
    } finally {
      this.#byteLength = 0;
      this.#gaps = [];
    }
  }

  /** The first syntax error of the text so far, even if it only ends too early. */
  syntaxError(): {
    readonly position: BytePosition;
    readonly reason: string;
    readonly isEnd: boolean;
  } | null {
    const error = jsonSyntaxError(this.#buffer.subarray(this.#markLength, this.#byteLength));
    if (error === null) return null;
    const offset = this.#markLength + error.offset;
    return { position: this.positionAt(offset), reason: error.reason, isEnd: offset === this.#byteLength };
  }

  get #markLength(): number {
    return byteOrderMarkLength(this.#buffer.subarray(0, this.#byteLength));
  }

  /** Of the text so far. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** The position in the source of a byte of the text that is not in a placeholder. */
  positionAt(offset: number): BytePosition {
    let from = this.#markLength;
    let counter = new PositionCounter({ ...this.#start, offset: this.#start.offset + from });
    for (const { start, end, replaced } of this.#gaps) {
      if (offset < end) break;
      counter.add(this.#buffer.subarray(from, start));
      counter = new PositionCounter(replaced.positionAfter(counter.position()));
      from = end;
    }
    counter.add(this.#buffer.subarray(from, offset));
    return counter.position();
  }
}

/** Counts the bytes of a gap, whose own position is not known yet. */
export class GapCounter {
  readonly #counter = new PositionCounter({ line: 0, column: 0, offset: 0 });

  add(bytes: Uint8Array): void {
    this.#counter.add(bytes);
  }

  /** The position after the gap, if it begins at `start`. */
  positionAfter(start: BytePosition): BytePosition {
    const { line, column, offset } = this.#counter.position();
    return {
      line: start.line + line,
      column: line > 0 ? column : start.column + column,
      offset: start.offset + offset,
    };
  }
}
