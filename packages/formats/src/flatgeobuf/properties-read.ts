/**
 * Reads the properties of features into columns: for each value the number of its column (u16), then the value, texts and
 * bytes with their length (u32). A column without a value is null.
 */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  isValid,
} from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import {
  type Field,
  type FieldType,
  isText,
  type OpenType,
  widenType,
} from '@geomill/core/columns/schema.ts';
import { DATE_TEXT, DATETIME_TEXT, temporalKind } from '@geomill/core/columns/temporal-text.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { checkFieldCount, type InputLimits } from '@geomill/io/limits.ts';
import { areUtf8 } from '@geomill/platform/bytes.ts';
import { formatFindings } from '../findings.ts';
import { FlatFault, type FlatTables } from './flat-tables.ts';
import { COLUMN_TYPE, type Column } from './header.ts';

const NUMBER_BYTES = 2;
/** By column type; 0: a length precedes the value. */
const VALUE_BYTES = [1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0, 0, 0];
const FIRST_UNSIGNED = 2n ** 63n;

interface ReadColumn extends Column {
  readonly builder: ColumnBuilder;
  /** Rows with a value that contradicts the declared type. */
  readonly misfits: RowTally;
  /** Rows with bytes that are not UTF-8 and were replaced. */
  readonly replaced: RowTally;
  /** A value may begin within a character. */
  hasSplitTexts: boolean;
}

export class PropertyReader {
  readonly #tables: FlatTables;
  readonly #expectedRows: number;
  /** The columns of the header, then those that features have themselves. */
  readonly #columns: ReadColumn[] = [];
  readonly #declaredCount: number | null;
  readonly #byName = new Map<string, ReadColumn>();
  readonly #ignoresAll: boolean;
  readonly #limits: InputLimits;

  /** `columns`: those of the header, or null. `ignoresAll`: no value is wanted. */
  constructor(
    tables: FlatTables,
    columns: readonly Column[] | null,
    {
      expectedRows,
      ignoresAll,
      limits,
    }: { readonly expectedRows: number; readonly ignoresAll: boolean; readonly limits: InputLimits },
  ) {
    this.#limits = limits;
    this.#tables = tables;
    this.#expectedRows = expectedRows;
    this.#ignoresAll = ignoresAll;
    this.#declaredCount = columns?.length ?? null;
    if (!ignoresAll) for (const column of columns ?? []) this.#add(column, 0);
  }

  /**
   * Reads the properties `[start, end)` of a row; `own`: the columns of the feature itself, or null. Throws FlatFault.
   */
  read(row: number, start: number, end: number, own: readonly Column[] | null): void {
    if (this.#ignoresAll) return;
    const { view, bytes } = this.#tables;
    const columns = own === null ? this.#columns : own.map((column) => this.#columnOf(column, row));
    const count = own === null ? (this.#declaredCount ?? 0) : columns.length;
    let at = start;
    while (at < end) {
      // Versions of GDAL before 3.5 write one byte more than the last value has.
      if (at > start && at + NUMBER_BYTES > end) return;
      if (at + NUMBER_BYTES > end) throw new FlatFault('its properties end within the number of a column');
      const number = view.getUint16(at, true);
      at += NUMBER_BYTES;
      if (number >= count) throw new FlatFault(`it has a value of column ${number + 1} of ${count}`);
      const column = columns[number];
      if (column.builder.rowCount > row) throw new FlatFault(`it has two values of column '${column.name}'`);
      let byteLength = VALUE_BYTES[column.type];
      if (byteLength === 0) {
        if (at + 4 > end) throw new FlatFault(`its properties end within column '${column.name}'`);
        byteLength = view.getUint32(at, true);
        at += 4;
      }
      if (byteLength > end - at)
        throw new FlatFault(
          `the value of column '${column.name}' has ${byteLength} bytes, of which ${end - at} are there`,
        );
      while (column.builder.rowCount < row) column.builder.appendNull();
      appendValue(column, view, bytes, at, at + byteLength);
      at += byteLength;
    }
  }

  finish(
    rowCount: number,
    findings: Findings,
    misfits: MisfitList,
  ): { fields: Field[]; columns: AttributeColumn[] } {
    const groups = new Map<string, AttributeColumn[]>();
    for (const column of this.#columns) {
      while (column.builder.rowCount < rowCount) column.builder.appendNull();
      const { name, declared, misfits: rows } = column;
      if (rows.count > 0)
        misfits.note(name, declared, { record: rows.firstRecord, field: name }, rows.count, rows);
      const group = groups.get(name) ?? [];
      group.push(validTexts(column, rowCount, findings));
      groups.set(name, group);
    }
    const fields: Field[] = [];
    const columns: AttributeColumn[] = [];
    for (const [name, group] of groups) {
      const column = group.length === 1 ? group[0] : joined(group, rowCount);
      fields.push({ name, type: column.type });
      columns.push(column);
    }
    return { fields, columns };
  }

  /** The column for a column of a feature. */
  #columnOf(column: Column, row: number): ReadColumn {
    const key = `${column.type} ${column.name}`;
    const known = this.#byName.get(key);
    if (known !== undefined) return known;
    if (this.#declaredCount !== null)
      throw new FlatFault(`it has a column '${column.name}' of its own, which the header does not have`);
    // Each has memory for its rows.
    checkFieldCount('', this.#columns.length + 1, this.#limits);
    return this.#add(column, row);
  }

  #add(column: Column, row: number): ReadColumn {
    const builder = new ColumnBuilder(
      column.fieldType,
      this.#declaredCount === null ? row + 1 : this.#expectedRows,
    );
    while (builder.rowCount < row) builder.appendNull();
    const tallies = { misfits: new RowTally(), replaced: new RowTally() };
    const read = { ...column, builder, ...tallies, hasSplitTexts: false };
    this.#columns.push(read);
    this.#byName.set(`${column.type} ${column.name}`, read);
    return read;
  }
}

/** Appends the value `bytes[start, end)`, or null if it contradicts the type of the field. */
function appendValue(
  column: ReadColumn,
  view: DataView,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  const { builder } = column;
  switch (column.type) {
    case COLUMN_TYPE.byte:
      builder.appendNumber(view.getInt8(start));
      return;
    case COLUMN_TYPE.ubyte:
      builder.appendNumber(bytes[start]);
      return;
    case COLUMN_TYPE.bool:
      builder.appendNumber(bytes[start] === 0 ? 0 : 1);
      return;
    case COLUMN_TYPE.short:
      builder.appendNumber(view.getInt16(start, true));
      return;
    case COLUMN_TYPE.ushort:
      builder.appendNumber(view.getUint16(start, true));
      return;
    case COLUMN_TYPE.int:
      builder.appendNumber(view.getInt32(start, true));
      return;
    case COLUMN_TYPE.uint:
      builder.appendBigInt(BigInt(view.getUint32(start, true)));
      return;
    case COLUMN_TYPE.long:
      builder.appendBigInt(view.getBigInt64(start, true));
      return;
    case COLUMN_TYPE.ulong:
      appendUnsigned(column, view.getBigUint64(start, true));
      return;
    case COLUMN_TYPE.float:
      builder.appendNumber(view.getFloat32(start, true));
      return;
    case COLUMN_TYPE.double:
      builder.appendNumber(view.getFloat64(start, true));
      return;
    case COLUMN_TYPE.json:
      if (!areUtf8(bytes.subarray(start, end))) column.replaced.add(builder.rowCount);
      builder.appendText(jsonOf(decoder.decode(bytes.subarray(start, end))));
      return;
    case COLUMN_TYPE.dateTime:
      if (isTimeOf(column.fieldType, bytes, start, end)) appendText(column, bytes, start, end);
      else appendMisfit(column);
      return;
    case COLUMN_TYPE.binary:
      builder.appendBytes(bytes, start, end);
      return;
    default:
      appendText(column, bytes, start, end);
  }
}

function appendMisfit({ builder, misfits }: ReadColumn): void {
  misfits.add(builder.rowCount);
  builder.appendNull();
}

function appendUnsigned(column: ReadColumn, value: bigint): void {
  if (column.fieldType === 'string') column.builder.appendText(String(value));
  else if (value < FIRST_UNSIGNED) column.builder.appendBigInt(value);
  else appendMisfit(column);
}

function appendText(column: ReadColumn, bytes: Uint8Array, start: number, end: number): void {
  if (start < end && (bytes[start] & 0xc0) === 0x80) column.hasSplitTexts = true;
  column.builder.appendBytes(bytes, start, end);
}

function isTimeOf(type: FieldType, bytes: Uint8Array, start: number, end: number): boolean {
  if (type === 'string') return true;
  return temporalKind(bytes, start, end) === (type === 'date' ? DATE_TEXT : DATETIME_TEXT);
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** JSON unchanged, any other text as a JSON string. */
function jsonOf(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** The column, with U+FFFD for invalid UTF-8, which is noted. */
function validTexts(read: ReadColumn, rowCount: number, findings: Findings): AttributeColumn {
  const column = read.builder.finish();
  if (!('offsets' in column) || !isText(column.type)) return column;
  const { name, replaced } = read;
  const note = (): void =>
    findings.noteTally(formatFindings.TEXT_REPLACED, { field: name, encoding: UTF8 }, replaced);
  // If no value begins within a character, and all of them in sequence are valid, each is. JSON was decoded before.
  if (!read.hasSplitTexts && areUtf8(column.bytes)) {
    note();
    return column;
  }
  const builder = new ColumnBuilder(column.type, rowCount, column.bytes.length);
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(column.validity, row)) {
      builder.appendNull();
      continue;
    }
    const value = column.bytes.subarray(column.offsets[row], column.offsets[row + 1]);
    if (areUtf8(value)) builder.appendBytes(value, 0, value.length);
    else {
      replaced.add(row);
      builder.appendText(decoder.decode(value));
    }
  }
  note();
  return builder.finish();
}

/** One column of columns of several types, each with the values of other rows. */
function joined(columns: readonly AttributeColumn[], rowCount: number): AttributeColumn {
  const type = columns
    .map((column): OpenType => column.type)
    .reduce((a, b) => widenType(a, b, 'string', false)) as FieldType;
  const wide = columns.map((column) => castColumn(column, type, rowCount));
  const builder = new ColumnBuilder(type, rowCount);
  for (let row = 0; row < rowCount; row++) {
    const column = wide.find(({ validity }) => isValid(validity, row));
    if (column === undefined) builder.appendNull();
    else if ('offsets' in column) {
      const { bytes, offsets } = column as BytesColumn;
      builder.appendBytes(bytes, offsets[row], offsets[row + 1]);
    } else if (column.type === 'int64') builder.appendBigInt(column.values[row]);
    else builder.appendNumber(column.values[row]);
  }
  return builder.finish();
}
