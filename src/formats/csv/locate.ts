/**
 * Finds where the geometry of a CSV is: by the options, by the name `geom_wkt`, or by names and values of the first
 * rows. What is found is reported; where two readings are plausible nothing is guessed.
 */
import { letterOf, type NamedPair, namedPairs, namedPoints } from '../../batch/coordinate-names.ts';
import { WGS84 } from '../../crs/crs.ts';
import { failure } from '../../errors.ts';
import type { Findings } from '../../findings.ts';
import type { AssumedCrs } from '../format.ts';
import { type ColumnName, columnIndex, listNames, unknownColumn, type WantedColumns } from './columns.ts';
import { areNumbers, isPlausible, readColumn, sampledPair } from './coordinate-sample.ts';
import { type SampledGeometry, sampledGeometries, statedGeometry } from './geometry-sample.ts';
import { noteHeight, pairOf, pairText } from './locate-pair.ts';
import { pointColumn } from './locate-point.ts';
import { type HeaderReading, type LocatedGeometry, shown } from './located.ts';
import { type GeometryPlace, geometryColumns } from './row-geometry.ts';
import { CellBytes, type Sample } from './sample.ts';
import { hasDecimalCommas } from './typing.ts';

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
    return index < 0 ? null : geometryColumn(index, statedGeometry(names, reading.sample(), index));
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
  return pairOf(reading, pair, sampledPair(reading.sample(), pair, wanted.decimalComma), wanted, findings);
}

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
    .map((pair) => ({ pair, values: sampledPair(sample, pair, wanted.decimalComma) }))
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
  const { index, notation } = geometry;
  findings.note('GEOMETRY_COLUMN_FOUND', { column: shown(names[index]), notation });
  return geometryColumn(index, geometry);
}

function geometryColumn(
  index: number,
  geometry: Pick<SampledGeometry, 'srid' | 'notation' | 'isInRange'>,
): LocatedGeometry {
  return { place: { kind: 'column', index }, assumedCrs: assumedCrsOf(geometry) };
}

function assumedCrsOf({
  srid,
  notation,
  isInRange,
}: Pick<SampledGeometry, 'srid' | 'notation' | 'isInRange'>): AssumedCrs | null {
  if (srid !== 0) return { crs: `EPSG:${srid}`, reason: `its geometries state SRID ${srid}` };
  return notation === 'GeoJSON' && isInRange ? { crs: WGS84, reason: 'its geometries are GeoJSON' } : null;
}

function ambiguous(possible: readonly string[]): Error {
  return failure('CSV_GEOMETRY_AMBIGUOUS', { possible: [...new Set(possible)].slice(0, 10).join('; ') });
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
