/**
 * Finds where the geometry of a CSV is: by the options, by the name `geom_wkt`, or by names and values of the first
 * rows. What is found is reported; where two readings are plausible nothing is guessed.
 */
import type { Bounds } from '../../batch/bounds.ts';
import { letterOf, type NamedPair, namedPairs, namedPoints } from '../../batch/coordinate-names.ts';
import { COMMA, DOT } from '../../bytes/ascii.ts';
import { type OrdinateNotation, OrdinateScanner } from '../../bytes/ordinate-text.ts';
import { PositionScanner } from '../../bytes/position-text.ts';
import { WGS84 } from '../../crs/crs.ts';
import { failure } from '../../errors.ts';
import type { Findings } from '../../findings.ts';
import { field, phrase } from '../../message.ts';
import type { AssumedCrs } from '../format.ts';
import { type ColumnName, columnIndex, listNames, unknownColumn, type WantedColumns } from './columns.ts';
import { type SampledGeometry, sampledGeometries } from './geometry-sample.ts';
import { type GeometryPlace, geometryColumns } from './row-geometry.ts';
import { CellBytes, type Sample } from './sample.ts';
import { hasDecimalCommas } from './typing.ts';

/** A header read with one delimiter, and the first rows. */
export interface HeaderReading {
  readonly delimiter: number;
  /** The byte that lines are counted by. */
  readonly newline: number;
  readonly names: readonly string[];
  /** Read when it is first asked for. */
  readonly sample: () => Sample;
}

export interface LocatedGeometry {
  readonly place: GeometryPlace;
  readonly assumedCrs: AssumedCrs | null;
  /** Bounds of the sampled coordinates if no CRS is assumed, for suggestions. */
  readonly extent?: Bounds;
}

/** The place that the options state; null if the header lacks one of the columns. */
export function statedPlace(
  reading: HeaderReading,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry | null {
  const { names } = reading;
  const indexOf = (name: ColumnName | null): number => (name === null ? -1 : columnIndex(names, name));
  if (wanted.geometry !== null) {
    const index = indexOf(wanted.geometry);
    return index < 0 ? null : geometryColumn(index);
  }
  if (wanted.point !== null) {
    const index = indexOf(wanted.point);
    if (index < 0) return null;
    const order =
      wanted.pointOrder ?? namedPoints(names).find((point) => point.index === index)?.order ?? null;
    return pointColumn(reading, index, order, wanted, findings);
  }
  const [x, y, z] = [indexOf(wanted.x), indexOf(wanted.y), indexOf(wanted.z)];
  if (x < 0 || y < 0 || (wanted.z !== null && z < 0)) return null;
  const named = namedPairs([names[x], names[y]])[0];
  const letterO = named?.letterO ?? letterOf([names[x], names[y]]);
  const isGeographic = named?.isGeographic ?? false;
  const pair = { x, y, z, isGeographic, needsAngles: false, letterO };
  return pairOf(reading, pair, sampled(reading.sample(), pair, wanted.decimalComma), wanted, findings);
}

const geometryColumn = (index: number, assumedCrs: AssumedCrs | null = null): LocatedGeometry => ({
  place: { kind: 'column', index },
  assumedCrs,
});

/** The place that names and values show. Throws CSV_GEOMETRY_AMBIGUOUS; null if there is none. */
export function detectedPlace(
  reading: HeaderReading,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry | null {
  const { names } = reading;
  const sample = reading.sample();
  const geometries = wanted.z === null ? sampledGeometries(names, sample) : [];
  const pairs = namedPairs(names)
    .map((pair) => ({ pair, values: sampled(sample, pair, wanted.decimalComma) }))
    .filter(({ pair, values }) => isPlausible(values, pair));
  // A column "geom" without any value is a column of geometries only if nothing else is.
  const [geometry] = geometries;
  const isEmpty = geometry?.count === 0 && pairs.length > 0;
  if (geometries.length === 1 && geometry.isKnownName && !isEmpty)
    return foundColumn(names, geometry, findings);
  const others = isEmpty ? [] : geometries;
  if (others.length === 1 && pairs.length === 0) return null;
  if (others.length + pairs.length > 1)
    throw ambiguous([
      ...others.map(({ index, notation }) => `'${shown(names[index])}' (${notation})`),
      ...pairs.map(({ pair }) => pairText(names, pair)),
    ]);
  if (pairs.length === 1) {
    const [{ values }] = pairs;
    refuseLettersApart(names, sample, pairs[0].pair);
    const named = pairs[0].pair.z;
    const z =
      wanted.z !== null
        ? columnIndex(names, wanted.z)
        : named >= 0 && areNumbers(readColumn(sample, named, values.notation))
          ? named
          : -1;
    if (wanted.z !== null && z < 0) throw unknownColumn(wanted, names, reading.delimiter);
    const pair = { ...pairs[0].pair, z };
    const located = pairOf(reading, pair, values, wanted, findings);
    findings.note('COORDINATE_COLUMNS_FOUND', { columns: pairText(names, pair) });
    noteHeight(names, sample, pair, findings);
    return located;
  }
  const points = namedPoints(names);
  if (points.length > 1) throw ambiguous(points.map(({ index }) => `'${shown(names[index])}'`));
  if (points.length === 0 || wanted.z !== null) return null;
  const [{ index, order }] = points;
  const located = pointColumn(reading, index, order, wanted, findings);
  findings.note('POINT_COLUMN_FOUND', { column: shown(names[index]), order: order.replace('_', ', ') });
  return located;
}

/** Loggers write "33.8688,S,151.2093,E": without the letters the positions would be on another hemisphere. */
function refuseLettersApart(names: readonly string[], sample: Sample, { x, y }: NamedPair): void {
  const coordinate = [x, y].find((index) => hasHemispheres(sample, index + 1));
  if (coordinate === undefined) return;
  throw failure('CSV_LETTERS_APART', {
    column: shown(names[coordinate + 1]),
    coordinate: shown(names[coordinate]),
  });
}

/** Whether the column has a letter of a hemisphere in every cell, and somewhere one that means a negative number. */
function hasHemispheres(sample: Sample, column: number): boolean {
  if (column >= sample.columnCount) return false;
  const cell = new CellBytes();
  let isNegative = false;
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column)) continue;
    const letter = String.fromCharCode(cell.bytes[cell.start]).toUpperCase();
    if (cell.end - cell.start !== 1 || !'NSEWO'.includes(letter)) return false;
    isNegative ||= letter === 'S' || letter === 'W';
  }
  return isNegative;
}

function foundColumn(
  names: readonly string[],
  geometry: SampledGeometry,
  findings: Findings,
): LocatedGeometry {
  const { index, notation, srid } = geometry;
  const column = shown(names[index]);
  findings.note('GEOMETRY_COLUMN_FOUND', { column, notation });
  if (srid !== 0)
    return geometryColumn(index, { crs: `EPSG:${srid}`, reason: `its geometries state SRID ${srid}` });
  const isGeoJson = notation === 'GeoJSON' && geometry.isInRange;
  return geometryColumn(index, isGeoJson ? { crs: WGS84, reason: 'its geometries are GeoJSON' } : null);
}

function ambiguous(possible: readonly string[]): Error {
  return failure('CSV_GEOMETRY_AMBIGUOUS', { possible: [...new Set(possible)].slice(0, 10).join('; ') });
}

function shown(name: string): string {
  return name.slice(0, 40);
}

function pairText(names: readonly string[], { x, y, z }: NamedPair): string {
  const height = z < 0 ? '' : `, '${shown(names[z])}' (z)`;
  return `'${shown(names[x])}' (x), '${shown(names[y])}' (y)${height}`;
}

/** Names of heights, which stay fields: a height is rarely in the CRS of x and y. */
const HEIGHT = /^(?:z|h|height|elevation|elev|ele|alt|altitude|hoehe|höhe|kote|altitud|quota|hoogte)\b/i;

function noteHeight(names: readonly string[], sample: Sample, pair: NamedPair, findings: Findings): void {
  if (pair.z >= 0) return;
  const heights = names.flatMap((name, index) => (HEIGHT.test(name) ? [index] : []));
  if (heights.length !== 1) return;
  if ([DOT, COMMA].some((mark) => areNumbers(readColumn(sample, heights[0], notationOf(mark, null)))))
    findings.note('HEIGHT_KEPT', { column: shown(names[heights[0]]) });
}

function areNumbers({ filled, valid }: ColumnValues): boolean {
  return filled > 0 && valid === filled;
}

// --- values -----------------------------------------------------------------------------------------------------

interface ColumnValues {
  filled: number;
  valid: number;
  /** Of these valid values. */
  angles: number;
  sexagesimal: number;
  /** Commas that can be read either way. */
  ambiguous: number;
  min: number;
  max: number;
  /** An ambiguous value, for the message. */
  example: string;
}

interface PairValues {
  readonly x: ColumnValues;
  readonly y: ColumnValues;
  readonly notation: OrdinateNotation;
  /** Commas are decimal marks in all values that have one, but each could as well separate thousands. */
  readonly isUndecided: boolean;
}

function notationOf(
  decimalMark: number,
  letterO: 'E' | 'W' | null,
  takesSingleGroup = false,
): OrdinateNotation {
  return { decimalMark, takesSingleGroup, letterO };
}

function readColumn(sample: Sample, column: number, notation: OrdinateNotation): ColumnValues {
  const values: ColumnValues = {
    filled: 0,
    valid: 0,
    angles: 0,
    sexagesimal: 0,
    ambiguous: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    example: '',
  };
  // A letter O without a known meaning is an error of its row, not a sign of another column.
  const scanner = new OrdinateScanner({ ...notation, letterO: notation.letterO ?? 'E' });
  const cell = new CellBytes();
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column)) continue;
    values.filled++;
    const value = scanner.parse(cell.bytes, cell.start, cell.end);
    if (Number.isNaN(value)) continue;
    values.valid++;
    if (scanner.isAngle) values.angles++;
    if (scanner.isSexagesimal) values.sexagesimal++;
    if (scanner.isAmbiguous && values.ambiguous++ === 0)
      values.example = new TextDecoder().decode(cell.bytes.subarray(cell.start, cell.end));
    values.min = Math.min(values.min, value);
    values.max = Math.max(values.max, value);
  }
  return values;
}

/** Reads the sampled values with a decimal point and with a decimal comma; the notation that reads more of them counts. */
function sampled(
  sample: Sample,
  { x, y, letterO, isGeographic }: NamedPair,
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

function isPlausible({ x, y }: PairValues, { needsAngles }: NamedPair): boolean {
  if (needsAngles) return x.filled + y.filled > 0 && x.angles === x.filled && y.angles === y.filled;
  return x.valid * 2 >= x.filled && y.valid * 2 >= y.filled;
}

const within = ({ min, max }: ColumnValues, limit: number): boolean => !(min < -limit || max > limit);

function pairOf(
  { names }: HeaderReading,
  pair: NamedPair,
  values: PairValues,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry {
  const { x, y, notation, isUndecided } = values;
  const columns = `'${shown(names[pair.x])}' and '${shown(names[pair.y])}'`;
  if (isUndecided) {
    const isX = x.ambiguous > 0;
    throw failure('CSV_COMMA_AMBIGUOUS', {
      value: isX ? x.example : y.example,
      column: shown(names[isX ? pair.x : pair.y]),
    });
  }
  noteNotation(columns, notation, x.sexagesimal + y.sexagesimal > 0, wanted, findings);
  const place = { kind: 'pair', x: pair.x, y: pair.y, z: pair.z, notation } as const;
  const areAngles = x.valid + y.valid > 0 && x.angles === x.valid && y.angles === y.valid;
  const unknown: LocatedGeometry = {
    place,
    assumedCrs: null,
    extent: x.valid > 0 && y.valid > 0 ? [x.min, y.min, x.max, y.max] : undefined,
  };
  if (!pair.isGeographic && !areAngles) return unknown;
  // Swapped ones are degrees as well; the pipeline reports them.
  const isSwapped = within(x, 90) && within(y, 360);
  if (!isSwapped && !(within(x, 360) && within(y, 90))) return unknown;
  return { place, assumedCrs: { crs: WGS84, reason: `columns ${columns} hold longitudes and latitudes` } };
}

function noteNotation(
  columns: string,
  { decimalMark }: OrdinateNotation,
  isSexagesimal: boolean,
  wanted: WantedColumns,
  findings: Findings,
): void {
  const comma = decimalMark === COMMA && wanted.decimalComma === null ? ['with a decimal comma'] : [];
  const notation = [...(isSexagesimal ? ['as degrees, minutes and seconds'] : []), ...comma];
  if (notation.length > 0)
    findings.note('COORDINATE_NOTATION', { columns, notation: notation.join(' and ') });
}

function pointColumn(
  { names, sample: sampleOf }: HeaderReading,
  index: number,
  order: 'lat_lon' | 'lon_lat' | null,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry {
  const sample = sampleOf();
  const letterO = letterOf(names);
  const marks = wanted.decimalComma === null ? [DOT, COMMA] : [wanted.decimalComma ? COMMA : DOT];
  const readings = marks.map((mark) => readPoints(sample, index, notationOf(mark, letterO)));
  const best = readings.reduce((a, b) => (b.valid > a.valid ? b : a));
  if (order === null && best.stated < best.valid)
    throw failure('CONFIG_INVALID', {
      detail: phrase`'${field('csv_options.point_order')}' is required: the positions in column '${shown(names[index])}' do not state whether latitude or longitude comes first`,
    });
  noteNotation(`'${shown(names[index])}'`, best.notation, best.isSexagesimal, wanted, findings);
  const place = { kind: 'point', index, order: order ?? 'lat_lon', notation: best.notation } as const;
  return {
    place,
    assumedCrs: best.isInRange(place.order)
      ? { crs: WGS84, reason: `column '${shown(names[index])}' holds latitudes and longitudes` }
      : null,
  };
}

function readPoints(sample: Sample, column: number, notation: OrdinateNotation) {
  const scanner = new PositionScanner(notation);
  const cell = new CellBytes();
  let valid = 0;
  let stated = 0;
  let isSexagesimal = false;
  const greatest = [0, 0];
  for (let row = 0; row < sample.rowCount; row++) {
    if (!cell.open(sample, row * sample.columnCount + column)) continue;
    if (!scanner.parse(cell.bytes, cell.start, cell.end)) continue;
    valid++;
    if (scanner.order !== null) stated++;
    isSexagesimal ||= scanner.isSexagesimal;
    const isSwapped = scanner.order === 'lon_lat';
    greatest[isSwapped ? 1 : 0] = Math.max(greatest[isSwapped ? 1 : 0], Math.abs(scanner.first));
    greatest[isSwapped ? 0 : 1] = Math.max(greatest[isSwapped ? 0 : 1], Math.abs(scanner.second));
  }
  const isInRange = (order: 'lat_lon' | 'lon_lat'): boolean => {
    const [first, second] = greatest;
    // With stated orders the latitude is always first here.
    const isLatitudeFirst = stated > 0 || order === 'lat_lon';
    return isLatitudeFirst ? first <= 90 && second <= 360 : first <= 360 && second <= 90;
  };
  return { valid, stated, isSexagesimal, notation, isInRange };
}

/** Notes the columns in which all sampled values are numbers, some of them with a decimal comma. */
export function noteDecimalCommas(
  { names, sample }: HeaderReading,
  place: GeometryPlace,
  findings: Findings,
): void {
  const rows = sample();
  const taken = new Set(geometryColumns(place));
  const columns = names.filter((_, i) => !taken.has(i) && hasDecimalCommas(rows, i));
  if (columns.length === 0) return;
  const more = columns.length > 10 ? ` and ${columns.length - 10} more` : '';
  const listed = columns.slice(0, 10).map((name) => `'${shown(name)}'`);
  findings.note('DECIMAL_COMMA_KEPT', { columns: listed.join(', ') + more });
}

/** The error for a CSV in which nothing was found. */
export function notFound({ names, delimiter, sample }: HeaderReading): Error {
  if (/^sep=.?$/i.test(names[0]?.trim() ?? ''))
    return failure('CSV_SYNTAX', {
      line: 1,
      reason: "'sep=' is an instruction for Excel, not a header: remove the line",
    });
  const geometries = sampledGeometries(names, sample());
  const hint = geometries
    .slice(0, 3)
    .map(({ index, notation }) => `'${shown(names[index])}' contains ${notation}. `);
  return failure('CSV_COLUMN_MISSING', { possible: hint.join(''), found: listNames(names, delimiter) });
}
