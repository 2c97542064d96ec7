/** Encodes the rows of a batch as CSV text. Runs in the workers. */

import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { writeJsonAsText } from '@geomill/core/columns/cast.ts';
import { type FeatureBatch, freeColumns } from '@geomill/core/columns/feature-batch.ts';
import { GEOMETRY_TYPE, type GeometryColumn, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { writeWkt } from '@geomill/core/geometry/wkt-write.ts';
import { COMMA, CR, isBlank, LF, QUOTE } from '@geomill/core/text/ascii.ts';
import { usualLength, writeDigits, writeInteger, writeNumber } from '@geomill/core/text/number-text.ts';
import { appendQuoted } from '@geomill/core/text/quoted-text.ts';
import { base64Text } from '@geomill/platform/bytes.ts';
import type { CoordinateRounding } from '../coordinate-digits.ts';
import { cellsOf, type GeometryCells, pointOffset } from '../tables/geometry-output.ts';

/** How to encode; plain data. */
export interface CsvEncoding {
  readonly delimiter: number;
  readonly rounding: CoordinateRounding;
  readonly header: string;
  readonly geometry: GeometryCells;
}

/** Every row of the batch, each ended by LF. */
export function encodeRows(
  batch: FeatureBatch,
  encoding: CsvEncoding,
  isSpent = false,
): Uint8Array<ArrayBuffer> {
  const { delimiter, rounding } = encoding;
  const { columns, geometry } = batch;
  let expected = geometry.coordinates.length * usualLength(rounding.xy) + batch.rowCount * 48;
  for (const column of columns) if ('offsets' in column) expected += column.bytes.length;
  const writer = new ByteWriter(Math.max(1 << 12, expected));
  const scratch = new ByteWriter(256);
  const columnCount = columns.length;
  const hasGeometry = encoding.geometry !== 'none';
  const isAlone = columnCount + cellsOf(encoding.geometry) === 1;
  for (let row = 0; row < batch.rowCount; row++) {
    for (let i = 0; i < columnCount; i++) {
      const column = columns[i];
      if (isValid(column.validity, row)) writeValue(writer, scratch, column, row, delimiter);
      if (hasGeometry || i < columnCount - 1) writer.uint8(delimiter);
    }
    if (isSpent && row === batch.rowCount - 1) freeColumns(batch);
    if (!hasGeometry) {
      // The values are all there is.
    } else if (encoding.geometry !== 'wkt') writeCoordinates(writer, geometry, row, encoding);
    else if (hasComma(geometry, row) && delimiter === COMMA) {
      writer.uint8(QUOTE);
      writeWkt(writer, geometry, row, rounding);
      writer.uint8(QUOTE);
    } else writeWkt(writer, geometry, row, rounding);
    if (isAlone) writer.uint8(delimiter);
    writer.uint8(LF);
  }
  // The buffer is sent whole: a copy of the exact length would cost more than the unused rest.
  return writer.written();
}

/** Writes the coordinates of a row that has one position or none: the writer has checked it (see `pointRows`). */
function writeCoordinates(
  writer: ByteWriter,
  column: GeometryColumn,
  row: number,
  { delimiter, rounding, geometry }: CsvEncoding,
): void {
  const at = pointOffset(column, row);
  const count = geometry === 'xyz' ? 3 : 2;
  for (let i = 0; i < count; i++) {
    if (i > 0) writer.uint8(delimiter);
    const value = at < 0 || (i === 2 && !hasZ(column.dimensions)) ? Number.NaN : column.coordinates[at + i];
    if (!Number.isNaN(value)) writeDigits(writer, value, i === 2 ? rounding.zm : rounding.xy);
  }
}

/** Whether the WKT of a row contains a comma: it has more than one position or part. */
function hasComma(geometry: GeometryColumn, row: number): boolean {
  const { types, partOffsets, ringOffsets, coordOffsets } = geometry;
  if (types[row] === GEOMETRY_TYPE.point || types[row] === GEOMETRY_TYPE.none) return false;
  const firstPart = partOffsets[row];
  const endPart = partOffsets[row + 1];
  return (
    endPart - firstPart > 1 || coordOffsets[ringOffsets[endPart]] - coordOffsets[ringOffsets[firstPart]] > 1
  );
}

function writeValue(
  writer: ByteWriter,
  scratch: ByteWriter,
  column: AttributeColumn,
  row: number,
  delimiter: number,
): void {
  switch (column.type) {
    case 'int32':
      writeInteger(writer, column.values[row]);
      return;
    case 'float64':
      writeFloat(writer, column.values[row]);
      return;
    case 'boolean':
      writer.ascii(column.values[row] !== 0 ? 'true' : 'false');
      return;
    case 'int64':
      writeBigInt(writer, column.values[row]);
      return;
    case 'binary':
      writer.ascii(base64(column, row));
      return;
    case 'json':
      if (column.bytes[column.offsets[row]] !== QUOTE) break;
      scratch.reset();
      writeJsonAsText(scratch, column.bytes, column.offsets[row], column.offsets[row + 1]);
      writeTextCell(writer, scratch.bytes, 0, scratch.length, delimiter);
      return;
  }
  writeTextCell(writer, column.bytes, column.offsets[row], column.offsets[row + 1], delimiter);
}

/**
 * Floats always have a decimal point or exponent ("5.0"), so that a column of integral floats is not read back as
 * integers.
 */
function writeFloat(writer: ByteWriter, value: number): void {
  if (!Number.isFinite(value)) {
    writer.ascii(Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
    return;
  }
  writeNumber(writer, value);
  // From 1e21 on the text has an exponent.
  if (Number.isInteger(value) && Math.abs(value) < 1e21) writer.ascii('.0');
}

function writeBigInt(writer: ByteWriter, value: bigint): void {
  const number = Number(value);
  if (Number.isSafeInteger(number)) writeInteger(writer, number);
  else writer.ascii(String(value));
}

function base64(column: BytesColumn, row: number): string {
  return base64Text(column.bytes, column.offsets[row], column.offsets[row + 1]);
}

/** Appends text, quoted if it is empty, contains a delimiter, quote or line end, or begins or ends with a blank. */
export function writeTextCell(
  writer: ByteWriter,
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
): void {
  let quoted = start === end || isBlank(bytes[start]) || isBlank(bytes[end - 1]);
  for (let i = start; i < end && !quoted; i++) {
    const byte = bytes[i];
    quoted = byte === delimiter || byte === QUOTE || byte === LF || byte === CR;
  }
  if (quoted) appendQuoted(writer, bytes, start, end);
  else writer.copy(bytes, start, end);
}
