/**
 * Converts columns to a given type, as appending to a layer needs it: every value is converted exactly, or it becomes
 * null and is counted. Widening (cast.ts) supports only casts that cannot fail; this module converts any type to any other.
 *
 *     from \ to    boolean   integers        float64          string    date, datetime        json     binary
 *     boolean      -         1, 0            1, 0             words     fails                 yes      fails
 *     numbers      1, 0      within range    if exact         shortest  fails                 yes      fails
 *     texts        words     decimal, whole  decimal          content   ISO 8601              string   fails
 *     json         scalars as what they are, null as null, arrays and objects as text         -        fails
 *     binary       fails     fails           fails            base64    fails                 base64   -
 *
 * Blank text becomes null in types other than text and does not count as a loss.
 */
import { type AttributeColumn, type BytesColumn, nullColumn } from './attribute-column.ts';
import { castColumn } from './cast.ts';
import { convertJson, convertJsonToString } from './convert-json.ts';
import { convertNumbers } from './convert-numbers.ts';
import { ConvertedRows } from './convert-rows.ts';
import { convertTexts, valueTarget } from './convert-texts.ts';
import type { FieldType } from './schema.ts';

export interface Conversion {
  readonly column: AttributeColumn;
  /** Rows that had a value and are null now because the type cannot hold it. */
  readonly failures: number;
  /** The first of those rows, at most five, counted from 0. */
  readonly firstFailedRows: readonly number[];
}

/**
 * Converts the column. Never throws and never modifies its input, but may share buffers with it: a column that already
 * has the type is returned as it is.
 */
export function convertColumn(column: AttributeColumn, to: FieldType, rowCount: number): Conversion {
  if (column.type === to) return { column, failures: 0, firstFailedRows: [] };
  const rows = new ConvertedRows(column.validity, rowCount);
  const converted = convert(column, to, rows);
  return { column: converted, failures: rows.failures, firstFailedRows: rows.firstFailedRows };
}

function convert(column: AttributeColumn, to: FieldType, rows: ConvertedRows): AttributeColumn {
  switch (column.type) {
    case 'string':
    case 'date':
    case 'datetime':
      if (to === 'string' || to === 'json') return castColumn(column as BytesColumn, to, rows.rowCount);
      return convertTexts(column as BytesColumn, valueTarget(to, rows.rowCount), rows);
    case 'json':
      if (to === 'json') return column;
      if (to === 'string') return convertJsonToString(column as BytesColumn, rows);
      return convertJson(column as BytesColumn, valueTarget(to, rows.rowCount), rows);
    case 'binary':
      if (to === 'string' || to === 'json') return castColumn(column as BytesColumn, to, rows.rowCount);
      return failedColumn(to, rows);
    default:
      if (to === 'string' || to === 'json') return scalarsToText(column, to, rows);
      if (to === 'date' || to === 'datetime' || to === 'binary') return failedColumn(to, rows);
      return convertNumbers(column, to, rows);
  }
}

/** Numbers of the target and of JSON are finite; other values become null and are counted. */
function scalarsToText(column: AttributeColumn, to: 'string' | 'json', rows: ConvertedRows): AttributeColumn {
  if (column.type === 'float64') {
    for (let row = 0; row < rows.rowCount; row++) {
      if (!Number.isFinite(column.values[row]) && rows.hasValue(row)) rows.fail(row);
    }
  }
  return castColumn({ ...column, validity: rows.validity }, to, rows.rowCount);
}

function failedColumn(to: FieldType, rows: ConvertedRows): AttributeColumn {
  rows.failAll();
  return nullColumn(to, rows.rowCount);
}
