/** Reports the few values by which a column is text although nearly all its values are numbers, booleans, dates or times. */
import { KIND, kindOf } from '@geomill/core/columns/text-kinds.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { kindWithComma } from './decimal-comma.ts';
import { shown } from './located.ts';
import type { CellTable } from './records.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';
import { hasDecimalCommas } from './typing.ts';

/** Fewer values of a type show nothing. */
const LEAST_VALUES = 4;
/** Of the sampled values; a single one is always few. */
const MOST_OTHERS = 0.1;

type Group = 'numbers' | 'booleans' | 'dates' | 'times';

/** A column in whose first rows nearly all values are of one group of types. Plain data. */
export interface ExpectedType {
  readonly column: number;
  readonly group: Group;
  /** The first other value of the sample, for the message; null: the sample has none. */
  readonly example: string | null;
  /** Whether cells have types: a number in quotes is a text. */
  readonly hasTypes: boolean;
}

/** Null: another value. */
function groupOf(kind: number): Group | null {
  if (kind > KIND.null && kind <= KIND.float64) return 'numbers';
  if (kind === KIND.boolean) return 'booleans';
  return kind === KIND.date ? 'dates' : kind === KIND.datetime ? 'times' : null;
}

function groupIn(cell: CellBytes, hasDecimalComma: boolean, hasTypes: boolean): Group | null {
  const { bytes, start, end, isQuoted } = cell;
  if (hasTypes && isQuoted) return null;
  return groupOf(hasDecimalComma ? kindWithComma(bytes, start, end) : kindOf(bytes, start, end));
}

/** The columns of the sample with nearly one type. Columns whose numbers have leading zeros are codes, which are text on purpose. */
export function expectedTypes(
  names: readonly string[],
  sample: Sample,
  hasDecimalComma: boolean,
  hasTypes: boolean,
): ExpectedType[] {
  return names.flatMap((_, column): ExpectedType[] => {
    const found = expectedType(sample, column, hasDecimalComma, hasTypes);
    const isComma = found?.group === 'numbers' && !hasDecimalComma && hasDecimalCommas(sample, column);
    return found === null || isComma ? [] : [found];
  });
}

function expectedType(
  sample: Sample,
  column: number,
  hasDecimalComma: boolean,
  hasTypes: boolean,
): ExpectedType | null {
  const { rowCount, columnCount } = sample;
  const cell = new CellBytes();
  const counts = new Map<Group, number>();
  let others = 0;
  let example: string | null = null;
  // A text column ends the loop after a few rows.
  for (let row = 0; row < rowCount && others <= LEAST_VALUES + row * MOST_OTHERS; row++) {
    if (!cell.open(sample, row * columnCount + column)) continue;
    const group = groupIn(cell, hasDecimalComma, hasTypes);
    if (group !== null) {
      counts.set(group, (counts.get(group) ?? 0) + 1);
      continue;
    }
    if (isCode(cell)) return null;
    others++;
    example ??= shown(shownCell(cell));
  }
  const [[group, count] = ['numbers', 0] as const, ...more] = [...counts];
  const isFew = others <= Math.max(1, (others + count) * MOST_OTHERS);
  return more.length === 0 && count >= LEAST_VALUES && isFew ? { column, group, example, hasTypes } : null;
}

/** Digits only that are no canonical number: "007", "+5" and integers of more than 64 bits. */
function isCode({ bytes, start, end }: CellBytes): boolean {
  if (kindOf(bytes, start, end) !== KIND.text) return false;
  for (let at = start + (bytes[start] === 0x2b || bytes[start] === 0x2d ? 1 : 0); at < end; at++)
    if (bytes[at] < 0x30 || bytes[at] > 0x39) return false;
  return true;
}

/**
 * The rows of a text column whose values are not of the expected group. `skipped`: numbers of the records that are not in the
 * table, in ascending order.
 */
export function misfitsOf(
  table: CellTable,
  { column, group, hasTypes }: ExpectedType,
  hasDecimalComma: boolean,
  skipped: readonly number[],
): RowTally {
  const tally = new RowTally();
  const cell = new CellBytes();
  let record = 0;
  let next = 0;
  for (let row = 0; row < table.rowCount; row++) {
    record++;
    for (; skipped[next] === record; next++) record++;
    if (!cell.open(table, row * table.columnCount + column)) continue;
    if (groupIn(cell, hasDecimalComma, hasTypes) !== group && !isCode(cell)) tally.add(row, record);
  }
  return tally;
}
