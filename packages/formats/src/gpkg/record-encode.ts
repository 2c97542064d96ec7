/**
 * Encodes a batch as finished records of SQLite (records.ts): header, null for the key, geometry, columns. Runs in the
 * workers, so that the sink only copies bytes. Column after column, so that each loop handles one type of value; the
 * geometry goes directly into its record.
 */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { freeBuffers } from '@geomill/core/columns/feature-batch.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import { blobSerial, headerBytes, varintBytes, writeVarint } from '@geomill/sqlite/record-bytes.ts';
import { SERIAL } from '@geomill/sqlite/records.ts';
import { encodePlainRecords } from './compiled-encode.ts';
import type { EncodedRecords } from './encoded-records.ts';
import { GeometryEncoder, mostGeometryBytes } from './geometry-encode.ts';
import { measureColumn, writeColumn } from './record-columns.ts';

/** The serial type of the key: its value is not in the record. */
export const KEY_SERIAL_BYTES = 1;
/** Rows per call of the inner loop: V8 optimises a function that is called often once, but a long loop while it runs, and again after it. */
const BLOCK = 256;

/** Of each row. */
interface RowPlaces {
  /** Bytes of the serial types of the columns, and of their values. */
  readonly headers: Uint32Array;
  readonly values: Uint32Array;
  /** Where the next serial type and the next value come. */
  readonly headerAt: Uint32Array;
  readonly valueAt: Uint32Array;
}

/** `wider`: of features in degrees; null: in a plane. `spent`: buffers of the geometry that are freed before the columns are written. */
export function encodeRecords(
  geometry: GeometryColumn,
  columns: readonly AttributeColumn[],
  rowCount: number,
  srsId: number,
  wider: SphereBoxes | null,
  spent: readonly ArrayBuffer[],
): EncodedRecords {
  const encoded = encodePlainRecords(geometry, columns, rowCount, srsId);
  // The compiled functions write the boxes of positions.
  const isRight = encoded !== null && (wider === null || !hasWide(encoded.boxes) || !wider.hasAny);
  return isRight ? encoded : encodeAnyRecords(geometry, columns, rowCount, srsId, wider, spent);
}

/** Whether a box is wider than half a turn. */
function hasWide(boxes: Float32Array): boolean {
  for (let at = 0; at < boxes.length; at += 4) if (boxes[at + 1] - boxes[at] > 180) return true;
  return false;
}

/** As `encodeRecords`, in JavaScript. */
export function encodeAnyRecords(
  geometry: GeometryColumn,
  columns: readonly AttributeColumn[],
  rowCount: number,
  srsId: number,
  wider: SphereBoxes | null = null,
  spent: readonly ArrayBuffer[] = [],
): EncodedRecords {
  // Per row: bytes of the serial types and of the values of all columns, and where they are written; the serial types.
  const work = workingMemory(rowCount * (columns.length + 4));
  const [headers, values, headerAt, valueAt, ...serials] = Array.from(
    { length: columns.length + 4 },
    (_, i) => work.subarray(i * rowCount, (i + 1) * rowCount),
  );
  const places = { headers, values, headerAt, valueAt };
  columns.forEach((column, i) => {
    measureColumn(column, serials[i], headers, values);
  });
  const bytes = roomFor(mostBytes(geometry, rowCount, headers, values));
  const encoder = new GeometryEncoder(geometry, rowCount, srsId, bytes, wider);
  const offsets = new Uint32Array(rowCount + 1);
  let blobSerialBytes = 2;
  for (let row = 0; row < rowCount; row += BLOCK) {
    const end = Math.min(row + BLOCK, rowCount);
    blobSerialBytes = writeGeometries(encoder, bytes, places, offsets, row, end, blobSerialBytes);
  }
  freeBuffers(spent);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  columns.forEach((column, i) => {
    writeColumn(column, serials[i], bytes, view, headerAt, valueAt);
  });
  const length = offsets[rowCount];
  const records = {
    bytes: bytes.buffer === keptBytes.buffer ? bytes.slice(0, length) : bytes.subarray(0, length),
    offsets,
  };
  return { records, boxes: encoder.boxes, facts: encoder.facts };
}

/** Writes rows [first, end) up to their geometries, and notes where their other values come. Returns the bytes of the last serial type. */
function writeGeometries(
  encoder: GeometryEncoder,
  bytes: Uint8Array<ArrayBuffer>,
  { headers, values, headerAt, valueAt }: RowPlaces,
  offsets: Uint32Array,
  first: number,
  end: number,
  serialBytesBefore: number,
): number {
  let blobSerialBytes = serialBytesBefore;
  for (let row = first; row < end; row++) {
    const start = offsets[row];
    const serialBytes = KEY_SERIAL_BYTES + headers[row];
    // The length of the blob is known when it is written; most have as many digits as the one before.
    const expectedStart = start + headerBytes(serialBytes + blobSerialBytes);
    encoder.length = expectedStart;
    encoder.writeRow(row);
    const blobBytes = encoder.length - expectedStart;
    const serial = blobBytes === 0 ? SERIAL.none : blobSerial(blobBytes);
    blobSerialBytes = varintBytes(serial);
    const header = headerBytes(serialBytes + blobSerialBytes);
    const blobStart = start + header;
    if (blobStart !== expectedStart) bytes.copyWithin(blobStart, expectedStart, encoder.length);
    const at = writeVarint(bytes, start, header);
    bytes[at] = SERIAL.none;
    headerAt[row] = writeVarint(bytes, at + KEY_SERIAL_BYTES, serial);
    valueAt[row] = blobStart + blobBytes;
    offsets[row + 1] = valueAt[row] + values[row];
  }
  return blobSerialBytes;
}

function mostBytes(
  geometry: GeometryColumn,
  rowCount: number,
  headers: Uint32Array,
  values: Uint32Array,
): number {
  const most = varintBytes(Number.MAX_SAFE_INTEGER);
  let bytes = mostGeometryBytes(geometry, rowCount) + most;
  for (let row = 0; row < rowCount; row++)
    bytes += headerBytes(KEY_SERIAL_BYTES + most + headers[row]) + values[row];
  return bytes;
}

/** Working memory that is kept between batches; those that need more are rare. */
const keptNumbers = new Uint32Array(1 << 18);
const keptBytes = new Uint8Array(4 << 20);

/** All zero. */
function workingMemory(length: number): Uint32Array {
  return length > keptNumbers.length ? new Uint32Array(length) : keptNumbers.subarray(0, length).fill(0);
}

/** With any content: every byte of a record is written. */
function roomFor(byteCount: number): Uint8Array<ArrayBuffer> {
  return byteCount > keptBytes.length ? new Uint8Array(byteCount) : keptBytes.subarray(0, byteCount);
}
