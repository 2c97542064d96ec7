/** Reads rows of a .dbf into columns, one column at a time, so that each loop handles one kind of cell. */
import { isAsciiCompatible, textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { MINUS, SPACE, STAR, ZERO } from '@geomill/core/text/ascii.ts';
import { formatFindings } from '../findings.ts';
import { type CellReader, type DbfRows, Problems, ValidityBits } from './dbf-cells.ts';
import type { CellKind, DbfColumn } from './dbf-columns.ts';
import { isNullNumber, readInt64s, readNumbers } from './dbf-numbers.ts';

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

/** Whether a cell without surrounding blanks is the null of a type other than text. */
function isNullCell(kind: CellKind, bytes: Uint8Array, start: number, end: number): boolean {
  if (kind === 'number') return isNullNumber(bytes, start, end);
  if (kind === 'logical') return '?*'.includes(String.fromCharCode(bytes[start]));
  return bytes.subarray(start, end).every((byte) => byte === ZERO || byte === STAR || byte === SPACE);
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
