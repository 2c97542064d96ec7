/**
 * Collects the values of one property while its type is still being inferred. If the kinds of values differ, the
 * previous values are converted to the common kind:
 *
 *     integer -> float (when exact) -> json        boolean, text with anything else -> json
 *     integer beyond 2^53 -> bigint; with a float or beyond 64 bits -> json, so that no digit is lost
 *
 * Rows are added in order. A row without a value is null; a row that gets two values keeps the last.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { asciiSlice } from '../text/ascii.ts';
import { writeJsonString } from '../text/json-text.ts';
import { LOW_HALF, writeInteger, writeNumber } from '../text/number-text.ts';
import { type AttributeColumn, type BytesColumn, nullColumn, type Validity } from './attribute-column.ts';
import { castColumn } from './cast.ts';
import type { FieldType } from './schema.ts';
import { PLAIN_TEXT, temporalKind } from './temporal-text.ts';

const KIND = { none: 0, boolean: 1, integer: 2, bigint: 3, float: 4, text: 5, json: 6 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

const INT64_LEAST = -(2n ** 63n);
const INT64_MOST = 2n ** 63n - 1n;
/** Length of the longest int64, including its sign. */
const INT64_CHARACTERS = 20;
const NOTHING = new Uint8Array(0);

export class ValueColumn {
  readonly name: string;
  /** The bytes of the key between the quotes, or null if it contains escapes. */
  readonly key: Uint8Array;
  readonly index: number;
  /** Index of the column whose key came after this one's in the last feature; the guess for the next one. */
  following: number;
  rowCount = 0;
  #kind: Kind = KIND.none;
  #numbers = new Float64Array(0);
  #bigints = new BigInt64Array(0);
  #offsets = new Uint32Array(0);
  #text: ByteWriter = new ByteWriter(0);
  #validity = new Uint8Array(64);
  #validCount = 0;
  #least = 0;
  #most = 0;
  /** TEMPORAL kinds of all texts so far, or PLAIN_TEXT. */
  #temporal: number = -1;

  constructor(name: string, key: Uint8Array, index: number) {
    this.name = name;
    this.key = key;
    this.index = index;
    this.following = index + 1;
  }

  appendNumber(row: number, value: number, isInteger: boolean): void {
    const kind = isInteger ? KIND.integer : KIND.float;
    if (this.rowCount !== row) this.#align(row);
    if (this.#kind !== kind) {
      const admitted = this.#admit(kind);
      if (admitted === KIND.bigint) {
        this.appendBigInt(row, BigInt(value));
        return;
      }
      if (admitted === KIND.json) {
        this.#appendJsonNumber(row, value);
        return;
      }
    }
    if (row >= this.#numbers.length) this.#numbers = grown(this.#numbers, row);
    this.#numbers[row] = value;
    if (value < this.#least) this.#least = value;
    else if (value > this.#most) this.#most = value;
    this.#accept(row);
  }

  /** An integer that may not be exact as a double: the JSON number `source[start, end)`. */
  appendLongInteger(row: number, source: Uint8Array, start: number, end: number): void {
    // Longer ones are not converted to a bigint, which takes more than linear time.
    const value = end - start <= INT64_CHARACTERS ? BigInt(asciiSlice(source, start, end)) : null;
    if (value === null || value < INT64_LEAST || value > INT64_MOST) this.appendJson(row, source, start, end);
    else this.appendBigInt(row, value);
  }

  appendBigInt(row: number, value: bigint): void {
    if (this.rowCount !== row) this.#align(row);
    if (this.#kind !== KIND.bigint && this.#admit(KIND.bigint) === KIND.json) {
      const digits = String(value);
      this.appendJson(row, textBytes(digits), 0, digits.length);
      return;
    }
    if (row >= this.#bigints.length) {
      const larger = new BigInt64Array(Math.max(1024, this.#bigints.length * 2, row + 1));
      larger.set(this.#bigints);
      this.#bigints = larger;
    }
    this.#bigints[row] = value;
    this.#accept(row);
  }

  appendBoolean(row: number, value: boolean): void {
    if (this.rowCount !== row) this.#align(row);
    if (this.#kind !== KIND.boolean && this.#admit(KIND.boolean) === KIND.json) {
      const word = textBytes(String(value));
      this.appendJson(row, word, 0, word.length);
      return;
    }
    if (row >= this.#numbers.length) this.#numbers = grown(this.#numbers, row);
    this.#numbers[row] = value ? 1 : 0;
    this.#accept(row);
  }

  /** UTF-8 text `source[start, end)`. */
  appendText(row: number, source: Uint8Array, start: number, end: number): void {
    if (this.rowCount !== row) this.#align(row);
    if (this.#kind !== KIND.text && this.#admit(KIND.text) === KIND.json) {
      writeJsonString(this.#text, source, start, end);
    } else {
      this.#text.copy(source, start, end);
      if (this.#temporal !== PLAIN_TEXT) this.#checkTemporal(source, start, end);
    }
    this.#acceptText(row);
  }

  /** JSON text `source[start, end)`, compact and valid. */
  appendJson(row: number, source: Uint8Array, start: number, end: number): void {
    if (this.rowCount !== row) this.#align(row);
    if (this.#kind !== KIND.json) this.#admit(KIND.json);
    this.#text.copy(source, start, end);
    this.#acceptText(row);
  }

  /** Makes the row null; needed only to discard an earlier value of the same feature. */
  appendNull(row: number): void {
    if (this.rowCount > row) this.#align(row);
  }

  /** The column with `rowCount` rows in the narrowest type that holds every value; text if it has none. */
  finish(rowCount: number): AttributeColumn {
    if (this.#validCount === 0) return nullColumn('string', rowCount);
    this.#align(rowCount);
    const validity = this.#validCount === rowCount ? null : resized(this.#validity, (rowCount + 7) >> 3);
    switch (this.#kind) {
      case KIND.boolean:
        return { type: 'boolean', values: Uint8Array.from(this.#rowNumbers(rowCount)), validity };
      case KIND.integer:
        return this.#finishIntegers(rowCount, validity);
      case KIND.bigint: {
        const values = new BigInt64Array(rowCount);
        values.set(this.#bigints.subarray(0, rowCount));
        return { type: 'int64', values, validity };
      }
      case KIND.float:
        return { type: 'float64', values: this.#rowNumbers(rowCount), validity };
      default:
        return this.#finishText(rowCount, validity);
    }
  }

  #finishIntegers(rowCount: number, validity: Validity): AttributeColumn {
    const numbers = this.#rowNumbers(rowCount);
    if (this.#least >= -2_147_483_648 && this.#most <= 2_147_483_647)
      return { type: 'int32', values: new Int32Array(numbers), validity };
    return { type: 'int64', values: bigintsOf(numbers), validity };
  }

  #finishText(rowCount: number, validity: Validity): BytesColumn {
    let type: FieldType & BytesColumn['type'] = 'json';
    if (this.#kind === KIND.text)
      type = this.#temporal === 0 ? 'date' : this.#temporal === 1 ? 'datetime' : 'string';
    return { type, bytes: this.#text.take(), offsets: this.#offsets.slice(0, rowCount + 1), validity };
  }

  #rowNumbers(rowCount: number): Float64Array<ArrayBuffer> {
    const numbers = new Float64Array(rowCount);
    numbers.set(this.#numbers.subarray(0, rowCount));
    return numbers;
  }

  /** Adjusts the column to `row` rows: missing rows become null, an extra row is removed. */
  #align(row: number): void {
    if (this.rowCount > row) {
      if ((this.#validity[row >> 3] & (1 << (row & 7))) !== 0) this.#validCount--;
      this.#validity[row >> 3] &= ~(1 << (row & 7));
      if (row < this.#numbers.length) this.#numbers[row] = 0;
      if (row < this.#bigints.length) this.#bigints[row] = 0n;
      if (this.#offsets.length !== 0) this.#text.length = this.#offsets[row];
    } else if (this.#offsets.length !== 0) this.#padOffsets(row);
    this.rowCount = row;
    this.#reserveValidity(row);
  }

  #padOffsets(row: number): void {
    if (row >= this.#offsets.length) this.#growOffsets(row);
    this.#offsets.fill(this.#text.length, this.rowCount + 1, row + 1);
  }

  #growOffsets(row: number): void {
    const larger = new Uint32Array(Math.max(1025, this.#offsets.length * 2, row + 2));
    larger.set(this.#offsets);
    this.#offsets = larger;
  }

  #reserveValidity(row: number): void {
    if (row >> 3 >= this.#validity.length)
      this.#validity = resized(this.#validity, Math.max(this.#validity.length * 2, (row >> 3) + 1));
  }

  #accept(row: number): void {
    if (row >> 3 >= this.#validity.length) this.#reserveValidity(row);
    this.#validity[row >> 3] |= 1 << (row & 7);
    this.#validCount++;
    this.rowCount = row + 1;
  }

  #acceptText(row: number): void {
    if (row + 1 >= this.#offsets.length) this.#growOffsets(row);
    this.#offsets[row + 1] = this.#text.length;
    this.#accept(row);
  }

  #checkTemporal(source: Uint8Array, start: number, end: number): void {
    const kind = temporalKind(source, start, end);
    this.#temporal = this.#temporal === -1 || this.#temporal === kind ? kind : PLAIN_TEXT;
  }

  /** Widens the column so that it can take a value of `kind`; returns its new kind. */
  #admit(kind: Kind): Kind {
    const own = this.#kind;
    if (own === kind) return own;
    if (this.#validCount === 0) {
      this.#become(kind);
      return kind;
    }
    if (own === KIND.integer && kind === KIND.float) {
      this.#kind = KIND.float;
      return KIND.float;
    }
    if (own === KIND.float && kind === KIND.integer) return KIND.float;
    if (own === KIND.bigint && kind === KIND.integer) return KIND.bigint;
    if (own === KIND.integer && kind === KIND.bigint) {
      const values = bigintsOf(this.#rowNumbers(this.rowCount));
      this.#become(KIND.bigint);
      this.#bigints = values;
      return KIND.bigint;
    }
    if (own !== KIND.json) this.#toJson();
    return KIND.json;
  }

  /** Resets the storage: for a column without values, or one whose values were just moved. */
  #become(kind: Kind): void {
    this.#kind = kind;
    this.#numbers = new Float64Array(0);
    this.#bigints = new BigInt64Array(0);
    this.#text = new ByteWriter(kind === KIND.text || kind === KIND.json ? 4096 : 0);
    this.#offsets = new Uint32Array(0);
    this.#temporal = -1;
    if (kind === KIND.text || kind === KIND.json) this.#padOffsets(this.rowCount);
  }

  #toJson(): void {
    const kind = this.#kind;
    const numbers = this.#numbers;
    const bigints = this.#bigints;
    const offsets = this.#offsets;
    const { bytes } = this.#text;
    const rowCount = this.rowCount;
    this.#become(KIND.json);
    const json = this.#text;
    for (let row = 0; row < rowCount; row++) {
      if ((this.#validity[row >> 3] & (1 << (row & 7))) !== 0) {
        if (kind === KIND.text) writeJsonString(json, bytes, offsets[row], offsets[row + 1]);
        else if (kind === KIND.boolean) json.ascii(numbers[row] === 1 ? 'true' : 'false');
        else if (kind === KIND.bigint) json.ascii(String(bigints[row]));
        else if (kind === KIND.integer) writeInteger(json, numbers[row]);
        else writeNumber(json, numbers[row]);
      }
      this.#offsets[row + 1] = json.length;
    }
  }

  #appendJsonNumber(row: number, value: number): void {
    writeNumber(this.#text, value);
    this.#acceptText(row);
  }
}

function grown(array: Float64Array<ArrayBuffer>, row: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(Math.max(1024, array.length * 2, row + 1));
  larger.set(array);
  return larger;
}

function resized(array: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(length);
  result.set(length < array.length ? array.subarray(0, length) : array);
  return result;
}

/**
 * Converts integers of magnitude up to 2^53 to 64 bits in two halves: a BigInt per value would be an allocation each.
 */
function bigintsOf(numbers: Float64Array): BigInt64Array<ArrayBuffer> {
  const values = new BigInt64Array(numbers.length);
  const halves = new Int32Array(values.buffer);
  const low = LOW_HALF;
  const high = 1 - LOW_HALF;
  for (let i = 0; i < numbers.length; i++) {
    halves[2 * i + low] = numbers[i] % 4_294_967_296;
    halves[2 * i + high] = Math.floor(numbers[i] / 4_294_967_296);
  }
  return values;
}

const encoder = new TextEncoder();

function textBytes(text: string): Uint8Array {
  return text === '' ? NOTHING : encoder.encode(text);
}

/** Feature ids: integers are int64, texts are never dates. */
export function finishIds(column: ValueColumn, rowCount: number): AttributeColumn {
  const ids = column.finish(rowCount);
  if (ids.type === 'int32') return castColumn(ids, 'int64', rowCount);
  if (ids.type === 'date' || ids.type === 'datetime') return { ...ids, type: 'string' };
  return ids.type === 'boolean' ? castColumn(ids, 'json', rowCount) : ids;
}
