/**
 * Writes columns as rows of a .dbf: fields are planned from the statistics of all rows, then filled column by column.
 */
import { utf8Boundary } from '@geomill/core/bytes/utf8.ts';
import { type AttributeColumn, type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { FindingEntry } from '@geomill/core/messages/catalogue-entries.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { TemplateParams } from '@geomill/core/messages/message.ts';
import { BACKSLASH, DOT, MINUS, QUOTE, SPACE, STAR, ZERO } from '@geomill/core/text/ascii.ts';
import { LOW_HALF } from '@geomill/core/text/number-text.ts';
import { formatFindings } from '../findings.ts';
import { rowBytesOf } from './dbf-header.ts';
import type { DbfWriteField } from './dbf-plan.ts';
import { shpFindings } from './messages.ts';

/** The table being filled: `rowCount` rows of `rowBytes`, initially blank. */
interface Target {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rowBytes: number;
  readonly rowCount: number;
  /** Rows of the batch to write; null: all. */
  readonly rows: Uint32Array | null;
}

/** Encodes `rows` of the batch (null: all `rowCount`); `fields[i]` is written from column i. */
export function encodeRows(
  batch: FeatureBatch,
  rows: Uint32Array | null,
  rowCount: number,
  fields: readonly DbfWriteField[],
  findings: Findings,
): Uint8Array<ArrayBuffer> {
  const rowBytes = rowBytesOf(fields);
  const bytes = new Uint8Array(rowCount * rowBytes).fill(SPACE);
  const target: Target = { bytes, rowBytes, rowCount, rows };
  let offset = 1;
  batch.columns.forEach((column, i) => {
    writeColumn(target, offset, fields[i], column, findings);
    offset += fields[i].width;
  });
  return bytes;
}

function writeColumn(
  target: Target,
  offset: number,
  field: DbfWriteField,
  column: AttributeColumn,
  findings: Findings,
): void {
  const problems = new RowTally();
  const rounded = new RowTally();
  const blanks = new RowTally();
  switch (column.type) {
    case 'boolean':
      writeBooleans(target, offset, column.values, column.validity);
      break;
    case 'int32':
      writeInt32s(target, offset, field, column.values, column.validity, problems);
      break;
    case 'int64':
      writeInt64s(target, offset, field, column.values, column.validity, problems);
      break;
    case 'float64':
      writeFloats(target, offset, field, column, problems, rounded);
      break;
    default:
      if (field.type === 'D') writeDates(target, offset, column, problems);
      else writeTexts(target, offset, field, column, problems, blanks);
  }
  const note = <Entry extends FindingEntry>(
    entry: Entry,
    params: TemplateParams<Entry['template']>,
    found: RowTally,
  ): void => {
    if (found.count === 0) return;
    findings.note(entry, params, { record: found.firstRecord, field: field.source }, found.count, found);
  };
  const params = { field: field.source, format: 'Shapefile' };
  note(shpFindings.BLANKS_NOT_KEPT, params, blanks);
  note(formatFindings.NUMBER_ROUNDED, params, rounded);
  if (field.type === 'C') note(shpFindings.TEXT_CUT, { ...params, bytes: field.width }, problems);
  else
    note(
      formatFindings.VALUE_NOT_WRITTEN,
      { ...params, type: field.type === 'D' ? 'date' : 'number' },
      problems,
    );
}

function writeBooleans(
  target: Target,
  offset: number,
  values: Uint8Array,
  validity: AttributeColumn['validity'],
): void {
  const { bytes, rowBytes, rowCount, rows } = target;
  for (let i = 0; i < rowCount; i++) {
    const row = rows === null ? i : rows[i];
    // 'T', 'F' or blank. '?' means null in the standard, but GDAL before 3.7 reads it as the text "?"; GDAL from 3.7 on reads a blank as false.
    bytes[i * rowBytes + offset] = isValid(validity, row) ? (values[row] !== 0 ? 0x54 : 0x46) : SPACE;
  }
}

function writeInt32s(
  target: Target,
  offset: number,
  field: DbfWriteField,
  values: Int32Array,
  validity: AttributeColumn['validity'],
  problems: RowTally,
): void {
  const { bytes, rowBytes, rowCount, rows } = target;
  const limit = 10 ** field.width;
  for (let i = 0; i < rowCount; i++) {
    const row = rows === null ? i : rows[i];
    const start = i * rowBytes + offset;
    const end = start + field.width;
    const value = values[row];
    if (isValid(validity, row) && value < limit && value > limit / -10) writeSmallInteger(bytes, end, value);
    else {
      bytes.fill(STAR, start, end);
      // The width is too narrow only if the source declared it and did not keep to it.
      if (isValid(validity, row)) problems.add(row);
    }
  }
}

/** Writes an integer of magnitude up to 2^31, ending before `end`. */
function writeSmallInteger(bytes: Uint8Array, end: number, value: number): void {
  let at = end;
  let rest = value < 0 ? -value : value;
  // The first digit separately: the rest is below 2^31, for which integer division is fast.
  const first = Math.floor(rest / 10);
  bytes[--at] = ZERO + (rest - first * 10);
  rest = first | 0;
  while (rest > 0) {
    const tenth = (rest / 10) | 0;
    bytes[--at] = ZERO + (rest - tenth * 10);
    rest = tenth;
  }
  if (value < 0) bytes[--at] = MINUS;
}

function writeInt64s(
  target: Target,
  offset: number,
  field: DbfWriteField,
  values: BigInt64Array,
  validity: AttributeColumn['validity'],
  problems: RowTally,
): void {
  const { bytes, rowBytes, rowCount, rows } = target;
  // Read in halves: a BigInt per value would cost more than writing its digits.
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  for (let i = 0; i < rowCount; i++) {
    const row = rows === null ? i : rows[i];
    const start = i * rowBytes + offset;
    const end = start + field.width;
    if (!isValid(validity, row)) {
      bytes.fill(STAR, start, end);
      continue;
    }
    const low = halves[row * 2 + LOW_HALF];
    // An int64 field is wide enough for every 32-bit integer except negative ones of ten digits.
    const isSmall = halves[row * 2 + 1 - LOW_HALF] === low >> 31 && low > -1_000_000_000;
    const text = isSmall ? '' : String(values[row]);
    if (isSmall) writeSmallInteger(bytes, end, low);
    else if (text.length <= field.width) writeAsciiBefore(bytes, end, text);
    else {
      bytes.fill(STAR, start, end);
      problems.add(row);
    }
  }
}

function writeAsciiBefore(bytes: Uint8Array, end: number, text: string): void {
  const start = end - text.length;
  for (let i = 0; i < text.length; i++) bytes[start + i] = text.charCodeAt(i);
}

function writeFloats(
  target: Target,
  offset: number,
  field: DbfWriteField,
  column: AttributeColumn & { readonly type: 'float64' },
  problems: RowTally,
  rounded: RowTally,
): void {
  const { bytes, rowBytes, rowCount, rows } = target;
  const { values, validity } = column;
  const { width, decimals } = field;
  const scale = 10 ** decimals;
  // Characters before the point, including the sign and the zero of -0.5.
  const room = width - decimals - 1;
  const above = 10 ** room;
  const below = room >= 2 ? -(10 ** (room - 1)) : 0;
  for (let i = 0; i < rowCount; i++) {
    const row = rows === null ? i : rows[i];
    const start = i * rowBytes + offset;
    const end = start + width;
    if (!isValid(validity, row)) {
      bytes.fill(STAR, start, end);
      continue;
    }
    const value = values[row];
    if (field.fixed && value < above && (value > below || value === 0) && isDecimal(value, scale)) {
      writeFixed(bytes, end, value, decimals, scale);
      continue;
    }
    // A declared width may be too narrow for a value that the source wrote as "-.5" or "1e9".
    const text = Number.isFinite(value) ? shortestWithin(value, width) : null;
    if (text === null) {
      bytes.fill(STAR, start, end);
      problems.add(row);
    } else {
      if (Number(text) !== value) rounded.add(row);
      writeAsciiBefore(bytes, end, text);
    }
  }
}

/** Whether the value is exactly an integer below 2^53 divided by `scale`. */
function isDecimal(value: number, scale: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude * scale < 9e15 && Math.round(magnitude * scale) / scale === magnitude;
}

/** Writes the value with exactly `decimals` (at least 1), ending before `end`; its mantissa is below 2^53. */
function writeFixed(bytes: Uint8Array, end: number, value: number, decimals: number, scale: number): void {
  const mantissa = Math.round((value < 0 ? -value : value) * scale);
  // Two halves of at most eight digits, so that all divisions are of small integers.
  let high = Math.floor(mantissa / 1e8);
  let half = (mantissa - high * 1e8) | 0;
  let left = 8;
  let at = end;
  for (let written = 0; written <= decimals || half > 0 || high > 0; written++) {
    if (written === decimals) bytes[--at] = DOT;
    const tenth = (half / 10) | 0;
    bytes[--at] = ZERO + (half - tenth * 10);
    half = tenth;
    if (--left === 0) {
      half = high;
      high = 0;
    }
  }
  if (value < 0) bytes[--at] = MINUS;
}

/**
 * The shortest text that reads back as the same double; if it is too long, the closest text that fits; null if none
 * does.
 */
function shortestWithin(value: number, width: number): string | null {
  const text = String(value);
  if (text.length <= width) return text;
  const brief = text.replace(/^(-?)0\./, '$1.').replace('e+', 'e');
  if (brief.length <= width) return brief;
  const exponential = value.toExponential().replace('e+', 'e');
  if (exponential.length <= width) return exponential;
  for (let digits = 17; digits > 0; digits--) {
    const closest = value.toExponential(digits - 1).replace('e+', 'e');
    if (closest.length <= width) return closest;
  }
  return null;
}

function writeDates(target: Target, offset: number, column: BytesColumn, problems: RowTally): void {
  const { bytes, rowBytes, rowCount, rows } = target;
  const source = column.bytes;
  for (let i = 0; i < rowCount; i++) {
    const row = rows === null ? i : rows[i];
    const at = i * rowBytes + offset;
    const from = column.offsets[row];
    const isDate =
      column.offsets[row + 1] - from === 10 && source[from + 4] === MINUS && source[from + 7] === MINUS;
    if (!isValid(column.validity, row) || !isDate) {
      bytes.fill(ZERO, at, at + 8);
      if (isValid(column.validity, row)) problems.add(row);
      continue;
    }
    for (let k = 0; k < 4; k++) bytes[at + k] = source[from + k];
    bytes[at + 4] = source[from + 5];
    bytes[at + 5] = source[from + 6];
    bytes[at + 6] = source[from + 8];
    bytes[at + 7] = source[from + 9];
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function writeTexts(
  target: Target,
  offset: number,
  field: DbfWriteField,
  column: BytesColumn,
  problems: RowTally,
  blanks: RowTally,
): void {
  const { bytes, rowBytes, rowCount, rows } = target;
  const { width } = field;
  const { validity } = column;
  const isJson = column.type === 'json';
  for (let i = 0; i < rowCount; i++) {
    const row = rows === null ? i : rows[i];
    let source = column.bytes;
    let from = column.offsets[row];
    let end = column.offsets[row + 1];
    if (isJson && end - from >= 2 && source[from] === QUOTE) {
      source = jsonStringContent(source, from, end);
      from = source === column.bytes ? from + 1 : 0;
      end = source === column.bytes ? end - 1 : source.length;
    }
    if (from === end ? isValid(validity, row) : source[from] === SPACE || source[end - 1] === SPACE)
      blanks.add(row);
    if (end - from > width) {
      end = utf8Boundary(source, from, from + width);
      problems.add(row);
    }
    const at = i * rowBytes + offset;
    for (let k = from, to = at; k < end; k++) bytes[to++] = source[k];
  }
}

/** Returns the bytes between the quotes if they contain no escape. */
function jsonStringContent(
  bytes: Uint8Array<ArrayBuffer>,
  start: number,
  end: number,
): Uint8Array<ArrayBuffer> {
  for (let i = start + 1; i < end - 1; i++) {
    if (bytes[i] === BACKSLASH)
      return encoder.encode(JSON.parse(decoder.decode(bytes.subarray(start, end))) as string);
  }
  return bytes;
}
