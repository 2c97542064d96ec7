/**
 * Removes false holes from results of GEOS. Around lines that turn within less than the distance, the raw outline doubles
 * back on itself inside the buffer, and a sliver of it can come out as a hole, far nearer to the line than the distance.
 *
 * A true hole is farther from the data than the distance everywhere, but for the chords of arcs and the notches that GEOS
 * leaves out (1 %): so a hole with a much nearer vertex is false.
 */
import { GeometryBuilder, type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { BufferStyle } from '@geomill/geos/instance.ts';

/** Share of the distance at which the outline passes at least, chords apart. */
const NEAREST_TRUE = 0.985;

/** The buffers `result` (XY) without false holes; result i was made of row `rowOf[i]` of `source`, which has the same coordinates. */
export function withoutFalseHoles(
  result: GeometryColumn,
  source: GeometryColumn,
  rowOf: ArrayLike<number>,
  distance: number,
  { quadrantSegments, endCap, join }: BufferStyle,
): GeometryColumn {
  const { types, partOffsets, ringOffsets } = result;
  // Bevels and flat ends pass as near as they like.
  if (endCap === 'flat' || join === 'bevel') return result;
  const nearest = distance * NEAREST_TRUE * Math.cos(Math.PI / 4 / quadrantSegments);
  if (!(distance > 0) || ringOffsets[ringOffsets.length - 1] === ringOffsets.length - 1) return result;
  const falseRings = new Set<number>();
  for (let row = 0; row < types.length; row++) {
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      for (let ring = ringOffsets[part] + 1; ring < ringOffsets[part + 1]; ring++)
        if (isFalse(result, ring, source, rowOf[row], nearest ** 2)) falseRings.add(ring);
    }
  }
  return falseRings.size === 0 ? result : withoutRings(result, falseRings);
}

function isFalse(
  { coordOffsets, coordinates }: GeometryColumn,
  ring: number,
  source: GeometryColumn,
  row: number,
  leastSquare: number,
): boolean {
  for (let i = coordOffsets[ring]; i < coordOffsets[ring + 1]; i++)
    if (isNear(coordinates[2 * i], coordinates[2 * i + 1], source, row, leastSquare)) return true;
  return false;
}

/** Whether a row has an edge or a point within the root of `square` of (x, y). */
function isNear(x: number, y: number, source: GeometryColumn, row: number, square: number): boolean {
  const { partOffsets, ringOffsets, coordOffsets, coordinates } = source;
  const stride = strideOf(source.dimensions);
  for (let ring = ringOffsets[partOffsets[row]]; ring < ringOffsets[partOffsets[row + 1]]; ring++) {
    const start = coordOffsets[ring] * stride;
    const end = coordOffsets[ring + 1] * stride;
    for (let at = start; at < end; at += stride) {
      const before = at === start ? at : at - stride;
      const dx = coordinates[at] - coordinates[before];
      const dy = coordinates[at + 1] - coordinates[before + 1];
      const px = x - coordinates[before];
      const py = y - coordinates[before + 1];
      const length = dx * dx + dy * dy;
      const share = length === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / length));
      const ex = px - share * dx;
      const ey = py - share * dy;
      if (ex * ex + ey * ey < square) return true;
    }
  }
  return false;
}

function withoutRings(column: GeometryColumn, left: ReadonlySet<number>): GeometryColumn {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = column;
  const builder = new GeometryBuilder('XY', types.length, coordinates.length / 2);
  for (let row = 0; row < types.length; row++) {
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        if (left.has(ring)) continue;
        for (let i = coordOffsets[ring]; i < coordOffsets[ring + 1]; i++)
          builder.position(coordinates[2 * i], coordinates[2 * i + 1]);
        builder.endRing();
      }
      builder.endPart(partKinds[part]);
    }
    builder.endFeature(types[row]);
  }
  return builder.finish();
}
