/** Shortens rings that run back and forth along an edge: GEOS takes quadratic time and memory to repair those. */
import {
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';

/**
 * The row, alone in a column, with a-b-a-b in a ring shortened to a-b: the ring then covers the same edges, and each of
 * them an odd or even number of times as before, so a repair gives the same result. Null: no ring has such a run.
 */
export function withoutRepeatedEdges(column: GeometryColumn, row: number): GeometryColumn | null {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  if (!hasRepeatedEdge(column, row)) return null;
  const builder = new GeometryBuilder(dimensions, 1);
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const start = coordOffsets[ring];
      const end = coordOffsets[ring + 1];
      const isPolygon = (partKinds[part] & PART_KIND_MASK) === PART_KIND.polygon;
      const kept = isPolygon ? keptPositions(coordinates, stride, start, end) : null;
      const count = kept === null ? end - start : kept.length;
      builder.reserve(count * stride);
      for (let i = 0; i < count; i++) {
        const at = (kept === null ? start + i : kept[i]) * stride;
        for (let ordinate = at; ordinate < at + stride; ordinate++)
          builder.coordinates[builder.coordinateLength++] = coordinates[ordinate];
      }
      builder.endRing();
    }
    builder.endPart(partKinds[part]);
  }
  builder.endFeature(types[row]);
  return builder.finish();
}

function hasRepeatedEdge(column: GeometryColumn, row: number): boolean {
  const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon) continue;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const end = coordOffsets[ring + 1] * stride;
      for (let at = (coordOffsets[ring] + 3) * stride; at < end; at += stride) {
        // The positions at -3, -2, -1 and 0 are a, b, a, b, and a is not b.
        const before = at - stride;
        if (coordinates[at] !== coordinates[before - stride]) continue;
        if (coordinates[at + 1] !== coordinates[before - stride + 1]) continue;
        if (coordinates[before] !== coordinates[before - 2 * stride]) continue;
        if (coordinates[before + 1] !== coordinates[before - 2 * stride + 1]) continue;
        if (coordinates[at] !== coordinates[before] || coordinates[at + 1] !== coordinates[before + 1])
          return true;
      }
    }
  }
  return false;
}

/** Positions of a ring that stay, ascending. */
function keptPositions(coordinates: Float64Array, stride: number, start: number, end: number): number[] {
  const kept: number[] = [];
  const isSame = (a: number, b: number): boolean =>
    coordinates[a * stride] === coordinates[b * stride] &&
    coordinates[a * stride + 1] === coordinates[b * stride + 1];
  for (let position = start; position < end; position++) {
    kept.push(position);
    const last = kept.length - 1;
    if (
      last >= 3 &&
      isSame(kept[last], kept[last - 2]) &&
      isSame(kept[last - 1], kept[last - 3]) &&
      !isSame(kept[last], kept[last - 1])
    )
      kept.length -= 2;
  }
  return kept;
}
