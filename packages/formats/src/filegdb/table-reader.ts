/** Opens a table and reads some of its rows. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { type FileSegment, openSegment, withSegment } from '@geomill/io/file-segment.ts';
import type { TableFiles } from './folder.ts';
import type { GeometryReader } from './geometry-reader.ts';
import { filegdbErrors } from './messages.ts';
import { type DecodedRows, type ReadField, RowDecoder } from './row-decoder.ts';
import { type RowIndex, readRowIndex } from './row-index.ts';
import type { TimeForm } from './row-texts.ts';
import { type RowPlace, readRows, type StoredRows } from './rows.ts';
import { FIELD, type GdbField, RASTER, readTableHeader, type TableHeader } from './table-header.ts';

/** What reading rows needs. Plain data: it is sent to worker threads. */
export interface OpenTable {
  readonly name: string;
  readonly table: FileSegment;
  readonly index: FileSegment;
  readonly isUtf8: boolean;
  readonly fields: readonly ReadField[];
  readonly rowIndex: RowIndex;
}

const TYPES: Readonly<Record<number, FieldType>> = {
  [FIELD.int16]: 'int32',
  [FIELD.int32]: 'int32',
  [FIELD.float32]: 'float64',
  [FIELD.float64]: 'float64',
  [FIELD.string]: 'string',
  [FIELD.datetime]: 'datetime',
  [FIELD.binary]: 'binary',
  [FIELD.guid]: 'string',
  [FIELD.globalId]: 'string',
  [FIELD.xml]: 'string',
  [FIELD.int64]: 'int64',
  [FIELD.date]: 'date',
  [FIELD.time]: 'string',
  [FIELD.timestampOffset]: 'datetime',
};
const RASTER_TYPES: Readonly<Record<number, FieldType>> = {
  [RASTER.external]: 'string',
  [RASTER.managed]: 'int32',
  [RASTER.inline]: 'binary',
};
const TIME_FORMS: Readonly<Record<number, TimeForm>> = {
  [FIELD.date]: 'day',
  [FIELD.time]: 'time of day',
  [FIELD.timestampOffset]: 'offset',
};

/** `isUtc`: the times of the table are in UTC. */
export function readField(field: GdbField, isUtc: boolean): ReadField {
  const { type, rasterKind } = field;
  const valueType = type === FIELD.raster ? (RASTER_TYPES[rasterKind] ?? 'binary') : (TYPES[type] ?? null);
  return { ...field, valueType, timeForm: TIME_FORMS[type] ?? (isUtc ? 'utc' : 'local') };
}

/** Throws FILEGDB_FILE, FILEGDB_COMPRESSED. */
export function openTable(
  { table, index }: TableFiles,
  name: string,
  fieldsOf: (header: TableHeader) => readonly ReadField[],
): { readonly header: TableHeader; readonly open: OpenTable } {
  const header = withSegment(table, (source) => readTableHeader(source, table.name, name));
  if (index === null)
    throw failure(filegdbErrors.FILEGDB_FILE, {
      file: table.name,
      reason: `its row index, the .gdbtablx beside it, is missing, without which its rows are not found; copy all files of the geodatabase`,
    });
  const rowIndex = withSegment(index, (source) => readRowIndex(source, index.name));
  return {
    header,
    open: { name, table, index, isUtf8: header.isUtf8, fields: fieldsOf(header), rowIndex },
  };
}

export interface ReadRows extends DecodedRows {
  readonly rows: StoredRows;
}

/** The rows in slots `[start, end)`. Throws FILEGDB_ROW. */
export function readTableRows(
  open: OpenTable,
  range: readonly [number, number],
  wanted: (field: ReadField) => boolean,
  geometryReader: (rows: StoredRows) => GeometryReader | null,
  findings: Findings,
): ReadRows {
  const place: RowPlace = { table: open.name, file: open.table.name };
  using table = openSegment(open.table);
  using index: ByteSource = openSegment(open.index);
  const rows = readRows(table, index, open.rowIndex, range, place);
  const decoder = new RowDecoder(open, wanted, geometryReader(rows), place, rows.count);
  decoder.decode(rows);
  return { rows, ...decoder.finish(findings) };
}

/** Rows of a table of the system that are read at a time. */
const SYSTEM_SLOTS = 1 << 10;

/** Calls `use` for the rows of a table of the system, with the columns of these names; null: the table has no such column. */
export function eachSystemRows(
  files: TableFiles,
  name: string,
  columns: readonly string[],
  use: (columns: readonly (AttributeColumn | null)[], rows: StoredRows) => void,
): void {
  const { open } = openTable(files, name, ({ fields }) => fields.map((field) => readField(field, false)));
  const wanted = new Set(columns.map((column) => column.toLowerCase()));
  const { slotCount } = open.rowIndex;
  for (let start = 0; start < slotCount; start += SYSTEM_SLOTS) {
    const range = [start, Math.min(slotCount, start + SYSTEM_SLOTS)] as const;
    const read = readTableRows(
      open,
      range,
      (field) => wanted.has(field.name.toLowerCase()),
      () => null,
      new Findings(),
    );
    const found = columns.map((column) => {
      const at = read.fields.findIndex((field) => field.name.toLowerCase() === column.toLowerCase());
      return at < 0 ? null : read.columns[at];
    });
    use(found, read.rows);
  }
}
