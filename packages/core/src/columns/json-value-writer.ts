/** Writes the values of a column as JSON. */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { RowTally } from '../messages/finding-rows.ts';
import { DOT, LOWER_E, QUOTE } from '../text/ascii.ts';
import { writeJsonString } from '../text/json-text.ts';
import { LOW_HALF, writeInteger, writeNumber } from '../text/number-text.ts';
import type { AttributeColumn } from './attribute-column.ts';

const encoder = new TextEncoder();
const NULL = encoder.encode('null');
const TRUE = encoder.encode('true');
const FALSE = encoder.encode('false');
const POINT_ZERO = encoder.encode('.0');

/** One instance per column, so that the type is not checked for each row. */
export class JsonValueWriter {
  /** Values written as null because they are not finite. */
  readonly notFinite = new RowTally();
  readonly #out: ByteWriter;
  readonly #column: AttributeColumn;
  /** 64-bit integers as pairs of halves: reading one as a BigInt would allocate it. */
  readonly #halves: Int32Array;

  constructor(out: ByteWriter, column: AttributeColumn) {
    this.#out = out;
    this.#column = column;
    this.#halves =
      column.type === 'int64'
        ? new Int32Array(column.values.buffer, column.values.byteOffset, column.values.length * 2)
        : new Int32Array(0);
  }

  write(row: number): void {
    const out = this.#out;
    const column = this.#column;
    const { validity } = column;
    if (validity !== null && (validity[row >> 3] & (1 << (row & 7))) === 0) {
      out.copy(NULL);
      return;
    }
    switch (column.type) {
      case 'boolean':
        out.copy(column.values[row] !== 0 ? TRUE : FALSE);
        return;
      case 'int32':
        writeInteger(out, column.values[row]);
        return;
      case 'int64':
        this.#int64(row, column.values);
        return;
      case 'float64':
        this.#float(column.values[row], row);
        return;
      case 'json':
        if (column.offsets[row] === column.offsets[row + 1]) out.copy(NULL);
        else out.copy(column.bytes, column.offsets[row], column.offsets[row + 1]);
        return;
      case 'binary':
        out.uint8(QUOTE);
        out.base64(column.bytes, column.offsets[row], column.offsets[row + 1]);
        out.uint8(QUOTE);
        return;
      default:
        writeJsonString(out, column.bytes, column.offsets[row], column.offsets[row + 1]);
    }
  }

  #int64(row: number, values: BigInt64Array): void {
    const low = this.#halves[2 * row + LOW_HALF] >>> 0;
    const high = this.#halves[2 * row + 1 - LOW_HALF];
    if (high >= -2_097_152 && high < 2_097_152) writeInteger(this.#out, high * 4_294_967_296 + low);
    else this.#out.ascii(String(values[row]));
  }

  /** An integral float keeps its ".0", so that readers recognise the field as float. */
  #float(value: number, row: number): void {
    const out = this.#out;
    if (value - value !== 0) {
      this.notFinite.add(row);
      out.copy(NULL);
      return;
    }
    const start = out.length;
    writeNumber(out, value);
    if (!Number.isInteger(value)) return;
    for (let i = start; i < out.length; i++) if (out.bytes[i] === DOT || out.bytes[i] === LOWER_E) return;
    out.copy(POINT_ZERO);
  }
}
