/**
 * Records (fileformat2.html 2.1): a header with the serial type of each column, then their values.
 *
 *     0 NULL   1 2 3 4 integers of as many bytes   5 6 bytes   6 8 bytes   7 a float   8 the integer 0   9 the integer 1
 *     12 and beyond: a blob of (n - 12) / 2 bytes where n is even, a text of (n - 13) / 2 bytes where it is odd
 */
import type { RowPayloads } from './table-pages.ts';

/** Serial types by name; others of integers are their length in bytes. */
export const SERIAL = { none: 0, int48: 5, int64: 6, float: 7, zero: 8, one: 9, firstBlob: 12 } as const;

const VALUE_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

/** Value `row` of column `column` is at `column * rowCount + row`. */
export interface Records {
  readonly rowCount: number;
  readonly serialTypes: Uint32Array<ArrayBuffer>;
  /** Offsets of values in the bytes of the payloads. */
  readonly offsets: Uint32Array<ArrayBuffer>;
}

/**
 * Rows from before ALTER TABLE ADD COLUMN are shorter than others: columns beyond `leastColumnCount` that they lack are
 * null. The result is valid until the next call. Null if a record lacks others (they have the default value, which only SQLite knows), has more than
 * `columnCount`, or is not a record.
 */
export function readRecords(
  payloads: Pick<RowPayloads, 'bytes' | 'rowCount' | 'starts' | 'lengths'>,
  columnCount: number,
  leastColumnCount: number,
): Records | null {
  const { bytes, rowCount, starts, lengths } = payloads;
  const valueCount = rowCount * columnCount;
  const [serialTypes, offsets] = roomFor(valueCount);
  const leastValues = rowCount * leastColumnCount;
  for (let row = 0; row < rowCount; row++) {
    const start = starts[row];
    const end = start + lengths[row];
    let at = start;
    let byte = bytes[at++];
    let headerBytes = byte & 0x7f;
    while (byte >= 0x80 && at < start + 4) {
      byte = bytes[at++];
      headerBytes = headerBytes * 128 + (byte & 0x7f);
    }
    const headerEnd = start + headerBytes;
    if (headerEnd > end) return null;
    let valueAt = headerEnd;
    for (let index = row; index < valueCount; index += rowCount) {
      if (at === headerEnd && index >= leastValues) {
        serialTypes[index] = SERIAL.none;
        continue;
      }
      byte = bytes[at++];
      let serialType = byte & 0x7f;
      if (byte >= 0x80) {
        const most = at + 4; // 35 bits: more than any value that is read has
        while (byte >= 0x80 && at < most) {
          byte = bytes[at++];
          serialType = serialType * 128 + (byte & 0x7f);
        }
        if (byte >= 0x80 || serialType > 0x7fffffff) return null;
      }
      serialTypes[index] = serialType;
      offsets[index] = valueAt;
      if (serialType >= SERIAL.firstBlob) valueAt += (serialType - SERIAL.firstBlob) >>> 1;
      else if (serialType <= SERIAL.one) valueAt += VALUE_BYTES[serialType];
      else return null; // reserved
    }
    if (at !== headerEnd || valueAt !== end) return null;
  }
  return { rowCount, serialTypes, offsets };
}

/** Memory that is kept between calls: new memory would be filled with zeros. Runs that need more are rare. */
const KEPT_VALUES = 1 << 17;
const kept = [new Uint32Array(KEPT_VALUES), new Uint32Array(KEPT_VALUES)] as const;

function roomFor(valueCount: number): readonly [Uint32Array<ArrayBuffer>, Uint32Array<ArrayBuffer>] {
  if (valueCount > KEPT_VALUES) return [new Uint32Array(valueCount), new Uint32Array(valueCount)];
  return [kept[0].subarray(0, valueCount), kept[1].subarray(0, valueCount)];
}
