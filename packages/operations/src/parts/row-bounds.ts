/** Bounds of single features. */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';

/** Bounds that hold nothing and grow. */
export function emptyBounds(): Bounds {
  return [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
}

/** Extends the bounds by the positions of a row; NaN ordinates are passed over. */
export function growByRow(bounds: Bounds, column: GeometryColumn, row: number): void {
  const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  let [minX, minY, maxX, maxY] = bounds;
  for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride; at < end; at += stride) {
    const x = coordinates[at];
    const y = coordinates[at + 1];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  bounds[0] = minX;
  bounds[1] = minY;
  bounds[2] = maxX;
  bounds[3] = maxY;
}
