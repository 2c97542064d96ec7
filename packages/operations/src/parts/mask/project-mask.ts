/**
 * Transforms a mask to one valid area in the CRS of the data. Its edges are straight in its own CRS: in another one positions
 * are added to them.
 *
 *   the CRS of the data          as it is
 *   longitude and latitude       cut to what the CRS of the data can represent, copied beyond 180 degrees
 *   projected                    directly, or by longitude and latitude where that fails
 */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { WGS84_DESCRIPTION } from '@geomill/core/crs/wgs84.ts';
import { positionBounds } from '@geomill/core/geometry/bounds.ts';
import { GeometryBuilder, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { cutAtAntimeridian } from '@geomill/core/sphere/cut.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { StepSetting, TransformPositions } from '../../transformation.ts';
import { lengthInCrs } from '../lengths.ts';
import { followEdges } from './follow-edges.ts';

/** Tolerated deviation of an edge of the mask on the ground: below the accuracy of surveys, and few positions are added. */
const TOLERANCE_METERS = 0.01;
/**
 * A mask that covers more than a projection can show is cut to the area of use of the CRS and this much around it, in
 * degrees; the widest that can be transformed is taken, because data often reaches beyond the area.
 */
const MARGINS_DEGREES = [180, 60, 40, 20, 10, 5, 2, 0] as const;
/** The poles themselves are at infinity in many projections: only areas that hold them reach so far. */
const POLAR_LATITUDE = 89;
/** Positions along each side of a grid that tests whether inside stayed inside. */
const SAMPLES = 13;
/** Computed poles can exceed 90 degrees slightly. */
const ROUNDING_DEGREES = 1e-7;

interface CutMask {
  /** Owned by the caller; may be empty, where the CRS cannot show any of the mask. */
  readonly geometry: GeosGeometry;
  /** Degrees around the area of use of the CRS that the mask was cut to; null: it is whole. */
  readonly marginDegrees: number | null;
}

export interface ProjectedMask extends CutMask {
  /** Why the mask was repaired, in the words of GEOS; null: it was valid. */
  readonly repairReason: string | null;
}

/** `mask` has one polygon per row, XY in EPSG:4326 or in the CRS of `setting.file`. Throws TRANSFORMATION_INVALID where it has no area. */
export function projectMask(
  geos: Geos,
  mask: GeometryColumn,
  setting: StepSetting,
  path: string,
): ProjectedMask {
  const { file } = setting;
  const own = file?.crs ?? WGS84_DESCRIPTION;
  const hasDegrees = isInDegrees(own);
  if (hasDegrees) checkRange(mask, path);
  const { area, repairReason } = unite(geos, hasDegrees ? cutAtAntimeridian(mask).geometry : mask, path);
  using united = area;
  if (hasDegrees) {
    const toData = file === undefined ? setting.fromWgs84 : (file.toData ?? stay);
    return { ...fromDegrees(geos, united, own, toData, setting.crs, path), repairReason };
  }
  if (file === undefined || file.toData === null)
    return { geometry: united.clone(), marginDegrees: null, repairReason };
  const direct = fromPlane(geos, united, own, file.toData, setting.crs);
  if (direct !== null) return { geometry: direct, marginDegrees: null, repairReason };
  using inWgs84 = fromPlane(geos, united, own, file.toWgs84, WGS84_DESCRIPTION);
  if (inWgs84 === null) throw notShown(path, WGS84_DESCRIPTION);
  const { area: cut } = unite(geos, cutAtAntimeridian(columnOf(inWgs84)).geometry, path);
  using degrees = cut;
  return {
    ...fromDegrees(geos, degrees, WGS84_DESCRIPTION, setting.fromWgs84, setting.crs, path),
    repairReason,
  };
}

/** Longitudes may exceed 180 degrees by one turn, for masks across the antimeridian. */
function checkRange(mask: GeometryColumn, path: string): void {
  const { coordinates } = mask;
  for (let at = 0; at < coordinates.length; at += 2) {
    const x = coordinates[at];
    const y = coordinates[at + 1];
    if (Math.abs(x) <= 540 && Math.abs(y) <= 90 + ROUNDING_DEGREES) continue;
    const reason = phrase`has the position (${x}, ${y}), which is not a longitude and latitude; state the CRS of its coordinates with '${field(path.replace(/mask$/, 'mask_crs'))}'`;
    throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(path), reason });
  }
}

/** The polygons as one valid area, which the caller owns. */
function unite(
  geos: Geos,
  polygons: GeometryColumn,
  path: string,
): { readonly area: GeosGeometry; readonly repairReason: string | null } {
  let repairReason: string | null = null;
  const count = polygons.types.length;
  const parts: GeosGeometry[] = [];
  using owned = new DisposableStack();
  for (let row = 0; row < count; row++) {
    const polygon = owned.use(geos.read(polygons, row));
    const isValid = polygon.isValid;
    if (!isValid) repairReason ??= `${count === 1 ? '' : `polygon ${row + 1}: `}${polygon.validityReason}`;
    parts.push(isValid ? polygon : owned.use(polygon.makeValid()));
  }
  using collection = geos.collection(parts);
  const area = collection.unaryUnion();
  if (!area.isEmpty) return { area, repairReason };
  area[Symbol.dispose]();
  throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(path), reason: 'has no area' });
}

function fromDegrees(
  geos: Geos,
  mask: GeosGeometry,
  own: CrsDescription,
  toData: TransformPositions,
  crs: CrsDescription,
  path: string,
): CutMask {
  if (crs.kind === 'geographic') return inDegrees(geos, mask, own, toData, crs, path);
  using centred = centredOn(geos, mask, crs);
  return inCrs(geos, centred, own, toData, crs, path);
}

/** Null where the CRS cannot represent the mask. */
function fromPlane(
  geos: Geos,
  mask: GeosGeometry,
  own: CrsDescription,
  toData: TransformPositions,
  crs: CrsDescription,
): GeosGeometry | null {
  const column = columnOf(mask);
  try {
    const isGeographic = crs.kind === 'geographic';
    const transform = isGeographic ? steadyFrom(column, toData, crs) : toData;
    const moved = followEdges(column, own, transform, lengthInCrs(TOLERANCE_METERS, crs));
    if (moved === null) return null;
    using drawn = geos.read(moved, 0);
    using valid = drawn.isValid ? drawn.clone() : drawn.makeValid();
    if (isGeographic) return withTurnsBeyond(geos, valid, moved, crs);
    return agrees(mask, valid, toData) ? valid.clone() : null;
  } catch (thrown) {
    if (isOutsideDomain(thrown)) return null;
    throw thrown;
  }
}

/** The transformation to longitudes that do not jump at 180 degrees, if the mask is less than half a turn wide on both sides of its centre. */
function steadyFrom(
  mask: GeometryColumn,
  toData: TransformPositions,
  crs: CrsDescription,
): TransformPositions {
  const [west, south, east, north] = positionBounds(mask);
  const centre = Float64Array.of((west + east) / 2, (south + north) / 2);
  toData(centre, 'XY');
  const turn = turnOf(crs);
  return (coordinates, dimensions) => {
    toData(coordinates, dimensions);
    for (let at = 0; at < coordinates.length; at += 2) {
      const excess = (coordinates[at] - centre[0]) / turn;
      // Not for 180 degrees themselves, which are either end of the world.
      if (Math.abs(excess) > 0.5 + 1e-9) coordinates[at] -= turn * Math.round(excess);
    }
  };
}

const stay = (): void => {};

/** A whole turn in the unit of a geographic CRS. */
function turnOf({ unitFactor }: CrsDescription): number {
  return (2 * Math.PI) / unitFactor;
}

function isOutsideDomain(thrown: unknown): boolean {
  return thrown instanceof GeomillError && thrown.code === 'COORDINATE_OUTSIDE_DOMAIN';
}

function notShown(path: string, { name }: CrsDescription): GeomillError {
  return failure(generalErrors.TRANSFORMATION_INVALID, {
    path: field(path),
    reason: `cannot be shown in ${name}`,
  });
}

/** The same area three times: as it is, and a turn to the east and to the west, for data beyond 180 degrees. */
export function withTurns(geos: Geos, mask: GeosGeometry, turn: number): GeosGeometry {
  using west = shifted(geos, mask, -turn);
  using east = shifted(geos, mask, turn);
  using western = west.union(mask);
  return western.union(east);
}

/** Longitudes go on over 180 degrees where the CRS does: its projection has its seam opposite to its area of use. */
function centredOn(geos: Geos, mask: GeosGeometry, { areaOfUse }: CrsDescription): GeosGeometry {
  if (areaOfUse === null) return mask.clone();
  const { west, east } = areaOfUse;
  const middle = (west + (east < west ? east + 360 : east)) / 2;
  const centre = middle > 180 ? middle - 360 : middle;
  if (Math.abs(centre) < 1) return mask.clone();
  using beyond =
    centre > 0 ? geos.rectangle(-180, -90, centre - 180, 90) : geos.rectangle(centre + 180, -90, 180, 90);
  using far = beyond.intersection(mask);
  if (far.isEmpty) return mask.clone();
  using near = mask.difference(beyond);
  using moved = shifted(geos, far, centre > 0 ? 360 : -360);
  return near.union(moved);
}

function shifted(geos: Geos, mask: GeosGeometry, dx: number): GeosGeometry {
  const column = columnOf(mask);
  for (let at = 0; at < column.coordinates.length; at += 2) column.coordinates[at] += dx;
  return geos.read(column, 0);
}

/** The widest part of the mask that can be transformed to a valid area; as a last resort the narrowest. */
function inCrs(
  geos: Geos,
  mask: GeosGeometry,
  own: CrsDescription,
  toData: TransformPositions,
  crs: CrsDescription,
  path: string,
): CutMask {
  const { areaOfUse } = crs;
  const tolerance = lengthInCrs(TOLERANCE_METERS, crs);
  const margins = areaOfUse === null ? [null] : [null, ...MARGINS_DEGREES];
  let refusal: unknown = null;
  for (const [i, marginDegrees] of margins.entries()) {
    using part = marginDegrees === null ? mask.clone() : withinArea(geos, mask, areaOfUse!, marginDegrees);
    const column = columnOf(part);
    if (column.types.length === 0) return { geometry: geos.read(column, 0), marginDegrees };
    try {
      const projected = followEdges(column, own, toData, tolerance);
      if (projected === null) continue;
      using drawn = geos.read(projected, 0);
      using valid = drawn.isValid ? drawn.clone() : drawn.makeValid();
      const isLast = i === margins.length - 1;
      if (isLast || agrees(part, valid, toData)) return { geometry: valid.clone(), marginDegrees };
    } catch (thrown) {
      if (!isOutsideDomain(thrown)) throw thrown;
      refusal = thrown;
    }
  }
  throw refusal ?? notShown(path, crs);
}

/**
 * Whether positions inside the mask are inside after the transformation, and those outside are outside. Projections that
 * tear a mask, or turn it inside out around the far side of the earth, can give outlines that are valid all the same.
 */
function agrees(mask: GeosGeometry, projected: GeosGeometry, toData: TransformPositions): boolean {
  const [west, south, east, north] = positionBounds(columnOf(mask));
  const samples = new Float64Array(SAMPLES * SAMPLES * 2);
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    // Shares that no edge of a rectangle or circle has.
    samples[i * 2] = west + ((east - west) * ((i % SAMPLES) + 0.417)) / SAMPLES;
    samples[i * 2 + 1] = south + ((north - south) * (Math.floor(i / SAMPLES) + 0.583)) / SAMPLES;
  }
  const moved = samples.slice();
  toData(moved, 'XY');
  using before = mask.prepare();
  using after = projected.prepare();
  for (let at = 0; at < samples.length; at += 2) {
    const isInside = before.intersectsXY(samples[at], samples[at + 1]);
    if (after.intersectsXY(moved[at], moved[at + 1]) !== isInside) return false;
  }
  return true;
}

function withinArea(
  geos: Geos,
  mask: GeosGeometry,
  { west, south, east, north }: NonNullable<CrsDescription['areaOfUse']>,
  margin: number,
): GeosGeometry {
  // The mask is centred on the area, which may lie across 180 degrees.
  const turnedEast = east < west ? east + 360 : east;
  const turn = (west + turnedEast) / 2 > 180 ? -360 : 0;
  const above = north > POLAR_LATITUDE ? 90 : Math.min(POLAR_LATITUDE, north + margin);
  const below = south < -POLAR_LATITUDE ? -90 : Math.max(-POLAR_LATITUDE, south - margin);
  using area = geos.rectangle(west + turn - margin, below, turnedEast + turn + margin, above);
  return area.intersection(mask);
}

/** A mask in a geographic CRS: longitudes go on where its own 180 degrees are, and come back as copies a turn away. */
function inDegrees(
  geos: Geos,
  mask: GeosGeometry,
  own: CrsDescription,
  toData: TransformPositions,
  crs: CrsDescription,
  path: string,
): CutMask {
  const turn = turnOf(crs);
  const steady: TransformPositions = (coordinates, dimensions) => {
    const before = coordinates.slice();
    toData(coordinates, dimensions);
    // How far the prime meridian lies from Greenwich, known by the first position.
    const shift = nearestTurn(coordinates[0] - (before[0] / 360) * turn, turn);
    for (let at = 0; at < coordinates.length; at += 2) {
      const excess = coordinates[at] - (before[at] / 360) * turn - shift;
      coordinates[at] -= turn * Math.round(excess / turn);
    }
  };
  const moved = followEdges(columnOf(mask), own, steady, lengthInCrs(TOLERANCE_METERS, crs));
  if (moved === null) throw notShown(path, crs);
  using drawn = geos.read(moved, 0);
  using valid = drawn.isValid ? drawn.clone() : drawn.makeValid();
  return { geometry: withTurnsBeyond(geos, valid, moved, crs), marginDegrees: null };
}

/** A copy of the mask, with copies a turn away if it goes beyond 180 degrees. */
function withTurnsBeyond(
  geos: Geos,
  mask: GeosGeometry,
  column: GeometryColumn,
  crs: CrsDescription,
): GeosGeometry {
  const turn = turnOf(crs);
  const [west, , east] = positionBounds(column);
  return west < -turn / 2 || east > turn / 2 ? withTurns(geos, mask, turn) : mask.clone();
}

/** The part of a length that whole turns leave, from half a turn below zero to half a turn above. */
function nearestTurn(length: number, turn: number): number {
  return length - turn * Math.round(length / turn);
}

/** The polygons of a geometry as one row; no row where it has none. */
export function columnOf(geometry: GeosGeometry): GeometryColumn {
  const builder = new GeometryBuilder('XY', 1, geometry.positionCount);
  geometry.appendTo(builder, 2);
  return builder.finish();
}
