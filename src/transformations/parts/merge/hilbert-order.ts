/** Parts in the order of a Hilbert curve through the centres of their bounds: neighbours in the list are neighbours in space. */
import type { PartList } from './part-list.ts';

/** Cells per axis as a power of two; finer ones would not leave room for the index in the key. */
const CELL_BITS = 13;
const CELLS = 1 << CELL_BITS;
/** Key = place on the curve * INDEX_ROOM + index, exact as a double, so that a plain numeric sort does. */
const INDEX_ROOM = 2 ** 27;

/** Indices of all parts; those without bounds come last. */
export function hilbertOrder(parts: PartList): Uint32Array {
  const { bounds, length } = parts;
  let minX = Number.POSITIVE_INFINITY;
  let minY = Number.POSITIVE_INFINITY;
  let maxX = Number.NEGATIVE_INFINITY;
  let maxY = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    if (!parts.hasBounds(i)) continue;
    const x = (bounds[i * 4] + bounds[i * 4 + 2]) / 2;
    const y = (bounds[i * 4 + 1] + bounds[i * 4 + 3]) / 2;
    minX = Math.min(minX, x);
    maxX = Math.max(maxX, x);
    minY = Math.min(minY, y);
    maxY = Math.max(maxY, y);
  }
  const scaleX = (CELLS - 1) / (maxX - minX || 1);
  const scaleY = (CELLS - 1) / (maxY - minY || 1);
  const keys = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    let place = CELLS * CELLS - 1;
    if (parts.hasBounds(i)) {
      const x = (bounds[i * 4] + bounds[i * 4 + 2]) / 2;
      const y = (bounds[i * 4 + 1] + bounds[i * 4 + 3]) / 2;
      place = hilbertPlace(Math.floor((x - minX) * scaleX), Math.floor((y - minY) * scaleY));
    }
    keys[i] = place * INDEX_ROOM + i;
  }
  keys.sort();
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = keys[i] % INDEX_ROOM;
  return order;
}

/** Place of a cell on the curve, 0 to CELLS squared - 1: quadrant by quadrant from the largest, turning the frame in each. */
function hilbertPlace(cellX: number, cellY: number): number {
  let x = cellX;
  let y = cellY;
  let place = 0;
  for (let side = CELLS >> 1; side > 0; side >>= 1) {
    const right = (x & side) !== 0 ? 1 : 0;
    const upper = (y & side) !== 0 ? 1 : 0;
    place += side * side * ((3 * right) ^ upper);
    if (upper === 0) {
      if (right === 1) {
        x = CELLS - 1 - x;
        y = CELLS - 1 - y;
      }
      const swapped = x;
      x = y;
      y = swapped;
    }
  }
  return place;
}
