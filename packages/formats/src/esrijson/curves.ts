/**
 * Segments of `curvePaths` and `curveRings` (Esri geometry objects), appended as straight steps:
 *
 *     { "c": [end, interior] }                                                  circular arc
 *     { "a": [end, centre, isMinor, isClockwise, rotation, semiMajor, ratio] }  elliptic arc; of a circle without the last three
 *     { "b": [end, control, control] }                                          cubic Bezier curve
 */
import { ArcStroker, DEFAULT_STROKING } from '@geomill/core/geometry/arc.ts';
import { type GeometryBuilder, hasM, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { EsriPositions } from './positions.ts';

/** Greatest number of steps of a Bezier curve: one that turns by a full circle twice. */
const MAX_BEZIER_STEPS = 180;
/** Numbers of a segment beyond its positions that are read. */
const MAX_NUMBERS = 5;

export class CurveParser {
  readonly #scanner: JsonScanner;
  readonly #builder: GeometryBuilder;
  readonly #positions: EsriPositions;
  readonly #arcs = new ArcStroker();
  readonly #numbers: number[] = [];

  constructor(scanner: JsonScanner, builder: GeometryBuilder, positions: EsriPositions) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.#positions = positions;
  }

  /** Parses an array of positions and segments; returns the offset after it. `hasCurves`: one of them is not straight. */
  hasCurves = false;

  list(at: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.#positions.noArray(at, 'positions and curves');
    at = scanner.space(at + 1);
    const first = this.#builder.positionCount;
    while (bytes[at] !== CLOSE_BRACKET) {
      if (bytes[at] !== OPEN_BRACE) at = this.#positions.single(at);
      else if (this.#builder.positionCount === first)
        throw scanner.fault(at, 'a curve needs a position before it, its start', 'structure');
      else at = this.#segment(at);
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) break;
      at = scanner.punctuation(at, COMMA);
    }
    return at + 1;
  }

  #segment(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const keyAt = scanner.space(start + 1);
    if (bytes[keyAt] !== QUOTE) throw scanner.unexpected(keyAt, "'a', 'b' or 'c' in double quotes");
    const keyEnd = scanner.string(keyAt);
    const kind = scanner.text(keyAt + 1, Math.min(keyEnd, keyAt + 41));
    if (kind !== 'a' && kind !== 'b' && kind !== 'c')
      throw scanner.fault(keyAt, `'${kind}' is not a curve; known are 'a', 'b' and 'c'`, 'structure');
    const builder = this.#builder;
    const from = builder.positionCount - 1;
    let at = this.#content(scanner.punctuation(keyEnd + 1, COLON));
    const count = builder.positionCount - 1 - from;
    const wanted = kind === 'b' ? 3 : 2;
    if (count !== wanted)
      throw scanner.fault(start, `this curve has ${count} positions but needs ${wanted}`, 'structure');
    at = scanner.space(at);
    if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "'}'");
    const { stride } = builder;
    const given = builder.coordinates.slice(from * stride, builder.coordinateLength);
    builder.coordinateLength = (from + 1) * stride;
    if (kind === 'c') this.#circular(given);
    else if (kind === 'b') this.#bezier(given);
    else this.#elliptic(given, start);
    this.#positions.checkCount();
    return at + 1;
  }

  /** Appends the positions of a segment to the builder, and its numbers to #numbers. */
  #content(at: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    this.#numbers.length = 0;
    if (bytes[at] !== OPEN_BRACKET) throw this.#positions.noArray(at, 'a curve');
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACKET) {
      if (bytes[at] === OPEN_BRACKET) at = this.#positions.single(at);
      else {
        const value = this.#positions.ordinate(at);
        if (this.#numbers.length < MAX_NUMBERS) this.#numbers.push(value);
        at = this.#positions.end;
      }
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) break;
      at = scanner.punctuation(at, COMMA);
    }
    return at + 1;
  }

  /** `given`: start, end, interior. */
  #circular(given: Float64Array): void {
    const { stride } = this.#builder;
    const end = given.slice(stride, 2 * stride);
    given.copyWithin(stride, 2 * stride);
    given.set(end, 2 * stride);
    if (this.#arcs.throughThree(this.#builder, given, 0)) this.hasCurves = true;
  }

  /** `given`: start, end and the two control positions. */
  #bezier(given: Float64Array): void {
    const { stride } = this.#builder;
    const isReversed = this.#fromSmallerEnd(given);
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
    const first = this.#builder.positionCount;
    for (let i = 1; i < steps; i++) {
      const t = i / steps;
      const s = 1 - t;
      const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
      this.#step(given, a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3, t);
    }
    this.#end(given, first, isReversed);
    if (steps > 1) this.hasCurves = true;
  }

  /** `given`: start, end, centre. */
  #elliptic(given: Float64Array, at: number): void {
    const { stride } = this.#builder;
    const isReversed = this.#fromSmallerEnd(given);
    const [x0, y0, x1, y1] = [given[0], given[1], given[stride], given[stride + 1]];
    const [centreX, centreY] = [given[2 * stride], given[2 * stride + 1]];
    const [isMinor = 0, isClockwise = 0, rotation = 0, , ratio = 1] = this.#numbers;
    if (!(ratio > 0 && Number.isFinite(rotation)))
      throw this.#scanner.fault(at, 'the ratio of the axes of an arc must be larger than 0', 'structure');
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
    const sweep = sweepOf(
      start,
      end,
      isMinor !== 0,
      (isClockwise !== 0) !== isReversed,
      x0 === x1 && y0 === y1,
    );
    const first = this.#builder.positionCount;
    const steps = Math.max(1, Math.ceil(Math.abs(sweep) / DEFAULT_STROKING.maxStepRadians - 1e-9));
    for (let i = 1; i < steps; i++) {
      const t = i / steps;
      const angle = start + sweep * t;
      const radius = startRadius + (endRadius - startRadius) * t;
      const [u, v] = [radius * Math.cos(angle), radius * Math.sin(angle) * ratio];
      this.#step(given, centreX + u * cos - v * sin, centreY + u * sin + v * cos, t);
    }
    this.#end(given, first, isReversed);
    if (steps > 1) this.hasCurves = true;
  }

  /** Appends a position between start and end, with Z and M interpolated. */
  #step(given: Float64Array, x: number, y: number, t: number): void {
    const builder = this.#builder;
    const { stride, dimensions } = builder;
    const between = (i: number): number => given[i] + (given[stride + i] - given[i]) * t;
    const z = hasZ(dimensions) ? between(2) : Number.NaN;
    builder.position(x, y, z, hasM(dimensions) ? between(stride - 1) : Number.NaN);
  }

  /** Makes the smaller end the start, so that neighbours that share a curve share its vertices; true if it was the end. */
  #fromSmallerEnd(given: Float64Array): boolean {
    const { stride } = this.#builder;
    const isReversed =
      given[0] > given[stride] || (given[0] === given[stride] && given[1] > given[stride + 1]);
    if (isReversed) swap(given, 0, stride);
    return isReversed;
  }

  /** Appends the end; positions from `first` on are reversed first if the curve was. */
  #end(given: Float64Array, first: number, isReversed: boolean): void {
    const builder = this.#builder;
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
