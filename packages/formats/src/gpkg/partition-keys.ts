/** Finds the partition of a row by its key. */
import type { GpkgState } from './state.ts';

/** Keys from here on are not exact as numbers. */
const LARGEST_EXACT = 2n ** 53n;

/**
 * The last key of each partition. Null: there are none, or they are not exact, or SQLite reads the rows: without pages those that were
 * counted may not be those that are read.
 */
export function endsOfPartitions({
  runs,
  lastKeys,
}: Pick<GpkgState, 'runs' | 'lastKeys'>): Float64Array | null {
  if (runs === null || lastKeys === null || lastKeys.length === 0) return null;
  if (lastKeys.some((key) => key > LARGEST_EXACT || key < -LARGEST_EXACT)) return null;
  return Float64Array.from(lastKeys, Number);
}

/** Number of the first partition whose last key is not less than the key; of the last one for keys after all of them. */
export function partitionOf(key: number, ends: Float64Array): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
