/**
 * The curves of a geometry, which are stored after its vertices. Each replaces the straight line from a vertex to the next one:
 *
 *     circular arc   vertex, 1, f64 a, f64 b, u32 flags                       a, b: a position on the arc, or its centre
 *     Bezier curve   vertex, 4, f64 x1 y1 x2 y2                               control positions
 *     elliptic arc   vertex, 5, f64 centreX centreY rotation axis ratio, u32 flags
 *
 * Vertices and types are integers of variable length, all else is little-endian.
 */
import { ArcStroker } from '@geomill/core/geometry/arc.ts';
import { appendBezier, appendEllipticArc } from '@geomill/core/geometry/curve-segments.ts';
import { dimensionsOf, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import type { IntegerReader } from './integer-reader.ts';
import type { Vertices } from './vertices.ts';

const CURVE = { circularArc: 1, spiral: 3, bezier: 4, ellipticArc: 5 } as const;
/** Bits of the flags of circular arcs. */
const ARC = { empty: 0x1, counterClockwise: 0x8, line: 0x20, point: 0x40, interior: 0x80 } as const;
/** Bits of the flags of elliptic arcs. */
const ELLIPSE = {
  empty: 0x1,
  line: 0x40,
  point: 0x80,
  centreTo: 0x200,
  centreFrom: 0x400,
  counterClockwise: 0x800,
  complete: 0x2000,
} as const;
const NUMBERS: Readonly<Record<number, number>> = {
  [CURVE.circularArc]: 2,
  [CURVE.bezier]: 4,
  [CURVE.ellipticArc]: 5,
};

interface Segment {
  readonly type: number;
  readonly numbers: readonly number[];
  readonly flags: number;
}

export class CurveSegments {
  /** A curve of a kind that is not known was left straight. */
  hasUnknown = false;
  readonly #byVertex = new Map<number, Segment>();
  readonly #arcs = new ArcStroker();
  readonly #refuse: (reason: string) => never;

  constructor(refuse: (reason: string) => never) {
    this.#refuse = refuse;
  }

  read(input: IntegerReader, count: number, { starts, partCount }: Vertices): void {
    this.#byVertex.clear();
    this.hasUnknown = false;
    const vertexCount = starts[partCount];
    if (count > vertexCount)
      this.#refuse(`its geometry states ${count} curves with ${vertexCount} positions`);
    const view = new DataView(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength);
    for (let i = 0; i < count; i++) {
      const vertex = input.unsigned();
      const type = input.unsigned();
      if (vertex >= vertexCount) this.#refuse(`a curve begins at position ${vertex} of ${vertexCount}`);
      const length = NUMBERS[type];
      if (length === undefined) {
        // Its length is not known, so the curves after it cannot be read either.
        if (type !== CURVE.spiral) this.#refuse(`a curve has the type ${type}, which is not known`);
        this.hasUnknown = true;
        return;
      }
      const numbers = Array.from({ length }, () => view.getFloat64(input.take(8), true));
      const flags = type === CURVE.bezier ? 0 : view.getUint32(input.take(4), true);
      this.#byVertex.set(vertex, { type, numbers, flags });
    }
  }

  /** Replaces the vertices by those with the steps of the curves; returns whether a curve is not straight. */
  stroke(vertices: Vertices, positionLimit: number): boolean {
    const { starts, partCount } = vertices;
    const count = starts[partCount];
    const builder = new GeometryBuilder(dimensionsOf(vertices.hasZ, vertices.hasM), 1, count * 4);
    let isCurved = false;
    const newStarts = new Int32Array(starts.length);
    for (let part = 0; part < partCount; part++) {
      newStarts[part] = builder.positionCount;
      for (let i = starts[part]; i < starts[part + 1]; i++) {
        const segment = i === starts[part] ? undefined : this.#byVertex.get(i - 1);
        if (segment === undefined) vertices.append(builder, i, i + 1);
        else if (this.#append(builder, vertices, i - 1, segment)) isCurved = true;
      }
      if (builder.positionCount > positionLimit)
        this.#refuse(`its curves have more than ${positionLimit} positions (MAX_FEATURE_COORDINATES)`);
    }
    newStarts[partCount] = builder.positionCount;
    vertices.starts = newStarts;
    vertices.replace(builder);
    return isCurved;
  }

  /** Appends a segment from a vertex to the next one, without its start. */
  #append(builder: GeometryBuilder, vertices: Vertices, vertex: number, segment: Segment): boolean {
    const { type, numbers, flags } = segment;
    const { stride } = builder;
    const length = builder.coordinateLength;
    vertices.append(builder, vertex, vertex + 2);
    const given = new Float64Array(stride * 4);
    given.set(builder.coordinates.subarray(length, builder.coordinateLength));
    builder.coordinateLength = length;
    const isStraight = !numbers.every(Number.isFinite);
    if (type === CURVE.bezier && !isStraight) {
      given.set(numbers.slice(0, 2), 2 * stride);
      given.set(numbers.slice(2), 3 * stride);
      return appendBezier(builder, given);
    }
    if (type === CURVE.circularArc && !isStraight && (flags & (ARC.empty | ARC.line | ARC.point)) === 0)
      return this.#arc(builder, given, numbers, flags);
    if (
      type === CURVE.ellipticArc &&
      !isStraight &&
      (flags & (ELLIPSE.empty | ELLIPSE.line | ELLIPSE.point)) === 0
    )
      if (this.#ellipse(builder, given, numbers, flags)) return true;
    if (isStraight) this.hasUnknown = true;
    vertices.append(builder, vertex + 1, vertex + 2);
    return false;
  }

  #arc(builder: GeometryBuilder, given: Float64Array, numbers: readonly number[], flags: number): boolean {
    const { stride } = builder;
    const isCircle = given[0] === given[stride] && given[1] === given[stride + 1];
    const isCounterClockwise = (flags & ARC.counterClockwise) !== 0;
    const [x, y] =
      (flags & ARC.interior) !== 0 ? numbers : middleOfArc(given, stride, numbers, isCounterClockwise);
    // Start, a position on the arc, end; of a circle the position opposite of its start.
    given.copyWithin(2 * stride, stride, 2 * stride);
    given.fill(Number.NaN, stride, 2 * stride);
    given[stride] = x;
    given[stride + 1] = y;
    const first = builder.positionCount;
    const isCurved = this.#arcs.throughThree(builder, given, 0);
    // A circle is appended counter-clockwise.
    if (isCurved && isCircle && !isCounterClockwise) reverse(builder, first);
    return isCurved;
  }

  /** Returns false, and appends nothing, for an arc of an unknown form. */
  #ellipse(
    builder: GeometryBuilder,
    given: Float64Array,
    [centreX, centreY, rotation, , ratio]: readonly number[],
    flags: number,
  ): boolean {
    if ((flags & (ELLIPSE.centreTo | ELLIPSE.centreFrom)) !== 0 || !(ratio > 0)) {
      this.hasUnknown = true;
      return false;
    }
    if ((flags & ELLIPSE.complete) !== 0) given.copyWithin(builder.stride, 0, 2);
    const isClockwise = (flags & ELLIPSE.counterClockwise) === 0;
    appendEllipticArc(builder, given, { centreX, centreY, rotation, ratio, isMinor: false, isClockwise });
    return true;
  }
}

/**
 * The position in the middle of an arc around a centre. The same for the arc walked the other way, so that neighbours share it. Ends at different distances
 * from the centre contradict it: the larger one counts.
 */
function middleOfArc(
  given: Float64Array,
  stride: number,
  [centreX, centreY]: readonly number[],
  isCounterClockwise: boolean,
): readonly [x: number, y: number] {
  const isReversed = given[0] > given[stride] || (given[0] === given[stride] && given[1] > given[stride + 1]);
  const [from, to] = isReversed ? [stride, 0] : [0, stride];
  const [x0, y0] = [given[from] - centreX, given[from + 1] - centreY];
  const [x1, y1] = [given[to] - centreX, given[to + 1] - centreY];
  const start = Math.atan2(y0, x0);
  const ahead = positiveAngle(Math.atan2(y1, x1) - start);
  const isAhead = isCounterClockwise !== isReversed;
  // Equal ends are a full turn.
  const sweep = x0 === x1 && y0 === y1 ? 2 * Math.PI : isAhead ? ahead : ahead - 2 * Math.PI;
  const radius = Math.max(Math.hypot(x0, y0), Math.hypot(x1, y1));
  const angle = start + sweep / 2;
  return [centreX + radius * Math.cos(angle), centreY + radius * Math.sin(angle)];
}

function positiveAngle(radians: number): number {
  const turn = 2 * Math.PI;
  return ((radians % turn) + turn) % turn;
}

/** Reverses the positions from `first` on, except the last. */
function reverse({ coordinates, stride, positionCount }: GeometryBuilder, first: number): void {
  const steps = coordinates.slice(first * stride, (positionCount - 1) * stride);
  for (let from = steps.length - stride, to = first * stride; from >= 0; from -= stride, to += stride)
    coordinates.set(steps.subarray(from, from + stride), to);
}
