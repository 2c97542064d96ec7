/**
 * Decodes rows: a bitmap with a bit for each field that can be null, then the values of the fields that are not, in the order of the fields.
 */
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../findings.ts';
import type { GeometryReader } from './geometry-reader.ts';
import { filegdbFindings } from './messages.ts';
import { guidText, type TimeForm, TimeWriter } from './row-texts.ts';
import { type RowPlace, refuseRow, type StoredRows } from './rows.ts';
import { FIELD, type GdbField, RASTER } from './table-header.ts';
import { withValidTexts } from './valid-texts.ts';

/** A field as it is read. Plain data: it is sent to worker threads. */
export interface ReadField extends GdbField {
  /** Null: its values are no attributes. */
  readonly valueType: FieldType | null;
  readonly timeForm: TimeForm;
}

/** Bytes of values of fixed length, by type of field. */
const FIXED_BYTES: Readonly<Record<number, number>> = {
  [FIELD.int16]: 2,
  [FIELD.int32]: 4,
  [FIELD.float32]: 4,
  [FIELD.float64]: 8,
  [FIELD.datetime]: 8,
  [FIELD.guid]: 16,
  [FIELD.globalId]: 16,
  [FIELD.int64]: 8,
  [FIELD.date]: 8,
  [FIELD.time]: 8,
  [FIELD.timestampOffset]: 10,
};
const utf16 = new TextDecoder('utf-16le');

export interface DecodedRows {
  readonly fields: readonly ReadField[];
  readonly columns: readonly AttributeColumn[];
}

export class RowDecoder {
  readonly #fields: readonly ReadField[];
  /** By field; null: its values are skipped. */
  readonly #builders: readonly (ColumnBuilder | null)[];
  readonly #bitmapBytes: number;
  readonly #isUtf8: boolean;
  readonly #place: RowPlace;
  readonly #geometry: GeometryReader | null;
  readonly #times = new TimeWriter();
  readonly #short = new RowTally();
  /** By field: rows with a date that ISO 8601 has no form for. */
  readonly #invalid: (RowTally | null)[];
  // The current row.
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #view = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;
  #index = 0;
  #rows: StoredRows | null = null;

  /** `wanted`: whether the values of a field are read. `geometry` null: geometries are skipped. */
  constructor(
    table: { readonly fields: readonly ReadField[]; readonly isUtf8: boolean },
    wanted: (field: ReadField) => boolean,
    geometry: GeometryReader | null,
    place: RowPlace,
    rowCount: number,
  ) {
    this.#fields = table.fields;
    this.#isUtf8 = table.isUtf8;
    this.#place = place;
    this.#geometry = geometry;
    this.#builders = table.fields.map((field) =>
      field.valueType !== null && wanted(field) ? new ColumnBuilder(field.valueType, rowCount) : null,
    );
    this.#invalid = table.fields.map(() => null);
    this.#bitmapBytes = Math.ceil(table.fields.filter(({ isNullable }) => isNullable).length / 8);
  }

  /** Throws FILEGDB_ROW. */
  decode(rows: StoredRows): void {
    this.#rows = rows;
    this.#bytes = rows.bytes;
    this.#view = new DataView(rows.bytes.buffer, rows.bytes.byteOffset, rows.bytes.byteLength);
    for (let i = 0; i < rows.count; i++) {
      this.#index = i;
      this.#row(rows.starts[i], rows.ends[i]);
    }
  }

  finish(findings: Findings): DecodedRows {
    findings.noteTally(filegdbFindings.FILEGDB_ROW_SHORT, {}, this.#short);
    const fields: ReadField[] = [];
    const columns: AttributeColumn[] = [];
    for (const [i, field] of this.#fields.entries()) {
      const builder = this.#builders[i];
      if (builder === null) continue;
      const invalid = this.#invalid[i];
      if (invalid !== null)
        findings.noteTally(
          formatFindings.VALUE_INVALID,
          { field: field.name, type: field.valueType ?? '' },
          invalid,
        );
      fields.push(field);
      columns.push(withValidTexts(builder.finish(), field.name, builder.rowCount, findings));
    }
    return { fields, columns };
  }

  #refuse(reason: string): never {
    const rows = this.#rows as StoredRows;
    const i = this.#index;
    refuseRow(this.#place, rows.numbers[i], this.#offsetOf(this.#at), reason);
  }

  /** Offset in the file of a byte of the current row. */
  #offsetOf(at: number): number {
    const { offsets, starts } = this.#rows as StoredRows;
    return offsets[this.#index] + 4 + at - starts[this.#index];
  }

  #row(start: number, end: number): void {
    const bytes = this.#bytes;
    this.#at = start + this.#bitmapBytes;
    this.#end = end;
    let isShort = this.#at > end;
    let bit = 0;
    for (let i = 0; i < this.#fields.length; i++) {
      const field = this.#fields[i];
      if (field.type === FIELD.objectId) continue;
      let isNull = isShort;
      if (field.isNullable) {
        const at = start + (bit >> 3);
        if (!isShort && (bytes[at] & (1 << (bit & 7))) !== 0) isNull = true;
        bit++;
      }
      if (!isNull && this.#at === end) {
        isShort = true;
        isNull = true;
      }
      if (!isNull) this.#value(field, i);
      else if (field.type === FIELD.geometry) this.#geometry?.none();
      else this.#builders[i]?.appendNull();
    }
    if (isShort) {
      const i = this.#index;
      this.#short.add(i, i + 1, 0, String(this.#rows?.numbers[i] ?? ''));
    }
  }

  #value(field: ReadField, i: number): void {
    const builder = this.#builders[i];
    const { type } = field;
    const fixed = FIXED_BYTES[type];
    if (fixed !== undefined) {
      const at = this.#take(fixed, field);
      if (builder !== null) this.#fixed(field, i, builder, at);
      return;
    }
    if (type === FIELD.raster && field.rasterKind === RASTER.managed) {
      const at = this.#take(4, field);
      builder?.appendNumber(this.#view.getInt32(at, true));
      return;
    }
    const length = this.#length(field);
    const at = this.#take(length, field);
    if (type === FIELD.geometry) {
      const number = (this.#rows as StoredRows).numbers[this.#index];
      this.#geometry?.read(this.#bytes, at, at + length, number, this.#offsetOf(at));
    } else if (builder !== null) {
      const is16 =
        (type === FIELD.string && !this.#isUtf8) ||
        (type === FIELD.raster && field.rasterKind === RASTER.external);
      if (is16) builder.appendText(utf16.decode(this.#bytes.subarray(at, at + length)));
      else builder.appendBytes(this.#bytes, at, at + length);
    }
  }

  #take(count: number, { name }: ReadField): number {
    if (count > this.#end - this.#at)
      this.#refuse(`field '${name}' needs ${count} bytes, and the row has ${this.#end - this.#at} left`);
    const at = this.#at;
    this.#at += count;
    return at;
  }

  /** An integer of variable length. */
  #length(field: ReadField): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let factor = 1; factor < 2 ** 42 && this.#at < this.#end; factor *= 128) {
      const byte = bytes[this.#at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    return this.#refuse(`the length of field '${field.name}' is damaged`);
  }

  #fixed(field: ReadField, i: number, builder: ColumnBuilder, at: number): void {
    const view = this.#view;
    switch (field.type) {
      case FIELD.int16:
        builder.appendNumber(view.getInt16(at, true));
        return;
      case FIELD.int32:
        builder.appendNumber(view.getInt32(at, true));
        return;
      case FIELD.float32:
        builder.appendNumber(view.getFloat32(at, true));
        return;
      case FIELD.float64:
        builder.appendNumber(view.getFloat64(at, true));
        return;
      case FIELD.int64:
        builder.appendBigInt(view.getBigInt64(at, true));
        return;
      case FIELD.guid:
      case FIELD.globalId: {
        const text = guidText(this.#bytes, at);
        builder.appendBytes(text, 0, text.length);
        return;
      }
      default:
        this.#time(field, i, builder, at);
    }
  }

  #time(field: ReadField, i: number, builder: ColumnBuilder, at: number): void {
    const view = this.#view;
    const offset = field.type === FIELD.timestampOffset ? view.getInt16(at + 8, true) : 0;
    const length = this.#times.write(view.getFloat64(at, true), field.timeForm, offset);
    if (length >= 0) {
      builder.appendBytes(this.#times.bytes, 0, length);
      return;
    }
    builder.appendNull();
    const tally = this.#invalid[i] ?? new RowTally();
    this.#invalid[i] = tally;
    tally.add(this.#index, this.#index + 1, 0, String(this.#rows?.numbers[this.#index] ?? ''));
  }
}
