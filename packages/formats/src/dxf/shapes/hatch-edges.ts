/**
 * Reads boundary paths of a hatch that consist of edges: lines, arcs, elliptical arcs and splines, joined to loops.
 *
 * Edges should follow one another, but in real files some are reversed, or two loops share a path. If an edge does not
 * begin at the end of the previous one, the edge that does is searched for; a gap is bridged by a straight line.
 */
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { EntityError, type EntityTags } from '../contract.ts';
import { EdgeJoiner } from './edge-joiner.ts';
import { pen } from './pen.ts';
import { appendFlatEllipse, needRadius, sweepBetween } from './round.ts';
import { appendSpline, SplineParts } from './spline.ts';
import { needFinite } from './tag-values.ts';

const EDGE_TYPE = { line: 1, arc: 2, ellipse: 3, spline: 4 } as const;
const RADIANS = Math.PI / 180;

/** The values of the current edge. */
class Edge {
  type = 0;
  x = Number.NaN;
  y = Number.NaN;
  otherX = Number.NaN;
  otherY = Number.NaN;
  /** Radius of an arc, axis ratio of an ellipse. */
  size = Number.NaN;
  startDegrees = 0;
  endDegrees = 360;
  isCounterClockwise = true;
  spline = new SplineParts();
}

const joiner = new EdgeJoiner();
let hasPartialEllipse = false;

/** Reads the edges among tags `[start, end)`, after the path's code 92, into loops of the pen. */
export function readEdgePath(tags: EntityTags, start: number, end: number, elevation: number): void {
  const first = pen.count;
  const firstLoop = pen.loopCount;
  hasPartialEllipse = false;
  const gap = readEdges(tags, start, end, elevation, false);
  if (gap === 0) return;
  if (!hasPartialEllipse) {
    pen.notes |= GEOMETRY_NOTE.curveGap;
    return;
  }
  // The reference calls the ends of elliptical edges angles, and writers differ on whether these are parameters: the
  // interpretation in which the edges meet is used.
  pen.rewind(firstLoop, first);
  const otherGap = readEdges(tags, start, end, elevation, true);
  if (otherGap > 0) pen.notes |= GEOMETRY_NOTE.curveGap;
  if (otherGap <= gap) return;
  pen.rewind(firstLoop, first);
  readEdges(tags, start, end, elevation, false);
}

/** Returns the widest gap that was bridged. */
function readEdges(
  tags: EntityTags,
  start: number,
  end: number,
  elevation: number,
  isByParameter: boolean,
): number {
  let edge = new Edge();
  let stated = -1;
  joiner.begin(pen.count);
  for (let i = start; i < end; i++) {
    const code = tags.codes[i];
    if (code === 93) stated = tags.integer(i);
    else if (code === 330) break;
    else if (code === 72) {
      draw(edge, elevation, isByParameter);
      edge = new Edge();
      edge.type = tags.integer(i);
      if (edge.type < EDGE_TYPE.line || edge.type > EDGE_TYPE.spline)
        throw new EntityError(`a boundary edge has the type ${edge.type}; 1 to 4 are known`);
    } else readValue(tags, i, code, edge);
  }
  draw(edge, elevation, isByParameter);
  if (stated >= 0 && stated !== joiner.edgeCount)
    throw new EntityError(`a boundary path of ${stated} edges has ${joiner.edgeCount}`);
  return joiner.join();
}

function readValue(tags: EntityTags, i: number, code: number, edge: Edge): void {
  if (edge.type === EDGE_TYPE.spline) {
    readSplineValue(tags, i, code, edge.spline);
    return;
  }
  switch (code) {
    case 10:
      edge.x = tags.real(i);
      break;
    case 20:
      edge.y = tags.real(i);
      break;
    case 11:
      edge.otherX = tags.real(i);
      break;
    case 21:
      edge.otherY = tags.real(i);
      break;
    case 40:
      edge.size = tags.real(i);
      break;
    case 50:
      edge.startDegrees = needFinite(tags.real(i), 'start angle');
      break;
    case 51:
      edge.endDegrees = needFinite(tags.real(i), 'end angle');
      break;
    case 73:
      edge.isCounterClockwise = tags.integer(i) !== 0;
      break;
  }
}

function readSplineValue(tags: EntityTags, i: number, code: number, parts: SplineParts): void {
  if (code === 94) parts.degree = tags.integer(i);
  else if (code === 42) parts.weights.push(tags.real(i));
  else parts.take(code, tags.real(i));
}

function draw(edge: Edge, elevation: number, isByParameter: boolean): void {
  switch (edge.type) {
    case EDGE_TYPE.line:
      pen.position(edge.x, edge.y, elevation);
      pen.position(edge.otherX, edge.otherY, elevation);
      break;
    case EDGE_TYPE.arc:
      drawArc(edge, elevation);
      break;
    case EDGE_TYPE.ellipse:
      drawEllipse(edge, elevation, isByParameter);
      break;
    case EDGE_TYPE.spline:
      drawSpline(edge.spline, elevation);
      break;
    default:
      return;
  }
  joiner.endEdge(pen.count);
}

/** Angles of clockwise edges are measured clockwise. */
function drawArc(edge: Edge, elevation: number): void {
  const from = edge.startDegrees * RADIANS;
  const sweep = sweepBetween(from, edge.endDegrees * RADIANS);
  const sign = edge.isCounterClockwise ? 1 : -1;
  pen.notes |= GEOMETRY_NOTE.curve;
  pen.arcs.aroundCentre(
    pen.scratch,
    edge.x,
    edge.y,
    needRadius(edge.size),
    from * sign,
    sweep * sign,
    elevation,
  );
}

function drawEllipse(edge: Edge, elevation: number, isByParameter: boolean): void {
  let from = edge.startDegrees * RADIANS;
  let to = edge.endDegrees * RADIANS;
  if (sweepBetween(from, to) < 2 * Math.PI) {
    hasPartialEllipse = true;
    if (!isByParameter) {
      from = parameterOf(from, edge.size);
      to = parameterOf(to, edge.size);
    }
  }
  const sign = edge.isCounterClockwise ? 1 : -1;
  const sweep = sweepBetween(from, to) * sign;
  appendFlatEllipse(
    edge.x,
    edge.y,
    elevation,
    edge.otherX,
    edge.otherY,
    needFinite(edge.size, 'ratio'),
    from * sign,
    sweep,
  );
}

/** The parameter of the point of an ellipse at `angle` from the major axis, as seen from its centre. */
function parameterOf(angle: number, ratio: number): number {
  return Math.atan2(Math.sin(angle) / ratio, Math.cos(angle));
}

function drawSpline(parts: SplineParts, elevation: number): void {
  for (let i = 2; i < parts.controls.length; i += 3) parts.controls[i] = elevation;
  for (let i = 2; i < parts.fits.length; i += 3) parts.fits[i] = elevation;
  appendSpline(parts);
}
