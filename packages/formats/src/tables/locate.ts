/**
 * Finds where the geometry of a table is: by the options, by the name `geom_wkt`, or by names and values of the first
 * rows. What is found is reported; where two readings are plausible nothing is guessed.
 */
import { WGS84 } from '@geomill/core/crs/crs.ts';
import {
  letterOf,
  type NamedPair,
  namedPairs,
  namedPoints,
} from '@geomill/core/geometry/coordinate-names.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { phrase } from '@geomill/core/messages/message.ts';
import type { AssumedCrs } from '../reader.ts';
import { type ColumnName, columnIndex, namesParts, unknownColumn, type WantedColumns } from './columns.ts';
import { areNumbers, isPlausible, type PairValues, readColumn, sampledPair } from './coordinate-sample.ts';
import type { GeometryPlace } from './geometry-place.ts';
import {
  emptyGeometries,
  likeliestGeometries,
  type SampledGeometry,
  sampledGeometries,
  statedGeometry,
} from './geometry-sample.ts';
import {
  anglesOf,
  anglesText,
  type PairOfAngles,
  placeOfAngles,
  sampledAngles,
  statedAngles,
} from './locate-angles.ts';
import { noteHeight, pairOf, pairText } from './locate-pair.ts';
import { pointColumn } from './locate-point.ts';
import { type HeaderReading, type LocatedGeometry, shown } from './located.ts';
import type { TableMessages } from './messages.ts';
import { geometryColumns } from './row-geometry.ts';
import { hasDecimalCommas } from './typing.ts';
import { zoneOf } from './utm-zones.ts';

/** The place that the options state; null if the header lacks one of the columns. */
export function statedPlace(
  reading: HeaderReading,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry | null {
  const { names, messages } = reading;
  const indexOf = (name: ColumnName | null): number => (name === null ? -1 : columnIndex(names, name));
  if (wanted.geometry !== null) {
    const index = indexOf(wanted.geometry);
    return index < 0 ? null : geometryColumn(index, statedGeometry(reading, index));
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
  const values = sampledPair(reading.sample(), pair, wanted.decimalComma);
  if (namesParts(wanted)) {
    const angles = statedAngles(names, pair, wanted);
    return angles && placeOfAngles(reading, angles, pair, wanted, findings);
  }
  // Degrees without their minutes or their hemisphere would be other positions.
  const { parts } = anglesOf(reading, pair, values, sampledAngles(reading, true));
  if (parts === null) return pairOf(reading, pair, values, wanted, findings);
  const located = placeOfAngles(reading, parts, pair, wanted, findings);
  messages.note(findings, 'COORDINATE_PARTS_FOUND', { columns: anglesText(names, parts) });
  return located;
}

/** The place that names and values show. Throws GEOMETRY_AMBIGUOUS; null if there is none. */
export function detectedPlace(
  reading: HeaderReading,
  wanted: WantedColumns,
  findings: Findings,
): LocatedGeometry | null {
  const { names, messages } = reading;
  const sample = reading.sample();
  const geometries = wanted.z === null ? sampledGeometries(reading) : [];
  const angles = wanted.z === null && geometries.length === 1 ? [] : sampledAngles(reading, false);
  const pairs = pairsWith(namedPairs(names), angles)
    .map((pair) => ({ pair, values: sampledPair(sample, pair, wanted.decimalComma) }))
    .filter(({ pair, values }) => isPlausible(values, pair));
  // A column "geom" without any value is a column of geometries only if nothing else is.
  const [geometry] = geometries;
  const isEmpty = geometry?.count === 0 && pairs.length > 0;
  const isFound = geometry?.isKnownName || (geometry?.isNamed && pairs.length === 0);
  if (geometries.length === 1 && isFound && !isEmpty)
    return {
      ...foundColumn(reading, geometry, findings),
      checks: emptyGeometries(names, sample, geometry.index),
    };
  const others = isEmpty ? [] : geometries;
  if (others.length === 1 && pairs.length === 0) return null;
  if (others.length + pairs.length > 1)
    throw ambiguous(
      messages,
      [
        ...others.map(({ index, notation }) => `'${shown(names[index])}' (${notation})`),
        ...pairs.map(({ pair }) => pairText(names, pair)),
      ],
      areLikeParts(pairs),
    );
  if (pairs.length === 1) {
    const [{ values }] = pairs;
    const named = pairs[0].pair.z;
    const z =
      wanted.z !== null
        ? columnIndex(names, wanted.z)
        : named >= 0 && areNumbers(readColumn(sample, named, values.notation))
          ? named
          : -1;
    if (wanted.z !== null && z < 0) throw unknownColumn(wanted, reading);
    const pair = { ...pairs[0].pair, z };
    const zone = zoneOf(reading, values, pair.isGeographic);
    const { parts, checks } = anglesOf(reading, pair, values, angles);
    const located =
      parts === null
        ? pairOf(reading, pair, values, wanted, findings)
        : placeOfAngles(reading, parts, pair, wanted, findings);
    const columns = parts === null ? pairText(names, pair) : anglesText(names, parts);
    messages.note(findings, 'COORDINATE_COLUMNS_FOUND', { columns });
    noteHeight(reading, pair, findings);
    const all = [...checks, ...zone.checks, ...emptyGeometries(names, sample)];
    return { ...located, doubt: zone.doubt ?? located.doubt, checks: all };
  }
  const points = namedPoints(names);
  if (points.length > 1)
    throw ambiguous(
      messages,
      points.map(({ index }) => `'${shown(names[index])}'`),
    );
  if (points.length === 0 || wanted.z !== null) return null;
  const [{ index, order }] = points;
  const located = pointColumn(reading, index, order, wanted, findings);
  messages.note(findings, 'POINT_COLUMN_FOUND', {
    column: shown(names[index]),
    order: order.replace('_', ', '),
  });
  return located;
}

/** A column in which some of the first values are no geometries, or have several notations. */
export function likeliestPlace(reading: HeaderReading, findings: Findings): LocatedGeometry | null {
  const { names, sample, messages } = reading;
  const found = likeliestGeometries(names, sample());
  if (found === null) return null;
  const { index, notations } = found;
  messages.note(findings, 'GEOMETRY_COLUMN_FOUND', {
    column: shown(names[index]),
    notation: notations.join(', '),
  });
  return geometryColumn(index, statedGeometry(reading, index));
}

/** The pairs without columns of minutes and seconds, and with all columns of degrees. */
function pairsWith(pairs: readonly NamedPair[], angles: readonly PairOfAngles[]): NamedPair[] {
  const taken = new Set(
    angles.flatMap(({ x, y }) => [x, y].flatMap(({ minutes, seconds }) => [minutes, seconds])),
  );
  const others = pairs.filter(({ x, y }) => !taken.has(x) && !taken.has(y));
  const same = ({ x, y }: PairOfAngles, pair: NamedPair): boolean =>
    pair.x === x.degrees && pair.y === y.degrees;
  const own = angles.map((angle): NamedPair => {
    const { z = -1, letterO = null } = others.find((pair) => same(angle, pair)) ?? {};
    const [x, y] = [angle.x.degrees, angle.y.degrees];
    return { x, y, z, isGeographic: true, needsAngles: false, letterO };
  });
  return [...others.filter((pair) => !angles.some((angle) => same(angle, pair))), ...own];
}

function foundColumn(
  { names, messages }: HeaderReading,
  geometry: SampledGeometry,
  findings: Findings,
): LocatedGeometry {
  const { index, notation } = geometry;
  messages.note(findings, 'GEOMETRY_COLUMN_FOUND', { column: shown(names[index]), notation });
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

/** Several pairs of whole degrees and numbers below 60: "Lat1, Lat2, Lat3" are degrees, minutes and seconds perhaps. */
function areLikeParts(pairs: readonly { readonly pair: NamedPair; readonly values: PairValues }[]): boolean {
  const [first, ...others] = pairs;
  if (first === undefined || others.length === 0 || !pairs.every(({ pair }) => pair.isGeographic))
    return false;
  const all = (isRight: (value: number) => boolean, { x, y }: PairValues): boolean =>
    [...x.values, ...y.values].every((value) => Number.isNaN(value) || isRight(value));
  return (
    all(Number.isInteger, first.values) &&
    others.every(({ values }) => all((value) => value >= 0 && value < 60, values))
  );
}

function ambiguous(messages: TableMessages, possible: readonly string[], areParts = false): Error {
  return messages.failure('GEOMETRY_AMBIGUOUS', {
    possible: [...new Set(possible)].slice(0, 10).join('; '),
    parts: areParts
      ? phrase`. If they are degrees, minutes and seconds, name all of them, also with '${messages.option('x_minutes_column')}', '${messages.option('x_seconds_column')}' and the same for y`
      : '',
  });
}

/** Notes the columns in which all sampled values are numbers, some of them with a decimal comma. */
export function noteDecimalCommas(
  { names, sample, messages }: HeaderReading,
  place: GeometryPlace,
  findings: Findings,
): void {
  const rows = sample();
  const taken = new Set(geometryColumns(place));
  const columns = names.filter((_, i) => !taken.has(i) && hasDecimalCommas(rows, i));
  if (columns.length === 0) return;
  const more = columns.length > 10 ? ` and ${columns.length - 10} more` : '';
  const listed = columns.slice(0, 10).map((name) => `'${shown(name)}'`);
  messages.note(findings, 'DECIMAL_COMMA_KEPT', { columns: listed.join(', ') + more });
}
