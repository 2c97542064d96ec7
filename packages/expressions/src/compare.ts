/**
 * A column compared with a value, row by row in one loop per type. Numbers are compared as numbers, those of 64 bits
 * exactly; texts by code points; dates and times as instants; values of mixed fields (json) by their kind:
 * values of another kind are different and have no order.
 */
import { type AttributeColumn, type BytesColumn, valueAt } from '@geomill/core/columns/attribute-column.ts';
import type { Literal } from './expression.ts';
import { instantOf } from './instant.ts';
import type { Verdicts, VerdictTable } from './verdict.ts';
import { EQUAL, FALSE, GREATER, LESS, markNulls, TRUE, UNKNOWN, UNORDERED } from './verdict.ts';

/** Null if values of the column cannot be compared with the value. */
export function compareColumn(
  column: AttributeColumn,
  rowCount: number,
  value: Literal,
  table: VerdictTable,
): Verdicts | null {
  const verdicts = compareAll(column, rowCount, value, table);
  return verdicts === null ? null : markNulls(verdicts, column.validity);
}

function compareAll(
  column: AttributeColumn,
  rowCount: number,
  value: Literal,
  table: VerdictTable,
): Verdicts | null {
  const verdicts = new Uint8Array(rowCount);
  switch (column.type) {
    case 'boolean':
      if (typeof value !== 'boolean') return null;
      compareNumbers(column.values, Number(value), table, verdicts);
      return verdicts;
    case 'int32':
    case 'float64': {
      const number = numberLiteral(value);
      if (number === null) return null;
      if (typeof number === 'number') compareNumbers(column.values, number, table, verdicts);
      else compareWithBigInt(column.values, number, table, verdicts);
      return verdicts;
    }
    case 'int64': {
      const number = numberLiteral(value);
      if (number === null) return null;
      compareInt64(column.values, number, table, verdicts);
      return verdicts;
    }
    case 'string':
      if (typeof value !== 'string') return null;
      compareTexts(column, value, table, verdicts);
      return verdicts;
    case 'date':
    case 'datetime':
      if (typeof value !== 'string') return null;
      if (compareInstants(column, value, table, verdicts)) return verdicts;
      // The order of texts is that of dates only for the beginning of a date; '31.01.2020' would find anything.
      if (!/^\d{4}(?:-\d\d)?$/.test(value)) return null;
      compareTexts(column, value, table, verdicts);
      return verdicts;
    case 'json':
      compareMixed(column, value, table, verdicts);
      return verdicts;
    default:
      return null;
  }
}

/** The number in a text: JSON can express integers beyond 2^53 only as text. Null: not a number. */
function numberLiteral(value: Literal): number | bigint | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean' || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return null;
  const number = Number(value);
  if (!Number.isFinite(number)) return null;
  return /^-?\d+$/.test(value) && !Number.isSafeInteger(number) ? BigInt(value) : number;
}

function compareNumbers(
  values: Uint8Array | Int32Array | Float64Array,
  value: number,
  table: VerdictTable,
  verdicts: Verdicts,
): void {
  for (let row = 0; row < verdicts.length; row++) {
    const own = values[row];
    verdicts[row] = table[own < value ? LESS : own === value ? EQUAL : own > value ? GREATER : UNORDERED];
  }
}

/** JavaScript compares numbers with bigints exactly. */
function compareWithBigInt(
  values: Int32Array | Float64Array,
  value: bigint,
  table: VerdictTable,
  verdicts: Verdicts,
): void {
  for (let row = 0; row < verdicts.length; row++) {
    const own = values[row];
    verdicts[row] = table[own < value ? LESS : own > value ? GREATER : Number.isNaN(own) ? UNORDERED : EQUAL];
  }
}

/** Compared as two halves, because reading a bigint from the array allocates an object per row. */
function compareInt64(
  values: BigInt64Array<ArrayBuffer>,
  value: number | bigint,
  table: VerdictTable,
  verdicts: Verdicts,
): void {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  const floor = typeof value === 'bigint' ? value : BigInt(Math.floor(value));
  if (floor !== BigInt.asIntN(64, floor)) {
    verdicts.fill(table[floor > 0n ? LESS : GREATER]);
    return;
  }
  // No integer equals 2.5; integers up to 2 are less.
  const equal = isWhole ? EQUAL : LESS;
  const high = Number(floor >> 32n);
  const low = Number(floor & 0xffffffffn);
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  for (let row = 0; row < verdicts.length; row++) {
    const ownHigh = halves[2 * row + 1];
    const ownLow = halves[2 * row] >>> 0;
    let order: number = ownHigh < high ? LESS : GREATER;
    if (ownHigh === high) order = ownLow < low ? LESS : ownLow > low ? GREATER : equal;
    verdicts[row] = table[order];
  }
}

const encoder = new TextEncoder();

/** The order of UTF-8 bytes is that of the code points. */
function compareTexts(
  { bytes, offsets }: BytesColumn,
  value: string,
  table: VerdictTable,
  verdicts: Verdicts,
): void {
  const wanted = encoder.encode(value);
  for (let row = 0; row < verdicts.length; row++)
    verdicts[row] = table[orderOfBytes(bytes, offsets[row], offsets[row + 1], wanted)];
}

export function orderOfBytes(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): number {
  const length = Math.min(end - start, wanted.length);
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i] - wanted[i];
    if (difference !== 0) return difference < 0 ? LESS : GREATER;
  }
  return end - start < wanted.length ? LESS : end - start > wanted.length ? GREATER : EQUAL;
}

/** False if the value is not a date or time. */
function compareInstants(
  { bytes, offsets }: BytesColumn,
  value: string,
  table: VerdictTable,
  verdicts: Verdicts,
): boolean {
  // 2020/01/31 is how GDAL writes dates.
  const text = encoder.encode(value.replace(/^(\d{4})\/(\d\d)\/(\d\d)(?!\d)/, '$1-$2-$3'));
  const wanted = instantOf(text, 0, text.length);
  if (Number.isNaN(wanted)) return false;
  for (let row = 0; row < verdicts.length; row++) {
    const own = instantOf(bytes, offsets[row], offsets[row + 1]);
    verdicts[row] = table[own < wanted ? LESS : own > wanted ? GREATER : own === wanted ? EQUAL : UNORDERED];
  }
  return true;
}

function compareMixed(column: BytesColumn, value: Literal, table: VerdictTable, verdicts: Verdicts): void {
  const isEquality = table[LESS] === table[GREATER];
  const otherKind = isEquality ? table[LESS] : UNKNOWN;
  for (let row = 0; row < verdicts.length; row++) {
    const own = mixedValue(column, row);
    if (own === null) verdicts[row] = UNKNOWN;
    else if (typeof own === 'string' && typeof value === 'string') {
      const bytes = encoder.encode(own);
      verdicts[row] = table[orderOfBytes(bytes, 0, bytes.length, encoder.encode(value))];
    } else if (isNumeric(own) && isNumeric(value)) {
      verdicts[row] = table[own < value ? LESS : own > value ? GREATER : EQUAL];
    } else if (typeof own === 'boolean' && typeof value === 'boolean') {
      verdicts[row] = table[own === value ? EQUAL : own ? GREATER : LESS];
    } else verdicts[row] = otherKind;
  }
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The value of a row of a json column; null also for JSON's null, and `undefined` for lists and objects. */
export function mixedValue(column: BytesColumn, row: number): Literal | null | undefined {
  const text = valueAt(column, row) as string | null;
  if (text === null) return null;
  const value: unknown = /^\s*-?\d+\s*$/.test(text) ? numberLiteral(text.trim()) : JSON.parse(text);
  if (value === null) return null;
  return typeof value === 'object' ? undefined : (value as Literal);
}

/** Above this number, values are looked up in a set instead of compared one by one. */
const MAX_COMPARED = 8;

/** Whether the value of a row is one of the values. Null if one of them cannot be compared with the column. */
export function columnIsIn(
  column: AttributeColumn,
  rowCount: number,
  values: readonly Literal[],
  table: VerdictTable,
): Verdicts | null {
  const hasSet = column.type === 'string' || column.type.startsWith('int') || column.type === 'float64';
  if (values.length > MAX_COMPARED && hasSet) return columnIsInSet(column, rowCount, values);
  let verdicts: Verdicts | null = null;
  for (const value of values) {
    const one = compareColumn(column, rowCount, value, table);
    if (one === null) return null;
    if (verdicts === null) verdicts = one;
    else for (let row = 0; row < rowCount; row++) if (one[row] > verdicts[row]) verdicts[row] = one[row];
  }
  return verdicts;
}

function columnIsInSet(
  column: AttributeColumn,
  rowCount: number,
  values: readonly Literal[],
): Verdicts | null {
  const set = new Set<Literal>();
  for (const value of values) {
    const member =
      column.type === 'string' ? (typeof value === 'string' ? value : null) : numberLiteral(value);
    if (member === null) return null;
    set.add(setMember(member));
  }
  const verdicts = new Uint8Array(rowCount);
  for (let row = 0; row < rowCount; row++) {
    const own = valueAt(column, row) as Literal | null;
    verdicts[row] = own === null ? UNKNOWN : set.has(setMember(own)) ? TRUE : FALSE;
  }
  return verdicts;
}

/** Integers as numbers if exact, as in the set. */
function setMember(value: Literal): Literal {
  if (typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value))
    return BigInt(value);
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
