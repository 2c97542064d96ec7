/** Values of a leaf as values of fields, by the logical type (LogicalTypes.md). */

import type { FieldType } from '@geomill/core/columns/schema.ts';
import { hexText } from '@geomill/platform/bytes.ts';
import type { LogicalType } from './logical.ts';
import { PHYSICAL } from './metadata.ts';
import type { SchemaNode } from './schema.ts';
import { dateText, durationText, timestampText, timeText } from './temporal-text.ts';
import type { ByteValues, PageValues } from './values.ts';

/** Decimals with more digits are texts: no float64 has all of them. */
const FLOAT_DIGITS = 15;
/** Programs write up to 32 bytes; the time of a conversion to text grows with the square. */
const MAX_DECIMAL_BYTES = 256;
const INT32_DIGITS = 9;
const INT64_DIGITS = 18;

/** The type of the field of a leaf. */
export function scalarType({ type, typeLength, logical }: SchemaNode): FieldType {
  switch (logical?.kind) {
    case 'date':
      return type === PHYSICAL.int32 ? 'date' : plainType(type);
    case 'timestamp':
      return type === PHYSICAL.int64 ? 'datetime' : plainType(type);
    case 'time':
      return type === PHYSICAL.int32 || type === PHYSICAL.int64 ? 'string' : plainType(type);
    case 'decimal':
      return decimalType(logical);
    case 'integer':
      if (type !== PHYSICAL.int32 && type !== PHYSICAL.int64) return plainType(type);
      return type === PHYSICAL.int64 || (logical.bits === 32 && !logical.isSigned) ? 'int64' : 'int32';
    case 'string':
    case 'enum':
      return type === PHYSICAL.bytes || type === PHYSICAL.fixed ? 'string' : plainType(type);
    case 'json':
      return type === PHYSICAL.bytes ? 'json' : plainType(type);
    case 'unknown':
      return 'string';
    case 'uuid':
      return type === PHYSICAL.fixed && typeLength === 16 ? 'string' : plainType(type);
    case 'interval':
      return type === PHYSICAL.fixed && typeLength === 12 ? 'string' : plainType(type);
    case 'float16':
      return type === PHYSICAL.fixed && typeLength === 2 ? 'float64' : plainType(type);
    default:
      return plainType(type);
  }
}

function plainType(type: number | null): FieldType {
  switch (type) {
    case PHYSICAL.boolean:
      return 'boolean';
    case PHYSICAL.int32:
      return 'int32';
    case PHYSICAL.int64:
      return 'int64';
    case PHYSICAL.int96:
      return 'datetime';
    case PHYSICAL.float:
    case PHYSICAL.double:
      return 'float64';
    default:
      return 'binary';
  }
}

function decimalType({ scale, precision }: { scale: number; precision: number }): FieldType {
  if (scale === 0 && precision <= INT64_DIGITS) return precision <= INT32_DIGITS ? 'int32' : 'int64';
  return precision <= FLOAT_DIGITS ? 'float64' : 'string';
}

/** An unsigned integer of 64 bits: the only one that its field may not hold. */
export function isWide({ type, logical }: SchemaNode): boolean {
  return type === PHYSICAL.int64 && logical?.kind === 'integer' && !logical.isSigned;
}

/** Whether the values of a leaf are those of its field as they are. */
export function isPlain({ type, logical }: SchemaNode): boolean {
  switch (logical?.kind) {
    case undefined:
    case 'geometry':
    case 'geography':
    case 'bson':
    case 'new':
      return type !== PHYSICAL.int96;
    case 'string':
    case 'enum':
    case 'json':
      return true;
    case 'integer':
      return logical.isSigned || logical.bits < 32;
    default:
      return false;
  }
}

export type Scalar = boolean | number | bigint | string | Uint8Array;

/** Value `i` as one of its field; null: no value of the field is equal to it. For values that are not plain. */
export type Convert = (values: PageValues, i: number) => Scalar | null;

export function converterOf(leaf: SchemaNode): Convert {
  const { logical } = leaf;
  const type = scalarType(leaf);
  if (logical === null || isPlain(leaf)) return leaf.type === PHYSICAL.int96 ? int96Text : plainScalar;
  switch (logical.kind) {
    case 'date':
      return type === 'date' ? (values, i) => dateText(numberAt(values, i)) : plainScalar;
    case 'timestamp':
      return type === 'datetime'
        ? (values, i) => timestampText(bigintAt(values, i), logical.unit, logical.isUtc)
        : plainScalar;
    case 'time':
      return type === 'string'
        ? (values, i) => timeText(bigintAt(values, i), logical.unit, logical.isUtc)
        : plainScalar;
    case 'decimal':
      return decimalOf(logical, type);
    case 'integer':
      return unsignedOf(logical, leaf);
    case 'unknown':
      return () => null;
    case 'uuid':
      return type === 'string' ? (values, i) => uuidText(bytesAt(values, i)) : plainScalar;
    case 'interval':
      return type === 'string' ? (values, i) => durationText(bytesAt(values, i)) : plainScalar;
    case 'float16':
      return type === 'float64' ? (values, i) => float16(bytesAt(values, i)) : plainScalar;
    default:
      return plainScalar;
  }
}

/** Booleans, numbers and bytes as they are. */
function plainScalar(values: PageValues, i: number): Scalar {
  if (values.kind === 'boolean') return values.values[i] !== 0;
  return values.kind === 'bytes' ? bytesAt(values, i) : values.values[i];
}

function unsignedOf({ bits }: { bits: number }, { type }: SchemaNode): Convert {
  if (type === PHYSICAL.int32) return (values, i) => BigInt(numberAt(values, i) >>> 0);
  if (bits < 64) return plainScalar;
  return (values, i) => {
    const value = bigintAt(values, i);
    // Beyond the range of the field.
    return value >= 0n ? value : null;
  };
}

/** Of a leaf that is wide: also what a field of int64 cannot hold. */
export const unsignedValue: Convert = (values, i) => BigInt.asUintN(64, bigintAt(values, i));

function decimalOf({ scale }: Extract<LogicalType, { kind: 'decimal' }>, type: FieldType): Convert {
  return (values, i) => {
    const unscaled = values.kind === 'bytes' ? signedOf(bytesAt(values, i)) : bigintAt(values, i);
    if (unscaled === null) return null;
    // A value may have more digits than its type declares.
    if (type === 'int64') return BigInt.asIntN(64, unscaled) === unscaled ? unscaled : null;
    if (type === 'int32') return BigInt.asIntN(32, unscaled) === unscaled ? Number(unscaled) : null;
    const text = decimalText(unscaled, scale);
    return type === 'float64' ? Number(text) : text;
  };
}

/** A big-endian integer in two's complement; null: it is longer than any decimal. */
function signedOf(bytes: Uint8Array): bigint | null {
  if (bytes.length === 0) return 0n;
  if (bytes.length > MAX_DECIMAL_BYTES) return null;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hexText(bytes)}`));
}

export function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled);
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function uuidText(bytes: Uint8Array): string {
  return hexText(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function float16(bytes: Uint8Array): number {
  const bits = bytes[0] | (bytes[1] << 8);
  const sign = bits >> 15 === 1 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Nanoseconds of a day and a Julian day, little-endian: the timestamps of old programs, without a time zone. */
function int96Text(values: PageValues, i: number): string | null {
  const bytes = bytesAt(values, i);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const days = BigInt(view.getInt32(8, true)) - 2_440_588n;
  return timestampText(days * 86_400_000_000_000n + view.getBigInt64(0, true), 'ns', false);
}

function numberAt(values: PageValues, i: number): number {
  return values.kind === 'bytes' ? Number.NaN : Number(values.values[i]);
}

function bigintAt(values: PageValues, i: number): bigint {
  return values.kind === 'int64' ? values.values[i] : values.kind === 'int32' ? BigInt(values.values[i]) : 0n;
}

function bytesAt(values: PageValues, i: number): Uint8Array {
  const { bytes, starts, ends } = values as ByteValues;
  return bytes.subarray(starts[i], ends[i]);
}
