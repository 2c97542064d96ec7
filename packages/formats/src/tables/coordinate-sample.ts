/** Reads the sampled values of columns of coordinates, to find their notation and whether they are degrees. */
import type { NamedPair } from '@geomill/core/geometry/coordinate-names.ts';
import { COMMA, DOT } from '@geomill/core/text/ascii.ts';
import { type OrdinateNotation, OrdinateScanner } from '@geomill/core/text/ordinate-text.ts';
import { isMissing } from './missing.ts';
import { CellBytes, type Sample, shownCell } from './sample.ts';

export interface ColumnValues {
  /** Cells with a value; texts that mean a missing value do not count. */
  filled: number;
  valid: number;
  /** Of these valid values. */
  angles: number;
  sexagesimal: number;
  /** Commas that can be read either way. */
  ambiguous: number;
  /** One for each row; NaN: missing or invalid. */
  readonly values: Float64Array;
  /** An ambiguous value, for the message. */
  example: string;
  /** The first invalid value, and why it is invalid; empty if there is none. */
  invalid: string;
  reason: string;
}

export interface PairValues {
  readonly x: ColumnValues;
  readonly y: ColumnValues;
  readonly notation: OrdinateNotation;
  /** Commas are decimal marks in all values that have one, but each could as well separate thousands. */
  readonly isUndecided: boolean;
}

export function notationOf(
  decimalMark: number,
  letterO: 'E' | 'W' | null,
  takesSingleGroup = false,
): OrdinateNotation {
  return { decimalMark, takesSingleGroup, letterO };
}

export function readColumn(sample: Sample, column: number, notation: OrdinateNotation): ColumnValues {
  const values: ColumnValues = {
    filled: 0,
    valid: 0,
    angles: 0,
    sexagesimal: 0,
    ambiguous: 0,
    values: new Float64Array(sample.rowCount).fill(Number.NaN),
    example: '',
    invalid: '',
    reason: '',
  };
  // A letter O without a known meaning is an error of its row, not a sign of another column.
  const scanner = new OrdinateScanner({ ...notation, letterO: notation.letterO ?? 'E' });
  const cell = new CellBytes();
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column) || isMissing(cell)) continue;
    values.filled++;
    const value = scanner.parse(cell.bytes, cell.start, cell.end);
    if (Number.isNaN(value)) {
      values.reason ||= scanner.reason;
      values.invalid ||= shownCell(cell);
      continue;
    }
    values.valid++;
    values.values[row] = value;
    if (scanner.isAngle) values.angles++;
    if (scanner.isSexagesimal) values.sexagesimal++;
    if (scanner.isAmbiguous && values.ambiguous++ === 0) values.example = shownCell(cell);
  }
  return values;
}

/** Reads the sampled values with a decimal point and with a decimal comma; the notation that reads more of them counts. */
export function sampledPair(
  sample: Sample,
  { x, y, letterO, isGeographic }: Pick<NamedPair, 'x' | 'y' | 'letterO' | 'isGeographic'>,
  decimalComma: boolean | null,
): PairValues {
  const read = (notation: OrdinateNotation): PairValues => ({
    x: readColumn(sample, x, notation),
    y: readColumn(sample, y, notation),
    notation,
    isUndecided: false,
  });
  if (decimalComma !== null) return read(notationOf(decimalComma ? COMMA : DOT, letterO, true));
  const points = read(notationOf(DOT, letterO));
  if (points.x.valid + points.y.valid === points.x.filled + points.y.filled) return points;
  const commas = read(notationOf(COMMA, letterO));
  if (commas.x.valid + commas.y.valid <= points.x.valid + points.y.valid) return points;
  const more = commas.x.valid + commas.y.valid - points.x.valid - points.y.valid;
  // As thousands they would be beyond the range of degrees.
  const isUndecided = !isGeographic && commas.x.ambiguous + commas.y.ambiguous >= more;
  return { ...commas, isUndecided };
}

/** Whether values prove what the names of a pair say. */
export function isPlausible({ x, y }: PairValues, { needsAngles }: NamedPair): boolean {
  if (needsAngles) return x.filled + y.filled > 0 && x.angles === x.filled && y.angles === y.filled;
  return x.valid * 2 >= x.filled && y.valid * 2 >= y.filled;
}

export function areNumbers({ filled, valid }: ColumnValues): boolean {
  return filled > 0 && valid === filled;
}

/** The sampled positions as x, y, x, y, ...; only rows with both. */
export function positionsOf({ x, y }: Pick<PairValues, 'x' | 'y'>): Float64Array<ArrayBuffer> {
  const found: number[] = [];
  x.values.forEach((value, row) => {
    if (Number.isFinite(value) && Number.isFinite(y.values[row])) found.push(value, y.values[row]);
  });
  return Float64Array.from(found);
}

/**
 * Whether more than half of the positions `x, y, x, y, ...` can be longitudes and latitudes, in this or in the other order;
 * true if there are none. The pipeline reports positions that cannot be degrees.
 */
export function areMostlyDegrees(positions: Float64Array): boolean {
  let right = 0;
  let swapped = 0;
  for (let i = 0; i < positions.length; i += 2) {
    const [x, y] = [Math.abs(positions[i]), Math.abs(positions[i + 1])];
    if (x <= 360 && y <= 90) right++;
    if (x <= 90 && y <= 360) swapped++;
  }
  return positions.length === 0 || Math.max(right, swapped) * 4 > positions.length;
}
