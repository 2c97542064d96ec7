/** Rings brought into another CRS with their edges: positions are added wherever a straight edge would leave its place. */
import { type GeometryColumn, PART_KIND } from '../../../batch/geometry-column.ts';
import type { TransformPositions } from '../../transformation.ts';

/** Pieces that an edge becomes in one round; what needs more gets them in the next. */
const MAX_PIECES = 64;
const MAX_ROUNDS = 6;
/** A mask of more positions than this follows its edges no closer. */
const MAX_POSITIONS = 500_000;

/**
 * The polygons of an XY column of single-part rows in the CRS that `fromWgs84` leads to; no edge is farther than
 * `tolerance`, in the unit of that CRS, from where the straight edge between longitudes and latitudes runs. Throws
 * what `fromWgs84` throws; null where a position is not finite.
 */
export function followEdges(
  column: GeometryColumn,
  fromWgs84: TransformPositions,
  tolerance: number,
): GeometryColumn | null {
  const { coordOffsets } = column;
  let degrees: Float64Array<ArrayBuffer> = column.coordinates;
  let offsets = coordOffsets;
  for (let round = 0; round < MAX_ROUNDS && degrees.length / 2 < MAX_POSITIONS; round++) {
    const pieces = piecesOfEdges(degrees, offsets, fromWgs84, tolerance);
    if (pieces === null) return null;
    const total = pieces.reduce((sum, count) => sum + count, 0);
    if (total === degrees.length / 2) break;
    ({ degrees, offsets } = cutEdges(degrees, offsets, pieces, total));
  }
  const coordinates = degrees.slice();
  fromWgs84(coordinates, 'XY');
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    // What a transformation makes of the same position twice may differ in the last bit.
    const first = offsets[ring] * 2;
    const last = offsets[ring + 1] * 2 - 2;
    coordinates[last] = coordinates[first];
    coordinates[last + 1] = coordinates[first + 1];
  }
  if (!coordinates.every(Number.isFinite)) return null;
  return {
    ...column,
    partKinds: column.partKinds.fill(PART_KIND.polygon),
    coordOffsets: offsets,
    coordinates,
  };
}

/** How many pieces the edge from each position to the next becomes; 1 for the last position of a ring. */
function piecesOfEdges(
  degrees: Float64Array,
  offsets: Uint32Array,
  fromWgs84: TransformPositions,
  tolerance: number,
): Uint32Array | null {
  const count = degrees.length / 2;
  // Each position, and a quarter, the half and three quarters of the way to the next.
  const samples = new Float64Array(count * 8);
  for (let i = 0; i < count; i++) {
    const next = Math.min(i + 1, count - 1);
    for (let quarter = 0; quarter < 4; quarter++) {
      const at = i * 8 + quarter * 2;
      samples[at] = degrees[i * 2] + ((degrees[next * 2] - degrees[i * 2]) * quarter) / 4;
      samples[at + 1] = degrees[i * 2 + 1] + ((degrees[next * 2 + 1] - degrees[i * 2 + 1]) * quarter) / 4;
    }
  }
  // The way from the end of a ring to the next ring is none: nothing is to be asked beyond the data.
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    const end = (offsets[ring + 1] - 1) * 8;
    for (let i = 2; i < 8; i++) samples[end + i] = samples[end + (i & 1)];
  }
  fromWgs84(samples, 'XY');
  const pieces = new Uint32Array(count).fill(1);
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    for (let i = offsets[ring]; i < offsets[ring + 1] - 1; i++) {
      const deviation = deviationOf(samples, i * 8);
      if (!Number.isFinite(deviation)) return null;
      // The deviation of a smooth curve from its chord goes with the square of the length.
      pieces[i] = Math.min(MAX_PIECES, Math.max(1, Math.ceil(Math.sqrt(deviation / tolerance))));
    }
  }
  return pieces;
}

/** The greatest distance of three positions on an edge from the straight line between its ends. */
function deviationOf(samples: Float64Array, at: number): number {
  const x = samples[at];
  const y = samples[at + 1];
  const dx = samples[at + 8] - x;
  const dy = samples[at + 9] - y;
  const length = Math.hypot(dx, dy);
  let worst = 0;
  for (let i = at + 2; i < at + 8; i += 2) {
    const px = samples[i] - x;
    const py = samples[i + 1] - y;
    const distance = length === 0 ? Math.hypot(px, py) : Math.abs(dx * py - dy * px) / length;
    if (!(distance <= worst)) worst = distance;
  }
  return worst;
}

function cutEdges(
  degrees: Float64Array,
  offsets: Uint32Array,
  pieces: Uint32Array,
  total: number,
): { degrees: Float64Array<ArrayBuffer>; offsets: Uint32Array<ArrayBuffer> } {
  const cut = new Float64Array(total * 2);
  const cutOffsets = new Uint32Array(offsets.length);
  let to = 0;
  for (let ring = 0; ring + 1 < offsets.length; ring++) {
    for (let i = offsets[ring]; i < offsets[ring + 1]; i++) {
      cut[to++] = degrees[i * 2];
      cut[to++] = degrees[i * 2 + 1];
      for (let piece = 1; piece < pieces[i]; piece++) {
        const share = piece / pieces[i];
        cut[to++] = degrees[i * 2] + (degrees[i * 2 + 2] - degrees[i * 2]) * share;
        cut[to++] = degrees[i * 2 + 1] + (degrees[i * 2 + 3] - degrees[i * 2 + 1]) * share;
      }
    }
    cutOffsets[ring + 1] = to / 2;
  }
  return { degrees: cut, offsets: cutOffsets };
}
