/**
 * Parts divided by space: halved at the middle of their longer side again and again, so that chunks are near rectangles
 * that barely overlap, and chunks that follow each other in fours are one again. (Runs along a Hilbert curve are quicker to
 * make, but their bounds overlap widely, and what lies in two bounds has to be looked at twice.)
 */
import type { PartList } from './part-list.ts';

export interface ChunkLimits {
  readonly positions: number;
  readonly parts: number;
}

/** Indices of all parts; a chunk exceeds the limits only by a part that does so alone. */
export function spatialChunks(parts: PartList, limits: ChunkLimits): Uint32Array[] {
  const { length, bounds } = parts;
  if (length === 0) return [];
  const x = new Float64Array(length);
  const y = new Float64Array(length);
  const indices = new Uint32Array(length);
  let positions = 0;
  for (let i = 0; i < length; i++) {
    // Parts without a finite position may be in any chunk.
    const hasPlace = parts.hasBounds(i);
    x[i] = hasPlace ? (bounds[i * 4] + bounds[i * 4 + 2]) / 2 : 0;
    y[i] = hasPlace ? (bounds[i * 4 + 1] + bounds[i * 4 + 3]) / 2 : 0;
    indices[i] = i;
    positions += parts.positionCount(i);
  }
  const depth = Math.ceil(Math.log2(Math.max(positions / limits.positions, length / limits.parts, 1)));
  const chunks: Uint32Array[] = [];
  const divide = (start: number, end: number, halvings: number): void => {
    if (end - start < 2 || (halvings <= 0 && fits(start, end))) {
      if (end > start) chunks.push(indices.subarray(start, end));
      return;
    }
    const middle = (start + end) >> 1;
    selectMiddle(indices, longerAxis(indices, x, y, start, end), start, end - 1, middle);
    divide(start, middle, halvings - 1);
    divide(middle, end, halvings - 1);
  };
  const fits = (start: number, end: number): boolean => {
    let sum = 0;
    for (let i = start; i < end; i++) sum += parts.positionCount(indices[i]);
    return sum <= limits.positions && end - start <= limits.parts;
  };
  divide(0, length, depth);
  return chunks;
}

function longerAxis(
  indices: Uint32Array,
  x: Float64Array,
  y: Float64Array,
  start: number,
  end: number,
): Float64Array {
  let minX = Number.POSITIVE_INFINITY;
  let minY = Number.POSITIVE_INFINITY;
  let maxX = Number.NEGATIVE_INFINITY;
  let maxY = Number.NEGATIVE_INFINITY;
  for (let i = start; i < end; i++) {
    const at = indices[i];
    if (x[at] < minX) minX = x[at];
    if (x[at] > maxX) maxX = x[at];
    if (y[at] < minY) minY = y[at];
    if (y[at] > maxY) maxY = y[at];
  }
  return maxX - minX >= maxY - minY ? x : y;
}

/** Quickselect: afterwards no key before `middle` is larger than one from it on. `last` is inclusive. */
function selectMiddle(
  indices: Uint32Array,
  keys: Float64Array,
  first: number,
  last: number,
  middle: number,
): void {
  let low = first;
  let high = last;
  while (low < high) {
    const pivot = keys[indices[(low + high) >> 1]];
    let i = low;
    let j = high;
    while (i <= j) {
      while (keys[indices[i]] < pivot) i++;
      while (keys[indices[j]] > pivot) j--;
      if (i > j) break;
      const swapped = indices[i];
      indices[i++] = indices[j];
      indices[j--] = swapped;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}
