/** Finds columns with the letters of hemispheres beside columns of degrees. */
import { type AngleColumns, namedAngles } from '@geomill/core/geometry/angle-names.ts';
import { hemisphereOf } from '@geomill/core/text/ordinate-text.ts';
import { textOf } from './angle-cells.ts';
import type { RowCheck } from './located.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample } from './sample.ts';

/** Shares of the values that have to be letters; the others are errors of their rows. */
const NAMED_SHARE = 0.5;
const BESIDE_SHARE = 0.9;

export interface Hemispheres {
  /** Columns; -1: none. */
  readonly x: number;
  readonly y: number;
  /** Columns that are not taken, and in which letters of the other hemisphere would move positions. */
  readonly checks: readonly RowCheck[];
}

/**
 * Columns of letters: by their names, or beside both coordinates. Loggers write "33.8688,S,151.2093,E": without the letters
 * the positions would be on another hemisphere.
 */
export function hemispheres(
  names: readonly string[],
  sample: Sample,
  { x, y }: { readonly x: AngleColumns; readonly y: AngleColumns },
  letterO: 'E' | 'W' | null,
): Hemispheres {
  const named = namedAngles(names).find((n) => n.x.degrees === x.degrees && n.y.degrees === y.degrees);
  const byName = { x: named?.x.hemisphere ?? -1, y: named?.y.hemisphere ?? -1 };
  const checked = (column: number, axis: 'x' | 'y', leastShare: number): number =>
    (lettersOf(sample, column, axis, leastShare) ?? 0) > 0 ? column : -1;
  let found = { x: checked(byName.x, 'x', NAMED_SHARE), y: checked(byName.y, 'y', NAMED_SHARE) };
  const after = ({ degrees, minutes, seconds }: AngleColumns): number =>
    Math.max(degrees, minutes, seconds) + 1;
  const sides = [after, ({ degrees }: AngleColumns) => degrees - 1];
  for (const beside of sides) {
    if (found.x >= 0 || found.y >= 0) break;
    const both = { x: checked(beside(x), 'x', BESIDE_SHARE), y: checked(beside(y), 'y', BESIDE_SHARE) };
    if (both.x >= 0 && both.y >= 0) found = both;
  }
  const taken = new Set([x, y].flatMap(({ degrees, minutes, seconds }) => [degrees, minutes, seconds]));
  taken.add(found.x).add(found.y);
  const checks = (['x', 'y'] as const).flatMap((axis) => {
    if (found[axis] >= 0) return [];
    const columns = axis === 'x' ? x : y;
    const { degrees } = columns;
    // Columns without any value may have letters later.
    const besides = sides
      .map((beside) => beside(columns))
      .filter((column) => lettersOf(sample, column, axis, BESIDE_SHARE) !== null);
    return [...new Set([byName[axis], ...besides])]
      .filter((column) => !taken.has(column))
      .map((column): RowCheck => ({ kind: 'letters', column, axis, degrees, letterO }));
  });
  return { ...found, checks };
}

/** The number of letters in a column; null if there is no such column, or fewer of its values are hemispheres of the axis. */
function lettersOf(sample: Sample, column: number, axis: 'x' | 'y', leastShare: number): number | null {
  if (column < 0 || column >= sample.columnCount) return null;
  const cell = new CellBytes();
  let count = 0;
  let letters = 0;
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    const letter = hemisphereOf(textOf(cell));
    count++;
    if (letter !== '' && (letter === 'N' || letter === 'S') === (axis === 'y')) letters++;
    else if (count - letters > sample.rowCount * (1 - leastShare)) return null;
  }
  return letters < count * leastShare ? null : letters;
}
