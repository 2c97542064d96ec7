/** B-splines, rational or not, in space: evaluated by de Boor's algorithm and stroked span by span. */
import type { Stroking } from '@geomill/core/geometry/arc.ts';
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';

export interface Spline {
  readonly degree: number;
  /**
   * Ascending; degree + 1 more than there are control points. The curve is defined from knot [degree] to [-degree - 1].
   */
  readonly knots: Float64Array;
  /** Four per control point: x w, y w, z w, w; so a rational spline is an ordinary one in four dimensions. */
  readonly controls: Float64Array;
}

/** Greatest number of halvings of a piece: at a cusp no step is small enough for a small turn. */
const MAX_DEPTH = 10;
/** The limit of CAD systems; the cost of an evaluation is its square. */
const MAX_DEGREE = 25;
/** Initial pieces of a span: the test at the middle of a piece must not be at a point of symmetry. */
const PIECES = 4;

/** The reason why no spline can have this degree and number of control points; null if one can. */
export function degreeFault(degree: number, controlCount: number): string | null {
  if (degree < 1 || degree > MAX_DEGREE)
    return `a spline of degree ${degree}; 1 to ${MAX_DEGREE} can be drawn`;
  if (degree >= controlCount)
    return `a spline of degree ${degree} needs ${degree + 1} control points, and has ${controlCount}`;
  return null;
}

/** The reason why these knots are invalid for this number of control points; null if they are valid. */
export function knotFault(degree: number, knots: Float64Array, controlCount: number): string | null {
  const fault = degreeFault(degree, controlCount);
  if (fault !== null) return fault;
  if (knots.length !== controlCount + degree + 1)
    return `${controlCount} control points of degree ${degree} need ${controlCount + degree + 1} knots, and have ${knots.length}`;
  for (let i = 1; i < knots.length; i++)
    if (!(knots[i] >= knots[i - 1]))
      return `knot ${i + 1} is ${knots[i]}, after ${knots[i - 1]}: they must ascend`;
  if (!(knots[controlCount] > knots[degree])) return 'its knots are all the same';
  return null;
}

/** 0 0 0 0 1 2 3 3 3 3: the knots of a spline that has none of its own. */
export function clampedKnots(degree: number, controlCount: number): Float64Array {
  const knots = new Float64Array(controlCount + degree + 1);
  for (let i = 0; i < knots.length; i++) knots[i] = Math.max(0, Math.min(i - degree, controlCount - degree));
  return knots;
}

/** Reuse one instance. */
export class SplineStroker {
  #spline: Spline = { degree: 1, knots: new Float64Array(4), controls: new Float64Array(8) };
  #builder: GeometryBuilder | null = null;
  /** De Boor's triangle of one evaluation, row by row. */
  #points = new Float64Array(16);
  #x = 0;
  #y = 0;
  #z = 0;
  #cosineSquared = 0;
  #toleranceSquared = 0;

  /**
   * Appends the curve including both ends to a builder with XYZ: halved until no step turns by more than
   * `maxStepRadians` or is farther from the curve than the tolerance. The knots must have passed `knotFault`.
   */
  append(builder: GeometryBuilder, spline: Spline, stroking: Stroking): void {
    const { degree, knots } = spline;
    this.#spline = spline;
    this.#builder = builder;
    if (this.#points.length < (degree + 1) * 4) this.#points = new Float64Array((degree + 1) * 4);
    // If a step turns by a, its two halves turn by a / 2 relative to each other.
    this.#cosineSquared = Math.cos(Math.min(stroking.maxStepRadians, Math.PI / 2) / 2) ** 2;
    this.#toleranceSquared =
      stroking.toleranceUnits === null ? Number.POSITIVE_INFINITY : stroking.toleranceUnits ** 2;
    const controlCount = spline.controls.length / 4;
    const pieces = degree === 1 ? 1 : PIECES;
    let isFirst = true;
    for (let span = degree; span < controlCount; span++) {
      const from = knots[span];
      const to = knots[span + 1];
      if (!(to > from)) continue;
      if (isFirst) {
        this.#evaluate(span, from);
        builder.position(this.#x, this.#y, this.#z);
        isFirst = false;
      }
      for (let piece = 0; piece < pieces; piece++) {
        const start = from + ((to - from) * piece) / pieces;
        const end = piece === pieces - 1 ? to : from + ((to - from) * (piece + 1)) / pieces;
        this.#piece(span, start, end);
      }
    }
    this.#builder = null;
  }

  /** Draws from the builder's last position, at `start`, to `end`. */
  #piece(span: number, start: number, end: number): void {
    const builder = this.#builder;
    if (builder === null) return;
    const last = builder.coordinateLength - 3;
    const x = builder.coordinates[last];
    const y = builder.coordinates[last + 1];
    const z = builder.coordinates[last + 2];
    this.#evaluate(span, end);
    const endX = this.#x;
    const endY = this.#y;
    const endZ = this.#z;
    if (this.#spline.degree > 1) this.#halve(builder, span, start, x, y, z, end, endX, endY, endZ, 0);
    builder.position(endX, endY, endZ);
  }

  /** Appends the positions needed between two positions of the curve. */
  #halve(
    builder: GeometryBuilder,
    span: number,
    t0: number,
    x0: number,
    y0: number,
    z0: number,
    t1: number,
    x1: number,
    y1: number,
    z1: number,
    depth: number,
  ): void {
    const t = (t0 + t1) / 2;
    this.#evaluate(span, t);
    const x = this.#x;
    const y = this.#y;
    const z = this.#z;
    if (depth >= MAX_DEPTH || this.#isStraight(x - x0, y - y0, z - z0, x1 - x, y1 - y, z1 - z)) return;
    this.#halve(builder, span, t0, x0, y0, z0, t, x, y, z, depth + 1);
    builder.position(x, y, z);
    this.#halve(builder, span, t, x, y, z, t1, x1, y1, z1, depth + 1);
  }

  /**
   * Whether the second half of a step continues like the first, by angle and by distance of the middle from the chord.
   */
  #isStraight(ax: number, ay: number, az: number, bx: number, by: number, bz: number): boolean {
    const a = ax * ax + ay * ay + az * az;
    const b = bx * bx + by * by + bz * bz;
    if (!(a > 0 && b > 0)) return true;
    const dot = ax * bx + ay * by + az * bz;
    if (dot <= 0 || dot * dot < this.#cosineSquared * a * b) return false;
    if (this.#toleranceSquared === Number.POSITIVE_INFINITY) return true;
    const cx = ay * bz - az * by;
    const cy = az * bx - ax * bz;
    const cz = ax * by - ay * bx;
    return cx * cx + cy * cy + cz * cz <= this.#toleranceSquared * (a + b + 2 * dot);
  }

  /** The position at `t`, which is in `span`: [knots[span], knots[span + 1]]. */
  #evaluate(span: number, t: number): void {
    const { degree, knots, controls } = this.#spline;
    const points = this.#points;
    const first = (span - degree) * 4;
    for (let i = 0; i < (degree + 1) * 4; i++) points[i] = controls[first + i];
    for (let level = 1; level <= degree; level++) {
      for (let i = degree; i >= level; i--) {
        const low = knots[span - degree + i];
        const share = (t - low) / (knots[span + 1 + i - level] - low);
        const rest = 1 - share;
        const at = i * 4;
        points[at] = rest * points[at - 4] + share * points[at];
        points[at + 1] = rest * points[at - 3] + share * points[at + 1];
        points[at + 2] = rest * points[at - 2] + share * points[at + 2];
        points[at + 3] = rest * points[at - 1] + share * points[at + 3];
      }
    }
    const at = degree * 4;
    const weight = points[at + 3];
    this.#x = points[at] / weight;
    this.#y = points[at + 1] / weight;
    this.#z = points[at + 2] / weight;
  }
}
