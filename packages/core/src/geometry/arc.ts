/**
 * Converts circular arcs to straight steps, for all formats with curves.
 *
 * An arc is represented as
 *
 *     P(t) = start + sin(t / 2) * R(t / 2 + phase) * V        t from 0 to `sweep`, R(a) the rotation by a
 *
 * where V is as long as the diameter. Alternative rejected: centre and radius, because the centre of a nearly straight arc
 * is so far away that positions relative to it lose digits (radius 1e12 leaves a tenth of a millimetre). Here everything
 * is relative to the start.
 *
 * Angles are radians, counter-clockwise positive. Steps are of equal angle; the first and last position are exactly
 * the given ones. The same arc walked the other way gives the same positions (`ArcStroker` walks every arc from the
 * smaller of its ends), so neighbours that share an arc share all of its vertices.
 */
import { type GeometryBuilder, hasM, hasZ } from './geometry-column.ts';

export interface Stroking {
  /** Greatest angle of a step; at most a quarter turn. */
  readonly maxStepRadians: number;
  /** Greatest distance between the arc and its chords, in units of the coordinates; null: only the step limits it. */
  readonly toleranceUnits: number | null;
  /** Limit on the steps that the tolerance gives one arc; default 65,536. */
  readonly maxStepCount?: number;
}

/** Steps of 4 degrees, as in GDAL: a chord is at most 0.00061 radii from its arc. */
export const DEFAULT_STROKING: Stroking = { maxStepRadians: Math.PI / 45, toleranceUnits: null };

/** Greatest number of steps of an arc for any tolerance (a circle of 40,000 km in steps of 600 m). */
const MAX_STEPS = 1 << 16;
/** Radians: a sweep of 180.0000000001 degrees counts as 180, so that rounding adds no step. */
const STEP_ROUNDING = 1e-9;
/** Sine of the angle below which three positions lie on a straight line. */
const STRAIGHT_SINE = 1e-8;
/** Distance between the ends of an arc, in diameters, below which it is a full circle. */
const CLOSED_GAP = 1e-8;
/** Beyond this, squares of coordinates leave the range of doubles. */
const GREATEST_SPAN = 1e150;

/** How many equal steps an arc takes: ceil(sweep / step), where step = min(maxStep, 2 acos(1 - tolerance / radius)). */
export function stepCount(sweepRadians: number, radiusUnits: number, stroking: Stroking): number {
  const sweep = Math.abs(sweepRadians);
  let step = Math.min(stroking.maxStepRadians, Math.PI / 2);
  const { toleranceUnits, maxStepCount = MAX_STEPS } = stroking;
  // 4 asin(sqrt(t / 2r)) is 2 acos(1 - t / r) without the cancellation at large radii.
  if (toleranceUnits !== null && toleranceUnits < radiusUnits)
    step = Math.min(
      step,
      Math.max(sweep / maxStepCount, 4 * Math.asin(Math.sqrt(toleranceUnits / (2 * radiusUnits)))),
    );
  const count = Math.ceil(sweep / step - STEP_ROUNDING);
  return Math.max(1, Math.min(MAX_STEPS, count));
}

/** The sweep in radians of a bulge (DXF: tangent of a quarter of the sweep). */
export function bulgeSweep(bulge: number): number {
  return 4 * Math.atan(bulge);
}

/**
 * Appends arcs to a GeometryBuilder as positions of the current line or ring. The start of the arc is already in the
 * builder, from the arc or line before; each method appends the positions after it, including the end. Reuse one
 * instance.
 *
 * Z and M are interpolated along the arc, from the start over the middle (where there is one) to the end. If only the
 * middle lacks them, they are interpolated between the ends.
 */
export class ArcStroker {
  readonly stroking: Stroking;
  #controls = new Float64Array(64);
  // The current arc, in the notation of the file header.
  #startX = 0;
  #startY = 0;
  #vectorX = 0;
  #vectorY = 0;
  #phase = 0;
  #sweep = 0;
  /** Parameter t of the middle. */
  #middle = 0;

  constructor(stroking: Stroking = DEFAULT_STROKING) {
    this.stroking = stroking;
  }

  /**
   * Replaces the positions from `firstPosition` on, which are control points (start, middle, end, middle, end, ...), by
   * the arcs through them, so that readers need only one loop for positions. Returns true if one of the arcs is not
   * straight.
   */
  replaceControls(builder: GeometryBuilder, firstPosition: number): boolean {
    const { stride } = builder;
    const start = firstPosition * stride;
    const length = builder.coordinateLength - start;
    if (length > this.#controls.length) this.#controls = new Float64Array(length * 2);
    const controls = this.#controls;
    const source = builder.coordinates;
    for (let i = 0; i < length; i++) controls[i] = source[start + i];
    builder.coordinateLength = start + Math.min(stride, length);
    let hasArc = false;
    for (let at = 0; at + 2 * stride < length; at += 2 * stride)
      if (this.throughThree(builder, controls, at)) hasArc = true;
    return hasArc;
  }

  /**
   * Appends the arc through three positions, stored in `positions` from `at` with the builder's stride. If start and
   * end are equal, it is a full counter-clockwise circle with the middle opposite. Returns false if the positions are
   * on a straight line or the middle equals an end; then middle and end are appended unchanged.
   */
  throughThree(builder: GeometryBuilder, positions: Float64Array, at: number): boolean {
    const { stride } = builder;
    const middle = at + stride;
    const end = middle + stride;
    const isReversed =
      positions[at] > positions[end] ||
      (positions[at] === positions[end] && positions[at + 1] > positions[end + 1]);
    const isArc = isReversed
      ? this.#settleThree(positions, end, middle, at)
      : this.#settleThree(positions, at, middle, end);
    if (!isArc) {
      append(builder, positions, middle);
      append(builder, positions, end);
      return false;
    }
    const steps = this.#stepsOfArc();
    if (isReversed) this.#appendSteps(builder, positions, end, middle, at, steps, true);
    else this.#appendSteps(builder, positions, at, middle, end, steps, false);
    append(builder, positions, end);
    return true;
  }

  /**
   * Appends the arc from one position to the next with a bulge, both stored in `positions` with the builder's stride.
   * Bulge 0 is straight; 1 is a half circle to the right of the chord as seen along it, counter-clockwise.
   */
  byBulge(builder: GeometryBuilder, positions: Float64Array, at: number, end: number, bulge: number): void {
    const isReversed =
      positions[at] > positions[end] ||
      (positions[at] === positions[end] && positions[at + 1] > positions[end + 1]);
    const from = isReversed ? end : at;
    const to = isReversed ? at : end;
    const own = isReversed ? -bulge : bulge;
    const chordX = positions[to] - positions[from];
    const chordY = positions[to + 1] - positions[from + 1];
    this.#sweep = bulgeSweep(own);
    this.#middle = this.#sweep / 2;
    const scale = (1 + own * own) / (2 * own);
    this.#startX = positions[from];
    this.#startY = positions[from + 1];
    this.#vectorX = chordX * scale;
    this.#vectorY = chordY * scale;
    this.#phase = -this.#sweep / 2;
    const isArc = bulge !== 0 && this.#isUsable() && (chordX !== 0 || chordY !== 0);
    if (isArc) this.#appendSteps(builder, positions, from, -1, to, this.#stepsOfArc(), isReversed);
    append(builder, positions, end);
  }

  /**
   * Appends the arc around a centre, including its start. A full circle (a sweep of 2 pi or more in either direction)
   * ends exactly on its start.
   */
  aroundCentre(
    builder: GeometryBuilder,
    x: number,
    y: number,
    radius: number,
    startRadians: number,
    sweepRadians: number,
    z = Number.NaN,
  ): void {
    const sweep = Math.max(-2 * Math.PI, Math.min(2 * Math.PI, sweepRadians));
    const steps = stepCount(sweep, radius, this.stroking);
    const isCircle = Math.abs(sweep) === 2 * Math.PI;
    builder.reserve((steps + 1) * builder.stride);
    for (let i = 0; i <= steps; i++) {
      const angle = startRadians + (isCircle && i === steps ? 0 : (sweep * i) / steps);
      builder.position(x + radius * Math.cos(angle), y + radius * Math.sin(angle), z);
    }
  }

  #stepsOfArc(): number {
    return stepCount(this.#sweep, Math.hypot(this.#vectorX, this.#vectorY) / 2, this.stroking);
  }

  #isUsable(): boolean {
    return Math.abs(this.#vectorX) + Math.abs(this.#vectorY) < GREATEST_SPAN;
  }

  /** Computes the arc through three positions; false if there is none. */
  #settleThree(positions: Float64Array, start: number, middle: number, end: number): boolean {
    const x = positions[start];
    const y = positions[start + 1];
    // a: start to middle, b: middle to end, c: the chord.
    const ax = positions[middle] - x;
    const ay = positions[middle + 1] - y;
    const bx = positions[end] - positions[middle];
    const by = positions[end + 1] - positions[middle + 1];
    const cx = positions[end] - x;
    const cy = positions[end + 1] - y;
    const a = Math.hypot(ax, ay);
    const b = Math.hypot(bx, by);
    const c = Math.hypot(cx, cy);
    if (!(a > 0 && b > 0 && a < GREATEST_SPAN && b < GREATEST_SPAN)) return false;
    this.#startX = x;
    this.#startY = y;
    const cross = ax * cy - ay * cx;
    if (c <= CLOSED_GAP * a) {
      const turn = cross < 0 ? -1 : 1;
      this.#vectorX = ax * turn;
      this.#vectorY = ay * turn;
      this.#sweep = 2 * Math.PI * turn;
      this.#phase = (-Math.PI / 2) * turn;
      this.#middle = Math.PI * turn;
      return true;
    }
    // The deflection at the middle is half of the sweep. Its sine cannot distinguish a middle beyond the ends of a
    // straight line from an almost closed circle, so the angle between a and c decides.
    const dot = ax * bx + ay * by;
    if (Math.abs(cross) <= STRAIGHT_SINE * a * (dot > 0 ? b : c)) return false;
    const half = Math.atan2(cross, dot);
    const scale = (a * b) / cross;
    this.#vectorX = cx * scale;
    this.#vectorY = cy * scale;
    this.#sweep = 2 * half;
    this.#phase = -half;
    this.#middle = 2 * Math.atan2(cross, cx * bx + cy * by);
    return this.#isUsable();
  }

  /**
   * Appends the positions between the ends of the current arc, in reverse order if it is walked backwards. `middle` is
   * -1 if the arc has no middle position.
   */
  #appendSteps(
    builder: GeometryBuilder,
    positions: Float64Array,
    start: number,
    middle: number,
    end: number,
    steps: number,
    isReversed: boolean,
  ): void {
    const { stride } = builder;
    builder.reserve(steps * stride);
    const { coordinates } = builder;
    const startX = this.#startX;
    const startY = this.#startY;
    const vectorX = this.#vectorX;
    const vectorY = this.#vectorY;
    const phase = this.#phase;
    const halfSweep = this.#sweep / 2;
    const first = builder.coordinateLength;
    for (let i = 1; i < steps; i++) {
      const at = first + (isReversed ? steps - 1 - i : i - 1) * stride;
      const half = (halfSweep * i) / steps;
      const sine = Math.sin(half);
      const cosA = sine * Math.cos(half + phase);
      const sinA = sine * Math.sin(half + phase);
      coordinates[at] = startX + cosA * vectorX - sinA * vectorY;
      coordinates[at + 1] = startY + sinA * vectorX + cosA * vectorY;
    }
    builder.coordinateLength = first + (steps - 1) * stride;
    if (stride === 2) return;
    const zCount = hasZ(builder.dimensions) ? 1 : 0;
    const mCount = hasM(builder.dimensions) ? 1 : 0;
    for (let ordinate = 2; ordinate < 2 + zCount + mCount; ordinate++) {
      const from = positions[start + ordinate];
      const to = positions[end + ordinate];
      const share = this.#middle / this.#sweep;
      const linear = from + (to - from) * share;
      const over =
        middle < 0 || Number.isNaN(positions[middle + ordinate]) ? linear : positions[middle + ordinate];
      for (let i = 1; i < steps; i++) {
        const at = first + (isReversed ? steps - 1 - i : i - 1) * stride;
        const t = i / steps;
        coordinates[at + ordinate] =
          t <= share ? from + (over - from) * (t / share) : over + (to - over) * ((t - share) / (1 - share));
      }
    }
  }
}

function append(builder: GeometryBuilder, positions: Float64Array, at: number): void {
  const { stride } = builder;
  builder.reserve(stride);
  const { coordinates } = builder;
  let length = builder.coordinateLength;
  for (let i = 0; i < stride; i++) coordinates[length++] = positions[at + i];
  builder.coordinateLength = length;
}
