/** A mask from the longitudes and latitudes of the request to one valid area in the CRS of the data. */
import { cutAtAntimeridian } from '../../../batch/antimeridian.ts';
import { GeometryBuilder, type GeometryColumn } from '../../../batch/geometry-column.ts';
import type { CrsDescription } from '../../../crs/crs.ts';
import type { GeosGeometry } from '../../../engines/geos/geometry.ts';
import type { Geos } from '../../../engines/geos/geos.ts';
import { failure, GeomillError } from '../../../errors.ts';
import type { StepSetting } from '../../transformation.ts';
import { lengthInCrs } from '../lengths.ts';
import { followEdges } from './follow-edges.ts';

/** How far an edge of the mask may leave its place on the ground: no survey is better, and few positions are added. */
const TOLERANCE_METERS = 0.01;
/**
 * A mask that covers more than a projection can show is cut to the area of use of the CRS and this much around it, in
 * degrees; the widest that can be transformed is taken, because data often reaches beyond the area.
 */
const MARGINS_DEGREES = [40, 20, 10, 5, 2, 0] as const;

export interface ProjectedMask {
  /** Owned by the caller; may be empty, where the CRS cannot show any of the mask. */
  readonly geometry: GeosGeometry;
  /** Why the mask was repaired, in the words of GEOS; null: it was valid. */
  readonly repairReason: string | null;
  /** Degrees around the area of use of the CRS that the mask was cut to; null: it is whole. */
  readonly marginDegrees: number | null;
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
  if (united.isEmpty) throw failure('TRANSFORMATION_INVALID', { path, reason: 'has no area' });
  using centred = crs.kind === 'geographic' ? united.clone() : centredOn(geos, united, crs);
  return { ...inCrs(geos, centred, setting), repairReason };
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

/** The widest part of the mask that can be transformed to a valid area; as a last resort one that is repaired. */
function inCrs(
  geos: Geos,
  mask: GeosGeometry,
  { crs, fromWgs84 }: StepSetting,
): Pick<ProjectedMask, 'geometry' | 'marginDegrees'> {
  const { areaOfUse } = crs;
  const tolerance = lengthInCrs(TOLERANCE_METERS, crs);
  const margins = crs.kind === 'geographic' || areaOfUse === null ? [null] : [null, ...MARGINS_DEGREES];
  let refusal: unknown = null;
  for (const [i, marginDegrees] of margins.entries()) {
    using part = marginDegrees === null ? mask.clone() : withinArea(geos, mask, areaOfUse!, marginDegrees);
    const column = columnOf(part);
    if (column.types.length === 0) return { geometry: geos.read(column, 0), marginDegrees };
    let projected: GeometryColumn | null = null;
    try {
      projected = followEdges(column, fromWgs84, tolerance);
    } catch (thrown) {
      if (!(thrown instanceof GeomillError) || thrown.code !== 'COORDINATE_OUTSIDE_DOMAIN') throw thrown;
      refusal = thrown;
    }
    if (projected === null) continue;
    const geometry = geos.read(projected, 0);
    if (geometry.isValid) return { geometry, marginDegrees };
    const isLast = i === margins.length - 1;
    using broken = geometry;
    if (isLast) return { geometry: broken.makeValid(), marginDegrees };
  }
  throw refusal ?? new Error('a transformation gave positions that are not finite');
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
  const above = Math.min(90, north + margin);
  const below = Math.max(-90, south - margin);
  using area = geos.rectangle(west + turn - margin, below, turnedEast + turn + margin, above);
  return area.intersection(mask);
}

/** The polygons of a geometry as one row; no row where it has none. */
export function columnOf(geometry: GeosGeometry): GeometryColumn {
  const builder = new GeometryBuilder('XY', 1, geometry.positionCount);
  geometry.appendTo(builder, 2);
  return builder.finish();
}
