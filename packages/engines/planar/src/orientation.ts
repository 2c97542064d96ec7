/** Predicates on positions in the plane that rounding does not change; they agree with those of GEOS. */

/** Relative error bound of the determinant in plain arithmetic: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic". */
const ERROR_BOUND = (3 + 16 * 2 ** -53) * 2 ** -53;
/** 2^27 + 1 splits a double into two halves whose products are exact. */
const SPLITTER = 134217729;

/** 1: c is left of the line from a to b; -1: right of it; 0: on it. */
export function orientation(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  const left = (ax - cx) * (by - cy);
  const right = (ay - cy) * (bx - cx);
  const determinant = left - right;
  // One side is zero, or both have different signs: no digits cancel.
  if (left > 0 ? right <= 0 : left < 0 ? right >= 0 : true) return Math.sign(determinant);
  if (Math.abs(determinant) >= ERROR_BOUND * Math.abs(left + right)) return Math.sign(determinant);
  return signOfDifference(
    ax - cx,
    tailOfDifference(ax, cx),
    by - cy,
    tailOfDifference(by, cy),
    ay - cy,
    tailOfDifference(ay, cy),
    bx - cx,
    tailOfDifference(bx, cx),
  );
}

/** As `orientation`, of positions a, b and c of arrays: V8 allocates each double that it hands to a function. */
export function orientationAt(x: Float64Array, y: Float64Array, a: number, b: number, c: number): number {
  const left = (x[a] - x[c]) * (y[b] - y[c]);
  const right = (y[a] - y[c]) * (x[b] - x[c]);
  const determinant = left - right;
  const isSure =
    (left > 0 ? right <= 0 : left < 0 ? right >= 0 : true) ||
    Math.abs(determinant) >= ERROR_BOUND * Math.abs(left + right);
  if (!isSure) return orientation(x[a], y[a], x[b], y[b], x[c], y[c]);
  return determinant > 0 ? 1 : determinant < 0 ? -1 : 0;
}

/** What a - b loses by rounding. */
function tailOfDifference(a: number, b: number): number {
  const difference = a - b;
  const virtual = a - difference;
  return a - (difference + virtual) + (virtual - b);
}

/** The sign of (a + aTail)(b + bTail) - (c + cTail)(d + dTail), with about 106 bits. */
function signOfDifference(
  a: number,
  aTail: number,
  b: number,
  bTail: number,
  c: number,
  cTail: number,
  d: number,
  dTail: number,
): number {
  const left = a * b;
  const leftTail = tailOfProduct(a, b, left) + (a * bTail + aTail * b);
  const right = c * d;
  const rightTail = tailOfProduct(c, d, right) + (c * dTail + cTail * d);
  const high = left - right;
  const low = tailOfDifference(left, right) + (leftTail - rightTail);
  return Math.sign(high + low);
}

/** What `product` = a * b loses by rounding. */
function tailOfProduct(a: number, b: number, product: number): number {
  const aScaled = SPLITTER * a;
  const aHigh = aScaled - (aScaled - a);
  const aLow = a - aHigh;
  const bScaled = SPLITTER * b;
  const bHigh = bScaled - (bScaled - b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/** How two segments meet. */
export const MEETING = {
  none: 0,
  /** Only in a position that is an end of both. */
  ends: 1,
  /** In a position that is no end of at least one of them, or along a stretch. */
  inside: 2,
} as const;

/** Of the segments from position a to b and from c to d of arrays. */
export function meetingAt(
  x: Float64Array,
  y: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
): number {
  if (Math.min(x[a], x[b]) > Math.max(x[c], x[d]) || Math.max(x[a], x[b]) < Math.min(x[c], x[d]))
    return MEETING.none;
  if (Math.min(y[a], y[b]) > Math.max(y[c], y[d]) || Math.max(y[a], y[b]) < Math.min(y[c], y[d]))
    return MEETING.none;
  const atC = orientationAt(x, y, a, b, c);
  const atD = orientationAt(x, y, a, b, d);
  if (atC * atD > 0) return MEETING.none;
  const atA = orientationAt(x, y, c, d, a);
  const atB = orientationAt(x, y, c, d, b);
  if (atA * atB > 0) return MEETING.none;
  if (atA !== 0 && atB !== 0 && atC !== 0 && atD !== 0) return MEETING.inside;
  // On one line only if all are zero: then an end counts where it is within the bounds of the other segment.
  let meeting: number = MEETING.none;
  if (atC === 0 && isWithin(x, y, c, a, b)) {
    if (!isEnd(x, y, c, a, b)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  if (atD === 0 && isWithin(x, y, d, a, b)) {
    if (!isEnd(x, y, d, a, b)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  if (atA === 0 && isWithin(x, y, a, c, d)) {
    if (!isEnd(x, y, a, c, d)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  if (atB === 0 && isWithin(x, y, b, c, d)) {
    if (!isEnd(x, y, b, c, d)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  return meeting;
}

/** Whether position p is within the bounds of the segment from a to b. */
function isWithin(x: Float64Array, y: Float64Array, p: number, a: number, b: number): boolean {
  return (
    (x[a] < x[b] ? x[p] >= x[a] && x[p] <= x[b] : x[p] >= x[b] && x[p] <= x[a]) &&
    (y[a] < y[b] ? y[p] >= y[a] && y[p] <= y[b] : y[p] >= y[b] && y[p] <= y[a])
  );
}

function isEnd(x: Float64Array, y: Float64Array, p: number, a: number, b: number): boolean {
  return (x[p] === x[a] && y[p] === y[a]) || (x[p] === x[b] && y[p] === y[b]);
}

/** Whether two edges with a vertex in common go the same way from it. */
export function isFolded(
  x: Float64Array,
  y: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
): boolean {
  const at = a === c || a === d ? a : b;
  const p = at === a ? b : a;
  const q = at === c ? d : c;
  const dot = (x[p] - x[at]) * (x[q] - x[at]) + (y[p] - y[at]) * (y[q] - y[at]);
  return dot > 0 && orientationAt(x, y, at, p, q) === 0;
}

/** Whether p is before q around a vertex, counter-clockwise from the west on. */
export function isBefore(x: Float64Array, y: Float64Array, at: number, p: number, q: number): boolean {
  const isNorthP = y[p] > y[at] || (y[p] === y[at] && x[p] > x[at]);
  const isNorthQ = y[q] > y[at] || (y[q] === y[at] && x[q] > x[at]);
  if (isNorthP !== isNorthQ) return isNorthQ;
  return orientationAt(x, y, at, p, q) > 0;
}
