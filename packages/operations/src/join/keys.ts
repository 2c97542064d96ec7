/**
 * Keys of rows as bytes: equal values have equal bytes, whatever the types of their columns. A number is never equal to a text; an
 * integer is equal to the same number with a fraction of zero; dates and times are compared as their texts.
 */
import { type AttributeColumn, isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { LOW_HALF } from '@geomill/core/text/number-text.ts';

/** How keys are compared: by value and type, or after converting all to texts or to numbers. */
export type KeyComparison = 'value' | 'text' | 'number';

const TAG = { integer: 1, fraction: 2, boolean: 3, text: 4, json: 5, binary: 6 } as const;
const TWO_32 = 2 ** 32;
const MAX_EXACT = 2 ** 63;

export type KeyKind = 'number' | 'text' | 'boolean' | 'binary' | 'any';

/** Keys of different kinds are never equal; null: the kind depends on the value. */
export function keyKind(type: FieldType, comparison: KeyComparison): KeyKind {
  if (comparison !== 'value') return comparison;
  switch (type) {
    case 'int32':
    case 'int64':
    case 'float64':
      return 'number';
    case 'boolean':
    case 'binary':
      return type;
    case 'json':
      return 'any';
    default:
      return 'text';
  }
}

/** The column as its keys are compared. Values that are no numbers become null with `number`. */
export function keyColumn(
  column: AttributeColumn,
  rowCount: number,
  comparison: KeyComparison,
): AttributeColumn {
  if (comparison === 'value') return column;
  if (comparison === 'text')
    return column.type === 'binary' ? column : castColumn(column, 'string', rowCount);
  if (column.type === 'int32' || column.type === 'int64' || column.type === 'float64') return column;
  const values = new Float64Array(rowCount);
  const validity = new Uint8Array((rowCount + 7) >> 3);
  for (let row = 0; row < rowCount; row++) {
    const value = valueAt(column, row);
    if (value === null || value instanceof Uint8Array) continue;
    const text = typeof value === 'string' ? value.trim() : String(Number(value));
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) continue;
    values[row] = Number(text);
    validity[row >> 3] |= 1 << (row & 7);
  }
  return { type: 'float64', values, validity };
}

/** Writes the key of one row at a time to `bytes`. */
export class KeyWriter {
  readonly #columns: readonly AttributeColumn[];
  readonly #halves: readonly (Int32Array | null)[];
  bytes = new Uint8Array(64);
  #words = new DataView(this.bytes.buffer);
  /** Of the key in `bytes`. */
  length = 0;

  constructor(columns: readonly AttributeColumn[]) {
    this.#columns = columns;
    this.#halves = columns.map((column) =>
      column.type === 'int64'
        ? new Int32Array(column.values.buffer, column.values.byteOffset, column.values.length * 2)
        : null,
    );
  }

  /** False where a part of the key is null or NaN: such a key is equal to none. */
  write(row: number): boolean {
    this.length = 0;
    for (let i = 0; i < this.#columns.length; i++) if (!this.#append(i, row)) return false;
    return true;
  }

  /** FNV-1a from a seed, so that no file can be made to have keys of one hash. */
  hash(seed: number): number {
    const { bytes, length } = this;
    let hash = seed;
    for (let at = 0; at < length; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  equals(other: KeyWriter): boolean {
    if (this.length !== other.length) return false;
    const { bytes, length } = this;
    for (let at = 0; at < length; at++) if (bytes[at] !== other.bytes[at]) return false;
    return true;
  }

  #append(index: number, row: number): boolean {
    const column = this.#columns[index];
    if (!isValid(column.validity, row)) return false;
    switch (column.type) {
      case 'int32':
        this.#integer(column.values[row], column.values[row] >> 31);
        return true;
      case 'int64': {
        const halves = this.#halves[index]!;
        this.#integer(halves[2 * row + LOW_HALF], halves[2 * row + 1 - LOW_HALF]);
        return true;
      }
      case 'float64':
        return this.#number(column.values[row]);
      case 'boolean':
        this.#reserve(2);
        this.bytes[this.length++] = TAG.boolean;
        this.bytes[this.length++] = column.values[row];
        return true;
      case 'json':
        return this.#json(valueAt(column, row) as string);
      default:
        this.#bytes(
          column.type === 'binary' ? TAG.binary : TAG.text,
          column.bytes,
          column.offsets[row],
          column.offsets[row + 1],
        );
        return true;
    }
  }

  #number(value: number): boolean {
    if (Number.isNaN(value)) return false;
    if (Number.isInteger(value) && value >= -MAX_EXACT && value < MAX_EXACT) {
      const high = Math.floor(value / TWO_32);
      this.#integer((value - high * TWO_32) | 0, high | 0);
      return true;
    }
    this.#reserve(9);
    this.bytes[this.length] = TAG.fraction;
    this.#words.setFloat64(this.length + 1, value);
    this.length += 9;
    return true;
  }

  #integer(low: number, high: number): void {
    this.#reserve(9);
    const { bytes } = this;
    let at = this.length;
    bytes[at++] = TAG.integer;
    for (let shift = 0; shift < 32; shift += 8) bytes[at++] = low >>> shift;
    for (let shift = 0; shift < 32; shift += 8) bytes[at++] = high >>> shift;
    this.length = at;
  }

  /** Of a field with values of several kinds: a text or a number in JSON is the same key as without JSON. */
  #json(text: string): boolean {
    const value: unknown = JSON.parse(text);
    if (value === null) return false;
    if (typeof value === 'number') return this.#number(value);
    if (typeof value === 'boolean') {
      this.#reserve(2);
      this.bytes[this.length++] = TAG.boolean;
      this.bytes[this.length++] = value ? 1 : 0;
      return true;
    }
    const bytes = encoder.encode(typeof value === 'string' ? value : text);
    this.#bytes(typeof value === 'string' ? TAG.text : TAG.json, bytes, 0, bytes.length);
    return true;
  }

  /** The length before the bytes keeps keys of several fields apart. */
  #bytes(tag: number, source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.#reserve(count + 5);
    const { bytes } = this;
    let at = this.length;
    bytes[at++] = tag;
    for (let shift = 0; shift < 32; shift += 8) bytes[at++] = count >>> shift;
    for (let from = start; from < end; ) bytes[at++] = source[from++];
    this.length = at;
  }

  #reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.#words = new DataView(grown.buffer);
  }
}

const encoder = new TextEncoder();
