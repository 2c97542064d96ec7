/** Rows of a .dbf into columns, one column at a time, so that each loop sees one kind of cell. */
import { type AttributeColumn, ColumnBuilder } from '../../batch/attribute-column.ts';
import { asciiSlice, NumberScanner } from '../../bytes/number-text.ts';
import { invalidUtf8At, isAsciiCompatible, textDecoder, UTF8 } from '../../bytes/text-encoding.ts';
import type { Findings } from '../../findings.ts';
import type { DbfColumn } from './dbf-columns.ts';

const BLANK = 0x20;
const STAR = 0x2a;
const ZERO = 0x30;
const DASH = 0x2d;
/** Deletion marks: '*' a deleted row; anything else is a live one, as some writers put 0 there. */
export const DELETED_ROW = STAR;

export interface DbfRows {
  readonly bytes: Uint8Array;
  /** Where the live rows begin in `bytes`. */
  readonly rowStarts: Uint32Array;
  /** Live rows; `rowStarts` may be longer. */
  readonly rowCount: number;
  /** Record number of each live row, from 1 in the partition. */
  readonly records: Uint32Array;
  /** Features behind the last row, whose attributes are null. */
  readonly missingRows: number;
}

/** The column's values. Cells that are no value of their type are null and noted. */
export function readColumn(
  column: DbfColumn,
  rows: DbfRows,
  encoding: string,
  findings: Findings,
): AttributeColumn {
  const builder = new ColumnBuilder(column.type);
  const problems = new Problems(rows);
  switch (column.cell) {
    case 'text':
      readTexts(column, rows, builder, encoding, problems);
      break;
    case 'number':
      if (column.type === 'int64') readInt64s(column, rows, builder, problems);
      else readNumbers(column, rows, builder, problems);
      break;
    case 'logical':
      readLogicals(column, rows, builder, problems);
      break;
    case 'date':
      readDates(column, rows, builder, problems);
      break;
    case 'timestamp':
      readTimestamps(column, rows, builder, problems);
      break;
    default:
      readBinaries(column, rows, builder);
  }
  for (let i = 0; i < rows.missingRows; i++) builder.appendNull();
  if (problems.count > 0) {
    const place = { record: problems.firstRecord, field: column.name };
    if (column.cell === 'text')
      findings.note('TEXT_REPLACED', { field: column.name, encoding }, place, problems.count);
    else findings.note('VALUE_INVALID', { field: column.name, type: column.type }, place, problems.count);
  }
  return builder.finish();
}

class Problems {
  count = 0;
  firstRecord = 0;
  readonly #rows: DbfRows;

  constructor(rows: DbfRows) {
    this.#rows = rows;
  }

  add(row: number): void {
    if (this.count++ === 0) this.firstRecord = this.#rows.records[row];
  }
}

function readTexts(
  column: DbfColumn,
  rows: DbfRows,
  builder: ColumnBuilder,
  encoding: string,
  problems: Problems,
): void {
  const { bytes, rowStarts, rowCount } = rows;
  const decode = textDecoder(encoding);
  const isUtf8 = encoding === UTF8;
  const asciiIsItself = isAsciiCompatible(encoding);
  for (let row = 0; row < rowCount; row++) {
    let start = rowStarts[row] + column.offset;
    let end = start + column.width;
    // Some writers align text to the right; GDAL takes such blanks away too.
    while (start < end && bytes[start] === BLANK) start++;
    // Blanks fill a cell, in some writers zero bytes; a zero byte ends the text in any case.
    while (end > start && (bytes[end - 1] === BLANK || bytes[end - 1] === 0)) end--;
    let plain = asciiIsItself;
    for (let i = start; i < end; i++) {
      const byte = bytes[i];
      if (byte >= 0x80) plain = false;
      else if (byte === 0 && asciiIsItself) {
        end = i;
        while (end > start && bytes[end - 1] === BLANK) end--;
      }
    }
    if (end === start) {
      builder.appendNull();
      continue;
    }
    if (plain || (isUtf8 && invalidUtf8At(bytes, start, end) < 0)) {
      builder.appendBytes(bytes, start, end);
      continue;
    }
    const text = decode(bytes, start, end);
    if (text.includes('\ufffd')) problems.add(row);
    builder.appendText(text);
  }
}

/** What a number cell holds besides numbers: nothing (blanks), or '*' for null. */
function isNullNumber(bytes: Uint8Array, at: number, limit: number): boolean {
  return at === limit || bytes[at] === STAR || bytes[at] === 0;
}

function readNumbers(column: DbfColumn, rows: DbfRows, builder: ColumnBuilder, problems: Problems): void {
  const { bytes, rowStarts, rowCount } = rows;
  const scanner = new NumberScanner();
  const isInteger = column.type === 'int32';
  for (let row = 0; row < rowCount; row++) {
    let at = rowStarts[row] + column.offset;
    const limit = at + column.width;
    while (at < limit && bytes[at] === BLANK) at++;
    if (isNullNumber(bytes, at, limit)) {
      builder.appendNull();
      continue;
    }
    let value = scanner.scan(bytes, at, limit);
    if (!endsBlank(bytes, scanner.end, limit) || scanner.end === at) value = looseNumber(bytes, at, limit);
    if (Number.isNaN(value) || (isInteger && value !== (value | 0))) {
      problems.add(row);
      builder.appendNull();
    } else builder.appendNumber(value);
  }
}

function endsBlank(bytes: Uint8Array, from: number, limit: number): boolean {
  for (let i = from; i < limit; i++) {
    if (bytes[i] === 0) return true;
    if (bytes[i] !== BLANK) return false;
  }
  return true;
}

/** Numbers with a decimal comma, as some national versions write them; NaN for what is no number. */
function looseNumber(bytes: Uint8Array, start: number, limit: number): number {
  const text = asciiSlice(bytes, start, limit).split('\0')[0].trim();
  return /^[+-]?\d*,\d+$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
}

const INT64_MAX = 9_223_372_036_854_775_807n;

function readInt64s(column: DbfColumn, rows: DbfRows, builder: ColumnBuilder, problems: Problems): void {
  const { bytes, rowStarts, rowCount } = rows;
  const scanner = new NumberScanner();
  for (let row = 0; row < rowCount; row++) {
    let at = rowStarts[row] + column.offset;
    const limit = at + column.width;
    while (at < limit && bytes[at] === BLANK) at++;
    if (isNullNumber(bytes, at, limit)) {
      builder.appendNull();
      continue;
    }
    const value = scanner.scan(bytes, at, limit);
    if (scanner.end === at || !endsBlank(bytes, scanner.end, limit) || !Number.isInteger(value)) {
      problems.add(row);
      builder.appendNull();
    } else if (scanner.digits <= 15) builder.appendBigInt(BigInt(value));
    else {
      const exact = scanner.isInteger
        ? BigInt(asciiSlice(bytes, at, scanner.end).replace('+', ''))
        : BigInt(value);
      if (exact <= INT64_MAX && exact >= -INT64_MAX - 1n) builder.appendBigInt(exact);
      else {
        problems.add(row);
        builder.appendNull();
      }
    }
  }
}

function readLogicals(column: DbfColumn, rows: DbfRows, builder: ColumnBuilder, problems: Problems): void {
  const { bytes, rowStarts, rowCount } = rows;
  for (let row = 0; row < rowCount; row++) {
    switch (String.fromCharCode(bytes[rowStarts[row] + column.offset])) {
      case 'T':
      case 't':
      case 'Y':
      case 'y':
      case '1':
        builder.appendNumber(1);
        break;
      case 'F':
      case 'f':
      case 'N':
      case 'n':
      case '0':
        builder.appendNumber(0);
        break;
      case '?':
      case ' ':
      case '*':
      case '\0':
        builder.appendNull();
        break;
      default:
        problems.add(row);
        builder.appendNull();
    }
  }
}

function readDates(column: DbfColumn, rows: DbfRows, builder: ColumnBuilder, problems: Problems): void {
  const { bytes, rowStarts, rowCount } = rows;
  const text = new Uint8Array(10);
  text[4] = DASH;
  text[7] = DASH;
  for (let row = 0; row < rowCount; row++) {
    const start = rowStarts[row] + column.offset;
    let digits = 0;
    let nothing = true;
    for (let i = start; i < start + column.width; i++) {
      const byte = bytes[i];
      if (byte !== BLANK && byte !== ZERO && byte !== 0 && byte !== STAR) nothing = false;
      if (byte < ZERO || byte > ZERO + 9 || digits === 8) continue;
      text[digits < 4 ? digits : digits < 6 ? digits + 1 : digits + 2] = byte;
      digits++;
    }
    if (nothing) {
      builder.appendNull();
      continue;
    }
    if (digits === 8 && isCalendarDate(text)) builder.appendBytes(text, 0, 10);
    else {
      problems.add(row);
      builder.appendNull();
    }
  }
}

function isCalendarDate(text: Uint8Array): boolean {
  const month = (text[5] - ZERO) * 10 + text[6] - ZERO;
  const day = (text[8] - ZERO) * 10 + text[9] - ZERO;
  if (month < 1 || month > 12 || day < 1) return false;
  if (day <= 28) return true;
  const year = (text[0] - ZERO) * 1000 + (text[1] - ZERO) * 100 + (text[2] - ZERO) * 10 + text[3] - ZERO;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (
    day <=
    (month === 2 ? (leap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31)
  );
}

/** Julian day number of 1970-01-01. */
const UNIX_EPOCH_JULIAN_DAY = 2_440_588;
const DAY_MS = 86_400_000;

/** Two int32: Julian day number and milliseconds of the day; both 0 for no value. */
function readTimestamps(column: DbfColumn, rows: DbfRows, builder: ColumnBuilder, problems: Problems): void {
  const { bytes, rowStarts, rowCount } = rows;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let row = 0; row < rowCount; row++) {
    const at = rowStarts[row] + column.offset;
    const day = view.getInt32(at, true);
    const milliseconds = view.getInt32(at + 4, true);
    const isBlank = day === 0x20202020 && milliseconds === 0x20202020;
    if ((day === 0 && milliseconds === 0) || isBlank) {
      builder.appendNull();
      continue;
    }
    const time = (day - UNIX_EPOCH_JULIAN_DAY) * DAY_MS + milliseconds;
    const isTime = day > 0 && milliseconds >= 0 && milliseconds < DAY_MS && Math.abs(time) < 8.64e15;
    const text = isTime ? new Date(time).toISOString() : '';
    // toISOString writes years beyond 9999 with a sign and six digits.
    if (text.length !== 24) {
      problems.add(row);
      builder.appendNull();
    } else builder.appendText(text.endsWith('.000Z') ? text.slice(0, 19) : text.slice(0, 23));
  }
}

function readBinaries(column: DbfColumn, rows: DbfRows, builder: ColumnBuilder): void {
  const { bytes, rowStarts, rowCount } = rows;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let row = 0; row < rowCount; row++) {
    const at = rowStarts[row] + column.offset;
    switch (column.cell) {
      case 'int32-le':
        builder.appendNumber(view.getInt32(at, true));
        break;
      case 'int32-be': {
        const raw = view.getUint32(at);
        if (raw === 0) builder.appendNull();
        else builder.appendNumber((raw ^ 0x8000_0000) | 0);
        break;
      }
      case 'double-be':
        appendSortableDouble(view, at, builder);
        break;
      case 'currency':
        builder.appendNumber(Number(view.getBigInt64(at, true)) / 10_000);
        break;
      default: {
        const value = view.getFloat64(at, true);
        if (Number.isNaN(value)) builder.appendNull();
        else builder.appendNumber(value);
      }
    }
  }
}

/** dBASE 7 doubles sort as bytes: big-endian, sign bit flipped, negative ones inverted whole; all zero for no value. */
function appendSortableDouble(view: DataView, at: number, builder: ColumnBuilder): void {
  const raw = view.getBigUint64(at);
  if (raw === 0n) {
    builder.appendNull();
    return;
  }
  const isPositive = raw >> 63n === 1n;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setBigUint64(0, isPositive ? raw ^ (1n << 63n) : BigInt.asUintN(64, ~raw));
  builder.appendNumber(bits.getFloat64(0));
}
