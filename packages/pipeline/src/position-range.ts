/**
 * Checks positions against their CRS: longitudes and latitudes that cannot be, features outside the area of use, and
 * coordinates in the wrong order. The bounds of a batch decide; single positions are looked at only if these do not fit.
 */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import { shortDefinition } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { locateTally } from './locate-findings.ts';
import { rowsOf } from './position-rows.ts';
import type { PositionRange, RangeCounts } from './task.ts';

/** Longitudes of shapes across the antimeridian, or counted from 0, are up to 360. */
const LONGITUDE_LIMIT = 360;
/** Computed latitudes of poles are a little beyond 90. */
const LATITUDE_LIMIT = 90.0000001;
/** Areas of use are rough boxes: up to about 1 km outside needs no warning. */
const TOLERANCE = { degrees: 0.01, metres: 1000 };
const RADIANS_PER_DEGREE = Math.PI / 180;
export const MAX_PLACES = 5;

/** Null if the CRS has neither limits nor an area. `extentOf`: bounds of an area of use in coordinates of the CRS. */
export function positionRangeOf(
  { definition, authority, kind, unitFactor, areaOfUse }: CrsDescription,
  extentOf: (definition: CrsText) => Bounds | null,
  countsOutside: boolean,
): PositionRange | null {
  if (kind === 'other') return null;
  const isGeographic = kind === 'geographic';
  const unitsPerDegree = RADIANS_PER_DEGREE / unitFactor;
  const extent = areaOfUse === null || isWorld(areaOfUse) ? null : extentOf(definition);
  const tolerance = isGeographic ? TOLERANCE.degrees * unitsPerDegree : TOLERANCE.metres / unitFactor;
  if (!isGeographic && extent === null) return null;
  return {
    crs: authority === null ? shortDefinition(definition) : `${authority.name}:${authority.code}`,
    limits: isGeographic ? [LONGITUDE_LIMIT * unitsPerDegree, LATITUDE_LIMIT * unitsPerDegree] : null,
    area:
      extent === null
        ? null
        : [extent[0] - tolerance, extent[1] - tolerance, extent[2] + tolerance, extent[3] + tolerance],
    turn: isGeographic ? 360 * unitsPerDegree : 0,
    countsOutside,
  };
}

/** The range of positions whose x and y are exchanged. */
export function exchangedRange(range: PositionRange): PositionRange {
  const { limits, area } = range;
  return {
    ...range,
    limits: limits === null ? null : [limits[1], limits[0]],
    area: area === null ? null : [area[1], area[0], area[3], area[2]],
    turn: 0,
  };
}

function isWorld({ west, south, east, north }: NonNullable<CrsDescription['areaOfUse']>): boolean {
  return west <= -180 && south <= -90 && east >= 180 && north >= 90;
}

/** `bounds`: of all positions of the batch. `locates`: list the features. */
export function checkPositions(
  batch: Pick<FeatureBatch, 'rowCount' | 'geometry' | 'ids'>,
  bounds: Bounds,
  range: PositionRange,
  locates = false,
): RangeCounts {
  const { geometry, rowCount } = batch;
  const { limits, area, turn } = range;
  const areaCounted = range.countsOutside ? area : null;
  const counts = {
    bounds,
    impossible: 0,
    outside: 0,
    places: [] as { record: number; x: number; y: number }[],
  };
  if (
    (limits === null || areWithin(bounds, limits)) &&
    (areaCounted === null || contains(areaCounted, bounds))
  )
    return counts;
  const [maxX, maxY] = limits ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const [west, south, east, north] = areaCounted ?? WORLD;
  const { coordinates } = geometry;
  const stride = strideOf(geometry.dimensions);
  const rows = rowsOf(geometry, rowCount);
  const impossible = new RowTally();
  const outside = new RowTally();
  let lastImpossible = -1;
  let lastOutside = -1;
  for (let i = 0; i < coordinates.length; i += stride) {
    const x = coordinates[i];
    const y = coordinates[i + 1];
    if (Math.abs(x) > maxX || Math.abs(y) > maxY) {
      const row = rows.at(i / stride);
      if (row === lastImpossible) continue;
      if (row === lastOutside) {
        counts.outside--;
        if (outside.rows.at(-1) === row) outside.rows.pop();
      }
      counts.impossible++;
      impossible.add(row);
      lastImpossible = row;
      if (counts.places.length < MAX_PLACES) counts.places.push({ record: row + 1, x, y });
    } else if (y < south || y > north || isBeside(x, west, east, turn)) {
      const row = rows.at(i / stride);
      if (row === lastImpossible || row === lastOutside) continue;
      counts.outside++;
      outside.add(row);
      lastOutside = row;
    }
  }
  if (!locates) return counts;
  return {
    ...counts,
    rows: { impossible: locateTally(impossible, batch), outside: locateTally(outside, batch) },
  };
}

const WORLD: Bounds = [
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
];

/** False for NaN, the position of empty points. */
function isBeside(x: number, west: number, east: number, turn: number): boolean {
  if (x < west) return turn === 0 || x + turn > east;
  return x > east && (turn === 0 || x - turn < west);
}

export function areWithin([minX, minY, maxX, maxY]: Bounds, [x, y]: readonly [number, number]): boolean {
  return minX >= -x && maxX <= x && minY >= -y && maxY <= y;
}

export function contains(outer: Bounds, inner: Bounds): boolean {
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}
