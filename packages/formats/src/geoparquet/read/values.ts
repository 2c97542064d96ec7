/** Decodes the values of a page (Encodings.md) into typed arrays; nulls are not among them. */
import { readDeltas32, readDeltas64 } from '../bytes/delta.ts';
import { bitsFor, readHybrid, unpackBits } from '../bytes/hybrid.ts';
import { damaged, unsupported } from '../fault.ts';
import { PHYSICAL } from './metadata.ts';
import type { SchemaNode } from './schema.ts';

export type PageValues =
  | { readonly kind: 'boolean'; readonly values: Uint8Array }
  | { readonly kind: 'int32'; readonly values: Int32Array }
  | { readonly kind: 'int64'; readonly values: BigInt64Array }
  | { readonly kind: 'float64'; readonly values: Float64Array }
  /** Value i is `bytes[starts[i], ends[i])`; also of INT96 and FIXED_LEN_BYTE_ARRAY. */
  | ByteValues;

export interface ByteValues {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Encoding of parquet.thrift. */
export const ENCODING = {
  plain: 0,
  plainDictionary: 2,
  rle: 3,
  bitPacked: 4,
  deltas: 5,
  deltaLengths: 6,
  deltaBytes: 7,
  dictionary: 8,
  split: 9,
} as const;

const INT96_BYTES = 12;
/** A text of deltas may repeat a prefix in every value: what they may have together. */
const MAX_EXPANDED_BYTES = 1 << 28;

/** The first `count` values of `bytes[at, ...)`. */
export function decodeValues(
  encoding: number,
  bytes: Uint8Array,
  at: number,
  count: number,
  leaf: SchemaNode,
  dictionary: PageValues | null,
): PageValues {
  switch (encoding) {
    case ENCODING.plain:
      return plainValues(bytes, at, count, leaf);
    case ENCODING.plainDictionary:
    case ENCODING.dictionary:
      return dictionaryValues(bytes, at, count, leaf, dictionary);
    case ENCODING.rle:
      if (leaf.type === PHYSICAL.boolean) {
        const values = new Uint8Array(count);
        const length = uint32(bytes, at);
        if (at + 4 + length > bytes.length) throw damaged('a page ends within its booleans');
        readHybrid(bytes, at + 4, at + 4 + length, 1, values);
        return { kind: 'boolean', values };
      }
      break;
    case ENCODING.deltas:
      if (leaf.type === PHYSICAL.int32)
        return { kind: 'int32', values: exactly(readDeltas32(bytes, at, bytes.length, count).values, count) };
      if (leaf.type === PHYSICAL.int64)
        return { kind: 'int64', values: exactly(readDeltas64(bytes, at, bytes.length, count).values, count) };
      break;
    case ENCODING.deltaLengths:
      if (leaf.type === PHYSICAL.bytes) return deltaLengths(bytes, at, count);
      break;
    case ENCODING.deltaBytes:
      if (leaf.type === PHYSICAL.bytes || leaf.type === PHYSICAL.fixed)
        return deltaBytes(bytes, at, count, leaf);
      break;
    case ENCODING.split:
      return splitValues(bytes, at, count, leaf);
  }
  throw unsupported(
    `column '${leaf.name}' has encoding ${encoding} for values of type ${leaf.type}, which is not supported; write it with another program`,
  );
}

export function plainValues(bytes: Uint8Array, at: number, count: number, leaf: SchemaNode): PageValues {
  switch (leaf.type) {
    case PHYSICAL.boolean: {
      if (at + Math.ceil(count / 8) > bytes.length) throw short(leaf);
      const values = new Uint8Array(count);
      unpackBits(bytes, at, count, values, 0);
      return { kind: 'boolean', values };
    }
    case PHYSICAL.bytes:
      return plainBytes(bytes, at, count, leaf);
    default: {
      const width = widthOf(leaf);
      if (at + count * width > bytes.length) throw short(leaf);
      return fixedValues(bytes, at, count, leaf);
    }
  }
}

/** Bytes of a value of a type other than BOOLEAN and BYTE_ARRAY. */
function widthOf({ type, typeLength }: SchemaNode): number {
  if (type === PHYSICAL.fixed) return typeLength;
  if (type === PHYSICAL.int96) return INT96_BYTES;
  return type === PHYSICAL.int32 || type === PHYSICAL.float ? 4 : 8;
}

function fixedValues(bytes: Uint8Array, at: number, count: number, leaf: SchemaNode): PageValues {
  const width = widthOf(leaf);
  if (leaf.type === PHYSICAL.fixed || leaf.type === PHYSICAL.int96) {
    const starts = new Uint32Array(count);
    const ends = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      starts[i] = at + i * width;
      ends[i] = starts[i] + width;
    }
    return { kind: 'bytes', bytes, starts, ends };
  }
  // A copy, as the values need not begin at a multiple of their size; typed arrays are little-endian wherever Node runs.
  const copy = new Uint8Array(count * width);
  copy.set(bytes.subarray(at, at + count * width));
  switch (leaf.type) {
    case PHYSICAL.int32:
      return { kind: 'int32', values: new Int32Array(copy.buffer) };
    case PHYSICAL.int64:
      return { kind: 'int64', values: new BigInt64Array(copy.buffer) };
    case PHYSICAL.float:
      return { kind: 'float64', values: Float64Array.from(new Float32Array(copy.buffer)) };
    default:
      return { kind: 'float64', values: new Float64Array(copy.buffer) };
  }
}

function plainBytes(bytes: Uint8Array, at: number, count: number, leaf: SchemaNode): ByteValues {
  const end = bytes.length;
  // Each value has a length of four bytes.
  if (at + count * 4 > end) throw short(leaf);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let next = at;
  for (let i = 0; i < count; i++) {
    if (next + 4 > end) throw short(leaf);
    const length =
      (bytes[next] | (bytes[next + 1] << 8) | (bytes[next + 2] << 16) | (bytes[next + 3] << 24)) >>> 0;
    next += 4;
    starts[i] = next;
    next += length;
    if (next > end) throw short(leaf);
    ends[i] = next;
  }
  return { kind: 'bytes', bytes, starts, ends };
}

function dictionaryValues(
  bytes: Uint8Array,
  at: number,
  count: number,
  leaf: SchemaNode,
  dictionary: PageValues | null,
): PageValues {
  if (dictionary === null) throw damaged(`column '${leaf.name}' has no dictionary`);
  const indexes = new Uint32Array(count);
  if (count > 0) {
    if (at >= bytes.length) throw short(leaf);
    readHybrid(bytes, at + 1, bytes.length, bytes[at], indexes);
  }
  const size = dictionary.kind === 'bytes' ? dictionary.starts.length : dictionary.values.length;
  let most = 0;
  for (let i = 0; i < count; i++) if (indexes[i] > most) most = indexes[i];
  if (count > 0 && most >= size)
    throw damaged(`column '${leaf.name}' refers to value ${most} of a dictionary of ${size}`);
  switch (dictionary.kind) {
    case 'bytes': {
      const starts = new Uint32Array(count);
      const ends = new Uint32Array(count);
      for (let i = 0; i < count; i++) {
        starts[i] = dictionary.starts[indexes[i]];
        ends[i] = dictionary.ends[indexes[i]];
      }
      return { kind: 'bytes', bytes: dictionary.bytes, starts, ends };
    }
    case 'int64': {
      // In halves: reading a BigInt would allocate it.
      const values = new BigInt64Array(count);
      const target = new Int32Array(values.buffer);
      const source = new Int32Array(dictionary.values.buffer);
      for (let i = 0; i < count; i++) {
        target[2 * i] = source[2 * indexes[i]];
        target[2 * i + 1] = source[2 * indexes[i] + 1];
      }
      return { kind: 'int64', values };
    }
    case 'float64': {
      const values = new Float64Array(count);
      for (let i = 0; i < count; i++) values[i] = dictionary.values[indexes[i]];
      return { kind: 'float64', values };
    }
    case 'int32': {
      const values = new Int32Array(count);
      for (let i = 0; i < count; i++) values[i] = dictionary.values[indexes[i]];
      return { kind: 'int32', values };
    }
    default: {
      const values = new Uint8Array(count);
      for (let i = 0; i < count; i++) values[i] = dictionary.values[indexes[i]];
      return { kind: 'boolean', values };
    }
  }
}

/** The bytes of a value are at the same place of as many streams: first bytes, then second bytes, ... */
function splitValues(bytes: Uint8Array, at: number, count: number, leaf: SchemaNode): PageValues {
  if (leaf.type === PHYSICAL.boolean || leaf.type === PHYSICAL.bytes)
    throw damaged(`column '${leaf.name}' has split bytes`);
  const width = widthOf(leaf);
  // Not rounded down to whole values: there are as many in each stream.
  const stride = Math.floor((bytes.length - at) / width);
  if (stride < count) throw short(leaf);
  const joined = new Uint8Array(count * width);
  for (let byte = 0; byte < width; byte++) {
    const stream = at + byte * stride;
    for (let i = 0; i < count; i++) joined[i * width + byte] = bytes[stream + i];
  }
  return fixedValues(joined, 0, count, leaf);
}

function deltaLengths(bytes: Uint8Array, at: number, count: number): ByteValues {
  const { values, end } = readDeltas32(bytes, at, bytes.length, count);
  return ranges(bytes, exactly(values, count), end);
}

function ranges(bytes: Uint8Array, lengths: Int32Array, at: number): ByteValues {
  const starts = new Uint32Array(lengths.length);
  const ends = new Uint32Array(lengths.length);
  let next = at;
  for (let i = 0; i < lengths.length; i++) {
    starts[i] = next;
    next += lengths[i];
    if (lengths[i] < 0 || next > bytes.length) throw damaged('a page ends within its texts');
    ends[i] = next;
  }
  return { kind: 'bytes', bytes, starts, ends };
}

/** Each value repeats a prefix of the value before. */
function deltaBytes(bytes: Uint8Array, at: number, count: number, leaf: SchemaNode): ByteValues {
  const prefixes = readDeltas32(bytes, at, bytes.length, count);
  exactly(prefixes.values, count);
  const suffixes = deltaLengths(bytes, prefixes.end, count);
  let total = 0;
  let before = 0;
  for (let i = 0; i < count; i++) {
    const prefix = prefixes.values[i];
    if (prefix < 0 || prefix > before)
      throw damaged('a page has a text with a longer prefix than the one before it');
    before = prefix + suffixes.ends[i] - suffixes.starts[i];
    if (leaf.type === PHYSICAL.fixed && before !== leaf.typeLength)
      throw damaged(`column '${leaf.name}' has a value of ${before} bytes instead of ${leaf.typeLength}`);
    total += before;
    if (total > MAX_EXPANDED_BYTES)
      throw unsupported(
        `a page has texts of more than ${MAX_EXPANDED_BYTES} bytes; write it with smaller pages`,
      );
  }
  const joined = new Uint8Array(total);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let next = 0;
  for (let i = 0; i < count; i++) {
    starts[i] = next;
    const prefix = prefixes.values[i];
    if (prefix > 0) joined.copyWithin(next, starts[i - 1], starts[i - 1] + prefix);
    joined.set(suffixes.bytes.subarray(suffixes.starts[i], suffixes.ends[i]), next + prefix);
    next += prefix + suffixes.ends[i] - suffixes.starts[i];
    ends[i] = next;
  }
  return { kind: 'bytes', bytes: joined, starts, ends };
}

function exactly<Values extends { readonly length: number }>(values: Values, count: number): Values {
  if (values.length !== count) throw damaged(`a page has ${values.length} deltas for ${count} values`);
  return values;
}

function short({ name }: SchemaNode): Error {
  return damaged(`a page of column '${name}' ends within its values`);
}

export function uint32(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw damaged('a page ends within a length');
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/**
 * The levels of a page: `count` numbers up to `most`. `null`: all are `most`, as far as the type says; `end` is the offset
 * after them.
 */
export function readLevels(
  bytes: Uint8Array,
  at: number,
  end: number,
  most: number,
  count: number,
): Uint8Array {
  const levels = new Uint8Array(count);
  readHybrid(bytes, at, end, bitsFor(most), levels);
  for (let i = 0; i < count; i++)
    if (levels[i] > most) throw damaged(`a page has a level of ${levels[i]} where ${most} is the largest`);
  return levels;
}
