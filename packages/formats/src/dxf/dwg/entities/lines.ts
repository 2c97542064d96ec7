/** Polylines of all kinds, splines, meshes, multilines and leaders. */
import {
  Leader,
  LwPolyline,
  Mesh,
  MLine,
  PolyfaceMesh,
  PolygonMesh,
  type Polyline,
  Polyline2D,
  Polyline3D,
  Spline,
  SplineFlags,
} from '@node-projects/acad-ts';
import type { TagOutput } from '../tag-output.ts';
import { entityWriter, writeNormal } from './entity-writer.ts';

function writeLwPolyline(output: TagOutput, polyline: LwPolyline): void {
  output.text(100, 'AcDbPolyline');
  output.number(90, polyline.vertices.length);
  output.number(70, polyline.isClosed ? 1 : 0);
  if (polyline.elevation !== 0) output.number(38, polyline.elevation);
  for (const { location, bulge } of polyline.vertices) {
    output.plane(10, location);
    if (bulge !== 0) output.number(42, bulge);
  }
  writeNormal(output, polyline.normal);
}

/** The vertices are entities of their own: see vertices.ts. */
function writePolyline(output: TagOutput, polyline: Polyline): void {
  output.text(100, polyline.subclassMarker);
  output.vector(10, { x: 0, y: 0, z: polyline.elevation });
  output.number(70, polyline.flags);
  writeNormal(output, polyline.normal);
}

function writePolygonMesh(output: TagOutput, mesh: PolygonMesh): void {
  writePolyline(output, mesh);
  output.number(71, mesh.mVertexCount);
  output.number(72, mesh.nVertexCount);
  output.number(73, mesh.mSmoothSurfaceDensity);
  output.number(74, mesh.nSmoothSurfaceDensity);
  output.number(75, mesh.smoothSurface);
}

function writeSpline(output: TagOutput, spline: Spline): void {
  output.text(100, 'AcDbSpline');
  output.number(70, spline.flags);
  output.number(71, spline.degree);
  for (const tangent of [12, 13]) {
    const vector = tangent === 12 ? spline.startTangent : spline.endTangent;
    if (vector.x !== 0 || vector.y !== 0 || vector.z !== 0) output.vector(tangent, vector);
  }
  for (const knot of spline.knots) output.number(40, knot);
  const isRational =
    (spline.flags & SplineFlags.Rational) !== 0 || spline.weights.some((weight) => weight !== 0);
  for (const [i, point] of spline.controlPoints.entries()) {
    output.vector(10, point);
    if (isRational && i < spline.weights.length) output.number(41, spline.weights[i]);
  }
  for (const point of spline.fitPoints) output.vector(11, point);
}

function writeMesh(output: TagOutput, mesh: Mesh): void {
  output.text(100, 'AcDbSubDMesh');
  output.number(91, mesh.subdivisionLevel);
  output.number(92, mesh.vertices.length);
  for (const vertex of mesh.vertices) output.vector(10, vertex);
  output.number(
    93,
    mesh.faces.reduce((sum, face) => sum + 1 + face.length, 0),
  );
  for (const face of mesh.faces) {
    output.number(90, face.length);
    for (const corner of face) output.number(90, corner);
  }
  // Ends the list of faces.
  output.number(94, 0);
}

function writeMLine(output: TagOutput, mline: MLine): void {
  output.text(100, 'AcDbMline');
  output.number(71, mline.flags);
  output.number(72, mline.vertices.length);
  for (const { position, miter, segments } of mline.vertices) {
    output.vector(11, position);
    output.vector(13, miter);
    for (const { parameters } of segments) {
      output.number(74, parameters.length);
      for (const parameter of parameters) output.number(41, parameter);
    }
  }
}

export const lineEntities = [
  entityWriter(LwPolyline, writeLwPolyline),
  entityWriter(Polyline2D, writePolyline),
  entityWriter(Polyline3D, writePolyline),
  entityWriter(PolyfaceMesh, writePolyline),
  entityWriter(PolygonMesh, writePolygonMesh),
  entityWriter(Spline, writeSpline),
  entityWriter(Mesh, writeMesh),
  entityWriter(MLine, writeMLine),
  entityWriter(Leader, (output, leader) => {
    output.text(100, 'AcDbLeader');
    output.number(72, leader.pathType);
    for (const vertex of leader.vertices) output.vector(10, vertex);
  }),
] as const;
