/** Converts columns to a wider type and batches to another set of fields. */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { QUOTE } from '../text/ascii.ts';
import { appendUnescaped, writeJsonString } from '../text/json-text.ts';
import { writeInteger, writeNumber } from '../text/number-text.ts';
import { type AttributeColumn, type BytesColumn, isValid, nullColumn } from './attribute-column.ts';
import type { FeatureBatch } from './feature-batch.ts';
import { type Field, type FieldType, isText, type OpenType } from './schema.ts';

/**
 * Whether a cast keeps the exact text of the source value. A float or boolean read from plain text does not: "1.50"
 * became 1.5, so the text has to be read again.
 */
export function castKeepsText(from: OpenType, to: FieldType): boolean {
  if (from === to || from === 'null') return true;
  if (from === 'int32') return to === 'int64' || to === 'float64' || to === 'string' || to === 'json';
  if (from === 'int64') return to === 'float64' || to === 'string' || to === 'json';
  return isText(from) && (to === 'string' || to === 'json');
}

/**
 * Returns the batch with exactly these fields, matched by name. Fields missing in the batch are null; other fields are
 * omitted.
 */
export function castBatch(batch: FeatureBatch, fields: readonly Field[]): FeatureBatch {
  if (sameFields(batch.fields, fields)) return batch;
  const byName = new Map(batch.fields.map((field, i) => [field.name, batch.columns[i]]));
  const columns = fields.map(({ name, type }) => {
    const column = byName.get(name);
    return column === undefined ? nullColumn(type, batch.rowCount) : castColumn(column, type, batch.rowCount);
  });
  return { ...batch, fields, columns };
}

/**
 * Fields for formats without JSON values: those of JSON become texts, except the one at `kept`. A batch that is cast to them has the
 * content of a JSON string, and the JSON text of any other value.
 */
export function jsonAsText(fields: readonly Field[], kept = -1): readonly Field[] {
  return fields.map((field, i) =>
    field.type === 'json' && i !== kept ? { name: field.name, type: 'string' } : field,
  );
}

export function sameFields(a: readonly Field[], b: readonly Field[]): boolean {
  return a.length === b.length && a.every((field, i) => field.name === b[i].name && field.type === b[i].type);
}

/** Casts the column to a wider type. Throws a TypeError for casts that widening does not need (text to number). */
export function castColumn(column: AttributeColumn, to: FieldType, rowCount: number): AttributeColumn {
  if (column.type === to) return column;
  if (column.validity?.every((bits) => bits === 0)) return nullColumn(to, rowCount);
  const { validity } = column;
  if (to === 'int64' && column.type === 'int32') {
    return { type: to, values: BigInt64Array.from(column.values, (value) => BigInt(value)), validity };
  }
  if (to === 'float64' && (column.type === 'int32' || column.type === 'int64')) {
    const values = new Float64Array(rowCount);
    for (let row = 0; row < rowCount; row++) values[row] = Number(column.values[row]);
    return { type: to, values, validity };
  }
  if (to === 'json') return toJson(column, rowCount);
  if (to === 'string') return toText(column, rowCount);
  throw new TypeError(`a ${column.type} column cannot become ${to}`);
}

function toText(column: AttributeColumn, rowCount: number): AttributeColumn {
  if (column.type === 'json') return jsonToText(column, rowCount);
  if (isText(column.type)) return { ...(column as BytesColumn), type: 'string' };
  if (column.type === 'binary') return base64Column(column, rowCount);
  return textColumn('string', column, rowCount, (writer, row) => {
    if (column.type === 'float64' && !Number.isFinite(column.values[row]))
      writer.ascii(String(column.values[row]));
    else writeScalar(writer, column, row);
  });
}

function toJson(column: AttributeColumn, rowCount: number): AttributeColumn {
  if (column.type === 'binary') return toJson(base64Column(column, rowCount), rowCount);
  if ('offsets' in column) {
    return textColumn('json', column, rowCount, (writer, row) =>
      writeJsonString(writer, column.bytes, column.offsets[row], column.offsets[row + 1]),
    );
  }
  return textColumn('json', column, rowCount, (writer, row) => writeScalar(writer, column, row));
}

/** Binary values as base64, for writers without binary values. Mixed columns can hold them. */
function base64Column(column: BytesColumn, rowCount: number): BytesColumn {
  return textColumn('string', column, rowCount, (writer, row) =>
    writer.base64(column.bytes, column.offsets[row], column.offsets[row + 1]),
  );
}

/** Unquotes JSON strings; other JSON values become their JSON text. */
function jsonToText(column: BytesColumn, rowCount: number): AttributeColumn {
  return textColumn('string', column, rowCount, (writer, row) => {
    const start = column.offsets[row];
    const end = column.offsets[row + 1];
    writeJsonAsText(writer, column.bytes, start, end);
  });
}

/** Appends a JSON value as plain text: the content of a string, the JSON text of anything else. */
export function writeJsonAsText(writer: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  if (end - start < 2 || bytes[start] !== QUOTE) writer.copy(bytes, start, end);
  else appendUnescaped(bytes, start + 1, end - 1, writer);
}

function writeScalar(writer: ByteWriter, column: AttributeColumn, row: number): void {
  switch (column.type) {
    case 'boolean':
      writer.ascii(column.values[row] !== 0 ? 'true' : 'false');
      return;
    case 'int32':
      writeInteger(writer, column.values[row]);
      return;
    case 'int64':
      writer.ascii(String(column.values[row]));
      return;
    case 'float64':
      if (Number.isFinite(column.values[row])) writeNumber(writer, column.values[row]);
      else writer.ascii('null');
      return;
    default:
      throw new TypeError(`${column.type} is no scalar column`);
  }
}

function textColumn(
  type: 'string' | 'json',
  column: AttributeColumn,
  rowCount: number,
  write: (writer: ByteWriter, row: number) => void,
): BytesColumn {
  const writer = new ByteWriter(rowCount * 8);
  const offsets = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) {
    if (isValid(column.validity, row)) write(writer, row);
    offsets[row + 1] = writer.length;
  }
  return { type, bytes: writer.take(), offsets, validity: column.validity };
}
