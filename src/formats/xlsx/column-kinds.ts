/** The kinds of the values of each column, by which its type is decided when the row of the header is known. */
import type { FieldType } from '../../batch/schema.ts';

/** The most columns of a sheet: XFD. */
export const MAX_COLUMNS = 16_384;
/** The most rows of a sheet. */
export const MAX_ROWS = 1_048_576;

export const VALUE = { int32: 0, int64: 1, float64: 2, boolean: 3, date: 4, datetime: 5, text: 6 } as const;
const KINDS = 7;

export class ColumnKinds {
  /** For each column, the last row (from 1) with a value of each kind; 0: none. */
  readonly #lastRows = new Int32Array(MAX_COLUMNS * KINDS);

  add(column: number, kind: number, row: number): void {
    this.#lastRows[column * KINDS + kind] = row;
  }

  /** The narrowest type for the values after a row; null: there are none. */
  typeAfter(column: number, row: number): FieldType | null {
    const last = this.#lastRows.subarray(column * KINDS, (column + 1) * KINDS);
    const has = (kind: number): boolean => last[kind] > row;
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
