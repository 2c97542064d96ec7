/**
 * Reads the attributes in our own XDATA into typed columns. An attribute is a header, "<kind><count>:<name>", and
 * `count` values (xdata-write.ts). Features of a layer have the same attributes in the same order, so the column after
 * the previous attribute's is tried first.
 */
import { ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { BACKSLASH, CARET, COLON, MINUS, NINE, ZERO } from '@geomill/core/text/ascii.ts';
import type { EntityTags } from '../contract.ts';
import { equals, XDATA_CODE } from './xdata-read.ts';

const TYPES: Readonly<Record<string, FieldType>> = {
  b: 'boolean',
  i: 'int32',
  l: 'int64',
  f: 'float64',
  s: 'string',
  d: 'date',
  t: 'datetime',
  j: 'json',
  x: 'binary',
};
const ID_MARK = 0x40;
/** Integers with up to this many digits are exact as numbers. */
const MAX_SAFE_DIGITS = 15;
const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface OwnColumn {
  readonly name: string;
  readonly kind: number;
  readonly isId: boolean;
  /** The name as written in headers. */
  readonly nameBytes: Uint8Array;
  readonly builder: ColumnBuilder;
}

export class OwnColumns {
  readonly columns: OwnColumn[] = [];
  readonly #byHeader = new Map<string, number>();
  readonly #checkFields: (count: number) => void;
  /** Index of the column that the next attribute probably has. */
  #next = 0;
  // The current header.
  #bytes: Uint8Array = encoder.encode('');
  #kind = 0;
  #isId = false;
  #valueCount = 1;
  #nameStart = 0;
  #end = 0;

  /** `checkFields` throws if there are too many fields. */
  constructor(checkFields: (count: number) => void) {
    this.#checkFields = checkFields;
  }

  /**
   * Appends the attributes in tags `[start, end)` as values of `row`. Returns false if they end in something that is
   * not an attribute; the attributes before it are appended.
   */
  read(tags: EntityTags, start: number, end: number, row: number): boolean {
    this.#next = 0;
    for (let at = start; at < end; ) {
      if (tags.codes[at] !== XDATA_CODE.string || !this.#header(tags, at)) return false;
      const valueStart = at + 1;
      at = valueStart + this.#valueCount;
      if (at > end) return false;
      const column = this.#column();
      if (column === null) return false;
      const { builder } = column;
      // A second value of the same field: the first is used.
      if (builder.rowCount > row) continue;
      alignRows(builder, row);
      if (this.#valueCount === 0) builder.appendNull();
      else if (!append(builder, tags, valueStart, at)) {
        builder.appendNull();
        return false;
      }
    }
    return true;
  }

  #header(tags: EntityTags, index: number): boolean {
    let at = 0;
    if (tags.bytes !== null) {
      this.#bytes = tags.bytes;
      at = tags.starts[index];
      this.#end = tags.ends[index];
    } else {
      this.#bytes = encoder.encode(tags.text(index));
      this.#end = this.#bytes.length;
    }
    const bytes = this.#bytes;
    this.#isId = bytes[at] === ID_MARK;
    if (this.#isId) at++;
    this.#kind = bytes[at++];
    let count = bytes[at] === COLON ? 1 : 0;
    if (bytes[at] !== COLON) {
      const digits = at;
      for (; at < this.#end && bytes[at] >= ZERO && bytes[at] <= NINE; at++)
        count = count * 10 + bytes[at] - ZERO;
      if (at === digits || bytes[at] !== COLON) return false;
    }
    if (at >= this.#end) return false;
    this.#valueCount = count;
    this.#nameStart = at + 1;
    return true;
  }

  /** Null if there is no such kind. */
  #column(): OwnColumn | null {
    let column = this.columns[this.#next];
    if (column === undefined || !this.#isOf(column)) {
      const name = decoder.decode(this.#bytes.subarray(this.#nameStart, this.#end));
      const key = `${this.#isId ? '@' : ''}${this.#kind}:${name}`;
      let index = this.#byHeader.get(key);
      if (index === undefined) {
        const type = TYPES[String.fromCharCode(this.#kind)];
        if (type === undefined) return null;
        index = this.columns.length;
        this.#checkFields(index + 1);
        this.#byHeader.set(key, index);
        this.columns.push({
          name: plainText(name),
          kind: this.#kind,
          isId: this.#isId,
          nameBytes: encoder.encode(name),
          builder: new ColumnBuilder(type),
        });
      }
      this.#next = index;
      column = this.columns[index];
    }
    this.#next++;
    return column;
  }

  #isOf(column: OwnColumn): boolean {
    return (
      column.kind === this.#kind &&
      column.isId === this.#isId &&
      equals(column.nameBytes, this.#bytes, this.#nameStart, this.#end)
    );
  }
}

/** Appends the value in tags `[start, end)`; returns false and appends nothing if it is not of the column's type. */
function append(builder: ColumnBuilder, tags: EntityTags, start: number, end: number): boolean {
  switch (builder.type) {
    case 'boolean':
      return end === start + 1 && appendInteger(builder, tags.real(start), 0, 1);
    case 'int32':
      return end === start + 1 && appendInteger(builder, tags.real(start), INT32_MIN, INT32_MAX);
    case 'int64':
      return end === start + 1 && appendInt64(builder, tags, start);
    case 'float64':
      return end === start + 1 && appendFloat(builder, tags, start);
    case 'binary':
      return appendBinary(builder, tags, start, end);
    default:
      return appendText(builder, tags, start, end);
  }
}

function appendInteger(builder: ColumnBuilder, value: number, least: number, most: number): boolean {
  if (!(value >= least && value <= most) || !Number.isInteger(value)) return false;
  builder.appendNumber(value);
  return true;
}

function appendInt64(builder: ColumnBuilder, tags: EntityTags, at: number): boolean {
  if (tags.bytes !== null) {
    const start = tags.starts[at];
    const end = tags.ends[at];
    const isNegative = tags.bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    if (end - first >= 1 && end - first <= MAX_SAFE_DIGITS) {
      let value = 0;
      let i = first;
      for (; i < end && tags.bytes[i] >= ZERO && tags.bytes[i] <= NINE; i++)
        value = value * 10 + tags.bytes[i] - ZERO;
      if (i === end) {
        builder.appendBigInt(BigInt(isNegative ? -value : value));
        return true;
      }
    }
  }
  const digits = tags.text(at).trim();
  if (!/^-?\d{1,19}$/.test(digits)) return false;
  const value = BigInt(digits);
  if (value < INT64_MIN || value > INT64_MAX) return false;
  builder.appendBigInt(value);
  return true;
}

function appendFloat(builder: ColumnBuilder, tags: EntityTags, at: number): boolean {
  if (tags.codes[at] === XDATA_CODE.real) {
    const value = tags.real(at);
    if (Number.isNaN(value)) return false;
    builder.appendNumber(value);
    return true;
  }
  const text = tags.text(at).trim();
  if (text !== 'NaN' && text !== 'Infinity' && text !== '-Infinity') return false;
  builder.appendNumber(Number(text));
  return true;
}

function appendBinary(builder: ColumnBuilder, tags: EntityTags, start: number, end: number): boolean {
  let digits = '';
  for (let i = start; i < end; i++) {
    if (tags.codes[i] !== XDATA_CODE.binary) return false;
    digits += tags.text(i).trim();
  }
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return false;
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  builder.appendBytes(bytes, 0, bytes.length);
  return true;
}

function appendText(builder: ColumnBuilder, tags: EntityTags, start: number, end: number): boolean {
  if (end === start + 1 && tags.bytes !== null && tags.codes[start] === XDATA_CODE.string) {
    const { bytes } = tags;
    const to = tags.ends[start];
    let i = tags.starts[start];
    while (i < to && bytes[i] !== CARET && bytes[i] !== BACKSLASH) i++;
    if (i === to) {
      builder.appendBytes(bytes, tags.starts[start], to);
      return true;
    }
  }
  let text = '';
  for (let i = start; i < end; i++) {
    if (tags.codes[i] !== XDATA_CODE.string) return false;
    text += tags.text(i);
  }
  builder.appendText(plainText(text));
  return true;
}

/** Decodes "^J" as a line feed, "^ " as a caret, and so on. */
function plainText(text: string): string {
  if (!text.includes('^')) return text;
  return text.replace(/\^([ -_])/g, (_, code: string) =>
    code === ' ' ? '^' : String.fromCharCode(code.charCodeAt(0) ^ 0x40),
  );
}

/** Makes earlier rows without a value null: columns are created while rows are read, and rows may have no value. */
export function alignRows(builder: ColumnBuilder, row: number): void {
  while (builder.rowCount < row) builder.appendNull();
}
