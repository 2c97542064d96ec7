/** Columns of attributes as the declared types of their fields. */

import { trimmed } from '@geomill/core/bytes/trimmed.ts';
import {
  type AttributeColumn,
  type BytesColumn,
  isValid,
  nullColumn,
} from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import { type FieldType, isText } from '@geomill/core/columns/schema.ts';
import { DATE_TEXT, DATETIME_TEXT, temporalKind } from '@geomill/core/columns/temporal-text.ts';
import { ValueColumn } from '@geomill/core/columns/value-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { UPPER_Z } from '@geomill/core/text/ascii.ts';
import { DAY_MS, MILLISECOND_BYTES, writeDay, writeMilliseconds } from '@geomill/core/text/time-text.ts';
import { concatBytes } from '@geomill/platform/bytes.ts';
import type { DeclaredField, ValueForm } from './fields.ts';

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

export interface ColumnContext {
  readonly rowCount: number;
  readonly misfits: MisfitList;
  /** Times have no zone: the server does not know in which they are. */
  readonly isZoneUnknown: boolean;
}

/** The values of a column, which have the types of the values, as the type that the field declares. */
export function declaredColumn(
  column: AttributeColumn,
  field: DeclaredField,
  context: ColumnContext,
): AttributeColumn {
  const { type, form } = field;
  const { rowCount } = context;
  if (type === null || column.type === type) return column;
  if (isEmpty(column)) return nullColumn(type, rowCount);
  if (form !== 'value' && !('offsets' in column)) return temporalColumn(column, field, context);
  if (type === 'string' && column.type !== 'json') return castColumn(column, type, rowCount);
  if (type === 'float64' && (column.type === 'int32' || column.type === 'int64'))
    return castColumn(column, type, rowCount);
  if (type === 'int64' && column.type === 'int32') return castColumn(column, type, rowCount);
  return mixedColumn(column, field, type, context);
}

export function isEmpty({ validity }: AttributeColumn): boolean {
  return validity?.every((bits) => bits === 0) ?? false;
}

function noteMisfits({ name, declared }: DeclaredField, rows: RowTally, { misfits }: ColumnContext): void {
  if (rows.count > 0) misfits.note(name, declared, { record: rows.firstRecord }, rows.count, rows);
}

/** Value by value, for columns of which at least one value has another type. */
function mixedColumn(
  column: AttributeColumn,
  field: DeclaredField,
  type: FieldType,
  context: ColumnContext,
): AttributeColumn {
  const { rowCount } = context;
  const json = castColumn(column, 'json', rowCount) as BytesColumn;
  const decoder = new TextDecoder();
  const values = new ValueColumn(field.name, NOTHING, 0);
  const wrong = new RowTally();
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(json.validity, row)) continue;
    const text = decoder.decode(json.bytes.subarray(json.offsets[row], json.offsets[row + 1]));
    if (!appendFitting(values, row, text, field, context)) wrong.add(row);
  }
  noteMisfits(field, wrong, context);
  const fitting = values.finish(rowCount);
  if (isEmpty(fitting)) return nullColumn(type, rowCount);
  return isText(type) && isText(fitting.type)
    ? { ...(fitting as BytesColumn), type }
    : castColumn(fitting, type, rowCount);
}

/** Appends a JSON value if its field can have it. */
function appendFitting(
  values: ValueColumn,
  row: number,
  json: string,
  { type, form }: DeclaredField,
  { isZoneUnknown }: ColumnContext,
): boolean {
  const value = JSON.parse(json) as unknown;
  const isNumber = typeof value === 'number';
  if (type === 'int32' || type === 'int64' || type === 'float64') {
    const isWhole = type !== 'float64';
    if (isWhole && /^-?\d{16,19}$/.test(json)) {
      const whole = BigInt(json);
      if (type !== 'int64' || BigInt.asIntN(64, whole) !== whole) return false;
      values.appendBigInt(row, whole);
      return true;
    }
    // ArcGIS writes NaN, which JSON lacks, as text.
    if (value === 'NaN' && !isWhole) {
      values.appendNumber(row, Number.NaN, false);
      return true;
    }
    if (!isNumber || (isWhole && !Number.isSafeInteger(value)) || (type === 'int32' && (value | 0) !== value))
      return false;
    values.appendNumber(row, value, isWhole);
    return true;
  }
  let text = typeof value === 'string' ? value : typeof value === 'object' ? null : json;
  if (form !== 'value' && isNumber) text = temporalText(value, form, isZoneUnknown);
  if (text === null) return false;
  const bytes = encoder.encode(text);
  const kind = temporalKind(bytes, 0, bytes.length);
  if ((type === 'date' && kind !== DATE_TEXT) || (type === 'datetime' && kind !== DATETIME_TEXT))
    return false;
  values.appendText(row, bytes, 0, bytes.length);
  return true;
}

function temporalText(ms: number, form: ValueForm, isZoneUnknown: boolean): string | null {
  const bytes = new Uint8Array(MILLISECOND_BYTES);
  const whole = Math.floor(ms);
  const end =
    form === 'day' ? writeDay(Math.floor(whole / DAY_MS), bytes, 0) : writeMilliseconds(whole, bytes, 0);
  if (end < 0) return null;
  return new TextDecoder().decode(bytes.subarray(0, end)) + (form === 'day' || isZoneUnknown ? '' : 'Z');
}

/** Milliseconds since 1970 as ISO 8601 text. */
function temporalColumn(
  column: Exclude<AttributeColumn, BytesColumn>,
  field: DeclaredField,
  context: ColumnContext,
): AttributeColumn {
  const { rowCount, isZoneUnknown } = context;
  const { values, validity } = column;
  const isDay = field.form === 'day';
  const bytes = new Uint8Array(rowCount * (MILLISECOND_BYTES + 1));
  const offsets = new Uint32Array(rowCount + 1);
  const wrong = new RowTally();
  let at = 0;
  for (let row = 0; row < rowCount; row++) {
    if (isValid(validity, row)) {
      const ms = column.type === 'boolean' ? Number.NaN : Math.floor(Number(values[row]));
      const end = isDay ? writeDay(Math.floor(ms / DAY_MS), bytes, at) : writeMilliseconds(ms, bytes, at);
      if (end < 0) wrong.add(row);
      else {
        at = end;
        if (!isDay && !isZoneUnknown) bytes[at++] = UPPER_Z;
      }
    }
    offsets[row + 1] = at;
  }
  if (wrong.count > 0) return mixedColumn(column, field, isDay ? 'date' : 'datetime', context);
  return { type: isDay ? 'date' : 'datetime', bytes: trimmed(bytes, at), offsets, validity };
}

/** The names of a domain in place of its codes; `unknown` gets the rows whose code is not in the domain. */
export function namedColumn(
  column: AttributeColumn,
  names: Readonly<Record<string, string>>,
  rowCount: number,
  unknown: RowTally,
): AttributeColumn {
  const text = castColumn(column, 'string', rowCount) as BytesColumn;
  const decoder = new TextDecoder();
  const parts: Uint8Array[] = [];
  const known = new Map(Object.entries(names).map(([code, name]) => [code, encoder.encode(name)]));
  const offsets = new Uint32Array(rowCount + 1);
  let length = 0;
  for (let row = 0; row < rowCount; row++) {
    if (isValid(text.validity, row)) {
      const own = text.bytes.subarray(text.offsets[row], text.offsets[row + 1]);
      const name = known.get(decoder.decode(own));
      if (name === undefined) unknown.add(row);
      parts.push(name ?? own);
      length += (name ?? own).length;
    }
    offsets[row + 1] = length;
  }
  return { type: 'string', bytes: concatBytes(parts), offsets, validity: text.validity };
}
