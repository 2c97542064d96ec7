/**
 * Finds the partitions of a layer that can have features with wanted values. SQLite scans the table: it decodes only the columns
 * that are compared. Indexes of the file are not used, as one that lacks rows would lose features.
 */
import type { WantedValues } from '../../batch/wanted-values.ts';
import { type SqlRow, UntrustedDatabase } from '../../engines/sqlite/untrusted-database.ts';
import { GeomillError } from '../../errors.ts';
import type { SourceLayer } from '../format.ts';
import { quoted } from './names.ts';
import type { GpkgState } from './open.ts';
import { endsOfPartitions, partitionOf } from './partition-keys.ts';
import type { TableField } from './value-column.ts';

type SqlParameter = string | number | bigint;

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
}

/** If more than one of so many features matches, most pages have one, and the layer is read whole. */
const LEAST_SELECTIVITY = 8;
/** Maximum number of matching rows; their keys are in memory together. */
const MAX_MATCHES = 250_000;
/** Maximum number of values; SQLite accepts 32,766 parameters. */
const MAX_VALUES = 5_000;
const MAX_INT64 = 2n ** 63n - 1n;

/** As `partitionsWith` of ExcerptRules. */
export function partitionsWith(
  { featureCount, state: stated }: SourceLayer,
  wanted: readonly WantedValues[],
): Uint8Array | null {
  const state = stated as GpkgState;
  const ends = endsOfPartitions(state);
  if (ends === null || state.key === null || featureCount === null) return null;
  const conditions = wanted.flatMap((one) => conditionOf(state.fields, one) ?? []);
  if (conditions.length === 0) return null;
  const most = Math.min(MAX_MATCHES, Math.floor(featureCount / LEAST_SELECTIVITY));
  const where = conditions.map(({ sql }) => `(${sql})`).join(' AND ');
  const sql = `SELECT ${state.key} FROM ${state.from} WHERE ${where} LIMIT ${most + 1}`;
  const parameters = conditions.flatMap((condition) => condition.parameters);
  const rows = matchingRows(state, sql, parameters);
  if (rows === null || rows.length > most) return null;
  const isWanted = new Uint8Array(ends.length);
  for (const [key] of rows) isWanted[partitionOf(Number(key), ends)] = 1;
  return isWanted;
}

/** Null if SQLite cannot select them: the layer is read whole, which reports why. */
function matchingRows(
  { path, source, table }: GpkgState,
  sql: string,
  parameters: readonly SqlParameter[],
): readonly SqlRow[] | null {
  // Mapped pages would count as memory, and the whole table is read.
  const database = new UntrustedDatabase(path, { source, mappedBytes: 0 });
  try {
    return database.rows(table, sql, parameters);
  } catch (error) {
    if (error instanceof GeomillError && error.fault === 'user') return null;
    throw error;
  } finally {
    database.close();
  }
}

/**
 * True for the rows that can have one of the values, and for those whose value contradicts the declared type, which changes the
 * type of the field for all rows. Null if the values cannot be compared by SQLite as by a filter.
 */
function conditionOf(fields: readonly TableField[], { field, values }: WantedValues): Condition | null {
  const type = fields.find(({ name }) => name === field)?.type ?? null;
  if (type === null || values.length > MAX_VALUES) return null;
  const column = quoted(field);
  const contradicts = CONTRADICTIONS[type]?.(column);
  const isComparable = type === 'string' ? isPlainText : isExactNumber;
  if (contradicts === undefined || !values.every(isComparable)) return null;
  const parameters = values as readonly SqlParameter[];
  const list = parameters.map(() => '?').join(', ');
  return { sql: `${column} COLLATE BINARY IN (${list}) OR ${contradicts}`, parameters };
}

/** By type: an SQL expression that is true for values of another one. Types that are missing are not compared by SQLite. */
const CONTRADICTIONS: Readonly<Record<string, (column: string) => string>> = {
  string: (column) => `typeof(${column}) NOT IN ('text', 'null')`,
  int32: (column) =>
    `typeof(${column}) NOT IN ('integer', 'null') OR ${column} NOT BETWEEN -2147483648 AND 2147483647`,
  int64: (column) => `typeof(${column}) NOT IN ('integer', 'null')`,
  float64: (column) =>
    `typeof(${column}) NOT IN ('integer', 'real', 'null') OR (typeof(${column}) = 'integer' AND ${column} NOT BETWEEN -9007199254740991 AND 9007199254740991)`,
};

/** Whether texts that are equal to it for a filter have the same bytes: U+FFFD replaces bytes that are not UTF-8. */
function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed() && !/[\0\uFFFD]/.test(value);
}

function isExactNumber(value: unknown): boolean {
  if (typeof value === 'bigint') return value >= -MAX_INT64 && value <= MAX_INT64;
  return typeof value === 'number' && Number.isFinite(value);
}
