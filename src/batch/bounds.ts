import { type GeometryColumn, strideOf } from './geometry-column.ts';

/** minX, minY, maxX, maxY; inverted infinities if there is no position. */
export type Bounds = [number, number, number, number];

/** The bounds of all positions of a column; NaN ordinates are skipped. */
export function positionBounds({ coordinates, dimensions }: GeometryColumn): Bounds {
  const stride = strideOf(dimensions);
  let minX = Number.POSITIVE_INFINITY;
  let minY = Number.POSITIVE_INFINITY;
  let maxX = Number.NEGATIVE_INFINITY;
  let maxY = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < coordinates.length; i += stride) {
    const x = coordinates[i];
    const y = coordinates[i + 1];
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return [minX, minY, maxX, maxY];
}
