/** Finds coordinates whose minutes, seconds or hemispheres are in columns of their own. */
import { type AngleColumns, type NamedAngles, namedAngles } from '../../batch/angle-names.ts';
import type { NamedPair } from '../../batch/coordinate-names.ts';
import { GeometryBuilder } from '../../batch/geometry-column.ts';
import { COMMA, DOT } from '../../bytes/ascii.ts';
import { hemisphereOf, type OrdinateNotation } from '../../bytes/ordinate-text.ts';
import { failure } from '../../errors.ts';
import type { Findings } from '../../findings.ts';
import { field } from '../../message.ts';
import { AngleCells, columnsOf, textOf } from './angle-cells.ts';
import { type AngleParts, type ColumnName, columnIndex, type WantedColumns } from './columns.ts';
import {
  areMostlyDegrees,
  notationOf,
  type PairValues,
  positionsOf,
  readColumn,
} from './coordinate-sample.ts';
import { crsOfPair, noteNotation } from './locate-pair.ts';
import { type HeaderReading, type LocatedGeometry, shown } from './located.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample } from './sample.ts';

export interface PairOfAngles {
  readonly x: AngleColumns;
  readonly y: AngleColumns;
  /** The degrees have decimals, which the minutes and seconds only repeat. */
  readonly isRepeated?: boolean;
}

/**
 * The columns of minutes and seconds that names and values show. Throws CSV_ANGLE_PARTS where the values contradict the
 * names, unless `isStated`.
 */
export function sampledAngles(names: readonly string[], sample: Sample, isStated: boolean): PairOfAngles[] {
  return namedAngles(names).flatMap((named) => {
    const angles = withoutHemispheres(named);
    const verdict = verdictOf(sample, named);
    if (verdict === 'unclear' && !isStated)
      throw failure('CSV_ANGLE_PARTS', { columns: listed(names, angles) });
    return verdict === 'parts' || verdict === 'repeated'
      ? [{ ...angles, isRepeated: verdict === 'repeated' }]
      : [];
  });
}

const withoutHemispheres = ({ x, y }: PairOfAngles): PairOfAngles => ({
  x: { ...x, hemisphere: -1 },
  y: { ...y, hemisphere: -1 },
});

type Verdict = 'parts' | 'repeated' | 'plain' | 'unclear';

/** 'plain': the degrees are decimal, and the columns that are named like minutes are something else. */
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
  let joined = 0;
  let contradictions = 0;
  let repetitions = 0;
  degrees.forEach((values, axis) => {
    values?.forEach((value, row) => {
      const rest = (minutes[axis]?.[row] || 0) + (seconds[axis]?.[row] || 0) / 60;
      if (Number.isNaN(value) || rest === 0) return;
      if (!isFractional(value)) joined++;
      else if (Math.abs((Math.abs(value) % 1) * 60 - rest) < 0.1) repetitions++;
      else contradictions++;
    });
  });
  // A few others are errors of their rows.
  if (contradictions + repetitions <= joined / 9) return 'parts';
  if (joined > 0) return 'unclear';
  if (contradictions === 0) return 'repeated';
  return saysDegrees ? 'unclear' : 'plain';
}

/** The values of a column, with the decimal mark that reads more of them. */
function numbersOf(sample: Sample, column: number): Float64Array {
  const [points, commas] = [DOT, COMMA].map((mark) => readColumn(sample, column, notationOf(mark, null)));
  return (commas.valid > points.valid ? commas : points).values;
}

/**
 * The columns of the angles whose degrees are in this pair of columns, with those of their hemispheres; null if the
 * degrees are all there is. `angles`: of `sampledAngles`. Throws CSV_LETTERS_APART for letters of which it is not clear
 * whether they are hemispheres, unless `isStated`.
 */
export function anglesOf(
  { names, sample: sampleOf }: HeaderReading,
  pair: NamedPair,
  values: PairValues,
  angles: readonly PairOfAngles[],
  isStated: boolean,
): PairOfAngles | null {
  const sample = sampleOf();
  const isOwn = ({ x, y }: PairOfAngles): boolean => x.degrees === pair.x && y.degrees === pair.y;
  const found = angles.find((angle) => isOwn(angle) && angle.isRepeated !== true) ?? {
    x: only(pair.x),
    y: only(pair.y),
  };
  const hasMinutes = found.x.minutes >= 0;
  const areDegrees = pair.isGeographic || hasMinutes || areMostlyDegrees(positionsOf(values));
  const [x, y] = areDegrees ? hemispheres(names, sample, found, isStated) : [-1, -1];
  if (!hasMinutes && x < 0 && y < 0) return null;
  return { x: { ...found.x, hemisphere: x }, y: { ...found.y, hemisphere: y } };
}

const only = (degrees: number): AngleColumns => ({ degrees, minutes: -1, seconds: -1, hemisphere: -1 });

/**
 * Columns of letters: by their names, or beside both coordinates. Loggers write "33.8688,S,151.2093,E": without the letters
 * the positions would be on another hemisphere.
 */
function hemispheres(
  names: readonly string[],
  sample: Sample,
  { x, y }: PairOfAngles,
  isStated: boolean,
): [x: number, y: number] {
  const named = namedAngles(names).find((n) => n.x.degrees === x.degrees && n.y.degrees === y.degrees);
  const checked = (column: number, axis: 'x' | 'y', leastShare: number): number =>
    lettersOf(sample, column, axis, leastShare) === null ? -1 : column;
  const byName: [number, number] = [
    checked(named?.x.hemisphere ?? -1, 'x', NAMED_SHARE),
    checked(named?.y.hemisphere ?? -1, 'y', NAMED_SHARE),
  ];
  if (byName[0] >= 0 || byName[1] >= 0) return byName;
  const after = ({ degrees, minutes, seconds }: AngleColumns): number =>
    Math.max(degrees, minutes, seconds) + 1;
  for (const beside of [after, ({ degrees }: AngleColumns) => degrees - 1]) {
    const found: [number, number] = [
      checked(beside(x), 'x', BESIDE_SHARE),
      checked(beside(y), 'y', BESIDE_SHARE),
    ];
    if (found[0] >= 0 && found[1] >= 0) return found;
    const axis = found[0] >= 0 ? 'x' : 'y';
    const column = Math.max(found[0], found[1]);
    if (isStated || column < 0 || lettersOf(sample, column, axis, 1)?.isNegative !== true) continue;
    throw failure('CSV_LETTERS_APART', {
      column: shown(names[column]),
      coordinate: shown(names[axis === 'x' ? x.degrees : y.degrees]),
      option: field(`csv_options.${axis}_hemisphere_column`),
    });
  }
  return [-1, -1];
}

/** Shares of the values that have to be letters; the others are errors of their rows. */
const NAMED_SHARE = 0.5;
const BESIDE_SHARE = 0.9;

/** Null if fewer values of the column are hemispheres of the axis, or if it has no values. */
function lettersOf(
  sample: Sample,
  column: number,
  axis: 'x' | 'y',
  leastShare: number,
): { readonly isNegative: boolean } | null {
  if (column < 0 || column >= sample.columnCount) return null;
  const cell = new CellBytes();
  let count = 0;
  let letters = 0;
  let isNegative = false;
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    const letter = hemisphereOf(textOf(cell));
    count++;
    if (letter === '' || (letter === 'N' || letter === 'S') !== (axis === 'y')) {
      if (count - letters > sample.rowCount * (1 - leastShare)) return null;
      continue;
    }
    letters++;
    isNegative ||= letter === 'S' || letter === 'W';
  }
  return letters === 0 || letters < count * leastShare ? null : { isNegative };
}

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
