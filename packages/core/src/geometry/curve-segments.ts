/**
 * Converts Bezier curves and elliptic arcs to straight steps that turn by at most the angle of the stroking; circular arcs are in arc.ts. The positions of a
 * segment are `given` with the stride of the builder. Each method appends the positions after the start, including the end. A segment walked the other way gives
 * the same positions, so neighbours that share it share all of its vertices. Z and M are interpolated between the ends.
 */
import { DEFAULT_STROKING } from './arc.ts';
import { type GeometryBuilder, hasM, hasZ } from './geometry-column.ts';

/** Greatest number of steps of a Bezier curve: one that turns by a full circle twice. */
const MAX_BEZIER_STEPS = 180;

export interface EllipticArc {
  readonly centreX: number;
  readonly centreY: number;
  /** Of the major axis, in radians. */
  readonly rotation: number;
  /** Of the minor axis to the major axis; larger than 0. */
  readonly ratio: number;
  /** An arc with equal ends is a point, not a whole ellipse. */
  readonly isMinor: boolean;
  readonly isClockwise: boolean;
}

/** `given`: start, end and the two control positions. Returns whether the curve is not straight. */
export function appendBezier(builder: GeometryBuilder, given: Float64Array): boolean {
  const { stride } = builder;
  const isReversed = fromSmallerEnd(given, stride);
  if (isReversed) swap(given, 2, stride);
  const [x0, x3, x1, x2] = [0, 1, 2, 3].map((i) => given[i * stride]);
  const [y0, y3, y1, y2] = [0, 1, 2, 3].map((i) => given[i * stride + 1]);
  const legs = [
    [x1 - x0, y1 - y0],
    [x2 - x1, y2 - y1],
    [x3 - x2, y3 - y2],
  ].filter(([x, y]) => x !== 0 || y !== 0);
  let turn = 0;
  for (let i = 1; i < legs.length; i++) turn += angleBetween(legs[i - 1], legs[i]);
  // Twice as many as the turn alone needs: the curve does not turn evenly.
  const wanted = Math.ceil((2 * turn) / DEFAULT_STROKING.maxStepRadians);
  const steps = Math.max(1, Math.min(MAX_BEZIER_STEPS, wanted));
  const first = builder.positionCount;
  for (let i = 1; i < steps; i++) {
    const t = i / steps;
    const s = 1 - t;
    const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    appendStep(builder, given, a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3, t);
  }
  appendEnd(builder, given, first, isReversed);
  return steps > 1;
}

/** `given`: start and end. Returns whether the arc is not straight. */
export function appendEllipticArc(builder: GeometryBuilder, given: Float64Array, arc: EllipticArc): boolean {
  const { stride } = builder;
  const { centreX, centreY, rotation, ratio } = arc;
  const isReversed = fromSmallerEnd(given, stride);
  const [x0, y0, x1, y1] = [given[0], given[1], given[stride], given[stride + 1]];
  // In the frame of the axes, with the minor one stretched, the ellipse is a circle.
  const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
  const inFrame = (x: number, y: number): readonly [number, number] => [
    (x - centreX) * cos + (y - centreY) * sin,
    ((y - centreY) * cos - (x - centreX) * sin) / ratio,
  ];
  const [u0, v0] = inFrame(x0, y0);
  const [u1, v1] = inFrame(x1, y1);
  const [start, end] = [Math.atan2(v0, u0), Math.atan2(v1, u1)];
  const [startRadius, endRadius] = [Math.hypot(u0, v0), Math.hypot(u1, v1)];
  const isClosed = x0 === x1 && y0 === y1;
  const sweep = sweepOf(start, end, arc.isMinor, arc.isClockwise !== isReversed, isClosed);
  const first = builder.positionCount;
  const steps = Math.max(1, Math.ceil(Math.abs(sweep) / DEFAULT_STROKING.maxStepRadians - 1e-9));
  for (let i = 1; i < steps; i++) {
    const t = i / steps;
    const angle = start + sweep * t;
    const radius = startRadius + (endRadius - startRadius) * t;
    const [u, v] = [radius * Math.cos(angle), radius * Math.sin(angle) * ratio];
    appendStep(builder, given, centreX + u * cos - v * sin, centreY + u * sin + v * cos, t);
  }
  appendEnd(builder, given, first, isReversed);
  return steps > 1;
}

/** Appends a position between start and end, with Z and M interpolated. */
function appendStep(builder: GeometryBuilder, given: Float64Array, x: number, y: number, t: number): void {
  const { stride, dimensions } = builder;
  const between = (i: number): number => given[i] + (given[stride + i] - given[i]) * t;
  const z = hasZ(dimensions) ? between(2) : Number.NaN;
  builder.position(x, y, z, hasM(dimensions) ? between(stride - 1) : Number.NaN);
}

/** Makes the smaller end the start, so that neighbours that share a curve share its vertices; true if it was the end. */
function fromSmallerEnd(given: Float64Array, stride: number): boolean {
  const isReversed = given[0] > given[stride] || (given[0] === given[stride] && given[1] > given[stride + 1]);
  if (isReversed) swap(given, 0, stride);
  return isReversed;
}

/** Appends the end; positions from `first` on are reversed first if the curve was. */
function appendEnd(builder: GeometryBuilder, given: Float64Array, first: number, isReversed: boolean): void {
  const { stride } = builder;
  builder.reserve(stride);
  if (isReversed) {
    const steps = builder.coordinates.slice(first * stride, builder.coordinateLength);
    for (let from = steps.length - stride, to = first * stride; from >= 0; from -= stride, to += stride)
      builder.coordinates.set(steps.subarray(from, from + stride), to);
    swap(given, 0, stride);
  }
  builder.coordinates.set(given.subarray(stride, 2 * stride), builder.coordinateLength);
  builder.coordinateLength += stride;
}

/** Swaps position `index` and the one after it. */
function swap(positions: Float64Array, index: number, stride: number): void {
  const at = index * stride;
  const moved = positions.slice(at, at + stride);
  positions.copyWithin(at, at + stride, at + 2 * stride);
  positions.set(moved, at + stride);
}

function angleBetween([ax, ay]: readonly number[], [bx, by]: readonly number[]): number {
  return Math.abs(Math.atan2(ax * by - ay * bx, ax * bx + ay * by));
}

/**
 * Radians, counter-clockwise positive. Equal ends are a full turn, unless the arc is a minor one. The direction decides where it
 * contradicts `isMinor`.
 */
function sweepOf(
  start: number,
  end: number,
  isMinor: boolean,
  isClockwise: boolean,
  isClosed: boolean,
): number {
  const turn = 2 * Math.PI;
  if (isClosed) return isMinor ? 0 : isClockwise ? -turn : turn;
  const ahead = (((end - start) % turn) + turn) % turn;
  return isClockwise ? ahead - turn : ahead;
}
