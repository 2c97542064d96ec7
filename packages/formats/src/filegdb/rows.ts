/**
 * Reads the bytes of some rows of a .gdbtable. They are read in the order of the file, a stretch at a time, and are handed out in the order of the row numbers: rows
 * that were edited are at the end of the file.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { NO_ROW, RowTally } from '@geomill/core/messages/finding-rows.ts';
import { type ByteSource, ReusedMemory } from '@geomill/io/byte-source.ts';
import { filegdbErrors } from './messages.ts';
import { type RowIndex, readOffsets, rowNumberOf } from './row-index.ts';

/** The rows that were found, in the order of their numbers. */
export interface StoredRows {
  readonly count: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Row `i` is `bytes[starts[i], ends[i])`. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Offset of the row in the file. */
  readonly offsets: Float64Array;
  /** The row number, from 1. */
  readonly numbers: Float64Array;
  /** Rows that the index has, but that are marked as deleted. */
  readonly deleted: RowTally;
}

/** Where a row is, for errors. */
export interface RowPlace {
  readonly table: string;
  readonly file: string;
}

const LENGTH_BYTES = 4;
const WINDOW_BYTES = 1 << 20;
/** Rows farther apart are read one by one. */
const GAP_BYTES = 1 << 15;
/** Read behind the beginning of the last row of a stretch. */
const TAIL_BYTES = 1 << 12;
/** No row begins before the end of the head of the file. */
const LEAST_OFFSET = 40;

const window = new ReusedMemory();

export function refuseRow({ table, file }: RowPlace, row: number, offset: number, reason: string): never {
  throw failure(
    filegdbErrors.FILEGDB_ROW,
    { table, row, offset, file, reason },
    { layer: table, id: String(row), offset },
  );
}

/** The rows in slots `[start, end)`. Throws FILEGDB_ROW. */
export function readRows(
  table: ByteSource,
  indexSource: ByteSource,
  index: RowIndex,
  [start, end]: readonly [number, number],
  place: RowPlace,
): StoredRows {
  const all = readOffsets(indexSource, index, start, end);
  const slots: number[] = [];
  let isAscending = true;
  let previous = 0;
  for (let i = 0; i < all.length; i++) {
    const offset = all[i];
    if (offset === 0) continue;
    if (offset < LEAST_OFFSET || offset + LENGTH_BYTES > table.byteLength)
      refuseRow(
        place,
        rowNumberOf(index, start + i),
        offset,
        `the row index says that it is there, but the file has ${table.byteLength} bytes`,
      );
    slots.push(i);
    if (offset <= previous) isAscending = false;
    previous = offset;
  }
  const order = isAscending ? slots : slots.toSorted((a, b) => all[a] - all[b]);
  const copier = new RowCopier(table, all, order, (slot, offset, reason) =>
    refuseRow(place, rowNumberOf(index, start + slot), offset, reason),
  );
  copier.copy();
  return collect(copier, slots, all, (slot) => rowNumberOf(index, start + slot));
}

function collect(
  { bytes, starts, ends }: RowCopier,
  slots: readonly number[],
  offsets: Float64Array,
  numberOf: (slot: number) => number,
): StoredRows {
  const deleted = new RowTally();
  const rows = {
    bytes,
    starts: new Float64Array(slots.length),
    ends: new Float64Array(slots.length),
    offsets: new Float64Array(slots.length),
    numbers: new Float64Array(slots.length),
    deleted,
  };
  let count = 0;
  for (const slot of slots) {
    if (ends[slot] < 0) {
      deleted.add(NO_ROW, 0, 0, String(numberOf(slot)));
      continue;
    }
    rows.starts[count] = starts[slot];
    rows.ends[count] = ends[slot];
    rows.offsets[count] = offsets[slot];
    rows.numbers[count++] = numberOf(slot);
  }
  return { ...rows, count };
}

/** Copies rows, in the order of the file, to one block of memory. */
class RowCopier {
  bytes: Uint8Array<ArrayBuffer>;
  /** By slot; the end of a deleted row is -1. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  #length = 0;
  #window = new Uint8Array(0);
  #windowStart = 0;
  #windowEnd = 0;
  readonly #source: ByteSource;
  readonly #offsets: Float64Array;
  readonly #order: readonly number[];
  readonly #refuse: (slot: number, offset: number, reason: string) => never;

  constructor(
    source: ByteSource,
    offsets: Float64Array,
    order: readonly number[],
    refuse: (slot: number, offset: number, reason: string) => never,
  ) {
    this.#source = source;
    this.#offsets = offsets;
    this.#order = order;
    this.#refuse = refuse;
    this.starts = new Float64Array(offsets.length);
    this.ends = new Float64Array(offsets.length);
    const extent = order.length === 0 ? 0 : offsets[order[order.length - 1]] - offsets[order[0]];
    // Usually the rows follow one another, and all of the extent is copied.
    this.bytes = new Uint8Array(Math.min(extent + TAIL_BYTES, order.length * GAP_BYTES, 2 ** 30));
  }

  copy(): void {
    let freeFrom = 0;
    for (let i = 0; i < this.#order.length; i++) {
      const slot = this.#order[i];
      const offset = this.#offsets[slot];
      if (offset < freeFrom)
        this.#refuse(slot, offset, `it begins within another row, which ends at byte ${freeFrom}`);
      if (offset + LENGTH_BYTES > this.#windowEnd) this.#load(i, LENGTH_BYTES);
      const at = offset - this.#windowStart;
      const stated = int32(this.#window, at);
      const length = Math.abs(stated);
      freeFrom = offset + LENGTH_BYTES + length;
      if (freeFrom > this.#source.byteLength)
        this.#refuse(slot, offset, `it states ${length} bytes, which end behind the end of the file`);
      if (stated < 0) this.ends[slot] = -1;
      else this.#take(i, slot, length);
    }
  }

  #take(i: number, slot: number, length: number): void {
    const from = this.#offsets[slot] + LENGTH_BYTES;
    const start = this.#length;
    this.#reserve(length);
    if (length > WINDOW_BYTES) this.#source.readInto(this.bytes.subarray(start, start + length), from);
    else {
      if (from + length > this.#windowEnd) this.#load(i, LENGTH_BYTES + length);
      const at = from - this.#windowStart;
      this.bytes.set(this.#window.subarray(at, at + length), start);
    }
    this.#length = start + length;
    this.starts[slot] = start;
    this.ends[slot] = start + length;
  }

  /** Loads the row at `i` of the order, of which at least `least` bytes are needed, and the rows close behind it. */
  #load(i: number, least: number): void {
    const first = this.#offsets[this.#order[i]];
    let last = first;
    for (let next = i + 1; next < this.#order.length; next++) {
      const offset = this.#offsets[this.#order[next]];
      if (offset - last > GAP_BYTES || offset - first > WINDOW_BYTES) break;
      last = offset;
    }
    const wanted = Math.max(least, Math.min(WINDOW_BYTES, last - first + TAIL_BYTES));
    const end = Math.min(first + wanted, this.#source.byteLength);
    this.#window = window.take(WINDOW_BYTES + LENGTH_BYTES);
    this.#source.readInto(this.#window.subarray(0, end - first), first);
    this.#windowStart = first;
    this.#windowEnd = end;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.#length));
    this.bytes = grown;
  }
}

function int32(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}
