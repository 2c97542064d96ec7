/**
 * Attribute columns: one typed array per field and a validity bitmap, as in Apache Arrow (bit i, least significant
 * first, is 1 if row i has a value; `validity: null` means that every row has one).
 *
 * Text and binary values are stored one after another in `bytes`; row i is `bytes[offsets[i], offsets[i + 1])`, so
 * `offsets` has one entry more than there are rows. A null row has the number 0 or no bytes.
 */
import { trimmed } from '../bytes/trimmed.ts';
import type { FieldType } from './schema.ts';

export type Validity = Uint8Array<ArrayBuffer> | null;

export interface BooleanColumn {
  readonly type: 'boolean';
  readonly values: Uint8Array<ArrayBuffer>;
  readonly validity: Validity;
}
export interface Int32Column {
  readonly type: 'int32';
  readonly values: Int32Array<ArrayBuffer>;
  readonly validity: Validity;
}
export interface Int64Column {
  readonly type: 'int64';
  readonly values: BigInt64Array<ArrayBuffer>;
  readonly validity: Validity;
}
export interface Float64Column {
  readonly type: 'float64';
  readonly values: Float64Array<ArrayBuffer>;
  readonly validity: Validity;
}
export interface BytesColumn {
  readonly type: 'string' | 'date' | 'datetime' | 'json' | 'binary';
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly validity: Validity;
}

export type AttributeColumn = BooleanColumn | Int32Column | Int64Column | Float64Column | BytesColumn;

export function isValid(validity: Validity, row: number): boolean {
  return validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0;
}

/** A column of the given type in which every row is null. */
export function nullColumn(type: FieldType, rowCount: number): AttributeColumn {
  const validity = new Uint8Array((rowCount + 7) >> 3);
  switch (type) {
    case 'boolean':
      return { type, values: new Uint8Array(rowCount), validity };
    case 'int32':
      return { type, values: new Int32Array(rowCount), validity };
    case 'int64':
      return { type, values: new BigInt64Array(rowCount), validity };
    case 'float64':
      return { type, values: new Float64Array(rowCount), validity };
    default:
      return { type, bytes: new Uint8Array(0), offsets: new Uint32Array(rowCount + 1), validity };
  }
}

const decoder = new TextDecoder();

/** A row's value as a JavaScript value: for tests and rare paths, never for hot loops. Null rows are null. */
export function valueAt(
  column: AttributeColumn,
  row: number,
): boolean | number | bigint | string | Uint8Array | null {
  if (!isValid(column.validity, row)) return null;
  switch (column.type) {
    case 'boolean':
      return column.values[row] !== 0;
    case 'int32':
    case 'float64':
    case 'int64':
      return column.values[row];
    case 'binary':
      return column.bytes.slice(column.offsets[row], column.offsets[row + 1]);
    default:
      return decoder.decode(column.bytes.subarray(column.offsets[row], column.offsets[row + 1]));
  }
}

/** The buffers of the column, for a transfer list. */
export function columnBuffers(column: AttributeColumn): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = column.validity === null ? [] : [column.validity.buffer];
  if ('offsets' in column) buffers.push(column.bytes.buffer, column.offsets.buffer);
  else buffers.push(column.values.buffer);
  return buffers;
}

/** Builds a column row by row: call `append…` or `appendNull` exactly once for every row, in order. */
export class ColumnBuilder {
  readonly type: FieldType;
  rowCount = 0;
  #values:
    | Uint8Array<ArrayBuffer>
    | Int32Array<ArrayBuffer>
    | BigInt64Array<ArrayBuffer>
    | Float64Array<ArrayBuffer>;
  #bytes = new Uint8Array(0);
  #byteLength = 0;
  #offsets = new Uint32Array(0);
  #validity: Uint8Array<ArrayBuffer>;
  #nullCount = 0;

  /** `expectedRows` and `expectedBytes` (of text) avoid reallocation if the reader knows them. */
  constructor(type: FieldType, expectedRows = 1024, expectedBytes = expectedRows * 8) {
    this.type = type;
    this.#values = new Uint8Array(0);
    const rows = Math.max(expectedRows, 8);
    this.#validity = new Uint8Array((rows + 7) >> 3);
    if (type === 'boolean') this.#values = new Uint8Array(rows);
    else if (type === 'int32') this.#values = new Int32Array(rows);
    else if (type === 'int64') this.#values = new BigInt64Array(rows);
    else if (type === 'float64') this.#values = new Float64Array(rows);
    else {
      this.#offsets = new Uint32Array(rows + 1);
      this.#bytes = new Uint8Array(Math.max(expectedBytes, 8));
    }
  }

  appendNull(): void {
    const row = this.rowCount;
    this.#room(row);
    this.#nullCount++;
    this.rowCount = row + 1;
    if (this.#offsets.length !== 0) this.#offsets[row + 1] = this.#byteLength;
  }

  /** For boolean (0 or 1), int32 and float64 columns. */
  appendNumber(value: number): void {
    const row = this.rowCount;
    this.#room(row);
    (this.#values as Float64Array)[row] = value;
    this.#validity[row >> 3] |= 1 << (row & 7);
    this.rowCount = row + 1;
  }

  /** For int64 columns. */
  appendBigInt(value: bigint): void {
    const row = this.rowCount;
    this.#room(row);
    (this.#values as BigInt64Array)[row] = value;
    this.#validity[row >> 3] |= 1 << (row & 7);
    this.rowCount = row + 1;
  }

  /** For text and binary columns: appends `source[start, end)`. */
  appendBytes(source: Uint8Array, start: number, end: number): void {
    const row = this.rowCount;
    this.#room(row);
    const count = end - start;
    let at = this.#byteLength;
    if (at + count > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(at + count, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    const bytes = this.#bytes;
    if (count < 48) for (let i = start; i < end; i++) bytes[at++] = source[i];
    else {
      bytes.set(source.subarray(start, end), at);
      at += count;
    }
    this.#byteLength = at;
    this.#offsets[row + 1] = at;
    this.#validity[row >> 3] |= 1 << (row & 7);
    this.rowCount = row + 1;
  }

  /** For text columns, off the hot path. */
  appendText(text: string): void {
    const utf8 = textEncoder.encode(text);
    this.appendBytes(utf8, 0, utf8.length);
  }

  finish(): AttributeColumn {
    const { type, rowCount } = this;
    const validity = this.#nullCount === 0 ? null : trimmed(this.#validity, (rowCount + 7) >> 3);
    switch (type) {
      case 'boolean':
        return { type, values: trimmed(this.#values as Uint8Array<ArrayBuffer>, rowCount), validity };
      case 'int32':
        return { type, values: trimmed(this.#values as Int32Array<ArrayBuffer>, rowCount), validity };
      case 'int64':
        return { type, values: trimmed(this.#values as BigInt64Array<ArrayBuffer>, rowCount), validity };
      case 'float64':
        return { type, values: trimmed(this.#values as Float64Array<ArrayBuffer>, rowCount), validity };
      default:
        return {
          type,
          bytes: trimmed(this.#bytes, this.#byteLength),
          offsets: trimmed(this.#offsets, rowCount + 1),
          validity,
        };
    }
  }

  #room(row: number): void {
    if (row >> 3 >= this.#validity.length)
      this.#validity = grow(this.#validity, new Uint8Array(this.#validity.length * 2));
    if (this.#offsets.length !== 0) {
      if (row + 1 >= this.#offsets.length)
        this.#offsets = grow(this.#offsets, new Uint32Array(this.#offsets.length * 2));
    } else if (row >= this.#values.length) {
      const size = this.#values.length * 2;
      if (this.#values instanceof Float64Array) this.#values = grow(this.#values, new Float64Array(size));
      else if (this.#values instanceof Int32Array) this.#values = grow(this.#values, new Int32Array(size));
      else if (this.#values instanceof BigInt64Array)
        this.#values = grow(this.#values, new BigInt64Array(size));
      else this.#values = grow(this.#values, new Uint8Array(size));
    }
  }
}

const textEncoder = new TextEncoder();

function grow<A extends { set(source: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
