import type { SqlValue } from '../../engines/sqlite/database.ts';
import type { Partition } from '../format.ts';
import type { GpkgState } from './open.ts';
import { SMALLEST_KEY } from './partitions.ts';

/** What follows FROM for the rows of a partition. With a key SQLite walks in its order. */
export function rowRange(
  { key, lastKeys }: GpkgState,
  partition: Partition,
): { readonly where: string; readonly values: readonly SqlValue[] } {
  if (key === null || lastKeys === null)
    return { where: 'LIMIT ? OFFSET ?', values: [partition.end - partition.start, partition.start] };
  const first = partition.start === 0 ? SMALLEST_KEY : lastKeys[partition.start - 1] + 1n;
  return { where: `WHERE ${key} BETWEEN ? AND ?`, values: [first, lastKeys[partition.end - 1]] };
}
