/** Splits the rows of a table into partitions of about the wanted size, by the offsets of the rows. */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { Partition } from '../reader.ts';
import { eachRow, type RowIndex } from './row-index.ts';

/** Ranges of slots, and their numbers of rows. Plain data: it is sent to worker threads. */
export interface RowCut {
  readonly partitions: readonly Partition[];
  /** Of all partitions. */
  readonly rowCount: number;
  readonly rowCounts: readonly number[];
}

/** Memory of a row in a batch besides its bytes. */
const ROW_BYTES = 32;
/** Rows whose distances are more than so many times the length of the file are not in the order of the file. */
const MOST_DISORDER = 2;

export function cutRows(
  source: ByteSource,
  index: RowIndex,
  tableBytes: number,
  partitionBytes: number,
): RowCut {
  const { rowCount, isOrdered } = measure(source, index, tableBytes);
  const mean = tableBytes / Math.max(1, rowCount);
  const partitions: Partition[] = [];
  const rowCounts: number[] = [];
  let start = 0;
  let rows = 0;
  let bytes = 0;
  let previous = 0;
  let previousSlot = 0;
  const close = (end: number): void => {
    partitions.push({ start, end });
    rowCounts.push(rows);
    start = end;
    rows = 0;
    bytes = 0;
  };
  eachRow(source, index, (slot, offset) => {
    // The distance to the row before is the length of that row.
    if (rows > 0) {
      bytes += (isOrdered && offset > previous ? offset - previous : mean) + ROW_BYTES;
      if (bytes > partitionBytes) close(slot);
    }
    rows++;
    previous = offset;
    previousSlot = slot;
  });
  if (rows > 0) close(previousSlot + 1);
  return { partitions, rowCount, rowCounts };
}

function measure(
  source: ByteSource,
  index: RowIndex,
  tableBytes: number,
): { readonly rowCount: number; readonly isOrdered: boolean } {
  let rowCount = 0;
  let ahead = 0;
  let previous = 0;
  eachRow(source, index, (_slot, offset) => {
    rowCount++;
    if (offset > previous) ahead += offset - previous;
    previous = offset;
  });
  return { rowCount, isOrdered: ahead <= MOST_DISORDER * tableBytes };
}

/** The number of rows in a range of whole partitions. */
export function countRows({ partitions, rowCounts }: RowCut, { start, end }: Partition): number {
  let count = 0;
  for (const [i, partition] of partitions.entries())
    if (partition.start >= start && partition.end <= end) count += rowCounts[i];
  return count;
}
