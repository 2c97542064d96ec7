/**
 * Rounds doubles outward to the 32-bit floats of SQLite's RTree as in rtree.c (RNDTOWARDS, RNDAWAY), so that a row
 * updated through the RTree's triggers gets the same box.
 */
const TOWARDS_ZERO = 1 - 1 / 8388608;
const AWAY_FROM_ZERO = 1 + 1 / 8388608;
/** Smaller floats have fewer digits, and the factors have no effect. */
const SMALLEST_NORMAL = 1.1754943508222875e-38;
const LARGEST_FLOAT = 3.4028234663852886e38;

/**
 * Writes the floats around a box (minX, minY, maxX, maxY) to `boxes[at]` and on, as minX, maxX, minY, maxY. In one function: between
 * functions, code that is not fully optimised yet allocates each double.
 */
export function roundOutward(box: Float64Array, boxes: Float32Array, at: number): void {
  for (let i = 0; i < 2; i++) {
    const least = box[i];
    let below = Math.fround(least);
    if (below > least) {
      // SQLite would store infinity for larger values, and then not find the row.
      if (below === Number.POSITIVE_INFINITY) below = LARGEST_FLOAT;
      else if (Math.abs(least) < SMALLEST_NORMAL) below = least < 0 ? -SMALLEST_NORMAL : 0;
      else below = Math.fround(least * (least < 0 ? AWAY_FROM_ZERO : TOWARDS_ZERO));
    }
    boxes[at + 2 * i] = below;
    const most = box[i + 2];
    let above = Math.fround(most);
    if (above < most) {
      if (above === Number.NEGATIVE_INFINITY) above = -LARGEST_FLOAT;
      else if (Math.abs(most) < SMALLEST_NORMAL) above = most < 0 ? 0 : SMALLEST_NORMAL;
      else above = Math.fround(most * (most < 0 ? TOWARDS_ZERO : AWAY_FROM_ZERO));
    }
    boxes[at + 2 * i + 1] = above;
  }
}
