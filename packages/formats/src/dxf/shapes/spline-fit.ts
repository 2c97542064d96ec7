/**
 * The cubic spline through given points: twice continuously differentiable, parameters by chord length.
 *
 * (GDAL rejects splines that have only fit points. AutoCAD stores its control points in addition to them, so this is
 * for files of other programs, in which nothing else defines the curve.)
 */
import type { Spline } from './spline-curve.ts';

/**
 * @param points x, y, z each; at least two, no two neighbours the same.
 * @param startTangent x, y, z: direction at the start, null: no curvature there (natural); so is `endTangent`.
 * @param isPeriodic the last point is the first one, and the curve goes on smoothly there.
 */
export function splineThrough(
  points: Float64Array,
  startTangent: Float64Array | null,
  endTangent: Float64Array | null,
  isPeriodic: boolean,
): Spline {
  const count = points.length / 3;
  const steps = new Float64Array(count - 1);
  for (let i = 0; i + 1 < count; i++)
    steps[i] = Math.hypot(
      points[i * 3 + 3] - points[i * 3],
      points[i * 3 + 4] - points[i * 3 + 1],
      points[i * 3 + 5] - points[i * 3 + 2],
    );
  const slopes = new Float64Array(count * 3);
  if (isPeriodic && count > 2) periodicSlopes(points, steps, slopes);
  else openSlopes(points, steps, slopes, startTangent, endTangent);
  return fromSlopes(points, steps, slopes);
}

/** Converts Hermite to Bezier pieces, joined to one spline with triple knots. */
function fromSlopes(points: Float64Array, steps: Float64Array, slopes: Float64Array): Spline {
  const pieces = steps.length;
  const controls = new Float64Array((pieces * 3 + 1) * 4);
  const knots = new Float64Array(pieces * 3 + 5);
  let t = 0;
  for (let i = 0; i <= pieces; i++) {
    if (i > 0) t += steps[i - 1];
    for (let k = 0; k < 3; k++) {
      const value = points[i * 3 + k];
      const slope = slopes[i * 3 + k];
      const at = i * 12 + k;
      controls[at] = value;
      if (i > 0) controls[at - 4] = value - (slope * steps[i - 1]) / 3;
      if (i < pieces) controls[at + 4] = value + (slope * steps[i]) / 3;
      knots[1 + i * 3 + k] = t;
    }
  }
  knots[knots.length - 1] = t;
  for (let at = 3; at < controls.length; at += 4) controls[at] = 1;
  return { degree: 3, knots, controls };
}

/**
 * Right-hand side at an inner point: three times the difference quotients of both sides, each weighted by the other
 * step.
 */
function innerRight(
  points: Float64Array,
  at: number,
  before: number,
  after: number,
  h: number,
  g: number,
): number {
  return 3 * ((g * (points[at] - points[before])) / h + (h * (points[after] - points[at])) / g);
}

function openSlopes(
  points: Float64Array,
  steps: Float64Array,
  slopes: Float64Array,
  startTangent: Float64Array | null,
  endTangent: Float64Array | null,
): void {
  const count = points.length / 3;
  const lower = new Float64Array(count);
  const middle = new Float64Array(count);
  const upper = new Float64Array(count);
  for (let i = 1; i + 1 < count; i++) {
    lower[i] = steps[i];
    middle[i] = 2 * (steps[i - 1] + steps[i]);
    upper[i] = steps[i - 1];
    for (let k = 0; k < 3; k++) {
      const at = i * 3 + k;
      slopes[at] = innerRight(points, at, at - 3, at + 3, steps[i - 1], steps[i]);
    }
  }
  endCondition(points, steps[0], 0, 3, startTangent, middle, upper, 0, slopes);
  const last = count - 1;
  endCondition(points, steps[last - 1], last * 3 - 3, last * 3, endTangent, middle, lower, last, slopes);
  solve(lower, middle, upper, slopes, 3);
}

/** Either the given slope with length 1 (the parameter is a length), or a zero second derivative. */
function endCondition(
  points: Float64Array,
  step: number,
  from: number,
  to: number,
  tangent: Float64Array | null,
  middle: Float64Array,
  side: Float64Array,
  row: number,
  slopes: Float64Array,
): void {
  const length = tangent === null ? 0 : Math.hypot(tangent[0], tangent[1], tangent[2]);
  const isGiven = tangent !== null && length > 0;
  middle[row] = isGiven ? 1 : 2;
  side[row] = isGiven ? 0 : 1;
  for (let k = 0; k < 3; k++)
    slopes[row * 3 + k] = isGiven ? tangent[k] / length : (3 * (points[to + k] - points[from + k])) / step;
}

/**
 * Solves the cyclic system by the Sherman-Morrison formula: the corner entries are a correction of a tridiagonal
 * system.
 */
function periodicSlopes(points: Float64Array, steps: Float64Array, slopes: Float64Array): void {
  const count = steps.length;
  const lower = new Float64Array(count);
  const middle = new Float64Array(count);
  const upper = new Float64Array(count);
  // Four columns: three right-hand sides and the correction.
  const columns = new Float64Array(count * 4);
  for (let i = 0; i < count; i++) {
    const before = (i + count - 1) % count;
    lower[i] = steps[i];
    middle[i] = 2 * (steps[before] + steps[i]);
    upper[i] = steps[before];
    for (let k = 0; k < 3; k++)
      columns[i * 4 + k] = innerRight(
        points,
        i * 3 + k,
        before * 3 + k,
        i * 3 + 3 + k,
        steps[before],
        steps[i],
      );
  }
  const corner = lower[0];
  const otherCorner = upper[count - 1];
  const gamma = -middle[0];
  middle[0] -= gamma;
  middle[count - 1] -= (corner * otherCorner) / gamma;
  columns[3] = gamma;
  columns[(count - 1) * 4 + 3] += otherCorner;
  solve(lower, middle, upper, columns, 4);
  const share = corner / gamma;
  const last = (count - 1) * 4;
  const divisor = 1 + columns[3] + share * columns[last + 3];
  for (let i = 0; i <= count; i++)
    for (let k = 0; k < 3; k++) {
      const row = (i % count) * 4;
      const factor = (columns[k] + share * columns[last + k]) / divisor;
      slopes[i * 3 + k] = columns[row + k] - factor * columns[row + 3];
    }
}

/** Thomas' algorithm in place for `width` right-hand sides, row by row in `values`; diagonally dominant, so no pivots. */
function solve(
  lower: Float64Array,
  middle: Float64Array,
  upper: Float64Array,
  values: Float64Array,
  width: number,
): void {
  const count = middle.length;
  for (let i = 1; i < count; i++) {
    const factor = lower[i] / middle[i - 1];
    middle[i] -= factor * upper[i - 1];
    for (let k = 0; k < width; k++) values[i * width + k] -= factor * values[(i - 1) * width + k];
  }
  for (let i = count - 1; i >= 0; i--)
    for (let k = 0; k < width; k++) {
      const after = i + 1 < count ? upper[i] * values[(i + 1) * width + k] : 0;
      values[i * width + k] = (values[i * width + k] - after) / middle[i];
    }
}
