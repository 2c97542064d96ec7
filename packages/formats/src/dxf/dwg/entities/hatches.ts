/** Hatches: boundary paths of polylines or of edges. */
import {
  Hatch,
  type HatchBoundaryPath,
  HatchBoundaryPathArc,
  type HatchBoundaryPathEdge,
  HatchBoundaryPathEllipse,
  HatchBoundaryPathLine,
  HatchBoundaryPathPolyline,
  HatchBoundaryPathSpline,
} from '@node-projects/acad-ts';
import type { TagOutput } from '../tag-output.ts';
import { entityWriter, writeNormal } from './entity-writer.ts';

/** Kinds of edges, code 72. */
const EDGE = { line: 1, arc: 2, ellipse: 3, spline: 4 } as const;
/** Bit of code 92. */
const POLYLINE_PATH = 2;

function writeHatch(output: TagOutput, hatch: Hatch): void {
  output.text(100, 'AcDbHatch');
  output.vector(10, { x: 0, y: 0, z: hatch.elevation });
  writeNormal(output, hatch.normal);
  output.text(2, hatch.pattern.name);
  output.number(91, hatch.paths.length);
  for (const path of hatch.paths) writePath(output, path);
  // The tag after the paths.
  output.number(75, hatch.style);
}

function writePath(output: TagOutput, { edges }: HatchBoundaryPath): void {
  const [first] = edges;
  const isPolyline = first instanceof HatchBoundaryPathPolyline;
  output.number(92, isPolyline ? POLYLINE_PATH : 0);
  if (isPolyline) writePolyline(output, first);
  else {
    output.number(93, edges.length);
    for (const edge of edges) writeEdge(output, edge);
  }
}

/** The z of a vertex is the bulge of the segment after it. */
function writePolyline(output: TagOutput, { vertices }: HatchBoundaryPathPolyline): void {
  output.number(93, vertices.length);
  for (const vertex of vertices) {
    output.plane(10, vertex);
    if (vertex.z !== 0) output.number(42, vertex.z);
  }
}

function writeEdge(output: TagOutput, edge: HatchBoundaryPathEdge): void {
  if (edge instanceof HatchBoundaryPathLine) {
    output.number(72, EDGE.line);
    output.plane(10, edge.start);
    output.plane(11, edge.end);
  } else if (edge instanceof HatchBoundaryPathArc) {
    output.number(72, EDGE.arc);
    output.plane(10, edge.center);
    output.number(40, edge.radius);
    writeTurn(output, edge);
  } else if (edge instanceof HatchBoundaryPathEllipse) {
    output.number(72, EDGE.ellipse);
    output.plane(10, edge.center);
    output.plane(11, edge.majorAxisEndPoint);
    output.number(40, edge.minorToMajorRatio);
    writeTurn(output, edge);
  } else if (edge instanceof HatchBoundaryPathSpline) writeSpline(output, edge);
}

function writeTurn(output: TagOutput, edge: HatchBoundaryPathArc | HatchBoundaryPathEllipse): void {
  output.degrees(50, edge.startAngle);
  output.degrees(51, edge.endAngle);
  output.number(73, edge.counterClockWise ? 1 : 0);
}

/** The z of a control point is its weight. */
function writeSpline(output: TagOutput, edge: HatchBoundaryPathSpline): void {
  output.number(72, EDGE.spline);
  output.number(94, edge.degree);
  for (const knot of edge.knots) output.number(40, knot);
  for (const point of edge.controlPoints) {
    output.plane(10, point);
    if (edge.isRational) output.number(42, point.z);
  }
  for (const point of edge.fitPoints) output.plane(11, point);
}

export const hatchEntities = [entityWriter(Hatch, writeHatch)] as const;
