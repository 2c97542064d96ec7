/** Boxes of features, by which it is noticed that a file has them in another order than they were written. */
import { GEOMETRY_TYPE, type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';

/** Four ordinates of each feature: minX, minY, maxX, maxY; NaN for one without positions. */
export function rowBoxes(geometry: GeometryColumn): Float64Array<ArrayBuffer> {
  const { types, partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = geometry;
  const stride = strideOf(dimensions);
  const boxes = new Float64Array(types.length * 4).fill(Number.NaN);
  for (let row = 0; row < types.length; row++) {
    const start = coordOffsets[ringOffsets[partOffsets[row]]];
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]];
    if (types[row] === GEOMETRY_TYPE.none || start === end) continue;
    let minX = Number.POSITIVE_INFINITY;
    let minY = Number.POSITIVE_INFINITY;
    let maxX = Number.NEGATIVE_INFINITY;
    let maxY = Number.NEGATIVE_INFINITY;
    for (let i = start * stride; i < end * stride; i += stride) {
      minX = Math.min(minX, coordinates[i]);
      maxX = Math.max(maxX, coordinates[i]);
      minY = Math.min(minY, coordinates[i + 1]);
      maxY = Math.max(maxY, coordinates[i + 1]);
    }
    boxes.set([minX, minY, maxX, maxY], row * 4);
  }
  return boxes;
}

/** Relative; formats round positions by less. */
const TOLERANCE = 1e-7;

/** Whether the rows from `start` on in `a` are those from `startOfB` on in `b`. */
export function sameBoxes(
  a: Float64Array,
  start: number,
  b: Float64Array,
  startOfB: number,
  rowCount: number,
): boolean {
  for (let i = 0; i < rowCount * 4; i++) {
    const first = a[start * 4 + i];
    const second = b[startOfB * 4 + i];
    if (Object.is(first, second)) continue;
    if (!(Math.abs(first - second) <= TOLERANCE * Math.max(1, Math.abs(first)))) return false;
  }
  return true;
}
