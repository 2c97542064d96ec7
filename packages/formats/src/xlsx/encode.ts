/** Encodes the rows of a batch as XML. Runs in the workers. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { writeJsonAsText } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { GEOMETRY_TYPE, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { writeWkt } from '@geomill/core/geometry/wkt-write.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { asciiSlice, QUOTE, SPACE } from '@geomill/core/text/ascii.ts';
import { usualLength, writeDigits, writeInteger, writeNumber } from '@geomill/core/text/number-text.ts';
import type { CoordinateRounding } from '../coordinate-digits.ts';
import { cellsOf, type GeometryCells as GeometryForm, pointOffset } from '../tables/geometry-output.ts';
import { characterCount, MAX_CHARACTERS, writePlainCell, writeTextCell } from './cell-text.ts';
import { xlsxErrors, xlsxFindings } from './messages.ts';
import { serialOf } from './serial-date.ts';

/** Numbers of the styles in styles.xml. */
export const STYLE = { date: 1, datetime: 2, milliseconds: 3 } as const;

/** Encoded rows; plain data. */
export interface RowChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the number of each row is to be written; see `numberRows`. */
  readonly numberOffsets: Uint32Array<ArrayBuffer>;
}

/** How to encode; plain data. */
export interface SheetEncoding {
  readonly sheet: string;
  readonly rounding: CoordinateRounding;
  /** The row of the header. */
  readonly header: Uint8Array;
  readonly geometry: GeometryForm;
}

const encoder = new TextEncoder();
/** The number of the row is known only when chunks are in order: the sink writes it over the first blanks. */
const ROW = encoder.encode('<row r=         >');
const NUMBER_OFFSET = '<row r='.length;
/** Two quotes and seven digits. */
const NUMBER_BYTES = 9;
const END_ROW = encoder.encode('</row>\n');
const EMPTY = encoder.encode('<c/>');
/** In the last cell of a row without values, which would be no feature. */
const EMPTY_TEXT = encoder.encode('<c t="inlineStr"><is><t></t></is></c>');
const NUMBER = encoder.encode('<c><v>');
const BOOLEAN = encoder.encode('<c t="b"><v>');
const END_VALUE = encoder.encode('</v></c>');
const STYLED = [1, 2, 3].map((style) => encoder.encode(`<c s="${style}"><v>`));
const BYTES_PER_CELL = 48;

/** Every row of the batch. Throws XLSX_TEXT_TOO_LONG. */
export function encodeRows(batch: FeatureBatch, encoding: SheetEncoding, findings: Findings): RowChunk {
  const { columns, geometry, rowCount } = batch;
  const coordinateBytes = geometry.coordinates.length * usualLength(encoding.rounding.xy);
  const out = new ByteWriter(coordinateBytes + (rowCount + 1) * (columns.length + 2) * BYTES_PER_CELL);
  const writers = columns.map((column, i) => new CellWriter(out, column, batch.fields[i].name));
  const geometryWriter = new GeometryCells(out, batch, encoding);
  const cellCount = columns.length + cellsOf(encoding.geometry);
  const numberOffsets = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row++) {
    numberOffsets[row] = out.length + NUMBER_OFFSET;
    out.copy(ROW);
    const from = out.length;
    for (const writer of writers) writer.write(row);
    geometryWriter.write(row);
    if (out.length - from === cellCount * EMPTY.length) {
      out.length -= EMPTY.length;
      out.copy(EMPTY_TEXT);
    }
    out.copy(END_ROW);
  }
  for (const writer of writers) writer.noteLosses(findings);
  return { bytes: out.written(), numberOffsets };
}

/** Writes the numbers of the rows of a chunk, of which the first is `row`, counted from 1. */
export function numberRows({ bytes, numberOffsets }: RowChunk, row: number): void {
  for (const offset of numberOffsets) {
    const digits = String(row++);
    let at = offset;
    bytes[at++] = QUOTE;
    for (let i = 0; i < digits.length; i++) bytes[at++] = digits.charCodeAt(i);
    bytes[at++] = QUOTE;
    bytes.fill(SPACE, at, offset + NUMBER_BYTES);
  }
}

class GeometryCells {
  readonly #out: ByteWriter;
  readonly #batch: FeatureBatch;
  readonly #encoding: SheetEncoding;
  #row = 0;

  constructor(out: ByteWriter, batch: FeatureBatch, encoding: SheetEncoding) {
    this.#out = out;
    this.#batch = batch;
    this.#encoding = encoding;
  }

  write(row: number): void {
    const { geometry } = this.#encoding;
    if (geometry === 'none') return;
    if (geometry !== 'wkt') this.#writeCoordinates(row);
    else if (this.#batch.geometry.types[row] === GEOMETRY_TYPE.none) this.#out.copy(EMPTY);
    else {
      this.#row = row;
      writePlainCell(this.#out, this.#writeWkt);
    }
  }

  readonly #writeWkt = (): void => {
    const out = this.#out;
    const from = out.length;
    writeWkt(out, this.#batch.geometry, this.#row, this.#encoding.rounding);
    if (out.length - from > MAX_CHARACTERS) throw tooLongGeometry(out.length - from, this.#row);
  };

  #writeCoordinates(row: number): void {
    const out = this.#out;
    const { rounding, geometry } = this.#encoding;
    const { coordinates, dimensions } = this.#batch.geometry;
    const at = pointOffset(this.#batch.geometry, row);
    const count = geometry === 'xyz' ? 3 : 2;
    for (let i = 0; i < count; i++) {
      const value = at < 0 || (i === 2 && !hasZ(dimensions)) ? Number.NaN : coordinates[at + i];
      if (!Number.isFinite(value)) {
        out.copy(EMPTY);
        continue;
      }
      out.copy(NUMBER);
      writeDigits(out, value, i === 2 ? rounding.zm : rounding.xy);
      out.copy(END_VALUE);
    }
  }
}

function tooLongGeometry(actual: number, row: number): Error {
  return failure(
    xlsxErrors.XLSX_TEXT_TOO_LONG,
    {
      limit: MAX_CHARACTERS,
      what: 'the WKT of a feature',
      actual,
      advice:
        'add a transformation such as simplify or centroid, write fewer decimals, or write another format',
    },
    { record: row + 1 },
  );
}

class CellWriter {
  readonly #out: ByteWriter;
  readonly #column: AttributeColumn;
  readonly #field: string;
  readonly #scratch = new ByteWriter(256);
  readonly #numbersAsText = new RowTally();
  readonly #datesAsText = new RowTally();

  constructor(out: ByteWriter, column: AttributeColumn, field: string) {
    this.#out = out;
    this.#column = column;
    this.#field = field;
  }

  noteLosses(findings: Findings): void {
    findings.noteTally(xlsxFindings.XLSX_NUMBERS_AS_TEXT, { field: this.#field }, this.#numbersAsText);
    findings.noteTally(xlsxFindings.XLSX_DATES_AS_TEXT, { field: this.#field }, this.#datesAsText);
  }

  write(row: number): void {
    const out = this.#out;
    const column = this.#column;
    if (!isValid(column.validity, row)) {
      out.copy(EMPTY);
      return;
    }
    switch (column.type) {
      case 'int32':
        out.copy(NUMBER);
        writeInteger(out, column.values[row]);
        out.copy(END_VALUE);
        return;
      case 'float64':
        this.#number(column.values[row], String(column.values[row]), row);
        return;
      case 'int64':
        this.#number(Number(column.values[row]), String(column.values[row]), row);
        return;
      case 'boolean':
        out.copy(BOOLEAN);
        out.uint8(column.values[row] !== 0 ? 0x31 : 0x30);
        out.copy(END_VALUE);
        return;
      case 'date':
      case 'datetime':
        this.#date(column.bytes, column.offsets[row], column.offsets[row + 1], row);
        return;
      case 'json':
      case 'binary': {
        const scratch = this.#scratch;
        scratch.reset();
        const [start, end] = [column.offsets[row], column.offsets[row + 1]];
        if (column.type === 'json') writeJsonAsText(scratch, column.bytes, start, end);
        else scratch.base64(column.bytes, start, end);
        this.#text(scratch.bytes, 0, scratch.length, row);
        return;
      }
      default:
        this.#text(column.bytes, column.offsets[row], column.offsets[row + 1], row);
    }
  }

  #number(value: number, text: string, row: number): void {
    const out = this.#out;
    const isExact =
      Number.isFinite(value) && (this.#column.type === 'float64' || Number.isSafeInteger(value));
    if (isExact) {
      out.copy(NUMBER);
      writeNumber(out, value);
      out.copy(END_VALUE);
      return;
    }
    this.#numbersAsText.add(row);
    writePlainCell(out, () => out.ascii(text));
  }

  #date(bytes: Uint8Array, start: number, end: number, row: number): void {
    const out = this.#out;
    const serial = serialOf(asciiSlice(bytes, start, end));
    if (Number.isNaN(serial)) {
      this.#datesAsText.add(row);
      this.#text(bytes, start, end, row);
      return;
    }
    const isWhole = end - start <= 'yyyy-mm-ddThh:mm:ss'.length;
    const style = this.#column.type === 'date' ? STYLE.date : isWhole ? STYLE.datetime : STYLE.milliseconds;
    out.copy(STYLED[style - 1]);
    writeNumber(out, serial);
    out.copy(END_VALUE);
  }

  #text(bytes: Uint8Array, start: number, end: number, row: number): void {
    // A character has at least one byte.
    if (end - start > MAX_CHARACTERS) {
      const actual = characterCount(bytes, start, end);
      if (actual > MAX_CHARACTERS) throw tooLongText(this.#field, actual, row);
    }
    writeTextCell(this.#out, bytes, start, end);
  }
}

function tooLongText(field: string, actual: number, row: number): Error {
  return failure(
    xlsxErrors.XLSX_TEXT_TOO_LONG,
    {
      limit: MAX_CHARACTERS,
      what: `a value of field '${field}'`,
      actual,
      advice: 'leave the field out, or write another format',
    },
    { record: row + 1, field },
  );
}
