/** Converts numbers and booleans into each other in typed loops, each value exactly or not at all. */
import type {
  AttributeColumn,
  BooleanColumn,
  Float64Column,
  Int32Column,
  Int64Column,
} from './attribute-column.ts';
import type { ConvertedRows } from './convert-rows.ts';

type NumericColumn = BooleanColumn | Int32Column | Int64Column | Float64Column;
type NumericType = NumericColumn['type'];

export const MAX_INT32 = 2_147_483_647;
export const MIN_INT32 = -2_147_483_648;
/** Integers of smaller magnitude are exact as doubles; larger ones have to be compared. */
export const FIRST_INEXACT = 2 ** 53;
/** int64 is the range [-2^63, 2^63). */
const INT64_END = 2 ** 63;

/**
 * Converts to another numeric type: true is 1 and false is 0, and only 1 and 0 are booleans. A float becomes an integer
 * if it is integral and within range; an integer beyond 2^53 becomes a float if a double holds it exactly. Other values
 * fail.
 */
export function convertNumbers(column: NumericColumn, to: NumericType, rows: ConvertedRows): AttributeColumn {
  switch (to) {
    case 'boolean':
      return toBoolean(column, rows);
    case 'int32':
      return toInt32(column, rows);
    case 'int64':
      return toInt64(column, rows);
    case 'float64':
      return column.type === 'int64' ? integersToFloat64(column, rows) : toFloat64(column, rows);
  }
}

function toBoolean(column: NumericColumn, rows: ConvertedRows): AttributeColumn {
  const values = new Uint8Array(rows.rowCount);
  const source = column.values;
  for (let row = 0; row < rows.rowCount; row++) {
    if (!rows.hasValue(row)) continue;
    // Numbers of this size are exact, and no other int64 rounds to one of them.
    const value = Number(source[row]);
    if (value === 1 || value === 0) values[row] = value;
    else rows.fail(row);
  }
  return { type: 'boolean', values, validity: rows.validity };
}

function toInt32(column: NumericColumn, rows: ConvertedRows): AttributeColumn {
  const values = new Int32Array(rows.rowCount);
  const source = column.values;
  const isTruth = column.type === 'boolean';
  for (let row = 0; row < rows.rowCount; row++) {
    if (!rows.hasValue(row)) continue;
    const value = Number(source[row]);
    const integer = value | 0;
    if (isTruth) values[row] = value === 0 ? 0 : 1;
    else if (integer === value) values[row] = integer;
    else rows.fail(row);
  }
  return { type: 'int32', values, validity: rows.validity };
}

function toInt64(column: NumericColumn, rows: ConvertedRows): AttributeColumn {
  const values = new BigInt64Array(rows.rowCount);
  const source = column.values as Exclude<NumericColumn, Int64Column>['values'];
  const isTruth = column.type === 'boolean';
  for (let row = 0; row < rows.rowCount; row++) {
    if (!rows.hasValue(row)) continue;
    const value = source[row];
    if (isTruth) values[row] = value === 0 ? 0n : 1n;
    else if (Number.isInteger(value) && value >= -INT64_END && value < INT64_END) values[row] = BigInt(value);
    else rows.fail(row);
  }
  return { type: 'int64', values, validity: rows.validity };
}

function toFloat64(column: Exclude<NumericColumn, Int64Column>, rows: ConvertedRows): AttributeColumn {
  const values = new Float64Array(rows.rowCount);
  const source = column.values;
  const isTruth = column.type === 'boolean';
  for (let row = 0; row < rows.rowCount; row++) values[row] = isTruth && source[row] !== 0 ? 1 : source[row];
  return { type: 'float64', values, validity: rows.validity };
}

function integersToFloat64(column: Int64Column, rows: ConvertedRows): AttributeColumn {
  const values = new Float64Array(rows.rowCount);
  const source = column.values;
  for (let row = 0; row < rows.rowCount; row++) {
    if (!rows.hasValue(row)) continue;
    const integer = source[row];
    const value = Number(integer);
    if ((value >= FIRST_INEXACT || value <= -FIRST_INEXACT) && BigInt(value) !== integer) rows.fail(row);
    else values[row] = value;
  }
  return { type: 'float64', values, validity: rows.validity };
}
