/**
 * Buffers of points: regular polygons, which need no geometry engine. The vertices are those of GEOS, on the circle,
 * the first one to the east.
 */
import {
  type GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';

/** Multi points with more parts go to GEOS: comparing each with each would take longer. */
const MAX_COMPARED_PARTS = 64;

/** Offsets x, y of the vertices of a circle's polygon around its centre, counter-clockwise and closed. */
export function circleOffsets(radius: number, quadrantSegments: number): Float64Array {
  const count = 4 * quadrantSegments;
  const offsets = new Float64Array(2 * (count + 1));
  for (let quarter = 0; quarter < 4; quarter++) {
    for (let i = 0; i < quadrantSegments; i++) {
      const angle = ((Math.PI / 2) * i) / quadrantSegments;
      const cosine = radius * Math.cos(angle);
      const sine = radius * Math.sin(angle);
      const at = 2 * (quarter * quadrantSegments + i);
      // Quarters by rotation, so that the polygon is symmetric and its extreme vertices are on the axes.
      offsets[at] = quarter === 0 ? cosine : quarter === 1 ? -sine : quarter === 2 ? -cosine : sine;
      offsets[at + 1] = quarter === 0 ? sine : quarter === 1 ? cosine : quarter === 2 ? -sine : -cosine;
    }
  }
  offsets[2 * count] = offsets[0];
  offsets[2 * count + 1] = offsets[1];
  return offsets;
}

/** Appends the circle as a polygon part. False, and nothing appended, if the centre is not finite. */
export function appendCircle(builder: GeometryBuilder, x: number, y: number, offsets: Float64Array): boolean {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
  builder.reserve(offsets.length);
  const { coordinates } = builder;
  let to = builder.coordinateLength;
  for (let i = 0; i < offsets.length; i += 2) {
    coordinates[to++] = x + offsets[i];
    coordinates[to++] = y + offsets[i + 1];
  }
  builder.coordinateLength = to;
  builder.endRing();
  builder.endPart(PART_KIND.polygon);
  return true;
}

/** Whether the circles around the parts `[partStart, partEnd)`, all points, stay apart. */
export function circlesAreApart(
  column: GeometryColumn,
  partStart: number,
  partEnd: number,
  radius: number,
): boolean {
  if (partEnd - partStart > MAX_COMPARED_PARTS) return false;
  const { ringOffsets, coordOffsets, coordinates } = column;
  const stride = strideOf(column.dimensions);
  // A little more than touching: circles that rounding could bring together are left to GEOS.
  const least = (2 * radius * (1 + 1e-9)) ** 2;
  for (let i = partStart; i < partEnd; i++) {
    const a = coordOffsets[ringOffsets[i]] * stride;
    for (let j = i + 1; j < partEnd; j++) {
      const b = coordOffsets[ringOffsets[j]] * stride;
      const dx = coordinates[a] - coordinates[b];
      const dy = coordinates[a + 1] - coordinates[b + 1];
      if (!(dx * dx + dy * dy > least)) return false;
    }
  }
  return true;
}
