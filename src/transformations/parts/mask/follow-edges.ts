/** Transforms rings with their edges to another CRS: positions are added where a straight edge would deviate. */
import type { GeometryColumn } from '../../../batch/geometry-column.ts';
import type { CrsDescription } from '../../../crs/crs.ts';
import type { TransformPositions } from '../../transformation.ts';
import { lengthInCrs } from '../lengths.ts';

/** Maximum pieces of an edge in one round; more are added in the next round. */
const MAX_PIECES = 64;
const MAX_ROUNDS = 6;
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
  const { coordOffsets } = column;
  let positions: Float64Array<ArrayBuffer> = column.coordinates;
  let offsets = coordOffsets;
  let allowed = tolerance;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const deviations = deviationsOfEdges(positions, offsets, transform);
    if (deviations === null) return null;
    // The deviation of a smooth curve from its chord is proportional to the square of the length.
    const wanted = deviations.reduce((sum, deviation) => sum + Math.sqrt(deviation / allowed), 0);
    if (round === 0 && wanted > MAX_ADDED) allowed *= (wanted / MAX_ADDED) ** 2;
    const pieces = Uint32Array.from(deviations, (deviation) =>
      Math.min(MAX_PIECES, Math.max(1, Math.ceil(Math.sqrt(deviation / allowed)))),
    );
    const total = pieces.reduce((sum, count) => sum + count, 0);
    if (total === positions.length / 2) break;
    ({ positions, offsets } = cutEdges(positions, offsets, pieces, total));
  }
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

/** How far the edge from each position to the next leaves its chord; 0 for the last position of a ring. */
function deviationsOfEdges(
  positions: Float64Array,
  offsets: Uint32Array,
  transform: TransformPositions,
): Float64Array | null {
  const count = positions.length / 2;
  // Each position, and a quarter, the half and three quarters of the way to the next.
  const samples = new Float64Array(count * 8);
  for (let i = 0; i < count; i++) {
    const next = Math.min(i + 1, count - 1);
    for (let quarter = 0; quarter < 4; quarter++) {
      const at = i * 8 + quarter * 2;
      samples[at] = positions[i * 2] + ((positions[next * 2] - positions[i * 2]) * quarter) / 4;
      samples[at + 1] =
        positions[i * 2 + 1] + ((positions[next * 2 + 1] - positions[i * 2 + 1]) * quarter) / 4;
    }
  }
  // There is no edge from the end of a ring to the next ring: its samples repeat the end.
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    const end = (offsets[ring + 1] - 1) * 8;
    for (let i = 2; i < 8; i++) samples[end + i] = samples[end + (i & 1)];
  }
  transform(samples, 'XY');
  const deviations = new Float64Array(count);
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    for (let i = offsets[ring]; i < offsets[ring + 1] - 1; i++) deviations[i] = deviationOf(samples, i * 8);
  }
  return deviations.every(Number.isFinite) ? deviations : null;
}

/** The greatest distance of three positions on an edge from the chord between its ends, not from the line beyond them. */
function deviationOf(samples: Float64Array, at: number): number {
  const x = samples[at];
  const y = samples[at + 1];
  const dx = samples[at + 8] - x;
  const dy = samples[at + 9] - y;
  const squared = dx * dx + dy * dy;
  let worst = 0;
  for (let i = at + 2; i < at + 8; i += 2) {
    const px = samples[i] - x;
    const py = samples[i + 1] - y;
    const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
    const distance = Math.hypot(px - along * dx, py - along * dy);
    if (!(distance <= worst)) worst = distance;
  }
  return worst;
}

function cutEdges(
  positions: Float64Array,
  offsets: Uint32Array,
  pieces: Uint32Array,
  total: number,
): { positions: Float64Array<ArrayBuffer>; offsets: Uint32Array<ArrayBuffer> } {
  const cut = new Float64Array(total * 2);
  const cutOffsets = new Uint32Array(offsets.length);
  let to = 0;
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    for (let i = offsets[ring]; i < offsets[ring + 1]; i++) {
      cut[to++] = positions[i * 2];
      cut[to++] = positions[i * 2 + 1];
      for (let piece = 1; piece < pieces[i]; piece++) {
        const share = piece / pieces[i];
        cut[to++] = positions[i * 2] + (positions[i * 2 + 2] - positions[i * 2]) * share;
        cut[to++] = positions[i * 2 + 1] + (positions[i * 2 + 3] - positions[i * 2 + 1]) * share;
      }
    }
    cutOffsets[ring + 1] = to / 2;
  }
  return { positions: cut, offsets: cutOffsets };
}
