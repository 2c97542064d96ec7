/** Reads rows of a .dbf into columns, one column at a time, so that each loop handles one kind of cell. */
import { isAsciiCompatible, textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { MINUS, PLUS, SPACE, STAR, ZERO } from '@geomill/core/text/ascii.ts';
import { asciiSlice, LOW_HALF, NumberScanner } from '@geomill/core/text/number-text.ts';
import { formatFindings } from '../findings.ts';
import type { CellKind, DbfColumn } from './dbf-columns.ts';

/** Deletion marks: '*' is a deleted row; anything else is not, as some writers put 0 there. */
export const DELETED_ROW = STAR;

export interface DbfRows {
  readonly bytes: Uint8Array;
  /** Offsets of the rows that are not deleted, in `bytes`. */
  readonly rowStarts: Uint32Array;
  /** Number of these rows; `rowStarts` may be longer. */
  readonly rowCount: number;
  /** Record number of each of these rows, from 1 in the partition. */
  readonly records: Uint32Array;
  /** Features after the last row; their attributes are null. */
  readonly missingRows: number;
}

/**
 * The column's values. Cells that do not match their type are null and noted, or counted as misfits if text could hold
 * them.
 */
export function readColumn(
  column: DbfColumn,
  rows: DbfRows,
  encoding: string,
  findings: Findings,
  misfits: MisfitList,
): AttributeColumn {
  const problems = new Problems(rows);
  const validity = new ValidityBits(rows.rowCount + rows.missingRows);
  const result = readCells(column, rows, encoding, problems, validity);
  const { tally } = problems;
  if (tally.count > 0) {
    const location = { record: tally.firstRecord, field: column.name };
    if (column.cell === 'text')
      findings.note(
        formatFindings.TEXT_REPLACED,
        {
          field: column.name,
          encoding,
          advice: phrase`; state the encoding with '${field('input.encoding')}'`,
        },
        location,
        tally.count,
        tally,
      );
    else if (column.cell === 'timestamp')
      findings.note(
        formatFindings.VALUE_INVALID,
        { field: column.name, type: column.type },
        location,
        tally.count,
        tally,
      );
    else misfits.note(column.name, column.declared, location, tally.count, tally);
  }
  return result;
}

function readCells(
  column: DbfColumn,
  rows: DbfRows,
  encoding: string,
  problems: Problems,
  validity: ValidityBits,
): AttributeColumn {
  switch (column.cell) {
    case 'text':
      return readTexts(column, rows, encoding, problems);
    case 'number':
      if (column.type === 'int64') return readInt64s(column, rows, problems, validity);
      return readNumbers(column, rows, problems, validity);
    case 'logical':
      return readLogicals(column, rows, problems, validity);
    case 'date':
      return readDates(column, rows, problems, validity);
    case 'timestamp':
      return readTimestamps(column, rows, problems);
    default:
      return readBinaries(column, rows);
  }
}

type CellReader = (
  column: DbfColumn,
  rows: DbfRows,
  problems: Problems,
  validity: ValidityBits,
) => AttributeColumn;

class Problems {
  readonly tally = new RowTally();
  readonly #rows: DbfRows;

  constructor(rows: DbfRows) {
    this.#rows = rows;
  }

  add(row: number): void {
    this.tally.add(row, this.#rows.records[row]);
  }
}

/** The validity bitmap of a column with a known row count. */
class ValidityBits {
  readonly rowCount: number;
  readonly bits: Uint8Array<ArrayBuffer>;
  validCount = 0;

  constructor(rowCount: number) {
    this.rowCount = rowCount;
    this.bits = new Uint8Array((rowCount + 7) >> 3);
  }

  set(row: number): void {
    this.bits[row >> 3] |= 1 << (row & 7);
    this.validCount++;
  }

  finish(): AttributeColumn['validity'] {
    return this.validCount === this.rowCount ? null : this.bits;
  }
}

function readTexts(column: DbfColumn, rows: DbfRows, encoding: string, problems: Problems): AttributeColumn {
  const { bytes, rowStarts, rowCount } = rows;
  const builder = new ColumnBuilder(column.type);
  const decode = textDecoder(encoding);
  const isUtf8 = encoding === UTF8;
  const asciiIsItself = isAsciiCompatible(encoding);
  for (let row = 0; row < rowCount; row++) {
    let start = rowStarts[row] + column.offset;
    let end = start + column.width;
    // Cells are padded with blanks, by some writers with zero bytes; a zero byte ends the text in any case.
    while (end > start && (bytes[end - 1] === SPACE || bytes[end - 1] === 0)) end--;
    // Some writers align text to the right; GDAL trims these blanks as well.
    while (start < end && bytes[start] === SPACE) start++;
    let plain = asciiIsItself;
    for (let i = start; i < end; i++) {
      const byte = bytes[i];
      if (byte >= 0x80) plain = false;
      else if (byte === 0 && asciiIsItself) {
        end = i;
        while (end > start && bytes[end - 1] === SPACE) end--;
      }
    }
    if (end === start || (column.nullsOf !== undefined && isNullCell(column.nullsOf, bytes, start, end))) {
      builder.appendNull();
      continue;
    }
    if (plain || (isUtf8 && invalidUtf8At(bytes, start, end) < 0)) {
      builder.appendBytes(bytes, start, end);
      continue;
    }
    const text = decode(bytes, start, end);
    const isBroken = text.includes('\ufffd');
    // A text in UTF-8 between others in the stated encoding.
    if (isBroken && invalidUtf8At(bytes, start, end) < 0) builder.appendBytes(bytes, start, end);
    else {
      if (isBroken) problems.add(row);
      builder.appendText(text);
    }
  }
  return finishWithMissing(builder, rows);
}

function finishWithMissing(builder: ColumnBuilder, rows: DbfRows): AttributeColumn {
  for (let i = 0; i < rows.missingRows; i++) builder.appendNull();
  return builder.finish();
}

/** Whether a number cell is null: blank or '*'. */
function isNullNumber(bytes: Uint8Array, at: number, limit: number): boolean {
  return at === limit || bytes[at] === STAR || bytes[at] === 0;
}

/** Whether a cell without surrounding blanks is the null of a type other than text. */
function isNullCell(kind: CellKind, bytes: Uint8Array, start: number, end: number): boolean {
  if (kind === 'number') return isNullNumber(bytes, start, end);
  if (kind === 'logical') return '?*'.includes(String.fromCharCode(bytes[start]));
  return bytes.subarray(start, end).every((byte) => byte === ZERO || byte === STAR || byte === SPACE);
}

const readNumbers: CellReader = (column, rows, problems, validity) => {
  const { bytes, rowStarts, rowCount } = rows;
  const { rowCount: total } = validity;
  const scanner = new NumberScanner();
  const isInteger = column.type === 'int32';
  const values = isInteger ? new Int32Array(total) : new Float64Array(total);
  // All digits of an integer are data if the header declares integers.
  const mayRound = !isInteger && column.decimals === 0;
  for (let row = 0; row < rowCount; row++) {
    let at = rowStarts[row] + column.offset;
    const limit = at + column.width;
    while (at < limit && bytes[at] === SPACE) at++;
    if (isNullNumber(bytes, at, limit)) continue;
    let value: number | null = scanner.scan(bytes, at, limit);
    if (!endsBlank(bytes, scanner.end, limit) || scanner.end === at) value = looseNumber(bytes, at, limit);
    else if (
      !Number.isFinite(value) ||
      (mayRound && scanner.digits > SAFE_DIGITS && !isExact(scanner, value, bytes, at))
    )
      value = null;
    if (value === null || (isInteger && value !== (value | 0))) problems.add(row);
    else {
      values[row] = value;
      validity.set(row);
    }
  }
  if (values instanceof Int32Array) return { type: 'int32', values, validity: validity.finish() };
  return { type: 'float64', values, validity: validity.finish() };
};

function endsBlank(bytes: Uint8Array, from: number, limit: number): boolean {
  for (let i = from; i < limit; i++) {
    if (bytes[i] === 0) return true;
    if (bytes[i] !== SPACE) return false;
  }
  return true;
}

/** Significant decimal digits that every double preserves. */
const SAFE_DIGITS = 15;

/** Whether the number scanned from `start` has a fraction, or the value preserves all its digits. */
function isExact(scanner: NumberScanner, value: number, bytes: Uint8Array, start: number): boolean {
  if (!scanner.isInteger) return true;
  const digits = asciiSlice(bytes, start, scanner.end).replace(/^[+-]?0*/, '');
  return (
    digits.replace(/0+$/, '').length <= SAFE_DIGITS ||
    BigInt(value) === integerText(bytes, start, scanner.end)
  );
}

/**
 * Reads numbers with a decimal comma, as some national versions write them, and what C libraries write for numbers that
 * are not finite (nan, -inf, 1.#QNAN); null for anything else.
 */
function looseNumber(bytes: Uint8Array, start: number, limit: number): number | null {
  const text = asciiSlice(bytes, start, limit).split('\0')[0].trim();
  if (/^[+-]?\d*,\d+$/.test(text)) return Number(text.replace(',', '.'));
  const word = /^([+-]?)(?:1\.#)?(nan|qnan|snan|ind|inf|infinity)\d*$/i.exec(text);
  if (word === null) return null;
  const [, sign, name] = word;
  if (!/^inf/i.test(name)) return Number.NaN;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

const INT64_MAX = 9_223_372_036_854_775_807n;
const TWO_TO_32 = 4_294_967_296;
const readInt64s: CellReader = (column, rows, problems, validity) => {
  const { bytes, rowStarts, rowCount } = rows;
  const scanner = new NumberScanner();
  const values = new BigInt64Array(validity.rowCount);
  // Written in halves: a BigInt per value would cost more than parsing its digits.
  const halves = new Int32Array(values.buffer);
  for (let row = 0; row < rowCount; row++) {
    let at = rowStarts[row] + column.offset;
    const limit = at + column.width;
    while (at < limit && bytes[at] === SPACE) at++;
    if (isNullNumber(bytes, at, limit)) continue;
    const value = scanner.scan(bytes, at, limit);
    if (scanner.end === at || !endsBlank(bytes, scanner.end, limit) || !Number.isInteger(value)) {
      problems.add(row);
      continue;
    }
    if (scanner.digits <= 15 && Number.isSafeInteger(value)) {
      const high = Math.floor(value / TWO_TO_32);
      halves[row * 2 + LOW_HALF] = value - high * TWO_TO_32;
      halves[row * 2 + 1 - LOW_HALF] = high;
    } else {
      const exact = scanner.isInteger ? integerText(bytes, at, scanner.end) : BigInt(value);
      if (exact > INT64_MAX || exact < -INT64_MAX - 1n) {
        problems.add(row);
        continue;
      }
      values[row] = exact;
    }
    validity.set(row);
  }
  return { type: 'int64', values, validity: validity.finish() };
};

function integerText(bytes: Uint8Array, start: number, end: number): bigint {
  return BigInt(asciiSlice(bytes, bytes[start] === PLUS ? start + 1 : start, end));
}

const readLogicals: CellReader = (column, rows, problems, validity) => {
  const { bytes, rowStarts, rowCount } = rows;
  const values = new Uint8Array(validity.rowCount);
  for (let row = 0; row < rowCount; row++) {
    const letter = String.fromCharCode(bytes[rowStarts[row] + column.offset]);
    if ('TtYy1'.includes(letter)) {
      values[row] = 1;
      validity.set(row);
    } else if ('FfNn0'.includes(letter)) validity.set(row);
    else if (!'? *\0'.includes(letter)) problems.add(row);
  }
  return { type: 'boolean', values, validity: validity.finish() };
};

const DATE_BYTES = 10;

const readDates: CellReader = (column, rows, problems, validity) => {
  const { bytes, rowStarts, rowCount } = rows;
  const { rowCount: total } = validity;
  const texts = new Uint8Array(rowCount * DATE_BYTES);
  const offsets = new Uint32Array(total + 1);
  let length = 0;
  for (let row = 0; row < rowCount; row++) {
    const start = rowStarts[row] + column.offset;
    let digits = 0;
    let nothing = true;
    for (let i = start; i < start + column.width; i++) {
      const byte = bytes[i];
      if (byte !== SPACE && byte !== ZERO && byte !== 0 && byte !== STAR) nothing = false;
      if (byte < ZERO || byte > ZERO + 9 || digits === 8) continue;
      texts[length + (digits < 4 ? digits : digits < 6 ? digits + 1 : digits + 2)] = byte;
      digits++;
    }
    if (!nothing && digits === 8 && isCalendarDate(texts, length)) {
      texts[length + 4] = MINUS;
      texts[length + 7] = MINUS;
      length += DATE_BYTES;
      validity.set(row);
    } else if (!nothing) problems.add(row);
    offsets[row + 1] = length;
  }
  offsets.fill(length, rowCount + 1);
  return { type: 'date', bytes: texts.slice(0, length), offsets, validity: validity.finish() };
};

/** Whether the digits of YYYY-MM-DD at `at` are a valid day of the Gregorian calendar. */
function isCalendarDate(text: Uint8Array, at: number): boolean {
  const month = (text[at + 5] - ZERO) * 10 + text[at + 6] - ZERO;
  const day = (text[at + 8] - ZERO) * 10 + text[at + 9] - ZERO;
  if (month < 1 || month > 12 || day < 1) return false;
  if (day <= 28) return true;
  const year =
    (text[at] - ZERO) * 1000 + (text[at + 1] - ZERO) * 100 + (text[at + 2] - ZERO) * 10 + text[at + 3] - ZERO;
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
function readTimestamps(column: DbfColumn, rows: DbfRows, problems: Problems): AttributeColumn {
  const { bytes, rowStarts, rowCount } = rows;
  const builder = new ColumnBuilder(column.type);
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
  return finishWithMissing(builder, rows);
}

function readBinaries(column: DbfColumn, rows: DbfRows): AttributeColumn {
  const { bytes, rowStarts, rowCount } = rows;
  const builder = new ColumnBuilder(column.type);
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
  return finishWithMissing(builder, rows);
}

/**
 * dBASE 7 doubles sort as bytes: big-endian, sign bit flipped, all bits of negative ones inverted; all zero for null.
 */
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
