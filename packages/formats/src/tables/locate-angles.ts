/** Finds coordinates whose minutes, seconds or hemispheres are in columns of their own. */
import { type AngleColumns, type NamedAngles, namedAngles } from '@geomill/core/geometry/angle-names.ts';
import type { NamedPair } from '@geomill/core/geometry/coordinate-names.ts';
import { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { COMMA, DOT } from '@geomill/core/text/ascii.ts';
import type { OrdinateNotation } from '@geomill/core/text/ordinate-text.ts';
import { AngleCells, columnsOf } from './angle-cells.ts';
import { type AngleParts, type ColumnName, columnIndex, type WantedColumns } from './columns.ts';
import {
  areMostlyDegrees,
  notationOf,
  type PairValues,
  positionsOf,
  readColumn,
} from './coordinate-sample.ts';
import { hemispheres } from './locate-letters.ts';
import { crsOfPair, noteNotation } from './locate-pair.ts';
import type { RowCheck } from './located.ts';
import { type HeaderReading, type LocatedGeometry, shown } from './located.ts';
import { relationOf } from './row-checks.ts';
import type { Sample } from './sample.ts';

export interface PairOfAngles {
  readonly x: AngleColumns;
  readonly y: AngleColumns;
  /** The degrees have decimals, of which the minutes and seconds are no part. */
  readonly isApart?: boolean;
  readonly saysDegrees?: boolean;
}

/**
 * The columns of minutes and seconds that names and values show. Throws ANGLE_PARTS where the values contradict the
 * names, unless `isStated`.
 */
export function sampledAngles(
  { names, sample: sampleOf, messages }: HeaderReading,
  isStated: boolean,
): PairOfAngles[] {
  const sample = sampleOf();
  return namedAngles(names).flatMap((named) => {
    const angles = withoutHemispheres(named);
    const verdict = verdictOf(sample, named);
    if (verdict === 'unclear' && !isStated)
      throw messages.failure('ANGLE_PARTS', { columns: listed(names, angles) });
    if (verdict === 'plain' || verdict === 'unclear') return [];
    // Minutes without any value are taken unless options name only the degrees, under another name.
    const isOpen = verdict === 'open' && isStated && !named.saysDegrees;
    return [{ ...angles, isApart: verdict === 'apart' || isOpen, saysDegrees: named.saysDegrees }];
  });
}

const withoutHemispheres = ({ x, y }: PairOfAngles): PairOfAngles => ({
  x: { ...x, hemisphere: -1 },
  y: { ...y, hemisphere: -1 },
});

/**
 * 'open': the degrees are whole, and there are no minutes. 'apart': the degrees have decimals, and nothing is joined with
 * them. 'plain': the columns that are named like minutes are something else.
 */
type Verdict = 'parts' | 'open' | 'apart' | 'plain' | 'unclear';

function verdictOf(sample: Sample, { x, y, saysDegrees }: NamedAngles): Verdict {
  const [degrees, minutes, seconds] = (['degrees', 'minutes', 'seconds'] as const).map((part) =>
    [x, y].map((columns) => (columns[part] < 0 ? null : numbersOf(sample, columns[part]))),
  );
  const all = [...minutes, ...seconds].filter((values) => values !== null);
  if (all.length === 0) return 'plain';
  const isFractional = (value: number): boolean => !Number.isNaN(value) && !Number.isInteger(value);
  const fractional = degrees.flatMap((values) => [...(values ?? [])].filter(isFractional)).length;
  const isEven = (values: readonly unknown[]): boolean => (values[0] === null) === (values[1] === null);
  const isWhole = isEven(minutes) && isEven(seconds) && minutes[0] !== null;
  const given = all.flatMap((values) => [...values].filter((value) => !Number.isNaN(value)));
  const inRange = given.filter((value) => value >= 0 && value < 60).length;
  const areMinutes = isWhole && inRange >= given.length * 0.9;
  // "lat" and "lat_min": a minimum.
  if (!areMinutes) return fractional > 0 ? 'plain' : 'unclear';
  const counts = { joined: 0, repeated: 0, other: 0, none: 0 };
  degrees.forEach((values, axis) => {
    values?.forEach((value, row) => {
      const rest = (minutes[axis]?.[row] || 0) + (seconds[axis]?.[row] || 0) / 60;
      if (rest !== 0) counts[relationOf(value, rest)]++;
    });
  });
  const { joined, repeated, other } = counts;
  if (joined + repeated + other === 0) return fractional > 0 ? 'apart' : 'open';
  // A few others are errors of their rows.
  if (other + repeated <= joined / 9) return 'parts';
  if (joined > 0 || (other > 0 && saysDegrees)) return 'unclear';
  return other > 0 ? 'plain' : 'apart';
}

/** The values of a column, with the decimal mark that reads more of them. */
function numbersOf(sample: Sample, column: number): Float64Array {
  const [points, commas] = [DOT, COMMA].map((mark) => readColumn(sample, column, notationOf(mark, null)));
  return (commas.valid > points.valid ? commas : points).values;
}

/**
 * The columns of the angles whose degrees are in this pair of columns, with those of their hemispheres; null if the
 * degrees are all there is. `angles`: of `sampledAngles`. The checks are those of columns that are not taken.
 */
export function anglesOf(
  { names, sample: sampleOf }: HeaderReading,
  pair: NamedPair,
  values: PairValues,
  angles: readonly PairOfAngles[],
): { readonly parts: PairOfAngles | null; readonly checks: readonly RowCheck[] } {
  const sample = sampleOf();
  const own = angles.filter(({ x, y }) => x.degrees === pair.x && y.degrees === pair.y);
  const found = own.find(({ isApart }) => isApart !== true) ?? { x: only(pair.x), y: only(pair.y) };
  const apart = found.x.minutes >= 0 ? [] : own;
  const decimals = apart.map(({ x, y, saysDegrees }): RowCheck => {
    const notation = values.notation;
    return { kind: 'decimals', axes: [x, y], notation, saysDegrees: saysDegrees === true };
  });
  const hasMinutes = found.x.minutes >= 0;
  const areDegrees = pair.isGeographic || hasMinutes || areMostlyDegrees(positionsOf(values));
  const { x, y, checks } = areDegrees
    ? hemispheres(names, sample, found, pair.letterO)
    : { x: -1, y: -1, checks: [] };
  const isPlain = !hasMinutes && x < 0 && y < 0;
  return {
    parts: isPlain ? null : { x: { ...found.x, hemisphere: x }, y: { ...found.y, hemisphere: y } },
    checks: [...decimals, ...checks],
  };
}

const only = (degrees: number): AngleColumns => ({ degrees, minutes: -1, seconds: -1, hemisphere: -1 });

/** The columns that options name beside those of the degrees. Null if the header lacks one of them. */
export function statedAngles(
  names: readonly string[],
  { x, y }: Pick<NamedPair, 'x' | 'y'>,
  { xParts, yParts }: WantedColumns,
): PairOfAngles | null {
  const indexOf = (name: ColumnName | null): number => (name === null ? -1 : columnIndex(names, name));
  const columns = (degrees: number, parts: AngleParts): AngleColumns => ({
    degrees,
    minutes: indexOf(parts.minutes),
    seconds: indexOf(parts.seconds),
    hemisphere: indexOf(parts.hemisphere),
  });
  const isMissingIn = (found: AngleColumns, parts: AngleParts): boolean =>
    (['minutes', 'seconds', 'hemisphere'] as const).some((part) => parts[part] !== null && found[part] < 0);
  const stated = { x: columns(x, xParts), y: columns(y, yParts) };
  return isMissingIn(stated.x, xParts) || isMissingIn(stated.y, yParts) ? null : stated;
}

/** Takes the columns as angles. */
export function placeOfAngles(
  { names, sample: sampleOf }: HeaderReading,
  angles: PairOfAngles,
  { z, letterO }: Pick<NamedPair, 'z' | 'letterO'>,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry {
  const sample = sampleOf();
  const notation = notationOfAngles(sample, angles, letterO, wanted.decimalComma);
  const place = { kind: 'angles', ...angles, z, notation } as const;
  const cells = new AngleCells(place, new GeometryBuilder('XY', 8, 8));
  const found: number[] = [];
  for (let row = 0; row < sample.rowCount; row++)
    if (cells.readRow(sample, row) && !Number.isNaN(cells.x)) found.push(cells.x, cells.y);
  const columns = listed(names, angles);
  noteNotation(columns, notation, angles.x.minutes >= 0 || angles.y.minutes >= 0, wanted, findings);
  return { place, ...crsOfPair(columns, Float64Array.from(found), true) };
}

function notationOfAngles(
  sample: Sample,
  { x, y }: PairOfAngles,
  letterO: 'E' | 'W' | null,
  decimalComma: boolean | null,
): OrdinateNotation {
  const columns = [x, y].flatMap((angle) => columnsOf({ ...angle, hemisphere: -1 }));
  const validWith = (mark: number): number =>
    columns.reduce((sum, column) => sum + readColumn(sample, column, notationOf(mark, letterO)).valid, 0);
  const hasComma = decimalComma ?? validWith(COMMA) > validWith(DOT);
  return notationOf(hasComma ? COMMA : DOT, letterO, decimalComma !== null);
}

/** "'lon_deg', 'lon_min' and 'lat_deg', 'lat_min'" */
function listed(names: readonly string[], { x, y }: PairOfAngles): string {
  return `${listedAngle(names, x)} and ${listedAngle(names, y)}`;
}

/** "'lon_deg', 'lon_min' (x), 'lat_deg', 'lat_min' (y)" */
export function anglesText(names: readonly string[], { x, y }: PairOfAngles): string {
  return `${listedAngle(names, x)} (x), ${listedAngle(names, y)} (y)`;
}

function listedAngle(names: readonly string[], angle: AngleColumns): string {
  return columnsOf(angle)
    .map((column) => `'${shown(names[column])}'`)
    .join(', ');
}
