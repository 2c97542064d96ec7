/**
 * Tags as columns: group codes and the offsets of the values in the scanned window of bytes. Values are parsed on
 * access, except numbers of ASCII files, since the loop that looks for the end of the line reads their digits anyway.
 */

import { isBlank } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { hexText } from '@geomill/platform/bytes.ts';
import { type EntityTags, truncatedInteger } from '../contract.ts';
import type { DrawingText } from './drawing-text.ts';
import { TAG_VALUE, TAG_VALUES } from './tag-values.ts';

const numbers = new NumberScanner();

export class TagList {
  count = 0;
  codes = new Int16Array(1 << 10);
  /** Bytes `[starts[i], ends[i])` of `bytes` are the value of tag i. */
  starts = new Int32Array(1 << 10);
  ends = new Int32Array(1 << 10);
  /** Numbers parsed during the scan; NaN for all other values. */
  reals = new Float64Array(1 << 10);
  bytes: Uint8Array = new Uint8Array(0);
  /** Texts in `bytes` are UTF-8 and can be copied unchanged. */
  isUtf8 = false;
  view: DataView = new DataView(new ArrayBuffer(0));
  readonly text: DrawingText;
  readonly isBinary: boolean;

  constructor(text: DrawingText, isBinary: boolean) {
    this.text = text;
    this.isBinary = isBinary;
  }

  /** Sets the bytes to scan next; earlier tags become invalid. */
  attach(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.count = 0;
  }

  /** Enlarges the columns. Invalidates earlier references to them. */
  grow(): void {
    const capacity = this.codes.length * 2;
    this.codes = grown(this.codes, new Int16Array(capacity));
    this.starts = grown(this.starts, new Int32Array(capacity));
    this.ends = grown(this.ends, new Int32Array(capacity));
    this.reals = grown(this.reals, new Float64Array(capacity));
  }

  real(at: number): number {
    const known = this.reals[at];
    if (!Number.isNaN(known)) return known;
    if (this.isBinary) {
      const kind = TAG_VALUES[this.codes[at]];
      if (kind !== TAG_VALUE.text && kind !== TAG_VALUE.chunk) return this.#binaryNumber(at, kind);
    }
    const { bytes } = this;
    let start = this.starts[at];
    let end = this.ends[at];
    while (start < end && isBlank(bytes[start])) start++;
    while (end > start && isBlank(bytes[end - 1])) end--;
    const value = numbers.scan(bytes, start, end);
    return numbers.end === end ? value : Number.NaN;
  }

  textAt(at: number): string {
    const start = this.starts[at];
    const end = this.ends[at];
    if (this.isBinary) {
      const kind = TAG_VALUES[this.codes[at]];
      if (kind === TAG_VALUE.chunk) return hexadecimal(this.bytes, start, end);
      if (kind === TAG_VALUE.int64) return String(this.view.getBigInt64(start, true));
      if (kind !== TAG_VALUE.text) return String(this.#binaryNumber(at, kind));
    }
    return this.text.read(this.bytes, start, end);
  }

  #binaryNumber(at: number, kind: number): number {
    const start = this.starts[at];
    switch (kind) {
      case TAG_VALUE.real:
        return this.view.getFloat64(start, true);
      case TAG_VALUE.int16:
        return this.view.getInt16(start, true);
      case TAG_VALUE.int32:
        return this.view.getInt32(start, true);
      case TAG_VALUE.int64:
        return Number(this.view.getBigInt64(start, true));
      default:
        return this.bytes[start];
    }
  }
}

/** A range of tags in a list: one entity's. */
export class TagRun implements EntityTags {
  type = '';
  count = 0;
  /** Index in the list of the run's first tag. */
  first = 0;
  readonly list: TagList;
  #codes: Int16Array | null = null;

  constructor(list: TagList) {
    this.list = list;
  }

  set(type: string, first: number, count: number): void {
    this.type = type;
    this.first = first;
    this.count = count;
    this.#codes = null;
  }

  get codes(): Int16Array {
    if (this.first === 0) return this.list.codes;
    this.#codes ??= this.list.codes.subarray(this.first, this.first + this.count);
    return this.#codes;
  }

  get bytes(): Uint8Array | null {
    return this.list.isUtf8 ? this.list.bytes : null;
  }

  get starts(): Int32Array {
    return this.first === 0
      ? this.list.starts
      : this.list.starts.subarray(this.first, this.first + this.count);
  }

  get ends(): Int32Array {
    return this.first === 0 ? this.list.ends : this.list.ends.subarray(this.first, this.first + this.count);
  }

  find(code: number, from = 0, end = this.count): number {
    const { codes } = this.list;
    const { first } = this;
    for (let i = first + from, last = first + end; i < last; i++) if (codes[i] === code) return i - first;
    return -1;
  }

  real(index: number): number {
    return this.list.real(this.first + index);
  }

  integer(index: number): number {
    return truncatedInteger(this, index);
  }

  text(index: number): string {
    return this.list.textAt(this.first + index);
  }
}

/** The bytes `[start, end)` as lower-case hexadecimal digits. */
function hexadecimal(bytes: Uint8Array, start: number, end: number): string {
  return hexText(bytes, start, end);
}

function grown<A extends { set(source: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
