/** Reads one field of some rows as a column: values that fit the type are kept, others become null and are noted. */

import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import { type Field, type FieldType, type OpenType, widenType } from '@geomill/core/columns/schema.ts';
import { DATE_TEXT, DATETIME_TEXT, temporalKind } from '@geomill/core/columns/temporal-text.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { base64Text } from '@geomill/platform/bytes.ts';
import { formatFindings } from '../findings.ts';

/** A field of the table. */
export interface TableField {
  readonly name: string;
  /** Null if the declaration determines none, or if values contradict it: then the values determine it. */
  readonly type: FieldType | null;
  /** The declaration itself, for messages. */
  readonly declared: string;
  /** The declaration is one of numbers, dates or booleans, for which blank text means null. */
  readonly blankIsNull: boolean;
  /** SQLite computes its values, so none can be written. */
  readonly isGenerated: boolean;
}

export type CellValue = null | number | bigint | string | Uint8Array;

export interface CellContext {
  readonly findings: Findings;
  readonly misfits: MisfitList;
  readonly rowName: (record: number) => string;
}

const encoder = new TextEncoder();
const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Reads the values of a field, one for each row. */
export function readValues(
  tableField: TableField,
  values: readonly CellValue[],
  context: CellContext,
): { field: Field; column: AttributeColumn } {
  const { name } = tableField;
  const told = tableField.blankIsNull ? withoutBlanks(tableField, values, context) : values;
  const type = tableField.type ?? typeOfValues(told);
  const builder = new ColumnBuilder(type, told.length);
  for (let row = 0; row < told.length; row++) {
    let value = told[row];
    // Casting the column of a whole batch (cast.ts) treats binary values the same way: the result must not depend on
    // batch ends.
    if (tableField.type === null && type === 'string' && value instanceof Uint8Array)
      value = base64Text(value);
    if (value === null) builder.appendNull();
    else if (!appendValue(builder, type, value)) {
      builder.appendNull();
      noteMisfit(tableField, row + 1, context);
    }
  }
  return { field: { name, type }, column: builder.finish() };
}

function withoutBlanks(
  field: TableField,
  values: readonly CellValue[],
  context: CellContext,
): readonly CellValue[] {
  return values.map((value, row) => {
    if (typeof value !== 'string' || value.trim() !== '') return value;
    noteBlank(field, row + 1, context);
    return null;
  });
}

/** Notes blank text in a field of numbers, dates or booleans, which is read as null. */
export function noteBlank({ name, declared }: TableField, record: number, context: CellContext): void {
  const location = { record, id: context.rowName(record), field: name };
  context.findings.note(formatFindings.VALUE_INVALID, { field: name, type: declared }, location);
}

export function noteMisfit({ name, declared }: TableField, record: number, context: CellContext): void {
  context.misfits.note(name, declared, { record, id: context.rowName(record), field: name });
}

/** The narrowest type that holds the values; text if there are none. */
function typeOfValues(values: readonly CellValue[]): FieldType {
  let type: OpenType = 'null';
  let integersExact = true;
  for (const value of values) {
    if (value === null) continue;
    if (typeof value === 'bigint' && !isSafe(value)) integersExact = false;
    const own = typeOfValue(value);
    if (own !== type) type = widenType(type, own, 'string', integersExact);
  }
  // A float came before an integer that no float holds exactly.
  if (type === 'float64' && !integersExact) type = 'string';
  return type === 'null' ? 'string' : type;
}

function typeOfValue(value: Exclude<CellValue, null>): FieldType {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'object') return 'binary';
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return 'float64';
  return value >= INT32_MIN && value <= INT32_MAX ? 'int32' : 'int64';
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}

/** Returns false and appends nothing if the value contradicts the type. */
function appendValue(builder: ColumnBuilder, type: FieldType, value: Exclude<CellValue, null>): boolean {
  switch (type) {
    case 'boolean':
      return appendInteger(builder, value, 0, 1);
    case 'int32':
      return appendInteger(builder, value, INT32_MIN, INT32_MAX);
    case 'int64':
      if (typeof value === 'number' && Number.isSafeInteger(value)) builder.appendBigInt(BigInt(value));
      else if (typeof value === 'bigint') builder.appendBigInt(value);
      else return false;
      return true;
    case 'float64':
      if (typeof value !== 'number' && typeof value !== 'bigint') return false;
      // An integer that no float holds exactly.
      if (typeof value === 'bigint' && BigInt(Number(value)) !== value) return false;
      builder.appendNumber(Number(value));
      return true;
    case 'binary':
      return appendBinary(builder, value);
    default:
      return appendText(builder, type, value);
  }
}

function appendInteger(
  builder: ColumnBuilder,
  value: Exclude<CellValue, null>,
  least: number,
  most: number,
): boolean {
  if (typeof value !== 'number' && typeof value !== 'bigint') return false;
  const number = Number(value);
  if (!(number >= least && number <= most) || !Number.isInteger(number)) return false;
  builder.appendNumber(number);
  return true;
}

function appendBinary(builder: ColumnBuilder, value: Exclude<CellValue, null>): boolean {
  if (typeof value === 'string') {
    const bytes = encoder.encode(value);
    builder.appendBytes(bytes, 0, bytes.length);
  } else if (typeof value === 'object') builder.appendBytes(value, 0, value.length);
  else return false;
  return true;
}

function appendText(builder: ColumnBuilder, type: FieldType, value: Exclude<CellValue, null>): boolean {
  if (typeof value === 'object') return false;
  const text = type === 'json' ? jsonOf(String(value)) : String(value);
  const bytes = encoder.encode(text);
  if (!isTextOf(type, bytes, 0, bytes.length)) return false;
  builder.appendBytes(bytes, 0, bytes.length);
  return true;
}

/** Whether the bytes are valid UTF-8 text for a column of the type. */
export function isTextOf(type: FieldType, bytes: Uint8Array, start: number, end: number): boolean {
  if (type === 'date') return temporalKind(bytes, start, end) === DATE_TEXT;
  if (type === 'datetime') return temporalKind(bytes, start, end) === DATETIME_TEXT;
  return type !== 'json' || isJson(decoder.decode(bytes.subarray(start, end)));
}

/** JSON unchanged, any other text as a JSON string: GDAL writes a JSON string into a column without its quotes. */
export function jsonOf(text: string): string {
  return isJson(text) ? text : JSON.stringify(text);
}

const decoder = new TextDecoder();

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
