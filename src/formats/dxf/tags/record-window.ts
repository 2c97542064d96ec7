/** The part of a drawing's bytes that tags are scanned from: it moves along and grows. */
import { isAscii, isUtf8 } from 'node:buffer';
import { UTF8, utf8Boundary } from '../../../bytes/text-encoding.ts';
import { type ByteSource, ReusedMemory } from '../../../io/byte-source.ts';
import type { TagFacts } from '../head/drawing-state.ts';

const LEAST_BYTES = 1 << 13;
/** Scanners put something behind the window that stops them. */
const SPARE_BYTES = 2;
const memory = new ReusedMemory();

export class RecordWindow {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Offset in the source of the first byte. */
  base = 0;
  /** Offset behind the last byte, in `bytes`. */
  limit = 0;
  readonly source: ByteSource;
  readonly #facts: TagFacts;
  readonly #firstBytes: number;
  readonly #hasOwnMemory: boolean;

  /** `firstBytes`: how much to load at once at first. */
  constructor(source: ByteSource, facts: TagFacts, firstBytes: number, hasOwnMemory: boolean) {
    this.source = source;
    this.#facts = facts;
    this.#firstBytes = firstBytes;
    this.#hasOwnMemory = hasOwnMemory;
  }

  /** Offset in the source behind the last byte. */
  get end(): number {
    return this.base + this.limit;
  }

  get reachesEnd(): boolean {
    return this.end >= this.source.byteLength;
  }

  /**
   * Texts in the window are UTF-8, so they can be copied as they are; false as well where this is not worth finding out.
   * Native code tells it at several GB/s: cheaper than to look at each text.
   */
  get holdsUtf8(): boolean {
    const { bytes, limit } = this;
    if (this.#facts.form !== 'ascii') return false;
    if (this.#facts.encoding !== UTF8) return isAscii(bytes.subarray(0, limit));
    // The window's end may have cut a character.
    const end = this.reachesEnd ? limit : utf8Boundary(bytes, 0, limit - 1);
    return isUtf8(bytes.subarray(0, end));
  }

  /** Begins anew at an offset of the source. */
  load(start: number, wantedBytes = this.#firstBytes): void {
    const { source } = this;
    const end = Math.min(start + wantedBytes, source.byteLength);
    const length = Math.max(0, end - start);
    if (!this.#hasOwnMemory) {
      // Lets go of the window before, which may be as large, ahead of asking for memory.
      this.bytes = new Uint8Array(0);
      this.bytes = memory.take(length + SPARE_BYTES);
    } else if (length + SPARE_BYTES > this.bytes.length) this.bytes = new Uint8Array(length + SPARE_BYTES);
    source.readInto(this.bytes.subarray(0, length), start);
    this.base = start;
    this.limit = length;
  }

  /** Begins at `position` and reaches further than before; false where there is nothing more. */
  grow(position: number): boolean {
    if (this.reachesEnd) return false;
    this.load(position, Math.max(2 * (this.end - position), this.#firstBytes, LEAST_BYTES));
    return true;
  }
}
