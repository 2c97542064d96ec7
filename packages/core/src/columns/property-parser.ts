/**
 * Parses JSON objects of attributes into one ValueColumn per key. The parser expects keys in the order of the previous
 * object: then a comparison of bytes replaces a string and a map look-up.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../text/ascii.ts';
import type { JsonScanner } from '../text/json-scanner.ts';
import { writeCompactJson } from '../text/json-text.ts';
import type { AttributeColumn } from './attribute-column.ts';
import { castColumn } from './cast.ts';
import type { Field } from './schema.ts';
import { ValueColumn } from './value-column.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
export const NO_KEY = new Uint8Array(0);

export interface PropertyRules {
  /** Name of the member with the object, for messages. */
  readonly member: string;
  /** Throws if there may not be so many columns. */
  checkCount(count: number): void;
  /** A text of this field and row had half of a surrogate pair, which was replaced. */
  onReplaced(field: string, row: number): void;
}

export class PropertyParser {
  readonly #scanner: JsonScanner;
  readonly #member: string;
  readonly #checkCount: (count: number) => void;
  readonly #onReplaced: (field: string, row: number) => void;
  readonly #columns: ValueColumn[] = [];
  readonly #byName = new Map<string, ValueColumn>();
  readonly #scratch = new ByteWriter(256);
  #firstColumn = 0;

  constructor(scanner: JsonScanner, rules: PropertyRules) {
    this.#scanner = scanner;
    this.#member = rules.member;
    this.#checkCount = (count) => rules.checkCount(count);
    this.#onReplaced = (field, row) => rules.onReplaced(field, row);
  }

  /** The rows so far as columns, with their own fields or with the given ones. */
  finish(rowCount: number, fields: readonly Field[] | null): { fields: Field[]; columns: AttributeColumn[] } {
    if (fields === null) {
      const columns = this.#columns.map((column) => column.finish(rowCount));
      return { fields: this.#columns.map(({ name }, i) => ({ name, type: columns[i].type })), columns };
    }
    const columns = fields.map(({ name, type }) => {
      const column = this.#byName.get(name) ?? new ValueColumn(name, NO_KEY, 0);
      return castColumn(column.finish(rowCount), type, rowCount);
    });
    return { fields: [...fields], columns };
  }

  /** Discards the values of a row, for a member that is repeated. */
  forget(row: number): void {
    for (const column of this.#columns) column.appendNull(row);
  }

  /**
   * Parses the object at `at` as the values of row `row`, `depth` open arrays and objects around it; the row has no values
   * if it is null. Throws JsonFault.
   */
  object(at: number, row: number, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] === LOWER_N) return scanner.literal(at);
    if (bytes[at] !== OPEN_BRACE) {
      if (at >= scanner.limit) throw scanner.unexpected(at, "'{'");
      throw scanner.fault(at, `'${this.#member}' must be an object or null`, 'structure');
    }
    const columns = this.#columns;
    let expected = this.#firstColumn;
    let previous: ValueColumn | null = null;
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      let column: ValueColumn;
      if (
        expected < columns.length &&
        columns[expected].key.length > 0 &&
        scanner.isString(at, columns[expected].key)
      ) {
        column = columns[expected];
        at += column.key.length + 2;
      } else {
        const end = scanner.string(at);
        column = this.#column(at + 1, end, scanner.hasEscapes);
        if (previous === null) this.#firstColumn = column.index;
        else previous.following = column.index;
        at = end + 1;
      }
      at = this.value(column, row, scanner.punctuation(at, COLON), depth + 1);
      previous = column;
      expected = column.following;
      if (bytes[at] === COMMA && bytes[at + 1] === QUOTE) at++;
      else {
        at = scanner.space(at);
        if (bytes[at] === CLOSE_BRACE) return at + 1;
        at = scanner.punctuation(at, COMMA);
      }
    }
  }

  /** The column of a key that was not the expected one. */
  #column(start: number, end: number, hasEscapes: boolean): ValueColumn {
    const name = this.keyText(start, end);
    let column = this.#byName.get(name);
    if (column === undefined) {
      this.#checkCount(this.#columns.length + 1);
      const key = hasEscapes ? NO_KEY : this.#scanner.bytes.slice(start, end);
      column = new ValueColumn(name, key, this.#columns.length);
      this.#columns.push(column);
      this.#byName.set(name, column);
    }
    return column;
  }

  /** The key between the quotes at `start - 1` and `end`. */
  keyText(start: number, end: number): string {
    const { bytes } = this.#scanner;
    let hasEscapes = false;
    for (let i = start; i < end; i++) if (bytes[i] === BACKSLASH) hasEscapes = true;
    if (!hasEscapes) return this.#scanner.text(start, end);
    const scratch = this.#scratch;
    scratch.reset();
    this.#scanner.unescape(start, end, scratch);
    return decoder.decode(scratch.written());
  }

  /** Parses any value as that of a row of a column; returns the offset after it. */
  value(column: ValueColumn, row: number, at: number, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = scanner.string(at);
      if (scanner.hasEscapes) this.#escapedText(column, row, at + 1, end);
      else column.appendText(row, bytes, at + 1, end);
      return end + 1;
    }
    if (byte === LOWER_N || byte === LOWER_T || byte === LOWER_F) {
      const end = scanner.literal(at);
      if (byte === LOWER_N) column.appendNull(row);
      else column.appendBoolean(row, byte === LOWER_T);
      return end;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      const end = scanner.skip(at, depth);
      const scratch = this.#scratch;
      scratch.reset();
      writeCompactJson(scratch, bytes, at, end);
      column.appendJson(row, scratch.bytes, 0, scratch.length);
      return end;
    }
    const value = scanner.number(at);
    const end = scanner.numberEnd;
    if (end >= scanner.limit) throw scanner.unexpected(end, 'the rest of a number');
    if (scanner.isInteger) {
      if (value <= 9_007_199_254_740_991 && value >= -9_007_199_254_740_991)
        column.appendNumber(row, value, true);
      else column.appendLongInteger(row, bytes, at, end);
    } else if (value - value === 0) column.appendNumber(row, value, false);
    // Larger than any double: only its digits can be kept.
    else column.appendJson(row, bytes, at, end);
    return end;
  }

  #escapedText(column: ValueColumn, row: number, start: number, end: number): void {
    const scratch = this.#scratch;
    scratch.reset();
    if (this.#scanner.unescape(start, end, scratch) > 0) this.#onReplaced(column.name, row);
    column.appendText(row, scratch.bytes, 0, scratch.length);
  }
}
