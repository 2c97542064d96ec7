/** The window of a drawing's bytes that tags are scanned from: it moves along and grows. */

import { UTF8, utf8Boundary } from '@geomill/core/bytes/utf8.ts';
import { type ByteSource, ReusedMemory } from '@geomill/io/byte-source.ts';
import { areAscii, areUtf8 } from '@geomill/platform/bytes.ts';
import type { TagFacts } from '../head/drawing-state.ts';

const LEAST_BYTES = 1 << 13;
/** Bytes after the window in which scanners write a terminator. */
const SPARE_BYTES = 2;
const memory = new ReusedMemory();

export class RecordWindow {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Offset in the source of the first byte. */
  base = 0;
  /** Offset in `bytes` after the last byte. */
  limit = 0;
  readonly source: ByteSource;
  readonly #facts: TagFacts;
  readonly #firstBytes: number;
  readonly #hasOwnMemory: boolean;

  /** `firstBytes`: number of bytes to load first. */
  constructor(source: ByteSource, facts: TagFacts, firstBytes: number, hasOwnMemory: boolean) {
    this.source = source;
    this.#facts = facts;
    this.#firstBytes = firstBytes;
    this.#hasOwnMemory = hasOwnMemory;
  }

  /** Offset in the source after the last byte. */
  get end(): number {
    return this.base + this.limit;
  }

  get reachesEnd(): boolean {
    return this.end >= this.source.byteLength;
  }

  /**
   * Whether texts in the window are UTF-8 and can be copied unchanged; also false if the check is not worthwhile.
   * Native code checks several GB/s, which is cheaper than checking each text.
   */
  get holdsUtf8(): boolean {
    const { bytes, limit } = this;
    if (this.#facts.form !== 'ascii') return false;
    if (this.#facts.encoding !== UTF8) return areAscii(bytes.subarray(0, limit));
    // The window's end may have split a character.
    const end = this.reachesEnd ? limit : utf8Boundary(bytes, 0, limit - 1);
    return areUtf8(bytes.subarray(0, end));
  }

  /** Loads the window from an offset of the source. */
  load(start: number, wantedBytes = this.#firstBytes): void {
    const { source } = this;
    const end = Math.min(start + wantedBytes, source.byteLength);
    const length = Math.max(0, end - start);
    if (!this.#hasOwnMemory) {
      // Releases the previous window, which may be as large, before allocating.
      this.bytes = new Uint8Array(0);
      this.bytes = memory.take(length + SPARE_BYTES);
    } else if (length + SPARE_BYTES > this.bytes.length) this.bytes = new Uint8Array(length + SPARE_BYTES);
    source.readInto(this.bytes.subarray(0, length), start);
    this.base = start;
    this.limit = length;
  }

  /** Moves the window to `position` and extends it; returns false at the end of the source. */
  grow(position: number): boolean {
    if (this.reachesEnd) return false;
    this.load(position, Math.max(2 * (this.end - position), this.#firstBytes, LEAST_BYTES));
    return true;
  }
}
