/** Transforms a mask from longitudes and latitudes to one valid area in the CRS of the data. */
import { cutAtAntimeridian } from '../../../batch/antimeridian.ts';
import { positionBounds } from '../../../batch/bounds.ts';
import { GeometryBuilder, type GeometryColumn } from '../../../batch/geometry-column.ts';
import type { CrsDescription } from '../../../crs/crs.ts';
import type { GeosGeometry } from '../../../engines/geos/geometry.ts';
import type { Geos } from '../../../engines/geos/geos.ts';
import { failure, GeomillError } from '../../../errors.ts';
import { field } from '../../../message.ts';
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

/** `mask` has one polygon per row, XY in EPSG:4326. Throws TRANSFORMATION_INVALID where it has no area. */
export function projectMask(
  geos: Geos,
  mask: GeometryColumn,
  setting: StepSetting,
  path: string,
): ProjectedMask {
  const { crs } = setting;
  const cut = cutAtAntimeridian(mask).geometry;
  let repairReason: string | null = null;
  const parts: GeosGeometry[] = [];
  using owned = new DisposableStack();
  for (let row = 0; row < cut.types.length; row++) {
    const polygon = owned.use(geos.read(cut, row));
    if (!polygon.isValid) repairReason ??= polygon.validityReason;
    parts.push(polygon.isValid ? polygon : owned.use(polygon.makeValid()));
  }
  using collection = geos.collection(parts);
  using united = collection.unaryUnion();
  if (united.isEmpty) throw failure('TRANSFORMATION_INVALID', { path: field(path), reason: 'has no area' });
  if (crs.kind === 'geographic') return { ...inDegrees(geos, united, setting, path), repairReason };
  using centred = centredOn(geos, united, crs);
  return { ...inCrs(geos, centred, setting, path), repairReason };
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
function inCrs(geos: Geos, mask: GeosGeometry, { crs, fromWgs84 }: StepSetting, path: string): CutMask {
  const { areaOfUse } = crs;
  const tolerance = lengthInCrs(TOLERANCE_METERS, crs);
  const margins = areaOfUse === null ? [null] : [null, ...MARGINS_DEGREES];
  let refusal: unknown = null;
  for (const [i, marginDegrees] of margins.entries()) {
    using part = marginDegrees === null ? mask.clone() : withinArea(geos, mask, areaOfUse!, marginDegrees);
    const column = columnOf(part);
    if (column.types.length === 0) return { geometry: geos.read(column, 0), marginDegrees };
    try {
      const projected = followEdges(column, fromWgs84, tolerance);
      if (projected === null) continue;
      using drawn = geos.read(projected, 0);
      using valid = drawn.isValid ? drawn.clone() : drawn.makeValid();
      const isLast = i === margins.length - 1;
      if (isLast || agrees(part, valid, fromWgs84)) return { geometry: valid.clone(), marginDegrees };
    } catch (thrown) {
      if (!(thrown instanceof GeomillError) || thrown.code !== 'COORDINATE_OUTSIDE_DOMAIN') throw thrown;
      refusal = thrown;
    }
  }
  throw (
    refusal ??
    failure('TRANSFORMATION_INVALID', { path: field(path), reason: `cannot be shown in ${crs.name}` })
  );
}

/**
 * Whether positions inside the mask are inside after the transformation, and those outside are outside. Projections that
 * tear a mask, or turn it inside out around the far side of the earth, can give outlines that are valid all the same.
 */
function agrees(mask: GeosGeometry, projected: GeosGeometry, fromWgs84: TransformPositions): boolean {
  const [west, south, east, north] = positionBounds(columnOf(mask));
  const samples = new Float64Array(SAMPLES * SAMPLES * 2);
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    // Shares that no edge of a rectangle or circle has.
    samples[i * 2] = west + ((east - west) * ((i % SAMPLES) + 0.417)) / SAMPLES;
    samples[i * 2 + 1] = south + ((north - south) * (Math.floor(i / SAMPLES) + 0.583)) / SAMPLES;
  }
  const moved = samples.slice();
  fromWgs84(moved, 'XY');
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
function inDegrees(geos: Geos, mask: GeosGeometry, { crs, fromWgs84 }: StepSetting, path: string): CutMask {
  const turn = (2 * Math.PI) / crs.unitFactor;
  const steady: TransformPositions = (coordinates, dimensions) => {
    const before = coordinates.slice();
    fromWgs84(coordinates, dimensions);
    // How far the prime meridian lies from Greenwich, known by the first position.
    const shift = nearestTurn(coordinates[0] - (before[0] / 360) * turn, turn);
    for (let at = 0; at < coordinates.length; at += 2) {
      const excess = coordinates[at] - (before[at] / 360) * turn - shift;
      coordinates[at] -= turn * Math.round(excess / turn);
    }
  };
  const column = columnOf(mask);
  const moved = followEdges(column, steady, lengthInCrs(TOLERANCE_METERS, crs));
  if (moved === null)
    throw failure('TRANSFORMATION_INVALID', { path: field(path), reason: `cannot be shown in ${crs.name}` });
  using drawn = geos.read(moved, 0);
  using valid = drawn.isValid ? drawn.clone() : drawn.makeValid();
  const [west, , east] = positionBounds(moved);
  const geometry = west < -turn / 2 || east > turn / 2 ? withTurns(geos, valid, turn) : valid.clone();
  return { geometry, marginDegrees: null };
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
