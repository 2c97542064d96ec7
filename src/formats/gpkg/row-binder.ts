/**
 * Binds the rows of a chunk as parameters of an INSERT: column by column, so that each loop handles one type of value.
 */
import { type BytesColumn, isValid, type Validity } from '../../batch/attribute-column.ts';
import type { SqlValue } from '../../engines/sqlite/database.ts';
import type { ChunkColumn, GpkgChunk } from './encode.ts';
import type { GeometryBlobs } from './geometry-encode.ts';

/** Writes the values of the rows [firstRow, firstRow + rowCount) to `values[at]`, `values[at + stride]`, ... */
interface ColumnBinder {
  bind(values: SqlValue[], at: number, stride: number, firstRow: number, rowCount: number): void;
}

export class RowBinder {
  readonly #binders: ColumnBinder[];

  /** `idTexts` is the last column: null if the table has none, 'empty' if no row of the chunk has a text. */
  constructor(chunk: GpkgChunk, idTexts: BytesColumn | 'empty' | null) {
    this.#binders = [new BlobBinder(chunk.geometry), ...chunk.columns.map(columnBinder)];
    if (idTexts === 'empty') this.#binders.push(new NullBinder());
    else if (idTexts !== null) this.#binders.push(new TextBinder(idTexts));
  }

  /** Fills all but the first of the `stride` values of each row; the first is the key. */
  bind(values: SqlValue[], stride: number, firstRow: number, rowCount: number): void {
    const binders = this.#binders;
    for (let i = 0; i < binders.length; i++) binders[i].bind(values, i + 1, stride, firstRow, rowCount);
  }
}

function columnBinder({ column, isAscii }: ChunkColumn): ColumnBinder {
  switch (column.type) {
    case 'boolean':
    case 'int32':
    case 'float64':
    case 'int64':
      return new NumberBinder(column.values, column.validity);
    case 'binary':
      return new BinaryBinder(column);
    default:
      return isAscii ? new AsciiBinder(column) : new TextBinder(column);
  }
}

class NullBinder implements ColumnBinder {
  bind(values: SqlValue[], at: number, stride: number, _firstRow: number, rowCount: number): void {
    for (let k = 0; k < rowCount; k++, at += stride) values[at] = null;
  }
}

class BlobBinder implements ColumnBinder {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;

  constructor({ bytes, offsets }: GeometryBlobs) {
    this.#bytes = bytes;
    this.#offsets = offsets;
  }

  bind(values: SqlValue[], at: number, stride: number, firstRow: number, rowCount: number): void {
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    for (let row = firstRow; row < firstRow + rowCount; row++, at += stride) {
      const start = offsets[row];
      const end = offsets[row + 1];
      values[at] = start === end ? null : bytes.subarray(start, end);
    }
  }
}

class NumberBinder implements ColumnBinder {
  readonly #source: Uint8Array | Int32Array | Float64Array | BigInt64Array;
  readonly #validity: Validity;

  constructor(source: Uint8Array | Int32Array | Float64Array | BigInt64Array, validity: Validity) {
    this.#source = source;
    this.#validity = validity;
  }

  bind(values: SqlValue[], at: number, stride: number, firstRow: number, rowCount: number): void {
    const source = this.#source;
    const validity = this.#validity;
    for (let row = firstRow; row < firstRow + rowCount; row++, at += stride)
      values[at] = isValid(validity, row) ? source[row] : null;
  }
}

class BinaryBinder implements ColumnBinder {
  readonly #column: BytesColumn;

  constructor(column: BytesColumn) {
    this.#column = column;
  }

  bind(values: SqlValue[], at: number, stride: number, firstRow: number, rowCount: number): void {
    const { bytes, offsets, validity } = this.#column;
    for (let row = firstRow; row < firstRow + rowCount; row++, at += stride)
      values[at] = isValid(validity, row) ? bytes.subarray(offsets[row], offsets[row + 1]) : null;
  }
}

/** Slices the texts from one string: a decoder call per value would cost more than the value. */
class AsciiBinder implements ColumnBinder {
  readonly #text: string;
  readonly #offsets: Uint32Array;
  readonly #validity: Validity;

  constructor({ bytes, offsets, validity }: BytesColumn) {
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    this.#offsets = offsets;
    this.#validity = validity;
  }

  bind(values: SqlValue[], at: number, stride: number, firstRow: number, rowCount: number): void {
    const text = this.#text;
    const offsets = this.#offsets;
    const validity = this.#validity;
    for (let row = firstRow; row < firstRow + rowCount; row++, at += stride)
      values[at] = isValid(validity, row) ? text.slice(offsets[row], offsets[row + 1]) : null;
  }
}

class TextBinder implements ColumnBinder {
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;
  readonly #validity: Validity;

  constructor({ bytes, offsets, validity }: BytesColumn) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#offsets = offsets;
    this.#validity = validity;
  }

  bind(values: SqlValue[], at: number, stride: number, firstRow: number, rowCount: number): void {
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    const validity = this.#validity;
    for (let row = firstRow; row < firstRow + rowCount; row++, at += stride)
      values[at] = isValid(validity, row) ? bytes.toString('utf8', offsets[row], offsets[row + 1]) : null;
  }
}
