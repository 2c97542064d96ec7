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

/** Of the segments from a to b and from c to d. */
export function meetingOf(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): number {
  if (Math.min(ax, bx) > Math.max(cx, dx) || Math.max(ax, bx) < Math.min(cx, dx)) return MEETING.none;
  if (Math.min(ay, by) > Math.max(cy, dy) || Math.max(ay, by) < Math.min(cy, dy)) return MEETING.none;
  const c = orientation(ax, ay, bx, by, cx, cy);
  const d = orientation(ax, ay, bx, by, dx, dy);
  if (c * d > 0) return MEETING.none;
  const a = orientation(cx, cy, dx, dy, ax, ay);
  const b = orientation(cx, cy, dx, dy, bx, by);
  if (a * b > 0) return MEETING.none;
  if (a !== 0 && b !== 0 && c !== 0 && d !== 0) return MEETING.inside;
  // On one line only if all are zero: then an end counts where it is within the bounds of the other segment.
  let meeting: number = MEETING.none;
  if (c === 0 && isWithin(cx, cy, ax, ay, bx, by)) {
    if (!isEnd(cx, cy, ax, ay, bx, by)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  if (d === 0 && isWithin(dx, dy, ax, ay, bx, by)) {
    if (!isEnd(dx, dy, ax, ay, bx, by)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  if (a === 0 && isWithin(ax, ay, cx, cy, dx, dy)) {
    if (!isEnd(ax, ay, cx, cy, dx, dy)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  if (b === 0 && isWithin(bx, by, cx, cy, dx, dy)) {
    if (!isEnd(bx, by, cx, cy, dx, dy)) return MEETING.inside;
    meeting = MEETING.ends;
  }
  return meeting;
}

function isWithin(x: number, y: number, ax: number, ay: number, bx: number, by: number): boolean {
  return (
    (ax < bx ? x >= ax && x <= bx : x >= bx && x <= ax) && (ay < by ? y >= ay && y <= by : y >= by && y <= ay)
  );
}

function isEnd(x: number, y: number, ax: number, ay: number, bx: number, by: number): boolean {
  return (x === ax && y === ay) || (x === bx && y === by);
}
