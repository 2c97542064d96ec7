/**
 * The result of a condition for a row, in the three-valued logic of SQL: a comparison with null is unknown, and only rows
 * with true are kept. The numbers are chosen so that `and` is the minimum, `or` the maximum, and `not` the difference from TRUE.
 */
import type { Validity } from '@geomill/core/columns/attribute-column.ts';

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

export const FALSE = 0;
export const UNKNOWN = 1;
export const TRUE = 2;

/** One verdict per row. */
export type Verdicts = Uint8Array<ArrayBuffer>;

/** Verdicts for a value that is less than, equal to, greater than the literal, and for one that cannot be ordered (NaN). */
export type VerdictTable = Uint8Array;

export const LESS = 0;
export const EQUAL = 1;
export const GREATER = 2;
export const UNORDERED = 3;

const TABLES: Readonly<Record<Comparison, VerdictTable>> = {
  '=': Uint8Array.of(FALSE, TRUE, FALSE, UNKNOWN),
  '<>': Uint8Array.of(TRUE, FALSE, TRUE, UNKNOWN),
  '<': Uint8Array.of(TRUE, FALSE, FALSE, UNKNOWN),
  '<=': Uint8Array.of(TRUE, TRUE, FALSE, UNKNOWN),
  '>': Uint8Array.of(FALSE, FALSE, TRUE, UNKNOWN),
  '>=': Uint8Array.of(FALSE, TRUE, TRUE, UNKNOWN),
};

export function verdictTable(op: Comparison): VerdictTable {
  return TABLES[op];
}

/** Sets the verdict of null rows to unknown. */
export function markNulls(verdicts: Verdicts, validity: Validity): Verdicts {
  if (validity === null) return verdicts;
  for (let row = 0; row < verdicts.length; row++)
    if ((validity[row >> 3] & (1 << (row & 7))) === 0) verdicts[row] = UNKNOWN;
  return verdicts;
}
