/** Reads number cells of a .dbf. */
import { asciiSlice, PLUS, SPACE, STAR } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { LOW_HALF } from '@geomill/core/text/number-text.ts';
import type { CellReader } from './dbf-cells.ts';

/** Whether a number cell is null: blank or '*'. */
export function isNullNumber(bytes: Uint8Array, at: number, limit: number): boolean {
  return at === limit || bytes[at] === STAR || bytes[at] === 0;
}

export const readNumbers: CellReader = (column, rows, problems, validity) => {
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

export const readInt64s: CellReader = (column, rows, problems, validity) => {
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
