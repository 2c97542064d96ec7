/**
 * Binds the records of a chunk as parameters of an INSERT, for tables that are not written by pages: column by column, so
 * that each loop handles one type of value.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { latin1Text, utf8Text } from '@geomill/platform/bytes.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import { CompiledRows } from '@geomill/sqlite/compiled-rows.ts';
import { readRecords, SERIAL } from '@geomill/sqlite/records.ts';
import type { ChunkColumn, GpkgChunk } from './chunk.ts';

/** After the key. */
const GEOMETRY = 1;

export class RecordBinder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #rowCount: number;
  /** Of all values, column after column. */
  readonly #serialTypes: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #columns: readonly ChunkColumn[];
  readonly #valueCount: number;
  /** After the key, and the geometry if there is one. */
  readonly #firstColumn: number;
  /** All bytes as characters: a slice of it is cheaper than decoding a text. */
  #text: string | null = null;

  /** `valueCount`: key, geometry if it has one, and columns of the table; columns that the records lack are null. */
  constructor({ records: { bytes, offsets }, columns, hasGeometry }: GpkgChunk, valueCount: number) {
    const rowCount = offsets.length - 1;
    this.#firstColumn = hasGeometry ? GEOMETRY + 1 : GEOMETRY;
    const starts = offsets.slice(0, rowCount);
    const lengths = starts.map((start, row) => offsets[row + 1] - start);
    const memory = CompiledRows.start();
    const payloads = {
      memory,
      bytes: memory.put(bytes),
      byteLength: bytes.length,
      rowCount,
      starts,
      lengths,
    };
    const records = readRecords(payloads, valueCount, this.#firstColumn + columns.length);
    if (records === null)
      throw failure(generalErrors.INTERNAL, { reason: 'a worker encoded a record wrongly' });
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const length = rowCount * valueCount;
    this.#rowCount = rowCount;
    this.#serialTypes = memory.copyOfUint32(records.serials, length);
    this.#offsets = memory.copyOfUint32(records.places, length);
    this.#columns = columns;
    this.#valueCount = valueCount;
  }

  /**
   * Writes the values of the rows [firstRow, firstRow + rowCount) one row after another to `values`, except the first of
   * each row, which is the key.
   */
  bind(values: SqlValue[], firstRow: number, rowCount: number): void {
    const first = this.#firstColumn;
    if (first > GEOMETRY) this.#bindBlobs(GEOMETRY, values, firstRow, rowCount);
    for (let i = 0; i < this.#columns.length; i++) {
      const column = first + i;
      const { type, isAscii } = this.#columns[i];
      if (type === 'binary') this.#bindBlobs(column, values, firstRow, rowCount);
      else if (type === 'boolean' || type === 'int32' || type === 'float64' || type === 'int64')
        this.#bindNumbers(column, type === 'int64', values, firstRow, rowCount);
      else if (isAscii) this.#bindAscii(column, values, firstRow, rowCount);
      else this.#bindTexts(column, values, firstRow, rowCount);
    }
    for (let column = first + this.#columns.length; column < this.#valueCount; column++)
      for (let k = 0; k < rowCount; k++) values[k * this.#valueCount + column] = null;
  }

  #bindBlobs(column: number, values: SqlValue[], firstRow: number, rowCount: number): void {
    const serialTypes = this.#serialTypes;
    const offsets = this.#offsets;
    for (
      let k = 0, i = column * this.#rowCount + firstRow, to = column;
      k < rowCount;
      k++, i++, to += this.#valueCount
    )
      values[to] =
        serialTypes[i] === SERIAL.none
          ? null
          : this.#bytes.subarray(offsets[i], endOf(serialTypes[i], offsets[i]));
  }

  #bindNumbers(column: number, isBig: boolean, values: SqlValue[], firstRow: number, rowCount: number): void {
    const serialTypes = this.#serialTypes;
    const offsets = this.#offsets;
    for (
      let k = 0, i = column * this.#rowCount + firstRow, to = column;
      k < rowCount;
      k++, i++, to += this.#valueCount
    ) {
      const value = numberAt(this.#view, serialTypes[i], offsets[i]);
      values[to] = isBig && typeof value === 'number' ? BigInt(value) : value;
    }
  }

  #bindAscii(column: number, values: SqlValue[], firstRow: number, rowCount: number): void {
    const serialTypes = this.#serialTypes;
    const offsets = this.#offsets;
    const text = this.#text ?? latin1Text(this.#bytes);
    this.#text = text;
    for (
      let k = 0, i = column * this.#rowCount + firstRow, to = column;
      k < rowCount;
      k++, i++, to += this.#valueCount
    )
      values[to] =
        serialTypes[i] === SERIAL.none ? null : text.slice(offsets[i], endOf(serialTypes[i], offsets[i]));
  }

  #bindTexts(column: number, values: SqlValue[], firstRow: number, rowCount: number): void {
    const serialTypes = this.#serialTypes;
    const offsets = this.#offsets;
    for (
      let k = 0, i = column * this.#rowCount + firstRow, to = column;
      k < rowCount;
      k++, i++, to += this.#valueCount
    )
      values[to] =
        serialTypes[i] === SERIAL.none
          ? null
          : utf8Text(this.#bytes, offsets[i], endOf(serialTypes[i], offsets[i]));
  }
}

/** End of a text or blob. */
function endOf(serial: number, start: number): number {
  return start + ((serial - SERIAL.firstBlob) >>> 1);
}

function numberAt(bytes: DataView, serial: number, at: number): number | bigint | null {
  switch (serial) {
    case SERIAL.none:
      return null;
    case SERIAL.zero:
      return 0;
    case SERIAL.one:
      return 1;
    case SERIAL.float:
      return bytes.getFloat64(at);
    case SERIAL.int64:
      return bytes.getBigInt64(at);
    case SERIAL.int48:
      return bytes.getInt16(at) * 2 ** 32 + bytes.getUint32(at + 2);
    case 4:
      return bytes.getInt32(at);
    case 3:
      return bytes.getInt16(at) * 256 + bytes.getUint8(at + 2);
    case 2:
      return bytes.getInt16(at);
    default:
      return bytes.getInt8(at);
  }
}
