/**
 * Converts record values in a database's pages to columns without an object per value. The result is the same as for
 * values from SQLite (value-column.ts), which handles all values that are not plainly of the column's type.
 */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  type Validity,
} from '@geomill/core/columns/attribute-column.ts';
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import { areAscii, areUtf8 } from '@geomill/platform/bytes.ts';
import type { CompiledRows, Place } from '@geomill/sqlite/compiled-rows.ts';
import { type Payloads, type Records, SERIAL } from '@geomill/sqlite/records.ts';
import { formatFindings } from '../findings.ts';
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

/** The values of a column, in the memory of the payloads. */
export interface PageValues {
  readonly payloads: Payloads;
  readonly serials: Place;
  readonly places: Place;
}

export function valuesOf({ payloads, serials, places }: Records, column: number): PageValues {
  const before = column * payloads.rowCount * 4;
  return { payloads, serials: serials + before, places: places + before };
}

/** Valid until more memory is taken. */
export function viewsOf({ payloads, serials, places }: PageValues): {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** By row. */
  readonly serialTypes: Uint32Array<ArrayBuffer>;
  readonly offsets: Uint32Array<ArrayBuffer>;
} {
  const { memory, rowCount } = payloads;
  return {
    bytes: memory.bytes(payloads.bytes, payloads.byteLength),
    serialTypes: memory.uint32(serials, rowCount),
    offsets: memory.uint32(places, rowCount),
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
  const { memory, rowCount } = values.payloads;
  const bits = memory.takeZeros((rowCount + 7) >> 3);
  const column = NUMBERS.has(type)
    ? readNumbers(type, values, bits)
    : readTexts(field, type as BytesColumn['type'], values, bits, context);
  memory.free(bits);
  return column;
}

const NUMBERS: ReadonlySet<FieldType> = new Set(['boolean', 'int32', 'int64', 'float64']);

function readNumbers(type: FieldType, values: PageValues, bits: Place): AttributeColumn | null {
  const { serials, places, payloads } = values;
  const { memory, rowCount, bytes } = payloads;
  const { functions } = memory;
  const at = memory.take(rowCount * 8);
  switch (type) {
    case 'boolean': {
      const nulls = functions.read_booleans(serials, places, rowCount, bytes, at, bits);
      const validity = validityOf(memory, bits, rowCount, nulls);
      return nulls < 0 ? null : { type, values: memory.copyOfBytes(at, rowCount), validity };
    }
    case 'int32': {
      const nulls = functions.read_integers(serials, places, rowCount, bytes, at, bits);
      const validity = validityOf(memory, bits, rowCount, nulls);
      return nulls < 0 ? null : { type, values: memory.copyOfInt32(at, rowCount), validity };
    }
    case 'int64': {
      const nulls = functions.read_longs(serials, places, rowCount, bytes, at, bits);
      const validity = validityOf(memory, bits, rowCount, nulls);
      return nulls < 0 ? null : { type, values: memory.copyOfInt64(at, rowCount), validity };
    }
    default: {
      const nulls = functions.read_floats(serials, places, rowCount, bytes, at, bits);
      const validity = validityOf(memory, bits, rowCount, nulls);
      return nulls < 0 ? null : { type: 'float64', values: memory.copyOfFloat64(at, rowCount), validity };
    }
  }
}

function validityOf(memory: CompiledRows, bits: Place, rowCount: number, nulls: number): Validity {
  return nulls === 0 ? null : memory.copyOfBytes(bits, (rowCount + 7) >> 3);
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
  bits: Place,
  context: CellContext,
): AttributeColumn | null {
  const { memory, rowCount } = values.payloads;
  const ends = memory.take((rowCount + 1) * 4);
  const textBit = type === 'binary' ? 0 : 1;
  const nulls = memory.functions.measure_texts(values.serials, rowCount, textBit, ends, bits);
  if (nulls < 0) return null;
  const offsets = memory.copyOfUint32(ends, rowCount + 1);
  const validity = validityOf(memory, bits, rowCount, nulls);
  const bytes = textBytes(values, ends, offsets);
  if (type === 'binary' || isWhole(type, bytes, offsets, validity)) return { type, bytes, offsets, validity };
  return checkedTexts(field, { type, bytes, offsets, validity }, context);
}

/** More is copied without going through the memory again, which would have to grow. */
const COPIED_IN_MEMORY = 4 << 20;

/** `offsets` are in the memory at `ends`, too. */
function textBytes(values: PageValues, ends: Place, offsets: Uint32Array): Uint8Array<ArrayBuffer> {
  const { memory, rowCount, bytes } = values.payloads;
  const total = offsets[rowCount];
  if (total <= COPIED_IN_MEMORY) {
    const texts = memory.take(total);
    memory.functions.copy_texts(values.places, rowCount, bytes, ends, texts);
    return memory.copyOfBytes(texts, total);
  }
  const texts = new Uint8Array(total);
  const from = viewsOf(values);
  for (let row = 0; row < rowCount; row++) {
    const place = from.offsets[row];
    texts.set(from.bytes.subarray(place, place + offsets[row + 1] - offsets[row]), offsets[row]);
  }
  return texts;
}

/** Whether every value is valid UTF-8 and valid for its type. */
function isWhole(type: FieldType, bytes: Uint8Array, offsets: Uint32Array, validity: Validity): boolean {
  if (type === 'string' && areAscii(bytes)) return true;
  if (!areUtf8(bytes)) return false;
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
    if (!areUtf8(value)) value = encoder.encode(replacedText(field.name, value, row, context));
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
  context.findings.note(formatFindings.TEXT_REPLACED, { field, encoding: UTF8 }, location);
  return decoder.decode(bytes);
}

/** The values in the form that SQLite returns. */
function cellValues(name: string, values: PageValues, context: CellContext): CellValue[] {
  const { bytes, serialTypes, offsets } = viewsOf(values);
  const { rowCount } = values.payloads;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cells: CellValue[] = [];
  for (let row = 0; row < rowCount; row++) {
    const serialType = serialTypes[row];
    const at = offsets[row];
    let value: CellValue = null;
    if (serialType >= SERIAL.firstBlob) {
      const cell = bytes.subarray(at, at + byteLengthOf(serialType));
      if (!isText(serialType)) value = cell;
      else value = areUtf8(cell) ? decoder.decode(cell) : replacedText(name, cell, row, context);
    } else if (serialType === SERIAL.int64) value = view.getBigInt64(at);
    else if (serialType !== SERIAL.none) {
      const number = numberAt(bytes, view, serialType, at);
      value = Number.isNaN(number) ? null : number;
    }
    cells.push(value);
  }
  return cells;
}
