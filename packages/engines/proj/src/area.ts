/** Counts the features with positions outside of the areas of use. */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';

export type Area = NonNullable<CrsDescription['areaOfUse']>;

/** Areas of use of the two systems of a transformation; null: unknown, or the whole world. */
export interface AreasOfUse {
  readonly source: Area | null;
  readonly target: Area | null;
}

/** Rows with a position outside the area of use of either system, of the source, and of the target. */
export interface OutsideCounts {
  readonly either: number;
  readonly source: number;
  readonly target: number;
}

export const NONE_OUTSIDE: OutsideCounts = { either: 0, source: 0, target: 0 };

/** The row of each position; called in ascending order of positions. */
export interface PositionRows {
  readonly count: number;
  at(position: number): number;
}

/** On the equator; a degree of latitude is 0.7 % shorter to 0.3 % longer. */
export const METERS_PER_DEGREE = 111_320;
/** Tolerance in degrees. The areas of the EPSG database are rough boxes; up to about 1 km outside needs no warning. */
const TOLERANCE_DEGREES = 0.01;

export function isWholeWorld(area: Area): boolean {
  return area.west <= -180 && area.east >= 180 && area.south <= -90 && area.north >= 90;
}

/** Degrees of longitude. */
export function widthOf({ west, east }: Area): number {
  return east < west ? east + 360 - west : east - west;
}

/** The area with a margin on each side. */
export function grown(area: Area, degrees: number): Area {
  const isAround = widthOf(area) + 2 * degrees >= 360;
  const west = area.west - degrees;
  const east = area.east + degrees;
  return {
    west: isAround ? -180 : west < -180 ? west + 360 : west,
    east: isAround ? 180 : east > 180 ? east - 360 : east,
    south: area.south - degrees,
    north: area.north + degrees,
  };
}

/** A position in the middle of both areas, or of the first if they do not intersect; degrees. */
export function middleOf(a: Area, b: Area | null): { longitude: number; latitude: number } {
  const eastOfA = a.east < a.west ? a.east + 360 : a.east;
  let [west, south, east, north] = [a.west, a.south, eastOfA, a.north];
  if (b !== null) {
    const shift = b.west > east ? -360 : (b.east < b.west ? b.east + 360 : b.east) < west ? 360 : 0;
    const overlap = {
      west: Math.max(west, b.west + shift),
      south: Math.max(south, b.south),
      east: Math.min(east, (b.east < b.west ? b.east + 360 : b.east) + shift),
      north: Math.min(north, b.north),
    };
    if (overlap.west < overlap.east && overlap.south < overlap.north)
      ({ west, south, east, north } = overlap);
  }
  const longitude = (west + east) / 2;
  return { longitude: longitude > 180 ? longitude - 360 : longitude, latitude: (south + north) / 2 };
}

/**
 * Counts rows with a position outside the areas. `coordinates` holds x and y at the first two of every `stride` ordinates;
 * longitude = x * degreesPerUnit + primeMeridianDegrees. NaN positions (empty points) do not count.
 */
export function countOutside(
  { source, target }: AreasOfUse,
  coordinates: Float64Array,
  stride: number,
  rows: PositionRows,
  degreesPerUnit = 1,
  primeMeridianDegrees = 0,
): OutsideCounts {
  if (source === null && target === null) return NONE_OUTSIDE;
  const counts = { either: 0, source: 0, target: 0 };
  let lastOfEither = -1;
  let lastOfSource = -1;
  let lastOfTarget = -1;
  for (let i = 0; i < coordinates.length; i += stride) {
    const longitude = coordinates[i] * degreesPerUnit + primeMeridianDegrees;
    const latitude = coordinates[i + 1] * degreesPerUnit;
    const isInSource = source === null || isWithin(source, longitude, latitude);
    const isInTarget = target === null || isWithin(target, longitude, latitude);
    if (isInSource && isInTarget) continue;
    const row = rows.at(i / stride);
    if (row !== lastOfEither) counts.either++;
    lastOfEither = row;
    if (!isInSource) {
      if (row !== lastOfSource) counts.source++;
      lastOfSource = row;
    }
    if (!isInTarget) {
      if (row !== lastOfTarget) counts.target++;
      lastOfTarget = row;
    }
  }
  return counts;
}

/** Whether the bounds are in the area; false also if that is uncertain, as across the antimeridian. */
export function isWhollyWithin(
  area: Area,
  [minX, minY, maxX, maxY]: Bounds,
  degreesPerUnit: number,
  primeMeridianDegrees: number,
): boolean {
  return (
    area.west <= area.east &&
    minX * degreesPerUnit + primeMeridianDegrees >= area.west &&
    maxX * degreesPerUnit + primeMeridianDegrees <= area.east &&
    minY * degreesPerUnit >= area.south &&
    maxY * degreesPerUnit <= area.north
  );
}

/** True for NaN, the position of empty points. */
export function isWithin(area: Area, longitude: number, latitude: number): boolean {
  if (latitude < area.south - TOLERANCE_DEGREES || latitude > area.north + TOLERANCE_DEGREES) return false;
  const wrapped = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
  const isWestOfIt = wrapped < area.west - TOLERANCE_DEGREES;
  const isEastOfIt = wrapped > area.east + TOLERANCE_DEGREES;
  // An area across the antimeridian has west > east: then the gap between the two is outside.
  return area.west <= area.east ? !(isWestOfIt || isEastOfIt) : !(isWestOfIt && isEastOfIt);
}
