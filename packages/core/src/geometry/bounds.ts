import { type GeometryColumn, strideOf } from './geometry-column.ts';

/** minX, minY, maxX, maxY; inverted infinities if there is no position. */
export type Bounds = [number, number, number, number];

/** The bounds of all positions of a column; NaN ordinates are skipped. */
export function positionBounds({
  coordinates,
  dimensions,
}: Pick<GeometryColumn, 'coordinates' | 'dimensions'>): Bounds {
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

/** Share of positions that have to be in the range of degrees before the others are exceptions. */
const MOST = 0.9;

/**
 * The bounds that show what kind of coordinates these are: if nearly all positions can be longitudes and latitudes, the
 * bounds of these, else of all.
 */
export function typicalBounds(column: Pick<GeometryColumn, 'coordinates' | 'dimensions'>): {
  readonly bounds: Bounds;
  /** Some positions are not within the bounds. */
  readonly hasOutliers: boolean;
} {
  const { coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const kept = new Float64Array(coordinates.length);
  let length = 0;
  for (let i = 0; i < coordinates.length; i += stride) {
    if (!(Math.abs(coordinates[i]) <= 180.01 && Math.abs(coordinates[i + 1]) <= 90.01)) continue;
    kept[length++] = coordinates[i];
    kept[length++] = coordinates[i + 1];
  }
  const hasOutliers =
    length / 2 < coordinates.length / stride && length / 2 >= (coordinates.length / stride) * MOST;
  if (!hasOutliers) return { bounds: positionBounds(column), hasOutliers };
  return { bounds: positionBounds({ coordinates: kept.subarray(0, length), dimensions: 'XY' }), hasOutliers };
}
