/** Writes the values of columns as texts of XML elements. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { LOW_HALF, writeInteger, writeNumber } from '@geomill/core/text/number-text.ts';
import { writeXmlText } from '@geomill/core/text/xml-text.ts';

const encoder = new TextEncoder();
/** [false, true] */
const DIGITS = ['0', '1'].map((text) => encoder.encode(text));
const WORDS = ['false', 'true'].map((text) => encoder.encode(text));

/** Writes the values of one column. One instance per column, so that the type is not checked for each row. */
export class XmlValueWriter {
  /** Values left out because they are not finite. */
  readonly notFinite = new RowTally();
  readonly #out: ByteWriter;
  readonly #column: AttributeColumn;
  readonly #halves: Int32Array;
  readonly #booleans: readonly Uint8Array[];

  /** `hasWords`: booleans are words, for readers that do not know the type. */
  constructor(out: ByteWriter, column: AttributeColumn, hasWords = false) {
    this.#booleans = hasWords ? WORDS : DIGITS;
    this.#out = out;
    this.#column = column;
    this.#halves =
      column.type === 'int64'
        ? new Int32Array(column.values.buffer, column.values.byteOffset, column.values.length * 2)
        : new Int32Array(0);
  }

  /** Whether the value can be written; counts it if not. */
  isWritable(row: number): boolean {
    const column = this.#column;
    if (column.type !== 'float64' || Number.isFinite(column.values[row])) return true;
    this.notFinite.add(row);
    return false;
  }

  /** Returns whether characters were replaced. */
  write(row: number): boolean {
    const out = this.#out;
    const column = this.#column;
    switch (column.type) {
      case 'boolean':
        out.copy(this.#booleans[column.values[row] !== 0 ? 1 : 0]);
        return false;
      case 'int32':
        writeInteger(out, column.values[row]);
        return false;
      case 'int64':
        this.#int64(row, column.values);
        return false;
      case 'float64':
        if (Number.isFinite(column.values[row])) writeNumber(out, column.values[row]);
        return false;
      case 'binary':
        out.base64(column.bytes, column.offsets[row], column.offsets[row + 1]);
        return false;
      default:
        return writeXmlText(out, column.bytes, column.offsets[row], column.offsets[row + 1]);
    }
  }

  #int64(row: number, values: BigInt64Array): void {
    const low = this.#halves[2 * row + LOW_HALF] >>> 0;
    const high = this.#halves[2 * row + 1 - LOW_HALF];
    if (high >= -2_097_152 && high < 2_097_152) writeInteger(this.#out, high * 4_294_967_296 + low);
    else this.#out.ascii(String(values[row]));
  }
}
