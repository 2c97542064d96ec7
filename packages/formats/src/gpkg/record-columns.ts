/**
 * Columns as values of records (records.ts): their serial types and sizes, then their bytes. Each loop is a function of its own that
 * handles one type, so that V8 compiles it once, and small.
 */
import {
  type AttributeColumn,
  type BytesColumn,
  isValid,
  type Validity,
} from '@geomill/core/columns/attribute-column.ts';
import {
  blobSerial,
  floatSerial,
  integerSerial,
  VALUE_BYTES,
  varintBytes,
  writeInteger,
  writeVarint,
} from '@geomill/sqlite/record-bytes.ts';
import { SERIAL } from '@geomill/sqlite/records.ts';

const TWO_TO_32 = 2 ** 32;
/** For fewer bytes a loop is faster than a view and `set`. */
const COPY_AT_ONCE_BYTES = 48;

/**
 * Sets the serial type of each row, which is zero before; adds the bytes of the serial types to `headers`, and those of the
 * values to `values`.
 */
export function measureColumn(
  column: AttributeColumn,
  serials: Uint32Array,
  headers: Uint32Array,
  values: Uint32Array,
): void {
  switch (column.type) {
    case 'boolean':
      measureBooleans(column.values, column.validity, serials);
      break;
    case 'int32':
      measureIntegers(column.values, column.validity, serials, values);
      break;
    case 'float64':
      measureFloats(column.values, column.validity, serials, values);
      break;
    case 'int64':
      measureLongs(halvesOf(column.values), column.validity, serials, values);
      break;
    default:
      measureTexts(column, column.type === 'binary' ? 0 : 1, serials, headers, values);
      return;
  }
  addOne(headers);
}

/** Writes serial types and values of a column, and moves the places of each row behind them. */
export function writeColumn(
  column: AttributeColumn,
  serials: Uint32Array,
  bytes: Uint8Array<ArrayBuffer>,
  view: DataView,
  headerAt: Uint32Array,
  valueAt: Uint32Array,
): void {
  switch (column.type) {
    case 'boolean':
      writeSerials(serials, bytes, headerAt);
      break;
    case 'int32':
      writeSerials(serials, bytes, headerAt);
      writeIntegers(column.values, serials, bytes, valueAt);
      break;
    case 'float64':
      writeSerials(serials, bytes, headerAt);
      writeFloats(column.values, serials, bytes, view, valueAt);
      break;
    case 'int64':
      writeSerials(serials, bytes, headerAt);
      writeLongs(halvesOf(column.values), serials, bytes, view, valueAt);
      break;
    default:
      writeTexts(column, serials, bytes, view, headerAt, valueAt);
  }
}

function addOne(headers: Uint32Array): void {
  for (let row = 0; row < headers.length; row++) headers[row]++;
}

function measureBooleans(booleans: Uint8Array, validity: Validity, serials: Uint32Array): void {
  for (let row = 0; row < serials.length; row++)
    if (isValid(validity, row)) serials[row] = booleans[row] === 0 ? SERIAL.zero : SERIAL.one;
}

function measureIntegers(
  numbers: Int32Array,
  validity: Validity,
  serials: Uint32Array,
  values: Uint32Array,
): void {
  for (let row = 0; row < serials.length; row++) {
    if (!isValid(validity, row)) continue;
    const serial = integerSerial(numbers[row]);
    serials[row] = serial;
    values[row] += VALUE_BYTES[serial];
  }
}

function measureFloats(
  numbers: Float64Array,
  validity: Validity,
  serials: Uint32Array,
  values: Uint32Array,
): void {
  for (let row = 0; row < serials.length; row++) {
    if (!isValid(validity, row)) continue;
    const serial = floatSerial(numbers[row]);
    serials[row] = serial;
    values[row] += VALUE_BYTES[serial];
  }
}

/** Low and high half of each integer: a bigint would be an allocation. Typed arrays are little-endian wherever Node runs. */
function halvesOf(integers: BigInt64Array<ArrayBuffer>): Int32Array {
  return new Int32Array(integers.buffer, integers.byteOffset, integers.length * 2);
}

/** The integer, or the nearest number beyond 2^53. */
function numberOf(halves: Int32Array, row: number): number {
  return halves[2 * row + 1] * TWO_TO_32 + (halves[2 * row] >>> 0);
}

function measureLongs(
  halves: Int32Array,
  validity: Validity,
  serials: Uint32Array,
  values: Uint32Array,
): void {
  for (let row = 0; row < serials.length; row++) {
    if (!isValid(validity, row)) continue;
    const serial = integerSerial(numberOf(halves, row));
    serials[row] = serial;
    values[row] += VALUE_BYTES[serial];
  }
}

function measureTexts(
  { offsets, validity }: BytesColumn,
  textBit: number,
  serials: Uint32Array,
  headers: Uint32Array,
  values: Uint32Array,
): void {
  for (let row = 0; row < serials.length; row++) {
    const byteCount = offsets[row + 1] - offsets[row];
    const serial = isValid(validity, row) ? blobSerial(byteCount) + textBit : SERIAL.none;
    serials[row] = serial;
    headers[row] += varintBytes(serial);
    values[row] += byteCount;
  }
}

/** Serial types of one byte. */
function writeSerials(serials: Uint32Array, bytes: Uint8Array, headerAt: Uint32Array): void {
  for (let row = 0; row < serials.length; row++) bytes[headerAt[row]++] = serials[row];
}

function writeIntegers(
  numbers: Int32Array,
  serials: Uint32Array,
  bytes: Uint8Array,
  valueAt: Uint32Array,
): void {
  for (let row = 0; row < serials.length; row++)
    valueAt[row] = writeInteger(bytes, valueAt[row], numbers[row], serials[row]);
}

function writeFloats(
  numbers: Float64Array,
  serials: Uint32Array,
  bytes: Uint8Array,
  view: DataView,
  valueAt: Uint32Array,
): void {
  for (let row = 0; row < serials.length; row++) {
    if (serials[row] === SERIAL.float) {
      view.setFloat64(valueAt[row], numbers[row]);
      valueAt[row] += 8;
    } else valueAt[row] = writeInteger(bytes, valueAt[row], numbers[row], serials[row]);
  }
}

function writeLongs(
  halves: Int32Array,
  serials: Uint32Array,
  bytes: Uint8Array,
  view: DataView,
  valueAt: Uint32Array,
): void {
  for (let row = 0; row < serials.length; row++) {
    if (serials[row] === SERIAL.int64) {
      view.setInt32(valueAt[row], halves[2 * row + 1]);
      view.setInt32(valueAt[row] + 4, halves[2 * row]);
      valueAt[row] += 8;
    } else valueAt[row] = writeInteger(bytes, valueAt[row], numberOf(halves, row), serials[row]);
  }
}

function writeTexts(
  { bytes: source, offsets }: BytesColumn,
  serials: Uint32Array,
  bytes: Uint8Array,
  view: DataView,
  headerAt: Uint32Array,
  valueAt: Uint32Array,
): void {
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  for (let row = 0; row < serials.length; row++) {
    let place = offsets[row];
    const end = offsets[row + 1];
    let at = valueAt[row];
    headerAt[row] = writeVarint(bytes, headerAt[row], serials[row]);
    valueAt[row] = at + end - place;
    if (end - place >= COPY_AT_ONCE_BYTES) {
      bytes.set(source.subarray(place, end), at);
      continue;
    }
    for (; place + 4 <= end; place += 4, at += 4) view.setUint32(at, from.getUint32(place));
    for (; place < end; place++, at++) bytes[at] = source[place];
  }
}
