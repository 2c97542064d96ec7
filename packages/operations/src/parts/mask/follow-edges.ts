/** Transforms rings with their edges to another CRS: positions are added where a straight edge would deviate. */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { subdivideEdges } from '@geomill/core/sphere/subdivide-edges.ts';
import type { TransformPositions } from '../../transformation.ts';
import { lengthInCrs } from '../lengths.ts';

/** An edge is torn if its ends are closer than this and farther apart than TORN_TOLERANCES after transformation. */
const TORN_METERS = 1.1;
const TORN_TOLERANCES = 1e5;
/** Wider than any map; some projections put poles farther away, beyond the range of GEOS. */
const FARTHEST_TOLERANCES = 1e10;
/** If more positions than this would be added, the tolerance is increased: predicates would take too long. */
const MAX_ADDED = 50_000;

/**
 * The lines and polygons of an XY column, in coordinates of `crs`, in the CRS that `transform` leads to; no edge
 * is farther than `tolerance`, in the unit of that CRS, from where the straight edge in `crs` runs, unless
 * that takes more than MAX_ADDED positions. Null if a position is too far away or an edge is torn.
 * Throws what `transform` throws.
 */
export function followEdges(
  column: GeometryColumn,
  crs: CrsDescription,
  transform: TransformPositions,
  tolerance: number,
): GeometryColumn | null {
  const divided = subdivideEdges(column, 2, transform, { tolerance, maxAdded: MAX_ADDED });
  if (divided.hasGaps) return null;
  const { coordinates: positions, coordOffsets: offsets } = divided;
  const coordinates = positions.slice();
  transform(coordinates, 'XY');
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    // Two transformations of the same position may differ in the last bit.
    const first = offsets[ring] * 2;
    const last = offsets[ring + 1] * 2 - 2;
    if (positions[first] !== positions[last] || positions[first + 1] !== positions[last + 1]) continue;
    coordinates[last] = coordinates[first];
    coordinates[last + 1] = coordinates[first + 1];
  }
  const farthest = FARTHEST_TOLERANCES * tolerance;
  if (!coordinates.every((ordinate) => Math.abs(ordinate) < farthest)) return null;
  if (isTorn(positions, coordinates, offsets, lengthInCrs(TORN_METERS, crs), tolerance)) return null;
  return { ...column, coordOffsets: offsets, coordinates };
}

/** Whether an edge crosses the seam of the projection: cut ever finer there, it stays as long as the map is wide. */
function isTorn(
  positions: Float64Array,
  coordinates: Float64Array,
  offsets: Uint32Array,
  shortLength: number,
  tolerance: number,
): boolean {
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    for (let at = offsets[ring] * 2; at < offsets[ring + 1] * 2 - 2; at += 2) {
      const before = Math.hypot(positions[at + 2] - positions[at], positions[at + 3] - positions[at + 1]);
      if (before > shortLength) continue;
      const after = Math.hypot(
        coordinates[at + 2] - coordinates[at],
        coordinates[at + 3] - coordinates[at + 1],
      );
      if (after > TORN_TOLERANCES * tolerance) return true;
    }
  }
  return false;
}
