/**
 * Attributes as XDATA of the application GEOMILL, at the end of an entity:
 *
 *     1001 GEOMILL
 *     1000 feature:MultiPolygon Z     first entity of a feature      1000 part      further entities
 *     1000 shell                      role                           1000 shell
 *     1000 s:name                     header of an attribute: kind, count of values where it is not 1, name
 *     1000 Perth                      its value
 *
 * Kinds: b 1070, i 1071, l 1000 decimal, f 1040 (1000 where not finite), s d t j 1000 in pieces of 255 bytes, x 1004 in
 * pieces of 127; a count of 0 is null. A kind with an @ before it is the feature's id.
 */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { utf8Boundary } from '@geomill/core/bytes/utf8.ts';
import { type AttributeColumn, type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { DOT, LF, LOWER_E } from '@geomill/core/text/ascii.ts';
import { writeInteger, writeNumber } from '@geomill/core/text/number-text.ts';
import { formatFindings } from '../../findings.ts';
import { dxfFindings } from '../messages.ts';
import { cutAt, MOST_BYTES_PER_BYTE, writeEscaped } from './escape-text.ts';

/** AutoCAD accepts 16 KB of XDATA per entity; text takes at least as many bytes as its binary form. */
const MAX_XDATA_BYTES = 16_000;
const MAX_STRING_BYTES = 255;
const MAX_BINARY_BYTES = 127;
/** For a header, without its kind and count. */
const MAX_NAME_BYTES = 240;
const KIND: Readonly<Record<FieldType, string>> = {
  boolean: 'b',
  int32: 'i',
  int64: 'l',
  float64: 'f',
  string: 's',
  date: 'd',
  datetime: 't',
  json: 'j',
  binary: 'x',
};
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const STRING_CODE = encoder.encode('1000\n');
const BINARY_CODE = encoder.encode('1004\n');
const REAL_CODE = encoder.encode('1040\n');
const BOOLEAN_CODE = encoder.encode('1070\n');
const INTEGER_CODE = encoder.encode('1071\n');
const POINT_ZERO = encoder.encode('.0');
const HEX = encoder.encode('0123456789ABCDEF');

/** Writes the attributes of rows of one batch. */
export class AttributesWriter {
  readonly #out: ByteWriter;
  readonly #columns: readonly ColumnWriter[];
  readonly #id: ColumnWriter | null;
  readonly #findings: Findings;

  constructor(out: ByteWriter, batch: FeatureBatch, layerName: string, findings: Findings) {
    this.#out = out;
    this.#findings = findings;
    this.#columns = batch.fields.map(({ name }, i) => {
      const written = writtenName(name);
      if (written !== name)
        findings.note(formatFindings.FIELD_RENAMED, { from: name, layer: layerName, to: written });
      return new ColumnWriter(out, batch.columns[i], name, written, '');
    });
    this.#id = batch.ids === null ? null : new ColumnWriter(out, batch.ids, 'id', '', '@');
  }

  /** `xdataStart` is the offset of the entity's XDATA. */
  write(row: number, xdataStart: number): void {
    const end = xdataStart + MAX_XDATA_BYTES;
    if (this.#id?.isNull(row) === false) this.#attribute(this.#id, row, end);
    for (let i = 0; i < this.#columns.length; i++) this.#attribute(this.#columns[i], row, end);
  }

  #attribute(column: ColumnWriter, row: number, end: number): void {
    const start = this.#out.length;
    if (column.write(row, end - start) && this.#out.length <= end) return;
    this.#out.length = start;
    this.#findings.note(
      dxfFindings.VALUES_TOO_LONG,
      { field: column.field, bytes: MAX_XDATA_BYTES, format: 'DXF' },
      { record: row + 1, field: column.field },
    );
  }
}

/** The name, truncated to the length of a header. */
function writtenName(name: string): string {
  const bytes = encoder.encode(name);
  if (bytes.length <= MAX_NAME_BYTES) return name;
  return decoder.decode(bytes.subarray(0, utf8Boundary(bytes, 0, MAX_NAME_BYTES)));
}

class ColumnWriter {
  readonly field: string;
  readonly #out: ByteWriter;
  readonly #column: AttributeColumn;
  readonly #oneHeader: Uint8Array;
  readonly #nullHeader: Uint8Array;
  /** The header before and after its count. */
  readonly #kind: string;
  readonly #name: Uint8Array;
  readonly #escaped = new ByteWriter(64);

  constructor(out: ByteWriter, column: AttributeColumn, field: string, name: string, mark: string) {
    this.#out = out;
    this.#column = column;
    this.field = field;
    this.#kind = mark + KIND[column.type];
    const nameBytes = encoder.encode(name);
    const escaped = new ByteWriter(64);
    writeEscaped(escaped, nameBytes, 0, nameBytes.length);
    this.#name = escaped.take();
    this.#oneHeader = this.#header('');
    this.#nullHeader = this.#header('0');
  }

  isNull(row: number): boolean {
    return !isValid(this.#column.validity, row);
  }

  /** Appends the attribute; returns false, possibly after part of it, if its value has more than `room` bytes. */
  write(row: number, room: number): boolean {
    const out = this.#out;
    const column = this.#column;
    if (!isValid(column.validity, row)) {
      out.copy(this.#nullHeader);
      return true;
    }
    switch (column.type) {
      case 'boolean':
        out.copy(this.#oneHeader);
        out.copy(BOOLEAN_CODE);
        out.uint8(column.values[row] !== 0 ? 0x31 : 0x30);
        break;
      case 'int32':
        out.copy(this.#oneHeader);
        out.copy(INTEGER_CODE);
        writeInteger(out, column.values[row]);
        break;
      case 'int64':
        out.copy(this.#oneHeader);
        out.copy(STRING_CODE);
        this.#int64(column.values[row]);
        break;
      case 'float64':
        out.copy(this.#oneHeader);
        this.#float(column.values[row]);
        break;
      case 'binary':
        if (column.offsets[row + 1] - column.offsets[row] > room) return false;
        this.#binary(column, row);
        return true;
      case 'json':
        // Empty text is not valid JSON: such a column may store null as empty text.
        if (column.offsets[row + 1] === column.offsets[row]) {
          out.copy(this.#nullHeader);
          return true;
        }
        if (column.offsets[row + 1] - column.offsets[row] > room) return false;
        this.#text(column, row);
        return true;
      default:
        if (column.offsets[row + 1] - column.offsets[row] > room) return false;
        this.#text(column, row);
        return true;
    }
    out.uint8(LF);
    return true;
  }

  #int64(value: bigint): void {
    const number = Number(value);
    if (Number.isSafeInteger(number)) writeInteger(this.#out, number);
    else this.#out.ascii(String(value));
  }

  #float(value: number): void {
    const out = this.#out;
    if (value - value !== 0) {
      out.copy(STRING_CODE);
      out.ascii(String(value));
      return;
    }
    out.copy(REAL_CODE);
    const start = out.length;
    if (Object.is(value, -0)) out.ascii('-0');
    else writeNumber(out, value);
    if (!Number.isInteger(value)) return;
    for (let i = start; i < out.length; i++) if (out.bytes[i] === DOT || out.bytes[i] === LOWER_E) return;
    out.copy(POINT_ZERO);
  }

  #text(column: BytesColumn, row: number): void {
    const out = this.#out;
    const start = column.offsets[row];
    const end = column.offsets[row + 1];
    const before = out.length;
    if (end - start <= MAX_STRING_BYTES) {
      out.copy(this.#oneHeader);
      out.copy(STRING_CODE);
      const valueStart = out.length;
      writeEscaped(out, column.bytes, start, end);
      if (out.length - valueStart <= MAX_STRING_BYTES) {
        out.uint8(LF);
        return;
      }
      out.length = before;
    }
    this.#longText(column, start, end);
  }

  #longText(column: BytesColumn, start: number, end: number): void {
    const out = this.#out;
    const escaped = this.#escaped;
    escaped.reset();
    escaped.reserve((end - start) * MOST_BYTES_PER_BYTE);
    writeEscaped(escaped, column.bytes, start, end);
    const ends: number[] = [];
    for (let at = 0; at < escaped.length; ) {
      at = cutAt(escaped.bytes, at, escaped.length, MAX_STRING_BYTES);
      ends.push(at);
    }
    out.copy(this.#header(String(ends.length)));
    let from = 0;
    for (const to of ends) {
      out.copy(STRING_CODE);
      out.copy(escaped.bytes, from, to);
      out.uint8(LF);
      from = to;
    }
  }

  #binary(column: BytesColumn, row: number): void {
    const out = this.#out;
    const start = column.offsets[row];
    const end = column.offsets[row + 1];
    const pieces = Math.max(1, Math.ceil((end - start) / MAX_BINARY_BYTES));
    out.copy(pieces === 1 ? this.#oneHeader : this.#header(String(pieces)));
    for (let piece = 0; piece < pieces; piece++) {
      const from = start + piece * MAX_BINARY_BYTES;
      const to = Math.min(from + MAX_BINARY_BYTES, end);
      out.copy(BINARY_CODE);
      out.reserve((to - from) * 2 + 1);
      for (let i = from; i < to; i++) {
        out.bytes[out.length++] = HEX[column.bytes[i] >> 4];
        out.bytes[out.length++] = HEX[column.bytes[i] & 15];
      }
      out.bytes[out.length++] = LF;
    }
  }

  #header(count: string): Uint8Array {
    const header = new ByteWriter(64);
    header.copy(STRING_CODE);
    header.ascii(`${this.#kind}${count}:`);
    header.copy(this.#name);
    header.uint8(LF);
    return header.take();
  }
}
