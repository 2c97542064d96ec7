/** Parts of records and cells (fileformat2.html 1.6 and 2.1), written as SQLite writes them. */
import { SERIAL } from './records.ts';

const TWO_TO_32 = 2 ** 32;
/** Integers from -2^47 to 2^47 - 1 take at most 6 bytes. */
const INT48 = 2 ** 47;

/** Bytes of a number below 2^53 as a varint. */
export function varintBytes(value: number): number {
  if (value < 1 << 7) return 1;
  if (value < 1 << 14) return 2;
  if (value < 1 << 21) return 3;
  if (value < 1 << 28) return 4;
  let count = 4;
  for (let rest = Math.floor(value / (1 << 28)); rest > 0; rest = Math.floor(rest / 128)) count++;
  return count;
}

/** Writes a number below 2^53 as a varint at `at`; returns its end. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  if (value < 1 << 7) {
    bytes[at] = value;
    return at + 1;
  }
  const end = at + varintBytes(value);
  let i = end - 1;
  let rest = value;
  for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) bytes[i--] = 0x80 | (rest % 128);
  for (let low = rest | 0; i >= at; low >>>= 7) bytes[i--] = 0x80 | low;
  bytes[end - 1] &= 0x7f;
  return end;
}

/** Bytes of a rowid, a signed integer of 64 bits. */
export function keyBytes(key: number | bigint): number {
  if (key >= 0 && key <= Number.MAX_SAFE_INTEGER) return varintBytes(Number(key));
  return key >= 0 && key < 2n ** 56n ? 8 : 9;
}

/** Writes a rowid at `at`; returns its end. */
export function writeKey(bytes: Uint8Array, at: number, key: number | bigint): number {
  if (key >= 0 && key <= Number.MAX_SAFE_INTEGER) return writeVarint(bytes, at, Number(key));
  const count = keyBytes(key);
  let rest = BigInt.asUintN(64, BigInt(key));
  // The ninth byte has 8 bits, all others 7.
  for (let i = count - 1; i >= 0; i--) {
    const bits = count === 9 && i === 8 ? 8n : 7n;
    bytes[at + i] = Number(rest & ((1n << bits) - 1n)) | (i === count - 1 ? 0 : 0x80);
    rest >>= bits;
  }
  return at + count;
}

/** The serial type of an integer that a double holds exactly, at most 2^53. */
export function integerSerial(value: number): number {
  const size = value < 0 ? -value - 1 : value;
  if (size < 1 << 7) return value === 0 ? SERIAL.zero : value === 1 ? SERIAL.one : 1;
  if (size < 1 << 15) return 2;
  if (size < 1 << 23) return 3;
  if (size < 2 ** 31) return 4;
  return size < INT48 ? SERIAL.int48 : SERIAL.int64;
}

/** The serial type of a float in a column declared as REAL: whole numbers of up to 6 bytes are stored as integers. */
export function floatSerial(value: number): number {
  return Number.isInteger(value) && value < INT48 && value >= -INT48 ? integerSerial(value) : SERIAL.float;
}

/** The serial type of a blob; that of a text of as many bytes is larger by one. */
export function blobSerial(byteCount: number): number {
  return SERIAL.firstBlob + 2 * byteCount;
}

/** Bytes of the value of a serial type up to 9. */
export const VALUE_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

/** Bytes of the value of a serial type. */
export function valueBytes(serial: number): number {
  return serial <= SERIAL.one ? VALUE_BYTES[serial] : Math.floor((serial - SERIAL.firstBlob) / 2);
}

/** Writes an integer of a serial type up to 6 bytes, or nothing for other types; returns its end. */
export function writeInteger(bytes: Uint8Array, at: number, value: number, serial: number): number {
  switch (serial) {
    case 1:
      bytes[at] = value;
      return at + 1;
    case 2:
      bytes[at] = value >> 8;
      bytes[at + 1] = value;
      return at + 2;
    case 3:
      bytes[at] = value >> 16;
      bytes[at + 1] = value >> 8;
      bytes[at + 2] = value;
      return at + 3;
    case 4:
      return writeInt32(bytes, at, value | 0);
    case SERIAL.int48: {
      const high = Math.floor(value / TWO_TO_32);
      bytes[at] = high >> 8;
      bytes[at + 1] = high;
      return writeInt32(bytes, at + 2, value | 0);
    }
    default:
      return at;
  }
}

function writeInt32(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = value >> 24;
  bytes[at + 1] = value >> 16;
  bytes[at + 2] = value >> 8;
  bytes[at + 3] = value;
  return at + 4;
}

/** Bytes of the header of a record, of which the serial types take `serialBytes`: it begins with its own length. */
export function headerBytes(serialBytes: number): number {
  let own = 1;
  while (varintBytes(serialBytes + own) > own) own++;
  return serialBytes + own;
}
