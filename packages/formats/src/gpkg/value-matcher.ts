/** Checks whether a record may have one of some values in a column, by the bytes of the record on its page. */
import type { WantedValue, WantedValues } from '@geomill/core/columns/wanted-values.ts';
import { VALUE_BYTES } from '@geomill/sqlite/record-bytes.ts';
import { SERIAL } from '@geomill/sqlite/records.ts';
import type { GpkgState } from './state.ts';

const encoder = new TextEncoder();
const MAX_INT64 = 2n ** 63n - 1n;
const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
/** Types whose values are compared. */
const COMPARED = new Set(['string', 'int32', 'int64', 'float64']);

/** Matchers for the fields whose values can be compared in records; a row is wanted only if all of them match. */
export function matchersFor({ fields, stored }: GpkgState, wanted: readonly WantedValues[]): ValueMatcher[] {
  if (stored === null) return [];
  return wanted.flatMap((condition) => {
    // Ranges select too many rows to be worth the walk.
    if (!('values' in condition)) return [];
    const { field, values } = condition;
    const index = fields.findIndex(({ name }) => name === field);
    const type = fields[index]?.type ?? null;
    if (type === null || !COMPARED.has(type)) return [];
    if (!values.every(type === 'string' ? isPlainText : isExactNumber)) return [];
    const column = stored.fields[index];
    return [new ValueMatcher(column, type, column < stored.leastColumnCount, values)];
  });
}

/** Whether texts that are equal to it for a filter have the same bytes: U+FFFD replaces bytes that are not UTF-8. */
function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed() && !/[\0\uFFFD]/.test(value);
}

function isExactNumber(value: unknown): boolean {
  if (typeof value === 'bigint') return value >= -MAX_INT64 && value <= MAX_INT64;
  return typeof value === 'number' && Number.isFinite(value);
}

class ValueMatcher {
  readonly #column: number;
  readonly #isText: boolean;
  readonly #isNarrow: boolean;
  readonly #isFloat: boolean;
  /** A record without the column has a default value, which is not known here. */
  readonly #mayHaveDefault: boolean;
  readonly #numbers = new Set<number>();
  /** 1 for the lengths of the wanted texts in bytes. */
  readonly #lengths: Uint8Array;
  readonly #hashes = new Set<number>();

  constructor(column: number, type: string, mayHaveDefault: boolean, values: readonly WantedValue[]) {
    this.#column = column;
    this.#isText = type === 'string';
    this.#isNarrow = type === 'int32';
    this.#isFloat = type === 'float64';
    this.#mayHaveDefault = mayHaveDefault;
    const texts = this.#isText ? values.map((value) => encoder.encode(String(value))) : [];
    this.#lengths = new Uint8Array(texts.reduce((most, { length }) => Math.max(most, length + 1), 0));
    for (const text of texts) {
      this.#lengths[text.length] = 1;
      this.#hashes.add(hashOf(text, 0, text.length));
    }
    if (!this.#isText) for (const value of values) this.#numbers.add(Number(value));
  }

  /**
   * False only if the record has another value than the wanted ones, and it is null or of the declared type: a value of another
   * type changes that of the field. `[start, end)`: the part of the record that is on the page.
   */
  matches(bytes: Uint8Array, start: number, end: number): boolean {
    let at = start;
    let byte = bytes[at++];
    let headerBytes = byte & 0x7f;
    if (byte >= 0x80) {
      byte = bytes[at++];
      if (byte >= 0x80) return true;
      headerBytes = headerBytes * 128 + byte;
    }
    const headerEnd = start + headerBytes;
    if (headerEnd > end) return true;
    let valueAt = headerEnd;
    for (let column = 0; ; column++) {
      if (at >= headerEnd) return this.#mayHaveDefault;
      byte = bytes[at++];
      let serial = byte & 0x7f;
      for (let more = 4; byte >= 0x80 && more > 0; more--) {
        byte = bytes[at++];
        serial = serial * 128 + (byte & 0x7f);
      }
      const valueBytes = serial > SERIAL.one ? (serial - SERIAL.firstBlob) >>> 1 : VALUE_BYTES[serial];
      if (column < this.#column) {
        valueAt += valueBytes;
        continue;
      }
      if (serial === SERIAL.none) return false;
      if (valueAt + valueBytes > end) return true;
      return this.#isText
        ? this.#matchesText(bytes, serial, valueAt, valueBytes)
        : this.#matchesNumber(bytes, serial, valueAt);
    }
  }

  #matchesText(bytes: Uint8Array, serial: number, at: number, length: number): boolean {
    if (serial <= SERIAL.firstBlob || (serial & 1) === 0) return true;
    if (length >= this.#lengths.length || this.#lengths[length] === 0) return false;
    return this.#hashes.has(hashOf(bytes, at, at + length));
  }

  #matchesNumber(bytes: Uint8Array, serial: number, at: number): boolean {
    if (serial > SERIAL.one) return true;
    let value: number;
    if (serial === SERIAL.float) {
      if (!this.#isFloat) return true;
      value = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(at);
    } else {
      value = integerAt(bytes, serial, at);
      if (this.#isNarrow && (value < INT32_MIN || value > INT32_MAX)) return true;
      if (this.#isFloat && !Number.isSafeInteger(value)) return true;
    }
    return this.#numbers.has(value);
  }
}

export type { ValueMatcher };

/** Integers beyond 2^53 are rounded to the nearest float, as the wanted values are. */
function integerAt(bytes: Uint8Array, serial: number, at: number): number {
  if (serial >= SERIAL.zero) return serial - SERIAL.zero;
  if (serial === SERIAL.int64) {
    // Rounded once.
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    return view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
  }
  let value = (bytes[at] << 24) >> 24;
  const end = at + VALUE_BYTES[serial];
  for (let i = at + 1; i < end; i++) value = value * 256 + bytes[i];
  return value;
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash;
}
