/**
 * Leaves out reflex vertices that hardly show at the distance of a buffer, as GEOS does before it draws the outline, so
 * that buffers drawn here are those of GEOS: a vertex is removed if it is reflex and within 1 % of the distance both
 * of the vertex before it and of the line between its neighbours.
 */

const TOLERANCE_PER_DISTANCE = 0.01;

/** Turn from a to b to c: positive to the left. */
function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return (bx - ax) * (cy - by) - (by - ay) * (cx - bx);
}

function distanceToSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

/**
 * Works on a ring of `count` positions in the order in which they came, the first not repeated at the end;
 * `orientation` is 1 for counter-clockwise. Compacts the arrays and returns how many positions are left.
 */
export function leaveOutShallowConcavities(
  xs: Float64Array,
  ys: Float64Array,
  count: number,
  orientation: 1 | -1,
  distance: number,
): number {
  const tolerance = distance * TOLERANCE_PER_DISTANCE;
  if (!hasShortEdge(xs, ys, count, tolerance)) return count;
  let left = count;
  for (let before = 0; before !== left; ) {
    before = left;
    left = passOnce(xs, ys, left, orientation, tolerance);
  }
  return left;
}

function hasShortEdge(xs: Float64Array, ys: Float64Array, count: number, tolerance: number): boolean {
  for (let i = 2; i < count; i++)
    if (Math.hypot(xs[i] - xs[i - 1], ys[i] - ys[i - 1]) < tolerance) return true;
  return false;
}

/** One pass around; after a removed vertex, the next one stays. The first two always stay. */
function passOnce(
  xs: Float64Array,
  ys: Float64Array,
  count: number,
  orientation: 1 | -1,
  tolerance: number,
): number {
  let to = 2;
  for (let i = 2; i < count; i++) {
    const next = i + 1 < count ? i + 1 : 0;
    const ax = xs[to - 1];
    const ay = ys[to - 1];
    const isReflex = turn(ax, ay, xs[i], ys[i], xs[next], ys[next]) * orientation < 0;
    if (
      isReflex &&
      Math.hypot(xs[i] - ax, ys[i] - ay) < tolerance &&
      distanceToSegment(xs[i], ys[i], ax, ay, xs[next], ys[next]) < tolerance
    ) {
      // The vertex after a deleted one becomes the start of the next triple and is not checked itself.
      i++;
      if (i === count) break;
    }
    xs[to] = xs[i];
    ys[to] = ys[i];
    to++;
  }
  return to;
}
