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
  // Per row: bytes of the serial types and of the values of all columns, and where they are written; the serial types.
  const work = workingMemory(rowCount * (columns.length + 4));
  const [headers, values, headerAt, valueAt, ...serials] = Array.from(
    { length: columns.length + 4 },
    (_, i) => work.subarray(i * rowCount, (i + 1) * rowCount),
  );
  columns.forEach((column, i) => {
    measure(column, serials[i], headers, values);
  });
  const bytes = roomFor(mostBytes(geometry, rowCount, headers, values));
  const encoder = new GeometryEncoder(geometry, rowCount, srsId, bytes);
  const offsets = new Uint32Array(rowCount + 1);
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
    write(bytes, headerAt, valueAt, column, serials[i]);
  });
  const length = offsets[rowCount];
  const records = {
    bytes: bytes.buffer === keptBytes.buffer ? bytes.slice(0, length) : bytes.subarray(0, length),
    offsets,
  };
  return { records, boxes: encoder.boxes, facts: encoder.facts };
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

/** Sets the serial type of each row; adds its bytes to `headers`, and those of the value to `values`. */
function measure(
  column: AttributeColumn,
  serials: Uint32Array,
  headers: Uint32Array,
  values: Uint32Array,
): void {
  const rowCount = headers.length;
  const { validity } = column;
  const addNumber = (row: number, serial: number): void => {
    serials[row] = serial;
    values[row] += valueBytes(serial);
  };
  switch (column.type) {
    case 'boolean':
    case 'int32':
      for (let row = 0; row < rowCount; row++)
        if (isValid(validity, row)) addNumber(row, integerSerial(column.values[row]));
      break;
    case 'float64':
      for (let row = 0; row < rowCount; row++)
        if (isValid(validity, row)) addNumber(row, floatSerial(column.values[row]));
      break;
    case 'int64':
      for (let row = 0; row < rowCount; row++)
        if (isValid(validity, row)) addNumber(row, integerSerial(Number(column.values[row])));
      break;
    default: {
      const { offsets } = column;
      const textBit = column.type === 'binary' ? 0 : 1;
      for (let row = 0; row < rowCount; row++) {
        const byteCount = offsets[row + 1] - offsets[row];
        const serial = isValid(validity, row) ? blobSerial(byteCount) + textBit : SERIAL.none;
        serials[row] = serial;
        headers[row] += varintBytes(serial);
        values[row] += byteCount;
      }
      return;
    }
  }
  for (let row = 0; row < rowCount; row++) headers[row]++;
}

/** Writes serial types and values of a column, and moves the places of each row behind them. */
function write(
  bytes: Uint8Array<ArrayBuffer>,
  headerAt: Uint32Array,
  valueAt: Uint32Array,
  column: AttributeColumn,
  serials: Uint32Array,
): void {
  const rowCount = serials.length;
  switch (column.type) {
    case 'boolean':
    case 'int32': {
      const { values } = column;
      for (let row = 0; row < rowCount; row++) {
        const serial = serials[row];
        bytes[headerAt[row]++] = serial;
        valueAt[row] = writeInteger(bytes, valueAt[row], values[row], serial);
      }
      return;
    }
    case 'float64': {
      const { values } = column;
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      for (let row = 0; row < rowCount; row++) {
        const serial = serials[row];
        bytes[headerAt[row]++] = serial;
        if (serial === SERIAL.float) {
          view.setFloat64(valueAt[row], values[row]);
          valueAt[row] += 8;
        } else valueAt[row] = writeInteger(bytes, valueAt[row], values[row], serial);
      }
      return;
    }
    case 'int64': {
      const { values } = column;
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      for (let row = 0; row < rowCount; row++) {
        const serial = serials[row];
        bytes[headerAt[row]++] = serial;
        if (serial === SERIAL.int64) {
          view.setBigInt64(valueAt[row], values[row]);
          valueAt[row] += 8;
        } else valueAt[row] = writeInteger(bytes, valueAt[row], Number(values[row]), serial);
      }
      return;
    }
    default: {
      const { bytes: source, offsets } = column;
      for (let row = 0; row < rowCount; row++) {
        const start = offsets[row];
        const end = offsets[row + 1];
        let at = valueAt[row];
        headerAt[row] = writeVarint(bytes, headerAt[row], serials[row]);
        valueAt[row] = at + end - start;
        if (end - start >= COPY_AT_ONCE_BYTES) bytes.set(source.subarray(start, end), at);
        else for (let i = start; i < end; i++) bytes[at++] = source[i];
      }
    }
  }
}
