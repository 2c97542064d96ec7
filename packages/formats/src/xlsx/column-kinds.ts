/** The kinds of the values of each column, by which its type is decided when the row of the header is known. */
import type { FieldType } from '@geomill/core/columns/schema.ts';

/** The most columns of a sheet: XFD. */
export const MAX_COLUMNS = 16_384;
/** The most rows of a sheet. */
export const MAX_ROWS = 1_048_576;

export const VALUE = { int32: 0, int64: 1, float64: 2, boolean: 3, date: 4, datetime: 5, text: 6 } as const;
const KINDS = 7;

export class ColumnKinds {
  /** For each column, the last row (from 1) with a value of each kind; 0: none. Plain data. */
  lastRows = new Int32Array(64 * KINDS);

  add(column: number, kind: number, row: number): void {
    const at = column * KINDS + kind;
    if (at >= this.lastRows.length) this.#grow(at + 1);
    this.lastRows[at] = row;
  }

  /** Adds the kinds of other rows of the sheet. */
  merge(lastRows: Int32Array): void {
    if (lastRows.length > this.lastRows.length) this.#grow(lastRows.length);
    for (let i = 0; i < lastRows.length; i++)
      if (lastRows[i] > this.lastRows[i]) this.lastRows[i] = lastRows[i];
  }

  #grow(length: number): void {
    const grown = new Int32Array(Math.max(length, Math.min(MAX_COLUMNS * KINDS, this.lastRows.length * 2)));
    grown.set(this.lastRows);
    this.lastRows = grown;
  }

  /** The narrowest type for the values after a row; null: there are none. */
  typeAfter(column: number, row: number): FieldType | null {
    const has = (kind: number): boolean => this.lastRows[column * KINDS + kind] > row;
    const isNumber = has(VALUE.int32) || has(VALUE.int64) || has(VALUE.float64);
    const others = [VALUE.boolean, VALUE.date, VALUE.datetime, VALUE.text].filter(has);
    if (others.length === 0) {
      if (!isNumber) return null;
      return has(VALUE.float64) ? 'float64' : has(VALUE.int64) ? 'int64' : 'int32';
    }
    if (isNumber || others.length > 1 || others[0] === VALUE.text) return 'string';
    return others[0] === VALUE.boolean ? 'boolean' : others[0] === VALUE.date ? 'date' : 'datetime';
  }
}
