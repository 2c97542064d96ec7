/** The rows of a table: a .dat with binary values, or the .dbf of a table of the type DBF, whose values are texts. */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { asciiSlice, SPACE } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { formatFindings } from '../findings.ts';
import { noteReplaced } from './charset.ts';
import type { ColumnKind, MapInfoColumn } from './columns.ts';
import { mapInfoErrors } from './messages.ts';
import { dateText, isoDate, isoTime } from './times.ts';

const REPLACEMENT = '\ufffd';
const HEAD_BYTES = 32;
const DESCRIPTOR_BYTES = 32;
const DESCRIPTORS_END = 0x0d;

/** Bytes of a binary value; texts and decimals are as wide as they are declared. */
const BINARY_BYTES: Readonly<Partial<Record<ColumnKind, number>>> = {
  integer: 4,
  smallint: 2,
  largeint: 8,
  float: 8,
  logical: 1,
  date: 4,
  time: 4,
  datetime: 8,
};

/** Plain data: sent to the workers. */
export interface DatTable {
  readonly file: string;
  readonly firstRow: number;
  readonly rowBytes: number;
  readonly rowCount: number;
  readonly isText: boolean;
  readonly cells: readonly { readonly offset: number; readonly width: number }[];
}

/** Throws MAPINFO_FILE. */
export function openDat(
  source: ByteSource,
  columns: readonly MapInfoColumn[],
  isText: boolean,
  file: string,
): DatTable {
  const refuse = (reason: string): never => {
    throw failure(mapInfoErrors.MAPINFO_FILE, { file, reason });
  };
  if (source.byteLength < HEAD_BYTES) refuse('it has no complete head; was it cut off?');
  const head = new DataView(source.slice(0, HEAD_BYTES).buffer);
  const stated = head.getInt32(4, true);
  const firstRow = head.getUint16(8, true);
  const rowBytes = head.getUint16(10, true);
  const descriptors = source.slice(HEAD_BYTES, firstRow);
  const cells: { offset: number; width: number }[] = [];
  let offset = 1;
  for (
    let at = 0;
    at + DESCRIPTOR_BYTES <= descriptors.length && cells.length < columns.length;
    at += DESCRIPTOR_BYTES
  ) {
    if (descriptors[at] === DESCRIPTORS_END) break;
    const width = descriptors[at + 16];
    cells.push({ offset, width });
    offset += width;
  }
  if (cells.length < columns.length)
    refuse(`it has ${cells.length} columns, and the table ${columns.length}`);
  if (rowBytes < offset) refuse(`its rows have ${rowBytes} bytes, and its columns ${offset}`);
  const rowCount = Math.floor((source.byteLength - firstRow) / Math.max(rowBytes, 1));
  if (stated < 0 || stated > rowCount)
    refuse(`it states ${stated} rows, and has ${rowCount}; was it cut off?`);
  if (!isText)
    for (const [i, { kind, name }] of columns.entries())
      if (BINARY_BYTES[kind] !== undefined && BINARY_BYTES[kind] !== cells[i].width)
        refuse(
          `its column '${name}' has ${cells[i].width} bytes, and a value of its type ${BINARY_BYTES[kind]}`,
        );
  return { file, firstRow, rowBytes, rowCount: stated, isText, cells };
}

export interface DatRows {
  readonly bytes: Uint8Array;
  readonly rowBytes: number;
  readonly count: number;
}

/** Rows `[start, end)`. */
export function datRows(
  source: ByteSource,
  { firstRow, rowBytes }: DatTable,
  start: number,
  end: number,
): DatRows {
  const bytes = source.slice(firstRow + start * rowBytes, firstRow + end * rowBytes);
  return { bytes, rowBytes, count: end - start };
}

export function isDeleted({ bytes, rowBytes }: DatRows, row: number): boolean {
  return bytes[row * rowBytes] !== SPACE;
}

/** The values of the rows with these numbers, in the order of the columns. */
export function readCells(
  { cells, isText }: DatTable,
  rows: DatRows,
  kept: Int32Array,
  columns: readonly MapInfoColumn[],
  encoding: string,
  findings: Findings,
): AttributeColumn[] {
  const decode = textDecoder(encoding);
  return columns.map((column, i) => {
    const { offset, width } = cells[i];
    const builder = new ColumnBuilder(column.type, kept.length);
    const [invalid, replaced] = [new RowTally(), new RowTally()];
    const view = new DataView(rows.bytes.buffer, rows.bytes.byteOffset, rows.bytes.byteLength);
    for (const [row, number] of kept.entries()) {
      const at = number * rows.rowBytes + offset;
      if (column.kind === 'char') {
        const text = textAt(rows.bytes, at, width, decode);
        if (text.includes(REPLACEMENT)) replaced.add(row, number + 1);
        builder.appendText(text);
      } else if (isText || column.kind === 'decimal') {
        if (!appendWritten(builder, column, asciiSlice(rows.bytes, at, at + width)))
          invalid.add(row, number + 1);
      } else if (!appendBinary(builder, column.kind, view, at)) invalid.add(row, number + 1);
    }
    findings.noteTally(formatFindings.VALUE_INVALID, { field: column.name, type: column.type }, invalid);
    noteReplaced(findings, column, encoding, replaced);
    return builder.finish();
  });
}

function textAt(
  bytes: Uint8Array,
  at: number,
  width: number,
  decode: (bytes: Uint8Array, start: number, end: number) => string,
): string {
  let end = bytes.indexOf(0, at);
  if (end < 0 || end > at + width) end = at + width;
  while (end > at && bytes[end - 1] === SPACE) end--;
  return decode(bytes, at, end);
}

/** Returns whether the value is one of the type, or null on purpose. */
function appendBinary(builder: ColumnBuilder, kind: ColumnKind, view: DataView, at: number): boolean {
  switch (kind) {
    case 'integer':
      builder.appendNumber(view.getInt32(at, true));
      return true;
    case 'smallint':
      builder.appendNumber(view.getInt16(at, true));
      return true;
    case 'largeint':
      builder.appendBigInt(view.getBigInt64(at, true));
      return true;
    case 'float': {
      const value = view.getFloat64(at, true);
      if (Number.isFinite(value)) builder.appendNumber(value);
      else builder.appendNull();
      return Number.isFinite(value);
    }
    case 'logical':
      builder.appendNumber(view.getUint8(at) === 0 ? 0 : 1);
      return true;
    case 'time': {
      const ms = view.getInt32(at, true);
      return appendTime(
        builder,
        ms === -1 || ms > 86_400_000 ? null : isoTime(ms),
        ms === -1 || ms > 86_400_000,
      );
    }
    default: {
      const [year, month, day] = [view.getInt16(at, true), view.getUint8(at + 2), view.getUint8(at + 3)];
      const isNull = year === 0 && month === 0 && day === 0;
      const date = isNull ? null : isoDate(year, month, day);
      if (kind === 'date' || date === null) return appendTime(builder, date, isNull);
      const time = isoTime(view.getInt32(at + 4, true));
      return appendTime(builder, time === null ? null : `${date}T${time}`, false);
    }
  }
}

function appendTime(builder: ColumnBuilder, text: string | null, isNull: boolean): boolean {
  if (text === null) builder.appendNull();
  else builder.appendText(text);
  return isNull || text !== null;
}

function appendWritten(builder: ColumnBuilder, { kind, type }: MapInfoColumn, cell: string): boolean {
  const text = cell.split('\0')[0].trim();
  if (text === '') {
    builder.appendNull();
    return true;
  }
  if (kind === 'logical') {
    builder.appendNumber(/^[yt1]$/i.test(text) ? 1 : 0);
    return /^[ytnf01]$/i.test(text);
  }
  if (kind === 'date') return appendTime(builder, dateText(text), false);
  if (type === 'string' || type === 'datetime') {
    builder.appendText(text);
    return true;
  }
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (type === 'int64' && /^[+-]?\d{1,18}$/.test(text)) builder.appendBigInt(BigInt(text));
  else if (
    type === 'int32'
      ? Number.isInteger(value) && Math.abs(value) < 2 ** 31
      : Number.isFinite(value) && type === 'float64'
  )
    builder.appendNumber(value);
  else {
    builder.appendNull();
    return false;
  }
  return true;
}
