/**
 * Splits a table into ranges of rows of about the wanted size by the lengths of its rows: SQLite computes the length of
 * a value without reading it, so this takes a few percent of a conversion. Alternative rejected: splitting the range of
 * keys evenly, which is free, but one worker could get all the large rows, or none if keys have gaps.
 */
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import type { Partition } from '../reader.ts';
import type { GpkgState } from './state.ts';

/** A layer's rows in order, as SQL. */
interface RowSource {
  readonly table: string;
  /** The SQL after FROM. */
  readonly from: string;
  /** SQL of a unique integer by which SQLite finds rows quickly; null: rows are found by counting. */
  readonly key: string | null;
  /** SQL of the approximate size of a row in bytes. */
  readonly rowBytes: string;
}

export interface Cut {
  readonly partitions: readonly Partition[];
  readonly rowCount: number;
  /**
   * With a key: the last key of each partition; partitions are numbers from 0, and partition `i` contains the keys
   * after `lastKeys[i - 1]` up to `lastKeys[i]`. Null: partitions are row numbers from 0.
   */
  readonly lastKeys: BigInt64Array<ArrayBuffer> | null;
}

const FIRST_ROWS = 256;
const MAX_ROWS = 1 << 16;
/** A partition of more than this many times the wanted size is split again. */
const TOO_LARGE = 4;
/** Every partition of rows without a key reads all rows before it, so there are few. */
const MAX_COUNTED_PARTITIONS = 64;

export function cutRows(database: UntrustedDatabase, source: RowSource, partitionBytes: number): Cut {
  return source.key === null
    ? cutByCount(database, source, partitionBytes)
    : cutByKey(database, source, source.key, partitionBytes);
}

function cutByKey(database: UntrustedDatabase, source: RowSource, key: string, partitionBytes: number): Cut {
  const { table, from, rowBytes } = source;
  const sql =
    `SELECT count(*), CAST(sum(bytes) AS REAL), CAST(max(id) AS TEXT) FROM ` +
    `(SELECT ${key} AS id, ${rowBytes} AS bytes FROM ${from} WHERE ${key} >= ? ORDER BY ${key} LIMIT ?)`;
  const lastKeys: bigint[] = [];
  let rowCount = 0;
  let first = SMALLEST_KEY;
  let wanted = FIRST_ROWS;
  for (;;) {
    const [[count, bytes, last]] = database.rows(table, sql, [first, wanted]);
    if (typeof count !== 'number' || count === 0) break;
    const size = Math.max(1, Number(bytes));
    if (size > partitionBytes * TOO_LARGE && count > 1) {
      wanted = Math.max(1, Math.min(count - 1, Math.floor((count * partitionBytes) / size)));
      continue;
    }
    rowCount += count;
    const lastKey = BigInt(String(last));
    lastKeys.push(lastKey);
    if (count < wanted || lastKey === LARGEST_KEY) break;
    first = lastKey + 1n;
    wanted = Math.max(1, Math.min(MAX_ROWS, count * 8, Math.ceil((count * partitionBytes) / size)));
  }
  const partitions = lastKeys.map((_, i) => ({ start: i, end: i + 1 }));
  return { partitions, rowCount, lastKeys: BigInt64Array.from(lastKeys) };
}

function cutByCount(database: UntrustedDatabase, source: RowSource, partitionBytes: number): Cut {
  const { table, from, rowBytes } = source;
  const sql = `SELECT count(*), CAST(sum(${rowBytes}) AS REAL) FROM ${from}`;
  const [[count, bytes]] = database.rows(table, sql);
  const rowCount = Number(count);
  if (rowCount === 0) return { partitions: [], rowCount, lastKeys: null };
  const wantedPartitions = Math.min(
    MAX_COUNTED_PARTITIONS,
    Math.ceil(Number(bytes) / partitionBytes),
    rowCount,
  );
  const rows = Math.ceil(rowCount / Math.max(1, wantedPartitions));
  const partitions: Partition[] = [];
  for (let start = 0; start < rowCount; start += rows)
    partitions.push({ start, end: Math.min(rowCount, start + rows) });
  return { partitions, rowCount, lastKeys: null };
}

export const SMALLEST_KEY = -(2n ** 63n);
const LARGEST_KEY = 2n ** 63n - 1n;

/** The first and the last key of a partition, both inclusive; for tables with a key. */
export function keyRange(
  { lastKeys }: GpkgState,
  { start, end }: Partition,
): { readonly firstKey: bigint; readonly lastKey: bigint } {
  if (lastKeys === null) throw new Error('rows without a key have no range of keys');
  return { firstKey: start === 0 ? SMALLEST_KEY : lastKeys[start - 1] + 1n, lastKey: lastKeys[end - 1] };
}

/** The SQL after FROM for the rows of a partition. With a key SQLite returns them in key order. */
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
