/** Which rows a partition holds. */
import type { SqlValue } from '../../engines/sqlite/database.ts';
import type { Partition } from '../format.ts';
import type { GpkgState } from './open.ts';
import { SMALLEST_KEY } from './partitions.ts';

/** The keys between which the rows of a partition stand, both inclusive; for tables with a key. */
export function keyRange(
  { lastKeys }: GpkgState,
  { start, end }: Partition,
): { readonly firstKey: bigint; readonly lastKey: bigint } {
  if (lastKeys === null) throw new Error('rows without a key have no range of keys');
  return { firstKey: start === 0 ? SMALLEST_KEY : lastKeys[start - 1] + 1n, lastKey: lastKeys[end - 1] };
}

/** What follows FROM for the rows of a partition. With a key SQLite walks in its order. */
export function rowRange(
  state: GpkgState,
  partition: Partition,
): { readonly where: string; readonly values: readonly SqlValue[] } {
  const { key, lastKeys } = state;
  if (key === null || lastKeys === null)
    return { where: 'LIMIT ? OFFSET ?', values: [partition.end - partition.start, partition.start] };
  const { firstKey, lastKey } = keyRange(state, partition);
  return { where: `WHERE ${key} BETWEEN ? AND ?`, values: [firstKey, lastKey] };
}
