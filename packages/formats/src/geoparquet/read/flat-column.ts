/** Makes a column of a field from the segments of its leaf. */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  type Validity,
} from '@geomill/core/columns/attribute-column.ts';
import type { MisfitList } from '@geomill/core/columns/misfits.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { areUtf8 } from '@geomill/platform/bytes.ts';
import { formatFindings } from '../../findings.ts';
import { damaged, unsupported } from '../fault.ts';
import type { Segment } from './chunk-reader.ts';
import type { FieldPlan } from './columns.ts';
import { type Convert, converterOf, isPlain, isWide, type Scalar, unsignedValue } from './convert.ts';
import { PHYSICAL } from './metadata.ts';
import type { SchemaNode } from './schema.ts';
import { readTemporalColumn, type TemporalForm } from './temporal-column.ts';
import type { ByteValues } from './values.ts';

export interface ColumnContext {
  readonly rowCount: number;
  readonly findings: Findings;
  readonly misfits: MisfitList;
}

type ScalarPlan = Extract<FieldPlan, { kind: 'scalar' }>;

/** A dictionary may have one long value for all rows. */
export const MAX_COLUMN_BYTES = 1 << 28;

/** Throws ParquetFault. */
export function readScalarColumn(
  plan: ScalarPlan,
  segments: readonly Segment[],
  context: ColumnContext,
): AttributeColumn {
  const { field, leaf } = plan;
  const form = temporalForm(leaf, field.type);
  if (form !== null) {
    const invalid = new RowTally();
    const column = readTemporalColumn(form, segments, leaf.definition, context.rowCount, invalid);
    context.findings.noteTally(
      formatFindings.VALUE_INVALID,
      { field: field.name, type: field.type },
      invalid,
    );
    return column;
  }
  if (!isPlain(leaf)) return readConverted(plan, segments, context);
  const validity = validityOf(segments, leaf.definition, context.rowCount);
  switch (field.type) {
    case 'boolean':
    case 'int32':
    case 'float64':
      return readNumbers(field.type, segments, validity, context.rowCount);
    case 'int64':
      return { type: 'int64', values: readWide(segments, validity, context.rowCount), validity };
    default:
      return readBytes(field.type as BytesColumn['type'], plan, segments, validity, context);
  }
}

/** Null: the leaf is no date or timestamp. */
function temporalForm({ type, logical }: SchemaNode, fieldType: FieldType): TemporalForm | null {
  if (fieldType === 'date' && logical?.kind === 'date') return { unit: 'days', isUtc: false };
  if (fieldType !== 'datetime' || type !== PHYSICAL.int64) return null;
  return logical?.kind === 'timestamp' ? { unit: logical.unit, isUtc: logical.isUtc } : null;
}

/** Null: every row has a value. */
function validityOf(segments: readonly Segment[], most: number, rowCount: number): Validity {
  if (segments.every(({ definitions }) => definitions === null)) return null;
  const bits = new Uint8Array((rowCount + 7) >> 3);
  let row = 0;
  for (const { count, definitions } of segments)
    for (let i = 0; i < count; i++, row++)
      if (definitions === null || definitions[i] === most) bits[row >> 3] |= 1 << (row & 7);
  return bits;
}

function isPresent(validity: Validity, row: number): boolean {
  return validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0;
}

function readNumbers(
  type: 'boolean' | 'int32' | 'float64',
  segments: readonly Segment[],
  validity: Validity,
  rowCount: number,
): AttributeColumn {
  const target =
    type === 'boolean'
      ? new Uint8Array(rowCount)
      : type === 'int32'
        ? new Int32Array(rowCount)
        : new Float64Array(rowCount);
  let row = 0;
  for (const { count, definitions, values, firstValue } of segments) {
    if (values.kind !== type) throw damaged(`a page has ${values.kind} values instead of ${type}`);
    const source = values.values;
    if (definitions === null) target.set(source.subarray(firstValue, firstValue + count), row);
    else
      for (let i = 0, value = firstValue; i < count; i++)
        if (isPresent(validity, row + i)) target[row + i] = source[value++];
    row += count;
  }
  return { type, values: target, validity } as AttributeColumn;
}

function readWide(
  segments: readonly Segment[],
  validity: Validity,
  rowCount: number,
): BigInt64Array<ArrayBuffer> {
  const target = new BigInt64Array(rowCount);
  // In halves: reading a BigInt would allocate it.
  const halves = new Int32Array(target.buffer);
  let row = 0;
  for (const { count, definitions, values, firstValue } of segments) {
    if (values.kind !== 'int64') throw damaged(`a page has ${values.kind} values instead of int64`);
    const source = values.values;
    if (definitions === null) target.set(source.subarray(firstValue, firstValue + count), row);
    else {
      const from = new Int32Array(source.buffer, source.byteOffset, source.length * 2);
      for (let i = 0, value = firstValue; i < count; i++)
        if (isPresent(validity, row + i)) {
          halves[2 * (row + i)] = from[2 * value];
          halves[2 * (row + i) + 1] = from[2 * value + 1];
          value++;
        }
    }
    row += count;
  }
  return target;
}

/** Bytes of the values of some segments. Throws ParquetFault if they are too many. */
export function byteLengthOf(segments: readonly Segment[], most: number, name: string): number {
  let total = 0;
  for (const { count, definitions, values, firstValue } of segments) {
    if (values.kind !== 'bytes') throw damaged(`a page of column '${name}' has no texts`);
    const { starts, ends } = values;
    for (let i = 0, value = firstValue; i < count; i++) {
      if (definitions !== null && definitions[i] !== most) continue;
      total += ends[value] - starts[value];
      value++;
    }
  }
  if (total > MAX_COLUMN_BYTES)
    throw unsupported(
      `column '${name}' has ${total} bytes in some thousand rows, and at most ${MAX_COLUMN_BYTES} are read at once; write it with smaller row groups`,
    );
  return total;
}

function readBytes(
  type: BytesColumn['type'],
  { field, leaf }: ScalarPlan,
  segments: readonly Segment[],
  validity: Validity,
  context: ColumnContext,
): AttributeColumn {
  const bytes = new Uint8Array(byteLengthOf(segments, leaf.definition, field.name));
  const offsets = new Uint32Array(context.rowCount + 1);
  let row = 0;
  let at = 0;
  for (const segment of segments) {
    const { bytes: source, starts, ends } = segment.values as ByteValues;
    for (let i = 0, value = segment.firstValue; i < segment.count; i++, row++) {
      if (isPresent(validity, row)) {
        at = copyBytes(source, starts[value], ends[value], bytes, at);
        value++;
      }
      offsets[row + 1] = at;
    }
  }
  const column: BytesColumn = { type, bytes, offsets, validity };
  return type === 'binary' || isWhole(column) ? column : checkedTexts(column, field.name, context);
}

function copyBytes(source: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number {
  const count = end - start;
  // A view costs more than copying a few bytes.
  if (count < 48) for (let i = 0; i < count; i++) target[at + i] = source[start + i];
  else target.set(source.subarray(start, end), at);
  return at + count;
}

/** Whether every value is valid UTF-8, and JSON in a column of JSON. */
function isWhole({ type, bytes, offsets, validity }: BytesColumn): boolean {
  if (!areUtf8(bytes)) return false;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = offsets[row];
    // A character that is split between two values.
    if (start < offsets[row + 1] && (bytes[start] & 0xc0) === 0x80) return false;
    if (type === 'json' && isPresent(validity, row)) {
      if (!isJson(decoder.decode(bytes.subarray(start, offsets[row + 1])))) return false;
    }
  }
  return true;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Invalid bytes are replaced, and what is no JSON in a column of JSON becomes a text. */
function checkedTexts(
  { type, bytes, offsets, validity }: BytesColumn,
  field: string,
  { rowCount, findings }: ColumnContext,
): AttributeColumn {
  const builder = new ColumnBuilder(type, rowCount, bytes.length);
  for (let row = 0; row < rowCount; row++) {
    if (!isPresent(validity, row)) {
      builder.appendNull();
      continue;
    }
    const value = bytes.subarray(offsets[row], offsets[row + 1]);
    const text = decoder.decode(value);
    if (!areUtf8(value))
      findings.note(formatFindings.TEXT_REPLACED, { field, encoding: UTF8 }, { record: row + 1, field });
    builder.appendText(type === 'json' && !isJson(text) ? JSON.stringify(text) : text);
  }
  return builder.finish();
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Values that are converted one by one. */
function readConverted(
  { field, leaf }: ScalarPlan,
  segments: readonly Segment[],
  { rowCount, findings, misfits }: ColumnContext,
): AttributeColumn {
  const isText = field.type === 'string' && isWide(leaf);
  const convert: Convert = isText ? unsignedText : converterOf(leaf);
  const builder = new ColumnBuilder(field.type, rowCount);
  let row = 0;
  for (const { count, definitions, values, firstValue } of segments)
    for (let i = 0, value = firstValue; i < count; i++, row++) {
      if (definitions !== null && definitions[i] !== leaf.definition) {
        builder.appendNull();
        continue;
      }
      const converted = convert(values, value++);
      if (converted !== null) appendScalar(builder, field.type, converted);
      else {
        builder.appendNull();
        const location = { record: row + 1, field: field.name };
        if (isWide(leaf)) misfits.note(field.name, 'unsigned 64-bit integer', location);
        else if (leaf.logical?.kind !== 'unknown')
          findings.note(formatFindings.VALUE_INVALID, { field: field.name, type: field.type }, location);
      }
    }
  return builder.finish();
}

const unsignedText: Convert = (values, i) => String(unsignedValue(values, i));

function appendScalar(builder: ColumnBuilder, type: FieldType, value: Scalar): void {
  if (typeof value === 'string') builder.appendText(value);
  else if (typeof value === 'object') builder.appendBytes(value, 0, value.length);
  else if (type === 'int64') builder.appendBigInt(BigInt(value));
  else builder.appendNumber(Number(value));
}
