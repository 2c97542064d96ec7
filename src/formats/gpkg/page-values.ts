/**
 * Converts record values in a database's pages to columns without an object per value. The result is the same as for
 * values from SQLite (value-column.ts), which handles all values that are not plainly of the column's type.
 */
import { isUtf8 } from 'node:buffer';
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  type Validity,
} from '../../batch/attribute-column.ts';
import type { Field, FieldType } from '../../batch/schema.ts';
import { type Records, SERIAL } from '../../engines/sqlite/records.ts';
import {
  type CellContext,
  type CellValue,
  isTextOf,
  jsonOf,
  noteBlank,
  noteMisfit,
  readValues,
  type TableField,
} from './value-column.ts';

export interface PageValues {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
  readonly rowCount: number;
  /** By row. */
  readonly serialTypes: Uint32Array<ArrayBuffer>;
  readonly offsets: Uint32Array<ArrayBuffer>;
}

export function valuesOf(
  bytes: Uint8Array<ArrayBuffer>,
  view: DataView,
  { rowCount, serialTypes, offsets }: Records,
  column: number,
): PageValues {
  const start = column * rowCount;
  const end = start + rowCount;
  return {
    bytes,
    view,
    rowCount,
    serialTypes: serialTypes.subarray(start, end),
    offsets: offsets.subarray(start, end),
  };
}

/** Reads the column of a field. */
export function readPageColumn(
  field: TableField,
  values: PageValues,
  context: CellContext,
): { field: Field; column: AttributeColumn } {
  const { name, type } = field;
  const column = type === null ? null : plainColumn(field, type, values, context);
  if (type !== null && column !== null) return { field: { name, type }, column };
  return readValues(field, cellValues(name, values, context), context);
}

/** Null if a value is not plainly of the type. */
function plainColumn(
  field: TableField,
  type: FieldType,
  values: PageValues,
  context: CellContext,
): AttributeColumn | null {
  switch (type) {
    case 'boolean':
      return readBooleans(values);
    case 'int32':
      return readIntegers(values);
    case 'int64':
      return readWide(values);
    case 'float64':
      return readFloats(values);
    default:
      return readTexts(field, type, values, context);
  }
}

function readBooleans({ bytes, view, rowCount, serialTypes, offsets }: PageValues): AttributeColumn | null {
  const values = new Uint8Array(rowCount);
  const bits = new Uint8Array((rowCount + 7) >> 3);
  let nulls = 0;
  for (let row = 0; row < rowCount; row++) {
    const serialType = serialTypes[row];
    if (serialType === SERIAL.none) {
      nulls++;
      continue;
    }
    let value = 0;
    if (serialType === SERIAL.one) value = 1;
    else if (serialType <= 4) value = smallInteger(bytes, view, serialType, offsets[row]);
    else if (serialType !== SERIAL.zero) return null;
    if (value !== 0 && value !== 1) return null;
    values[row] = value;
    bits[row >> 3] |= 1 << (row & 7);
  }
  return { type: 'boolean', values, validity: nulls === 0 ? null : bits };
}

function readIntegers({ bytes, view, rowCount, serialTypes, offsets }: PageValues): AttributeColumn | null {
  const values = new Int32Array(rowCount);
  const bits = new Uint8Array((rowCount + 7) >> 3);
  let nulls = 0;
  for (let row = 0; row < rowCount; row++) {
    const serialType = serialTypes[row];
    if (serialType === SERIAL.none) {
      nulls++;
      continue;
    }
    let value = 0;
    if (serialType === SERIAL.one) value = 1;
    else if (serialType <= 4) value = smallInteger(bytes, view, serialType, offsets[row]);
    else if (serialType !== SERIAL.zero) return null;
    values[row] = value;
    bits[row >> 3] |= 1 << (row & 7);
  }
  return { type: 'int32', values, validity: nulls === 0 ? null : bits };
}

function readWide({ bytes, view, rowCount, serialTypes, offsets }: PageValues): AttributeColumn | null {
  const values = new BigInt64Array(rowCount);
  // Two halves instead of a BigInt, which would be an allocation; typed arrays are little-endian wherever Node runs.
  const halves = new Int32Array(values.buffer);
  const bits = new Uint8Array((rowCount + 7) >> 3);
  let nulls = 0;
  for (let row = 0; row < rowCount; row++) {
    const serialType = serialTypes[row];
    if (serialType === SERIAL.none) {
      nulls++;
      continue;
    }
    if (serialType > SERIAL.one || serialType === SERIAL.float) return null;
    const at = offsets[row];
    let high = 0;
    let low = 0;
    if (serialType <= 4) {
      low = smallInteger(bytes, view, serialType, at);
      high = low >> 31;
    } else if (serialType === SERIAL.int48) {
      high = view.getInt16(at);
      low = view.getInt32(at + 2);
    } else if (serialType === SERIAL.int64) {
      high = view.getInt32(at);
      low = view.getInt32(at + 4);
    } else low = serialType - SERIAL.zero;
    halves[2 * row] = low;
    halves[2 * row + 1] = high;
    bits[row >> 3] |= 1 << (row & 7);
  }
  return { type: 'int64', values, validity: nulls === 0 ? null : bits };
}

function readFloats({ bytes, view, rowCount, serialTypes, offsets }: PageValues): AttributeColumn | null {
  const values = new Float64Array(rowCount);
  const bits = new Uint8Array((rowCount + 7) >> 3);
  let nulls = 0;
  for (let row = 0; row < rowCount; row++) {
    const serialType = serialTypes[row];
    if (serialType > SERIAL.one) return null;
    const value = serialType === SERIAL.none ? Number.NaN : numberAt(bytes, view, serialType, offsets[row]);
    if (serialType === SERIAL.int64 && !Number.isSafeInteger(value)) return null; // possibly not exact as a float
    // SQLite reads NaN as NULL.
    if (Number.isNaN(value)) nulls++;
    else {
      values[row] = value;
      bits[row >> 3] |= 1 << (row & 7);
    }
  }
  return { type: 'float64', values, validity: nulls === 0 ? null : bits };
}

/** Integers of 1 to 4 bytes. */
function smallInteger(bytes: Uint8Array, view: DataView, serialType: number, at: number): number {
  if (serialType === 1) return view.getInt8(at);
  if (serialType === 2) return view.getInt16(at);
  if (serialType === 3) return (view.getInt16(at) << 8) | bytes[at + 2];
  return view.getInt32(at);
}

/** A number of any kind; integers beyond 2^53 are rounded to the nearest float. */
function numberAt(bytes: Uint8Array, view: DataView, serialType: number, at: number): number {
  if (serialType === SERIAL.float) return view.getFloat64(at);
  if (serialType <= 4) return smallInteger(bytes, view, serialType, at);
  if (serialType === SERIAL.int48) return view.getInt16(at) * 2 ** 32 + view.getUint32(at + 2);
  if (serialType === SERIAL.int64) return view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
  return serialType - SERIAL.zero;
}

function isText(serialType: number): boolean {
  return serialType >= SERIAL.firstBlob && (serialType & 1) === 1;
}

export function isBlob(serialType: number): boolean {
  return serialType >= SERIAL.firstBlob && (serialType & 1) === 0;
}

/** Length of a text or blob. */
export function byteLengthOf(serialType: number): number {
  return (serialType - SERIAL.firstBlob) >>> 1;
}

function readTexts(
  field: TableField,
  type: BytesColumn['type'],
  values: PageValues,
  context: CellContext,
): AttributeColumn | null {
  const { rowCount, serialTypes } = values;
  const offsets = new Uint32Array(rowCount + 1);
  const bits = new Uint8Array((rowCount + 7) >> 3);
  const nulls = measureTexts(serialTypes, type === 'binary' ? 0 : 1, offsets, bits);
  if (nulls < 0) return null;
  const bytes = new Uint8Array(offsets[rowCount]);
  copyTexts(values, bytes, offsets);
  const validity = nulls === 0 ? null : bits;
  if (type === 'binary' || isWhole(type, bytes, offsets, validity)) return { type, bytes, offsets, validity };
  return checkedTexts(field, { type, bytes, offsets, validity }, context);
}

/** Returns the number of nulls; -1: a value is of another kind. */
function measureTexts(
  serialTypes: Uint32Array,
  textBit: number,
  offsets: Uint32Array,
  bits: Uint8Array,
): number {
  let nulls = 0;
  let total = 0;
  for (let row = 0; row < serialTypes.length; row++) {
    const serialType = serialTypes[row];
    if (serialType === SERIAL.none) nulls++;
    else if (serialType < SERIAL.firstBlob || (serialType & 1) !== textBit) return -1;
    else {
      total += byteLengthOf(serialType);
      bits[row >> 3] |= 1 << (row & 7);
    }
    offsets[row + 1] = total;
  }
  return nulls;
}

/** For more bytes a view and `set` are faster than a loop. */
const COPY_AT_ONCE_BYTES = 48;

function copyTexts(
  { bytes: source, view: from, rowCount, offsets: places }: PageValues,
  bytes: Uint8Array<ArrayBuffer>,
  offsets: Uint32Array,
): void {
  const into = new DataView(bytes.buffer);
  for (let row = 0; row < rowCount; row++) {
    let at = offsets[row];
    const end = offsets[row + 1];
    let place = places[row];
    if (end - at >= COPY_AT_ONCE_BYTES) {
      bytes.set(source.subarray(place, place + end - at), at);
      continue;
    }
    for (; at + 4 <= end; at += 4, place += 4) into.setUint32(at, from.getUint32(place));
    for (; at < end; at++, place++) bytes[at] = source[place];
  }
}

/** Whether every value is valid UTF-8 and valid for its type. */
function isWhole(type: FieldType, bytes: Uint8Array, offsets: Uint32Array, validity: Validity): boolean {
  if (!isUtf8(bytes)) return false;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = offsets[row];
    const end = offsets[row + 1];
    if (start === end) {
      if (type !== 'string' && isPresent(validity, row)) return false;
    } else if ((bytes[start] & 0xc0) === 0x80 || (type !== 'string' && !isTextOf(type, bytes, start, end)))
      return false; // a character split between two values
  }
  return true;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

function checkedTexts(
  field: TableField,
  { type, bytes, offsets, validity }: BytesColumn,
  context: CellContext,
): AttributeColumn {
  const rowCount = offsets.length - 1;
  const builder = new ColumnBuilder(type, rowCount, bytes.length);
  for (let row = 0; row < rowCount; row++) {
    if (!isPresent(validity, row)) {
      builder.appendNull();
      continue;
    }
    let value = bytes.subarray(offsets[row], offsets[row + 1]);
    if (!isUtf8(value)) value = encoder.encode(replacedText(field.name, value, row, context));
    if (type === 'json') value = encoder.encode(jsonOf(decoder.decode(value)));
    if (isTextOf(type, value, 0, value.length)) builder.appendBytes(value, 0, value.length);
    else {
      builder.appendNull();
      if (field.blankIsNull && decoder.decode(value).trim() === '') noteBlank(field, row + 1, context);
      else noteMisfit(field, row + 1, context);
    }
  }
  return builder.finish();
}

function isPresent(validity: Validity, row: number): boolean {
  return validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0;
}

/** Text with U+FFFD for invalid UTF-8, which is noted. */
function replacedText(field: string, bytes: Uint8Array, row: number, context: CellContext): string {
  const location = { record: row + 1, id: context.rowName(row + 1), field };
  context.findings.note('TEXT_REPLACED', { field, encoding: 'utf-8' }, location);
  return decoder.decode(bytes);
}

/** The values in the form that SQLite returns. */
function cellValues(name: string, values: PageValues, context: CellContext): CellValue[] {
  const { bytes, view, rowCount, serialTypes, offsets } = values;
  const cells: CellValue[] = [];
  for (let row = 0; row < rowCount; row++) {
    const serialType = serialTypes[row];
    const at = offsets[row];
    let value: CellValue = null;
    if (serialType >= SERIAL.firstBlob) {
      const cell = bytes.subarray(at, at + byteLengthOf(serialType));
      if (!isText(serialType)) value = cell;
      else value = isUtf8(cell) ? decoder.decode(cell) : replacedText(name, cell, row, context);
    } else if (serialType === SERIAL.int64) value = view.getBigInt64(at);
    else if (serialType !== SERIAL.none) {
      const number = numberAt(bytes, view, serialType, at);
      value = Number.isNaN(number) ? null : number;
    }
    cells.push(value);
  }
  return cells;
}
