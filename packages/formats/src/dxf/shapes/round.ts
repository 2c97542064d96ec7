/** CIRCLE, ARC and ELLIPSE. */
import { type Stroking, stepCount } from '@geomill/core/geometry/arc.ts';
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { EntityError, type ShapeFunction } from '../contract.ts';
import { readOcs } from './ocs.ts';
import { pen } from './pen.ts';
import { needFinite, needTriple, ownEnd, readTriple, realOf } from './tag-values.ts';

const FULL = 2 * Math.PI;
/** Sweeps that are less than this below a full turn are a full turn. */
const FULL_ROUNDING = 1e-9;

const centre = { x: 0, y: 0, z: 0 };
const axis = { x: 0, y: 0, z: 0 };
const normal = { x: 0, y: 0, z: 0 };
const ellipseInSpace = {
  centre: new Float64Array(3),
  major: new Float64Array(3),
  minor: new Float64Array(3),
};

/**
 * Sweep from one angle counter-clockwise to the other: more than 0, at most a full turn, in radians. Angles that are
 * equal or whole turns apart give a full circle.
 */
export function sweepBetween(start: number, end: number): number {
  const rest = (end - start) % FULL;
  const sweep = rest < 0 ? rest + FULL : rest;
  return sweep < FULL_ROUNDING || sweep > FULL - FULL_ROUNDING ? FULL : sweep;
}

export const circle: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  needTriple(tags, 10, 0, end, centre, 'centre');
  const radius = drawnRadius(realOf(tags, 40, Number.NaN, 0, end));
  pen.begin(map, readOcs(tags, end), stroke);
  turn(radius, 0, FULL);
  return pen.finishLine(builder, stroke.closedAsPolygons);
};

/** Counter-clockwise from one angle to the other, in degrees. */
export const arc: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  needTriple(tags, 10, 0, end, centre, 'centre');
  const radius = drawnRadius(realOf(tags, 40, Number.NaN, 0, end));
  const from = (needFinite(realOf(tags, 50, 0, 0, end), 'start angle') * Math.PI) / 180;
  const to = (needFinite(realOf(tags, 51, 360, 0, end), 'end angle') * Math.PI) / 180;
  pen.begin(map, readOcs(tags, end), stroke);
  const sweep = sweepBetween(from, to);
  turn(radius, from, sweep);
  return pen.finishLine(builder, stroke.closedAsPolygons && sweep === FULL);
};

function turn(radius: number, from: number, sweep: number): void {
  if (radius === 0) {
    pen.position(centre.x, centre.y, centre.z);
    pen.position(centre.x, centre.y, centre.z);
    return;
  }
  pen.notes |= GEOMETRY_NOTE.curve;
  pen.arcs.aroundCentre(pen.scratch, centre.x, centre.y, radius, from, sweep, centre.z);
}

/**
 * A negative radius is drawn as positive, and a circle of radius 0 as a line of length 0, as in GDAL: so all circles
 * have the same type.
 */
function drawnRadius(radius: number): number {
  return radius === 0 ? 0 : needRadius(Math.abs(radius));
}

export function needRadius(radius: number): number {
  if (!(radius > 0 && radius < Number.POSITIVE_INFINITY))
    throw new EntityError(`its radius is ${radius}; it must be more than 0`);
  return radius;
}

/** In world coordinates, whatever the extrusion direction, which only determines the direction of the parameters. */
export const ellipse: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  needTriple(tags, 10, 0, end, centre, 'centre');
  needTriple(tags, 11, 0, end, axis, 'major axis');
  if (!readTriple(tags, 210, 0, end, normal)) Object.assign(normal, { x: 0, y: 0, z: 1 });
  const ratio = needFinite(realOf(tags, 40, 1, 0, end), 'ratio');
  const from = needFinite(realOf(tags, 41, 0, 0, end), 'start parameter');
  const to = needFinite(realOf(tags, 42, FULL, 0, end), 'end parameter');
  const normalLength = Math.hypot(normal.x, normal.y, normal.z);
  const axisLength = Math.hypot(axis.x, axis.y, axis.z);
  if (!(axisLength > 0) || ratio === 0 || !(normalLength > 0))
    throw new EntityError('an axis of the ellipse has no length');
  const scale = ratio / normalLength;
  ellipseInSpace.centre.set([centre.x, centre.y, centre.z]);
  ellipseInSpace.major.set([axis.x, axis.y, axis.z]);
  ellipseInSpace.minor.set([
    (normal.y * axis.z - normal.z * axis.y) * scale,
    (normal.z * axis.x - normal.x * axis.z) * scale,
    (normal.x * axis.y - normal.y * axis.x) * scale,
  ]);
  pen.begin(map, null, stroke);
  pen.notes |= GEOMETRY_NOTE.curve;
  const sweep = sweepBetween(from, to);
  appendEllipse(pen.scratch, ellipseInSpace, from, sweep, pen.arcs.stroking);
  return pen.finishLine(builder, stroke.closedAsPolygons && sweep === FULL);
};

/** Appends an ellipse in the plane z to the current loop; axes as vectors, sweep with its sign. */
export function appendFlatEllipse(
  x: number,
  y: number,
  z: number,
  axisX: number,
  axisY: number,
  ratio: number,
  start: number,
  sweep: number,
): void {
  if (!(Math.hypot(axisX, axisY) > 0) || !(ratio !== 0))
    throw new EntityError('an axis of the ellipse has no length');
  pen.notes |= GEOMETRY_NOTE.curve;
  ellipseInSpace.centre.set([x, y, z]);
  ellipseInSpace.major.set([axisX, axisY, 0]);
  ellipseInSpace.minor.set([-axisY * ratio, axisX * ratio, 0]);
  appendEllipse(pen.scratch, ellipseInSpace, start, sweep, pen.arcs.stroking);
}

/**
 * An elliptical arc in space: P(t) = centre + cos t * major + sin t * minor, for any two conjugate half axes. Each is
 * x, y, z.
 */
interface Ellipse {
  readonly centre: Float64Array;
  readonly major: Float64Array;
  readonly minor: Float64Array;
}

/**
 * Appends the arc from parameter `start` over `sweep` (radians, counter-clockwise positive; both are parameters, not
 * angles), including both ends, to a builder with XYZ. A full turn ends exactly on its start. Steps are of equal
 * parameter: an ellipse is a flattened circle, and its chords are no farther off than those of the circle.
 */
function appendEllipse(
  builder: GeometryBuilder,
  { centre, major, minor }: Ellipse,
  start: number,
  sweep: number,
  stroking: Stroking,
): void {
  const full = 2 * Math.PI;
  const turn = Math.max(-full, Math.min(full, sweep));
  const isFull = Math.abs(turn) === full;
  const steps = stepCount(turn, greatestSemiAxis(major, minor), stroking);
  builder.reserve((steps + 1) * builder.stride);
  for (let i = 0; i <= steps; i++) {
    const t = start + (isFull && i === steps ? 0 : (turn * i) / steps);
    const cosine = Math.cos(t);
    const sine = Math.sin(t);
    builder.position(
      centre[0] + cosine * major[0] + sine * minor[0],
      centre[1] + cosine * major[1] + sine * minor[1],
      centre[2] + cosine * major[2] + sine * minor[2],
    );
  }
}

/** The length of the longer axis, also if the given ones are only conjugate, as in the image of a circle. */
function greatestSemiAxis(u: Float64Array, v: Float64Array): number {
  const a = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const b = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  const c = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  return Math.sqrt((a + b) / 2 + Math.hypot((a - b) / 2, c));
}
