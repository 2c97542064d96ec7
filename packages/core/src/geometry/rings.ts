import type { GeometryBuilder } from './geometry-column.ts';
/**
 * Orientation of rings, and points in them; a ring is the positions `[start, end)` of a coordinate array with `stride`
 * ordinates each.
 */

/** Signed area by the shoelace formula: positive for counter-clockwise rings (y up), 0 for degenerate ones. */
export function signedArea(coordinates: Float64Array, stride: number, start: number, end: number): number {
  const count = end - start;
  if (count < 3) return 0;
  // Relative to the first position: far from the origin, products of absolute coordinates would cancel the small
  // differences.
  const originX = coordinates[start * stride];
  const originY = coordinates[start * stride + 1];
  let sum = 0;
  let previousX = 0;
  let previousY = 0;
  for (let i = (start + 1) * stride, last = end * stride; i < last; i += stride) {
    const x = coordinates[i] - originX;
    const y = coordinates[i + 1] - originY;
    sum += previousX * y - x * previousY;
    previousX = x;
    previousY = y;
  }
  return sum / 2;
}

/**
 * Position of a point relative to a ring: 1 inside, 0 on an edge, -1 outside (even-odd rule). `before` is the position
 * where the first edge starts: the last one for a whole ring.
 */
export function locateInRing(
  x: number,
  y: number,
  coordinates: Float64Array,
  stride: number,
  start: number,
  end: number,
  before: number = end - 1,
): 1 | 0 | -1 {
  let inside = false;
  let previous = before * stride;
  for (let current = start * stride, last = end * stride; current < last; current += stride) {
    const x1 = coordinates[previous];
    const y1 = coordinates[previous + 1];
    const x2 = coordinates[current];
    const y2 = coordinates[current + 1];
    previous = current;
    if ((x === x2 && y === y2) || (x === x1 && y === y1)) return 0;
    if (y1 > y === y2 > y) {
      if (y === y1 && y === y2 && x > Math.min(x1, x2) && x < Math.max(x1, x2)) return 0;
      continue;
    }
    const side = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1);
    if (side === 0) return 0;
    if (side > 0 === y2 > y1) inside = !inside;
  }
  return inside ? 1 : -1;
}

/** Repeats the position `firstPosition` if the last one differs from it in x or y; returns whether it did. */
export function closeRing(builder: GeometryBuilder, firstPosition: number): boolean {
  const { stride } = builder;
  const first = firstPosition * stride;
  const last = builder.coordinateLength - stride;
  const before = builder.coordinates;
  if (before[first] === before[last] && before[first + 1] === before[last + 1]) return false;
  builder.reserve(stride);
  const { coordinates } = builder;
  for (let i = 0; i < stride; i++) coordinates[builder.coordinateLength++] = coordinates[first + i];
  return true;
}
