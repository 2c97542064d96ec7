/**
 * Columns of a batch whose values are texts of a document, such as of XML elements. Their types are declared by the document
 * or inferred from the values; a declared type that does not hold all values is widened, so no value is lost.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { trimmed } from '../bytes/trimmed.ts';
import { asciiSlice } from '../text/ascii.ts';
import { NumberScanner } from '../text/number-scanner.ts';
import { type AttributeColumn, type BytesColumn, nullColumn } from './attribute-column.ts';
import { convertColumn } from './convert-column.ts';
import type { FieldType } from './schema.ts';
import { KIND, kindOf, TYPE_OF_KIND, widenKind } from './text-kinds.ts';

/** The declared type; temporal: date or datetime where all values are, else string; null: inferred. */
export type TextHint = 'string' | 'json' | 'boolean' | 'int32' | 'int64' | 'float64' | 'temporal' | null;

const scanner = new NumberScanner();

export class TextColumn {
  readonly name: string;
  /** Its place among the columns. */
  readonly index: number;
  hint: TextHint;
  /** Index of the column that came after this one in the last row: the guess for the next one. */
  following: number;
  /** Number of rows with a value or a null; later rows are null. */
  rowCount = 0;
  readonly #bytes = new ByteWriter(1024);
  #offsets = new Uint32Array(1025);
  #validity = new Uint8Array(128);
  #valueCount = 0;

  constructor(name: string, hint: TextHint, index: number) {
    this.name = name;
    this.index = index;
    this.hint = hint;
    this.following = index + 1;
  }

  get hasValues(): boolean {
    return this.#valueCount > 0;
  }

  /** Whether the row, the last one, has a value. */
  hasValue(row: number): boolean {
    return this.rowCount > row;
  }

  /** Whether the row has this value. */
  isValue(row: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.#offsets[row];
    if (!this.hasValue(row) || this.#offsets[row + 1] - from !== end - start) return false;
    for (let i = start; i < end; i++) if (this.#bytes.bytes[from + i - start] !== source[i]) return false;
    return true;
  }

  /** UTF-8 text of a row after the last one; in a json column, JSON text. */
  append(row: number, source: Uint8Array, start: number, end: number): void {
    if (row + 1 >= this.#offsets.length) this.#grow(row);
    if (this.rowCount < row) this.#offsets.fill(this.#bytes.length, this.rowCount + 1, row + 1);
    this.#bytes.copy(source, start, end);
    this.#offsets[row + 1] = this.#bytes.length;
    this.#validity[row >> 3] |= 1 << (row & 7);
    this.#valueCount++;
    this.rowCount = row + 1;
  }

  /** The narrowest type that holds every value, or the declared one. */
  inferType(): FieldType {
    const { hint } = this;
    if (hint === 'string' || hint === 'json') return hint;
    if (!this.hasValues) return hint === null || hint === 'temporal' ? 'string' : hint;
    const kind = this.#kind(hint !== null && hint !== 'temporal');
    switch (hint) {
      case 'temporal':
        return kind === KIND.date || kind === KIND.datetime ? TYPE_OF_KIND[kind] : 'string';
      case 'boolean':
        return this.#areTruths() ? hint : TYPE_OF_KIND[kind];
      case 'float64':
        return kind === KIND.null || (kind <= KIND.float64 && kind !== KIND.int64)
          ? hint
          : TYPE_OF_KIND[kind];
      case 'int64':
        return kind <= KIND.int64 ? hint : TYPE_OF_KIND[kind];
      default:
        return kind === KIND.null && hint !== null ? hint : TYPE_OF_KIND[kind];
    }
  }

  /**
   * The column with so many rows as a type that holds all its values: `inferType`, or several of them widened. It may have the memory
   * of this one, which is used up.
   */
  finish(rowCount: number, type: FieldType): AttributeColumn {
    if (!this.hasValues) return nullColumn(type, rowCount);
    if (rowCount + 1 > this.#offsets.length) this.#grow(rowCount);
    this.#offsets.fill(this.#bytes.length, this.rowCount + 1, rowCount + 1);
    const validity = this.#valueCount === rowCount ? null : this.#validity.slice(0, (rowCount + 7) >> 3);
    const isText = type === 'string' || type === 'json';
    const texts: BytesColumn = {
      type: this.hint === 'json' ? 'json' : 'string',
      // Other types copy what they need.
      bytes: isText ? trimmed(this.#bytes.bytes, this.#bytes.length) : this.#bytes.written(),
      offsets: this.#offsets.slice(0, rowCount + 1),
      validity,
    };
    if (type === 'boolean') return booleans(texts, rowCount);
    return convertColumn(texts, type, rowCount).column;
  }

  #kind(isNumeric: boolean): number {
    let kind: number = KIND.null;
    const { bytes } = this.#bytes;
    for (let row = 0; row < this.rowCount; row++) {
      let start = this.#offsets[row];
      let end = this.#offsets[row + 1];
      while (start < end && isBlank(bytes[start])) start++;
      while (start < end && isBlank(bytes[end - 1])) end--;
      if (start === end) continue;
      const own = kindOf(bytes, start, end);
      kind = widenKind(kind, own === KIND.text && isNumeric ? looseNumber(bytes, start, end) : own);
      if (kind === KIND.text) break;
    }
    return kind;
  }

  /**
   * The first row, from 0, whose value is no number, or no date and no time where the column is of times, and so makes it a text; -1: none, or
   * no value at all is of the declared kind.
   */
  firstText(): number {
    const { bytes } = this.#bytes;
    const isTemporal = this.hint === 'temporal';
    let first = -1;
    let hasFitting = false;
    for (let row = 0; row < this.rowCount && !(first >= 0 && hasFitting); row++) {
      const start = this.#offsets[row];
      const end = this.#offsets[row + 1];
      if (start === end) continue;
      const kind = kindOf(bytes, start, end);
      const isTime = kind === KIND.date || kind === KIND.datetime;
      const fits = isTemporal ? isTime : kind <= KIND.float64 || looseNumber(bytes, start, end) !== KIND.text;
      if (fits) hasFitting = true;
      else if (first < 0) first = row;
    }
    return hasFitting ? first : -1;
  }

  #areTruths(): boolean {
    const { bytes } = this.#bytes;
    for (let row = 0; row < this.rowCount; row++) {
      const start = this.#offsets[row];
      const end = this.#offsets[row + 1];
      if (start < end && truthOf(bytes, start, end) < 0) return false;
    }
    return true;
  }

  #grow(row: number): void {
    const length = Math.max(2 * this.#offsets.length, row + 2);
    const offsets = new Uint32Array(length);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    const validity = new Uint8Array((length + 7) >> 3);
    validity.set(this.#validity);
    this.#validity = validity;
  }
}

/** A number that is not in its canonical form, such as 007 or +5, where a number is declared. */
function looseNumber(bytes: Uint8Array, start: number, end: number): number {
  const value = scanner.scan(bytes, start, end);
  if (scanner.end !== end || !Number.isFinite(value) || scanner.digits > 15) return KIND.text;
  return scanner.isInteger ? (Math.abs(value) < 2 ** 31 ? KIND.int32 : KIND.int53) : KIND.float64;
}

/** 1, 0, or -1 for a text that is no truth value. */
function truthOf(bytes: Uint8Array, start: number, end: number): number {
  const text = end - start > 5 ? '' : asciiSlice(bytes, start, end).toLowerCase();
  return text === '1' || text === 'true' ? 1 : text === '0' || text === 'false' ? 0 : -1;
}

function booleans({ bytes, offsets, validity }: BytesColumn, rowCount: number): AttributeColumn {
  const values = new Uint8Array(rowCount);
  const valid = new Uint8Array((rowCount + 7) >> 3);
  for (let row = 0; row < rowCount; row++) {
    if (validity !== null && (validity[row >> 3] & (1 << (row & 7))) === 0) continue;
    const truth = truthOf(bytes, offsets[row], offsets[row + 1]);
    if (truth < 0) continue;
    values[row] = truth;
    valid[row >> 3] |= 1 << (row & 7);
  }
  return { type: 'boolean', values, validity: valid };
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
