/**
 * The fast way to read a partition: SQLite lays the values of each column end to end (group_concat) and hands them over
 * in one row, so that geometries and texts cross into JavaScript once per partition and not once per value. That is
 * three times as fast as rows. Only where every value is what its column declares; anything odd is left to the rows.
 */
import type { AttributeColumn } from '../../batch/attribute-column.ts';
import type { Field } from '../../batch/schema.ts';
import type { UntrustedDatabase } from '../../engines/sqlite/untrusted-database.ts';
import { Findings } from '../../findings.ts';
import type { Partition, PartitionRead, PartitionRequest } from '../format.ts';
import { GeometryBlobReader } from './geometry-blob-reader.ts';
import type { GpkgState } from './open.ts';
import { type Extents, readExtents, readIntegers, textColumn } from './packed-values.ts';
import { rowRange } from './row-range.ts';
import { quoted } from './sql-names.ts';
import { type CellContext, readValues, type TableField } from './value-column.ts';

/** Three results of a statement for each column; SQLite gives 2000. */
const MAX_FIELDS = 500;

type Packing = 'bytes' | 'integers' | 'rows';

function packingOf({ type }: TableField): Packing {
  if (type === null || type === 'float64') return 'rows'; // as text a float costs more than a row does
  return type === 'boolean' || type === 'int32' || type === 'int64' ? 'integers' : 'bytes';
}

/** Null where the partition has to be read row by row. */
export function readPacked(
  database: UntrustedDatabase,
  state: GpkgState,
  partition: Partition,
  request: PartitionRequest,
): PartitionRead | null {
  const { key, fields } = state;
  if (!state.isUtf8 || key === null || fields.length > MAX_FIELDS) return null;
  const { where, values } = rowRange(state, partition);
  const select = [
    'count(*)',
    integersSql(key),
    ...bytesSql(quoted(state.geometry), 'binary'),
    ...fields.flatMap((field) => packedSql(field)),
  ];
  const [packed] = database.rows(
    state.table,
    `SELECT ${select.join(', ')} FROM ${state.from} ${where}`,
    values,
  );
  const rowCount = Number(packed[0]);
  if (rowCount === 0) return null;
  const next = cursor(packed.slice(1));
  const ids = readIntegers(next.bytes(), 'int64', rowCount);
  if (ids === null || ids.type !== 'int64') return null;
  const findings = new Findings();
  const rowName = (record: number): string => String(ids.values[record - 1]);
  const context: CellContext = { findings, rowName };
  const blobs = new GeometryBlobReader(
    { ...state, coordinatesPerFeature: request.limits.coordinatesPerFeature, ...context },
    rowCount,
    0,
  );
  const geometryBytes = next.bytes();
  const geometryExtents = readExtents(next.bytes(), rowCount);
  if (next.isOdd()) return null;
  const columns: (AttributeColumn | null)[] = [];
  for (const field of fields) {
    const packing = packingOf(field);
    const column = packing === 'rows' ? null : packedColumn(field, packing, next, rowCount, context);
    if (column === 'odd') return null;
    columns.push(column);
  }
  readGeometries(blobs, geometryBytes, geometryExtents, rowCount);
  const rest = readRest(database, state, partition, rowCount, context);
  return {
    batch: {
      rowCount,
      geometry: blobs.finish(),
      fields: fields.map(({ name, type }, i): Field => ({ name, type: type ?? rest[i]?.type ?? 'string' })),
      columns: columns.map((column, i) => column ?? (rest[i] as AttributeColumn)),
      ids,
    },
    nextStart: partition.end,
    recordCount: rowCount,
    lineCount: 0,
    findings: findings.list(),
  };
}

/** The columns that are read as rows, at their places among the fields. */
function readRest(
  database: UntrustedDatabase,
  state: GpkgState,
  partition: Partition,
  rowCount: number,
  context: CellContext,
): readonly (AttributeColumn | undefined)[] {
  const rest = state.fields.filter((field) => packingOf(field) === 'rows');
  if (rest.length === 0) return [];
  const { where, values } = rowRange(state, partition);
  const names = rest.map(({ name }) => quoted(name)).join(', ');
  const order = `ORDER BY ${state.key}`;
  const rows = database.rows(state.table, `SELECT ${names} FROM ${state.from} ${where} ${order}`, values);
  if (rows.length !== rowCount) throw new Error('two reads of the same rows differ');
  let index = 0;
  return state.fields.map((field) =>
    packingOf(field) === 'rows' ? readValues(field, rows, index++, context).column : undefined,
  );
}

function packedColumn(
  field: TableField,
  packing: 'bytes' | 'integers',
  next: Cursor,
  rowCount: number,
  context: CellContext,
): AttributeColumn | 'odd' {
  const { name, type } = field;
  if (packing === 'integers') {
    const text = next.bytes();
    if (next.isOdd()) return 'odd';
    return readIntegers(text, type as 'boolean' | 'int32' | 'int64', rowCount) ?? 'odd';
  }
  const bytes = next.bytes();
  const extents = readExtents(next.bytes(), rowCount);
  if (next.isOdd()) return 'odd';
  return textColumn({ name, type: type as 'string' | 'binary' }, bytes, extents, context);
}

function readGeometries(
  blobs: GeometryBlobReader,
  bytes: Uint8Array,
  { offsets, validity }: Extents,
  rowCount: number,
): void {
  for (let row = 0; row < rowCount; row++) {
    if (validity !== null && (validity[row >> 3] & (1 << (row & 7))) === 0) blobs.none();
    else blobs.read(bytes, offsets[row], offsets[row + 1]);
  }
}

function packedSql(field: TableField): string[] {
  const packing = packingOf(field);
  if (packing === 'rows') return [];
  const column = quoted(field.name);
  // Values sort as null, numbers, texts, blobs: one comparison tells what kind it is.
  if (packing === 'integers') return [integersSql(column), `max(${column} >= '')`];
  return bytesSql(column, field.type === 'binary' ? 'binary' : 'string');
}

function integersSql(column: string): string {
  return `CAST(group_concat(coalesce(${column}, '')) AS BLOB)`;
}

function bytesSql(column: string, type: 'string' | 'binary'): string[] {
  const text = type === 'binary' ? `CAST(${column} AS TEXT)` : column;
  const isOdd = type === 'binary' ? `${column} < x''` : `${column} < '' OR ${column} >= x''`;
  return [
    `CAST(group_concat(${text}, '') AS BLOB)`,
    `CAST(group_concat(coalesce(octet_length(${column}), -1)) AS BLOB)`,
    `max(${isOdd})`,
  ];
}

interface Cursor {
  bytes(): Uint8Array<ArrayBuffer>;
  isOdd(): boolean;
}

function cursor(values: readonly unknown[]): Cursor {
  let at = 0;
  return {
    bytes() {
      const value = values[at++];
      return value instanceof Uint8Array ? (value as Uint8Array<ArrayBuffer>) : new Uint8Array(0);
    },
    isOdd: () => values[at++] === 1,
  };
}
