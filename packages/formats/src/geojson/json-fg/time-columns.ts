/** The fields that the member `time` of features becomes: an instant as one, an interval as two. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import { NO_KEY } from '@geomill/core/columns/property-parser.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { ValueColumn } from '@geomill/core/columns/value-column.ts';
import type { TimeNames } from './state.ts';

const encoder = new TextEncoder();

/** The end of an interval that has none. */
const OPEN_END = '..';

export class TimeColumns {
  readonly #instant: ValueColumn;
  readonly #start: ValueColumn;
  readonly #end: ValueColumn;
  readonly #used = new Set<ValueColumn>();

  constructor(names: TimeNames) {
    this.#instant = new ValueColumn(names.time, NO_KEY, 0);
    this.#start = new ValueColumn(names.start, NO_KEY, 1);
    this.#end = new ValueColumn(names.end, NO_KEY, 2);
  }

  /** Appends the value of `time`, as JSON text, to a row; returns false if something in it is not understood. */
  append(json: string, row: number): boolean {
    const value = JSON.parse(json) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const {
      date,
      timestamp,
      instant: drafted,
      interval,
      ...others
    } = value as Readonly<Record<string, unknown>>;
    let isWhole = Object.keys(others).length === 0;
    // The first drafts of the standard have `instant`.
    const instant = timestamp ?? date ?? drafted;
    if (typeof instant === 'string') this.#text(this.#instant, row, instant);
    else if (instant !== undefined && instant !== null) isWhole = false;
    // A date beside a timestamp is that of the timestamp.
    if (Array.isArray(interval) && interval.length === 2) {
      if (!this.#bound(this.#start, row, interval[0])) isWhole = false;
      if (!this.#bound(this.#end, row, interval[1])) isWhole = false;
    } else if (interval !== undefined && interval !== null) isWhole = false;
    return isWhole;
  }

  /** Discards the values of a row. */
  forget(row: number): void {
    for (const column of [this.#instant, this.#start, this.#end]) column.appendNull(row);
  }

  /** The columns that have values, or are among the given fields. */
  finish(rowCount: number, fields: readonly Field[] | null): { field: Field; column: AttributeColumn }[] {
    return [this.#instant, this.#start, this.#end].flatMap((values) => {
      const { name } = values;
      const wanted = fields?.find((field) => field.name === name);
      if (fields === null ? !this.#used.has(values) : wanted === undefined) return [];
      const column = values.finish(rowCount);
      if (wanted === undefined) return [{ field: { name, type: column.type }, column }];
      return [{ field: wanted, column: castColumn(column, wanted.type, rowCount) }];
    });
  }

  #bound(column: ValueColumn, row: number, value: unknown): boolean {
    // Both ends are fields wherever there is an interval, also if one is always open.
    this.#used.add(column);
    if (value === OPEN_END || value === null) return true;
    if (typeof value !== 'string') return false;
    this.#text(column, row, value);
    return true;
  }

  #text(column: ValueColumn, row: number, text: string): void {
    this.#used.add(column);
    const bytes = encoder.encode(text);
    column.appendText(row, bytes, 0, bytes.length);
  }
}
