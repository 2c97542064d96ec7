/** Attributes of a feature as numbers of fields with values of vector tiles (MVT 2.1, 4.4), to be put together in each tile. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { writeJsonAsText } from '@geomill/core/columns/cast.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { asciiSlice, LOWER_F, LOWER_T, MINUS, NINE, ZERO } from '@geomill/core/text/ascii.ts';

/** Heads of the members of a Value: number of the member and kind of its bytes. */
const STRING = 0x0a;
const DOUBLE = 0x19;
const UINT = 0x28;
const SINT = 0x30;
const BOOL = 0x38;

const INT64_LEAST = -(2n ** 63n);
const INT64_MOST = 2n ** 63n - 1n;

/** What fields of other types become; of JSON only objects and arrays. */
export const RETYPED: Readonly<Partial<Record<FieldType, string>>> = {
  date: 'text (ISO 8601)',
  datetime: 'text (ISO 8601)',
  json: 'text',
  binary: 'base64 text',
};

export function writeVarint(out: ByteWriter, value: number): void {
  out.reserve(8);
  let rest = value;
  while (rest > 0x7f) {
    out.bytes[out.length++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  out.bytes[out.length++] = rest;
}

/** Bytes of a value as `writeVarint` writes it. */
export function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) count++;
  return count;
}

function writeBigVarint(out: ByteWriter, value: bigint): void {
  out.reserve(10);
  let rest = value;
  while (rest > 0x7fn) {
    out.bytes[out.length++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  out.bytes[out.length++] = Number(rest);
}

export class AttributeEncoder {
  readonly #columns: readonly AttributeColumn[];
  readonly #out = new ByteWriter(1 << 10);
  readonly #value = new ByteWriter(1 << 10);
  readonly #text = new ByteWriter(64);

  constructor(columns: readonly AttributeColumn[]) {
    this.#columns = columns;
  }

  /** Number of a field, length of its value and the value, for each field that has one; valid until the next call. */
  encode(row: number): Uint8Array {
    const out = this.#out;
    const value = this.#value;
    out.reset();
    for (let i = 0; i < this.#columns.length; i++) {
      if (!isValid(this.#columns[i].validity, row)) continue;
      value.reset();
      this.#writeValue(this.#columns[i], row);
      writeVarint(out, i);
      writeVarint(out, value.length);
      out.copy(value.bytes, 0, value.length);
    }
    return out.written();
  }

  #writeValue(column: AttributeColumn, row: number): void {
    const value = this.#value;
    switch (column.type) {
      case 'boolean':
        value.uint8(BOOL);
        value.uint8(column.values[row]);
        return;
      case 'int32': {
        const number = column.values[row];
        value.uint8(number < 0 ? SINT : UINT);
        writeVarint(value, number < 0 ? -2 * number - 1 : number);
        return;
      }
      case 'int64': {
        const number = column.values[row];
        value.uint8(number < 0n ? SINT : UINT);
        writeBigVarint(value, number < 0n ? -2n * number - 1n : number);
        return;
      }
      case 'float64':
        value.uint8(DOUBLE);
        value.float64(column.values[row], true);
        return;
      case 'json':
        this.#writeJson(column, row);
        return;
      default:
        value.uint8(STRING);
        this.#writeText(column, row);
    }
  }

  /** A scalar keeps its type; an object or array becomes its JSON text. */
  #writeJson({ bytes, offsets }: Extract<AttributeColumn, { offsets: Uint32Array }>, row: number): void {
    const value = this.#value;
    const [start, end] = [offsets[row], offsets[row + 1]];
    const first = bytes[start];
    if (first === LOWER_T || first === LOWER_F) {
      value.uint8(BOOL);
      value.uint8(first === LOWER_T ? 1 : 0);
    } else if (first === MINUS || (first >= ZERO && first <= NINE))
      this.#writeNumber(asciiSlice(bytes, start, end));
    else {
      const text = this.#text;
      text.reset();
      writeJsonAsText(text, bytes, start, end);
      value.uint8(STRING);
      writeVarint(value, text.length);
      value.copy(text.bytes, 0, text.length);
    }
  }

  /** A number in the notation of JSON; integers beyond 64 bits become doubles. */
  #writeNumber(text: string): void {
    const value = this.#value;
    const number = Number(text);
    const integer = /^-?\d{1,19}$/.test(text) ? BigInt(text) : null;
    if (integer === null || integer < INT64_LEAST || integer > INT64_MOST) {
      value.uint8(DOUBLE);
      value.float64(number, true);
    } else {
      value.uint8(integer < 0n ? SINT : UINT);
      writeBigVarint(value, integer < 0n ? -2n * integer - 1n : integer);
    }
  }

  #writeText(
    { type, bytes, offsets }: Extract<AttributeColumn, { offsets: Uint32Array }>,
    row: number,
  ): void {
    const value = this.#value;
    const start = offsets[row];
    const end = offsets[row + 1];
    if (type === 'binary') {
      writeVarint(value, Math.ceil((end - start) / 3) * 4);
      value.base64(bytes, start, end);
    } else {
      writeVarint(value, end - start);
      value.copy(bytes, start, end);
    }
  }
}

/** The id as an id of a vector tile; NaN if it cannot be one that is exact everywhere. */
export function idAt(column: AttributeColumn | undefined, row: number): number {
  if (column === undefined || !('values' in column) || column.type === 'boolean') return Number.NaN;
  if (!isValid(column.validity, row)) return Number.NaN;
  const id = Number(column.values[row]);
  return Number.isSafeInteger(id) && id >= 0 ? id : Number.NaN;
}
