/**
 * Encodes a batch as finished records of SQLite (records.ts): header, null for the key, geometry, columns. Runs in the
 * workers, so that the sink only copies bytes. Column after column, so that each loop handles one type of value; the
 * geometry goes directly into its record.
 */
import { type AttributeColumn, isValid } from '../../batch/attribute-column.ts';
import type { GeometryColumn } from '../../batch/geometry-column.ts';
import {
  blobSerial,
  floatSerial,
  headerBytes,
  integerSerial,
  valueBytes,
  varintBytes,
  writeInteger,
  writeVarint,
} from '../../engines/sqlite/record-bytes.ts';
import { SERIAL } from '../../engines/sqlite/records.ts';
import { GeometryEncoder, mostGeometryBytes } from './geometry-encode.ts';
import type { GeometryFacts } from './geometry-facts.ts';

export interface RecordBatch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Row i is `bytes[offsets[i], offsets[i + 1])`. */
  readonly offsets: Uint32Array<ArrayBuffer>;
}

export interface EncodedRecords {
  readonly records: RecordBatch;
  /** minX, maxX, minY, maxY per row in the order of SQLite's RTree, rounded outward; NaN: not in the index. */
  readonly boxes: Float32Array<ArrayBuffer>;
  readonly facts: GeometryFacts;
}

/** The serial type of the key: its value is not in the record. */
export const KEY_SERIAL_BYTES = 1;
/** For fewer bytes a loop is faster than a view and `set`. */
const COPY_AT_ONCE_BYTES = 48;

export function encodeRecords(
  geometry: GeometryColumn,
  columns: readonly AttributeColumn[],
  rowCount: number,
  srsId: number,
): EncodedRecords {
  const serials = columns.map((column) => serialTypes(column, rowCount));
  const { headers, values } = sizesOf(serials, rowCount);
  const bytes = new Uint8Array(mostBytes(geometry, rowCount, headers, values));
  const encoder = new GeometryEncoder(geometry, rowCount, srsId, bytes);
  const offsets = new Uint32Array(rowCount + 1);
  /** Where the serial types and the values of the columns of each row begin. */
  const headerAt = new Uint32Array(rowCount);
  const valueAt = new Uint32Array(rowCount);
  let blobSerialBytes = 2;
  for (let row = 0, start = 0; row < rowCount; row++) {
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
    start = valueAt[row] + values[row];
    offsets[row + 1] = start;
  }
  columns.forEach((column, i) => {
    writeSerials(bytes, headerAt, serials[i]);
    writeValues(bytes, valueAt, column, serials[i]);
  });
  const records = { bytes: bytes.subarray(0, offsets[rowCount]), offsets };
  return { records, boxes: encoder.boxes, facts: encoder.facts };
}

/** Of the columns per row: bytes of serial types, and of values. */
function sizesOf(
  serials: readonly Uint32Array[],
  rowCount: number,
): { readonly headers: Uint32Array; readonly values: Uint32Array } {
  const headers = new Uint32Array(rowCount);
  const values = new Uint32Array(rowCount);
  for (const column of serials)
    for (let row = 0; row < rowCount; row++) {
      headers[row] += varintBytes(column[row]);
      values[row] += valueBytes(column[row]);
    }
  return { headers, values };
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

function serialTypes(column: AttributeColumn, rowCount: number): Uint32Array<ArrayBuffer> {
  const serials = new Uint32Array(rowCount);
  const { validity } = column;
  switch (column.type) {
    case 'boolean':
    case 'int32': {
      const { values } = column;
      for (let row = 0; row < rowCount; row++)
        if (isValid(validity, row)) serials[row] = integerSerial(values[row]);
      break;
    }
    case 'float64': {
      const { values } = column;
      for (let row = 0; row < rowCount; row++)
        if (isValid(validity, row)) serials[row] = floatSerial(values[row]);
      break;
    }
    case 'int64': {
      const { values } = column;
      for (let row = 0; row < rowCount; row++)
        if (isValid(validity, row)) serials[row] = integerSerial(Number(values[row]));
      break;
    }
    default: {
      const { offsets } = column;
      const textBit = column.type === 'binary' ? 0 : 1;
      for (let row = 0; row < rowCount; row++)
        if (isValid(validity, row)) serials[row] = blobSerial(offsets[row + 1] - offsets[row]) + textBit;
    }
  }
  return serials;
}

function writeSerials(bytes: Uint8Array, headerAt: Uint32Array, serials: Uint32Array): void {
  for (let row = 0; row < serials.length; row++)
    headerAt[row] = writeVarint(bytes, headerAt[row], serials[row]);
}

function writeValues(
  bytes: Uint8Array<ArrayBuffer>,
  valueAt: Uint32Array,
  column: AttributeColumn,
  serials: Uint32Array,
): void {
  const rowCount = serials.length;
  switch (column.type) {
    case 'boolean':
    case 'int32': {
      const { values } = column;
      for (let row = 0; row < rowCount; row++)
        if (serials[row] !== SERIAL.none)
          valueAt[row] = writeInteger(bytes, valueAt[row], values[row], serials[row]);
      return;
    }
    case 'float64': {
      const { values } = column;
      const view = new DataView(bytes.buffer);
      for (let row = 0; row < rowCount; row++) {
        if (serials[row] === SERIAL.none) continue;
        if (serials[row] !== SERIAL.float) {
          valueAt[row] = writeInteger(bytes, valueAt[row], values[row], serials[row]);
          continue;
        }
        view.setFloat64(valueAt[row], values[row]);
        valueAt[row] += 8;
      }
      return;
    }
    case 'int64': {
      const { values } = column;
      const view = new DataView(bytes.buffer);
      for (let row = 0; row < rowCount; row++) {
        if (serials[row] === SERIAL.none) continue;
        if (serials[row] !== SERIAL.int64) {
          valueAt[row] = writeInteger(bytes, valueAt[row], Number(values[row]), serials[row]);
          continue;
        }
        view.setBigInt64(valueAt[row], values[row]);
        valueAt[row] += 8;
      }
      return;
    }
    default: {
      const { bytes: source, offsets } = column;
      for (let row = 0; row < rowCount; row++) {
        if (serials[row] === SERIAL.none) continue;
        const start = offsets[row];
        const end = offsets[row + 1];
        let at = valueAt[row];
        valueAt[row] = at + end - start;
        if (end - start >= COPY_AT_ONCE_BYTES) bytes.set(source.subarray(start, end), at);
        else for (let i = start; i < end; i++) bytes[at++] = source[i];
      }
    }
  }
}
