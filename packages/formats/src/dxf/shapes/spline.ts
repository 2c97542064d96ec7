/** SPLINE, and splines in other entities: spline edges of hatches, curved leaders. */
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { EntityError, type EntityTags, type ShapeFunction } from '../contract.ts';
import { pen } from './pen.ts';
import { clampedKnots, degreeFault, knotFault, SplineStroker } from './spline-curve.ts';
import { splineThrough } from './spline-fit.ts';
import { integerOf, needFinite, ownEnd, subclassStart } from './tag-values.ts';

const FLAG = { closed: 1, periodic: 2 } as const;
/** Greatest distance, relative to the coordinates, at which two ends are joined without a gap. */
const CLOSED_GAP = 1e-9;

const stroker = new SplineStroker();

/** The values of a spline's tags; filled by its reader. */
export class SplineParts {
  degree = 3;
  isClosed = false;
  readonly knots: number[] = [];
  /** x, y, z each. */
  readonly controls: number[] = [];
  /** One per control point, or none. */
  readonly weights: number[] = [];
  /** x, y, z each. */
  readonly fits: number[] = [];
  startTangent: Float64Array | null = null;
  endTangent: Float64Array | null = null;

  /** Takes a value whose group code has the same meaning in all kinds of splines; ignores others. */
  take(code: number, value: number): void {
    const axis = Math.trunc(code / 10) - 1; // 10, 20, 30: x, y, z
    switch (code) {
      case 40:
        this.knots.push(value);
        break;
      case 10:
        this.controls.push(value, Number.NaN, 0);
        break;
      case 20:
      case 30:
        setAxis(this.controls, axis, value);
        break;
      case 11:
        this.fits.push(value, Number.NaN, 0);
        break;
      case 21:
      case 31:
        setAxis(this.fits, axis, value);
        break;
      case 12:
        this.startTangent = Float64Array.of(value, 0, 0);
        break;
      case 22:
      case 32:
        if (this.startTangent !== null) this.startTangent[axis] = value;
        break;
      case 13:
        this.endTangent = Float64Array.of(value, 0, 0);
        break;
      case 23:
      case 33:
        if (this.endTangent !== null) this.endTangent[axis] = value;
        break;
    }
  }
}

/** Of the last position. */
function setAxis(positions: number[], axis: number, value: number): void {
  if (positions.length === 0) throw new EntityError('it begins with a y or z (codes 20 to 31) without an x');
  positions[positions.length - 3 + axis] = value;
}

/** The part of a HELIX other than its curve: axis, radius and turns, which reuse codes of the spline. */
const HELIX_SUBCLASS = 'AcDbHelix';

/** SPLINE, and HELIX, which contains its curve as a SPLINE. */
export const spline: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = splineEnd(tags);
  const parts = new SplineParts();
  const flags = integerOf(tags, 70, 0, 0, end);
  parts.isClosed = (flags & (FLAG.closed | FLAG.periodic)) !== 0;
  parts.degree = integerOf(tags, 71, 3, 0, end);
  for (let i = 0; i < end; i++) {
    const code = tags.codes[i];
    if (code === 41) parts.weights.push(tags.real(i));
    else parts.take(code, tags.real(i));
  }
  pen.begin(map, null, stroke);
  appendSpline(parts);
  return pen.finishLine(builder, parts.isClosed && stroke.closedAsPolygons);
};

function splineEnd(tags: EntityTags): number {
  const end = ownEnd(tags);
  const helix = tags.type === 'HELIX' ? subclassStart(tags, HELIX_SUBCLASS) : 0;
  return helix > 0 ? Math.min(end, helix) : end;
}

/** Strokes a spline into the current loop; control points take precedence over fit points, which only led to them. */
export function appendSpline(parts: SplineParts): void {
  const first = pen.count;
  if (parts.degree > 1 || parts.controls.length === 0) pen.notes |= GEOMETRY_NOTE.curve;
  if (parts.controls.length > 0) appendControlled(parts);
  else appendFitted(parts);
  if (parts.isClosed) closeExactly(first);
}

function appendControlled({ degree, knots, controls, weights }: SplineParts): void {
  const count = controls.length / 3;
  const noDegree = degreeFault(degree, count);
  if (noDegree !== null) throw new EntityError(noDegree);
  const ownKnots = knots.length > 0 ? Float64Array.from(knots) : clampedKnots(degree, count);
  const fault = knotFault(degree, ownKnots, count);
  if (fault !== null) throw new EntityError(fault);
  if (weights.length !== 0 && weights.length !== count)
    throw new EntityError(`${count} control points have ${weights.length} weights`);
  const homogeneous = new Float64Array(count * 4);
  for (let i = 0; i < count; i++) {
    const weight = weights.length === 0 ? 1 : needFinite(weights[i], 'weight');
    if (weight <= 0) throw new EntityError(`a weight is ${weight}; it must be more than 0`);
    for (let k = 0; k < 3; k++) homogeneous[i * 4 + k] = controls[i * 3 + k] * weight;
    homogeneous[i * 4 + 3] = weight;
  }
  stroker.append(pen.scratch, { degree, knots: ownKnots, controls: homogeneous }, pen.arcs.stroking);
}

function appendFitted({ fits, isClosed, startTangent, endTangent }: SplineParts): void {
  const points: number[] = [];
  for (let i = 0; i < fits.length; i += 3) {
    const last = points.length - 3;
    if (last >= 0 && [0, 1, 2].every((k) => points[last + k] === fits[i + k])) continue;
    points.push(needFinite(fits[i], 'fit point'), needFinite(fits[i + 1], 'fit point'), fits[i + 2]);
  }
  if (isClosed && points.length > 3) {
    const last = points.length - 3;
    if ([0, 1, 2].some((k) => points[last + k] !== points[k])) points.push(points[0], points[1], points[2]);
  }
  if (points.length < 6) throw new EntityError('it has neither control points nor two fit points');
  const isPeriodic = isClosed && startTangent === null && endTangent === null;
  const through = splineThrough(Float64Array.from(points), startTangent, endTangent, isPeriodic);
  stroker.append(pen.scratch, through, pen.arcs.stroking);
}

/**
 * Ends a closed curve exactly on its first position: by moving the last one there, or by a straight step across a gap.
 */
function closeExactly(firstPosition: number): void {
  const { coordinates, coordinateLength } = pen.scratch;
  const first = firstPosition * 3;
  const last = coordinateLength - 3;
  let isNear = true;
  for (let k = 0; k < 3; k++) {
    const a = coordinates[first + k];
    if (Math.abs(coordinates[last + k] - a) > CLOSED_GAP * (1 + Math.abs(a))) isNear = false;
  }
  if (isNear) for (let k = 0; k < 3; k++) coordinates[last + k] = coordinates[first + k];
  else pen.close(firstPosition);
}
