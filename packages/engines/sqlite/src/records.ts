/**
 * Records (fileformat2.html 2.1): a header with the serial type of each column, then their values.
 *
 *     0 NULL   1 2 3 4 integers of as many bytes   5 6 bytes   6 8 bytes   7 a float   8 the integer 0   9 the integer 1
 *     12 and beyond: a blob of (n - 12) / 2 bytes where n is even, a text of (n - 13) / 2 bytes where it is odd
 */
import type { CompiledRows, Place } from './compiled-rows.ts';

/** Serial types by name; others of integers are their length in bytes. */
export const SERIAL = { none: 0, int48: 5, int64: 6, float: 7, zero: 8, one: 9, firstBlob: 12 } as const;

/** Rows in the memory of compiled functions. */
export interface Payloads {
  readonly memory: CompiledRows;
  /** The bytes that `starts` refer to. */
  readonly bytes: Place;
  readonly byteLength: number;
  readonly rowCount: number;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly lengths: Uint32Array<ArrayBuffer>;
}

/** Value `row` of column `column` is number `column * rowCount + row`. */
export interface Records {
  readonly payloads: Payloads;
  /** Serial types, and offsets of values in the bytes of the payloads: 4 bytes each. */
  readonly serials: Place;
  readonly places: Place;
}

/** More values than this are left to SQLite. */
const MOST_VALUES = 2 ** 28;

/**
 * Rows from before ALTER TABLE ADD COLUMN are shorter than others: columns beyond `leastColumnCount` that they lack are
 * null. The result is valid as long as the memory of the payloads. Null if a record lacks others (they have the default value, which only SQLite knows),
 * has more than `columnCount`, or is not a record.
 */
export function readRecords(
  payloads: Payloads,
  columnCount: number,
  leastColumnCount: number,
): Records | null {
  const { memory, bytes, rowCount, starts, lengths } = payloads;
  const valueCount = rowCount * columnCount;
  if (valueCount > MOST_VALUES) return null;
  const serials = memory.take(valueCount * 4);
  const places = memory.take(valueCount * 4);
  const startsAt = memory.put(starts);
  const isRead = memory.functions.read_records(
    startsAt,
    memory.put(lengths),
    rowCount,
    columnCount,
    leastColumnCount,
    serials,
    places,
    bytes,
  );
  memory.free(startsAt);
  return isRead === 1 ? { payloads, serials, places } : null;
}
