/** The values of columns as plain values of Parquet, for a range of rows at a time. Ranges begin at multiples of 8 rows. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { BooleanColumn, BytesColumn, Validity } from '@geomill/core/columns/attribute-column.ts';

/** Rows of a range, at most; a multiple of 8. */
export const PAGE_ROWS = 1 << 14;
/** From this many bytes on, `set` is faster than a loop; for fewer, the view that it needs costs more. */
const COPY_AT_ONCE_BYTES = 48;

export type Range = readonly [min: number | bigint, max: number | bigint];

export interface ColumnPages {
  /** Rows with a value. */
  readonly present: Validity;
  readonly isGeometries: boolean;
  /** Appends the values of rows `[from, to)`. */
  write(out: ByteWriter, from: number, to: number): void;
  /** Their least and largest; null: no statistics are written. */
  range(from: number, to: number): Range | null;
}

const noRange = (): null => null;

/** Appends definition levels with their length in front; returns the number of nulls. */
export function writeLevels(body: ByteWriter, present: Validity, from: number, to: number): number {
  const count = to - from;
  const valueCount = present === null ? count : countBits(present, from, to);
  const start = body.length;
  body.uint32(0, true);
  if (present === null || valueCount === count || valueCount === 0) {
    writeVarint(body, count * 2);
    body.uint8(valueCount === 0 ? 0 : 1);
  } else {
    const groups = Math.ceil(count / 8);
    writeVarint(body, groups * 2 + 1);
    body.copy(present, from >> 3, (from >> 3) + groups);
  }
  new DataView(body.bytes.buffer).setUint32(start, body.length - start - 4, true);
  return count - valueCount;
}

function writeVarint(out: ByteWriter, value: number): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.uint8((rest % 128) | 128);
  out.uint8(rest);
}

function isPresent(present: Uint8Array, row: number): number {
  return (present[row >> 3] >> (row & 7)) & 1;
}

function countBits(present: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let row = from; row < to; row++) count += isPresent(present, row);
  return count;
}

export function booleanPages({ values, validity }: BooleanColumn): ColumnPages {
  const dense = new Uint8Array(PAGE_ROWS + 8);
  return {
    present: validity,
    isGeometries: false,
    range: noRange,
    write(out, from, to) {
      let count = 0;
      for (let row = from; row < to; row++)
        if (validity === null || isPresent(validity, row) === 1) dense[count++] = values[row] === 0 ? 0 : 1;
      dense.fill(0, count, count + 8);
      out.reserve((count + 7) >> 3);
      // Least significant bit first.
      for (let i = 0; i < count; i += 8) {
        let byte = 0;
        for (let bit = 0; bit < 8; bit++) byte |= dense[i + bit] << bit;
        out.bytes[out.length++] = byte;
      }
    },
  };
}

export type Numbers = Int32Array | Float64Array | Float32Array | BigInt64Array;

export function numberPages(values: Numbers, present: Validity): ColumnPages {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const words = new Int32Array(values.buffer, values.byteOffset, values.byteLength / 4);
  const width = values.BYTES_PER_ELEMENT;
  return {
    present,
    isGeometries: false,
    range: (from, to) =>
      values instanceof BigInt64Array
        ? rangeOfWide(values, words, present, from, to)
        : rangeOf(values, present, from, to),
    // Typed arrays are little-endian wherever Node runs.
    write(out, from, to) {
      if (present === null) out.copy(bytes, from * width, to * width);
      else {
        const count = width === 4 ? dense4(words, present, from, to) : dense8(words, present, from, to);
        out.copy(denseBytes, 0, count * 4);
      }
    },
  };
}

/** Values without those of null rows, as words; one value more than in a range, because that of a null is overwritten. */
const denseWords = new Int32Array((PAGE_ROWS + 1) * 2);
const denseBytes = new Uint8Array(denseWords.buffer);

/** Fills `denseWords` with values of 4 bytes; returns the number of words. */
function dense4(words: Int32Array, present: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let row = from; row < to; row++) {
    denseWords[count] = words[row];
    count += isPresent(present, row);
  }
  return count;
}

function dense8(words: Int32Array, present: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let row = from; row < to; row++) {
    denseWords[count] = words[2 * row];
    denseWords[count + 1] = words[2 * row + 1];
    count += 2 * isPresent(present, row);
  }
  return count;
}

/** NaN is not counted: it has no place in an order. */
function rangeOf(
  values: Int32Array | Float64Array | Float32Array,
  present: Validity,
  from: number,
  to: number,
): Range | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let row = from; row < to; row++) {
    if (present !== null && isPresent(present, row) === 0) continue;
    const value = values[row];
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? [min, max] : null;
}

/** `words`: the values in halves: reading a BigInt would allocate it. */
function rangeOfWide(
  values: BigInt64Array,
  words: Int32Array,
  present: Validity,
  from: number,
  to: number,
): Range | null {
  let least = -1;
  let largest = -1;
  for (let row = from; row < to; row++) {
    if (present !== null && isPresent(present, row) === 0) continue;
    if (least < 0 || isLess(words, row, least)) least = row;
    if (largest < 0 || isLess(words, largest, row)) largest = row;
  }
  return least < 0 ? null : [values[least], values[largest]];
}

function isLess(words: Int32Array, a: number, b: number): boolean {
  const upperA = words[2 * a + 1];
  const upperB = words[2 * b + 1];
  return upperA === upperB ? words[2 * a] >>> 0 < words[2 * b] >>> 0 : upperA < upperB;
}

export function textPages({ bytes, offsets, validity }: BytesColumn): ColumnPages {
  return {
    present: validity,
    isGeometries: false,
    range: noRange,
    write(out, from, to) {
      out.reserve((to - from) * 4 + offsets[to] - offsets[from]);
      const target = out.bytes;
      let at = out.length;
      for (let row = from; row < to; row++) {
        if (validity !== null && isPresent(validity, row) === 0) continue;
        const start = offsets[row];
        const end = offsets[row + 1];
        const length = end - start;
        target[at] = length;
        target[at + 1] = length >> 8;
        target[at + 2] = length >> 16;
        target[at + 3] = length >>> 24;
        at += 4;
        if (length < COPY_AT_ONCE_BYTES) for (let i = start, k = at; i < end; i++, k++) target[k] = bytes[i];
        else target.set(bytes.subarray(start, end), at);
        at += length;
      }
      out.length = at;
    },
  };
}

/** Values that are encoded already, one after another. `offsets`: of the value of each row, and the end of all. */
export function encodedPages(bytes: Uint8Array, offsets: Float64Array, present: Validity): ColumnPages {
  return {
    present,
    isGeometries: true,
    range: noRange,
    write: (out, from, to) => out.copy(bytes, offsets[from], offsets[to]),
  };
}
