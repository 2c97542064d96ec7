/** LWPOLYLINE, and POLYLINEs that are lines; the others are meshes (mesh.ts). Widths are ignored. */
import { GEOMETRY_TYPE, type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { EntityError, type EntityTags, type ShapeFunction } from '../contract.ts';
import { isIdentity } from './affine-map.ts';
import { POLYLINE_FLAG, polyfaceMesh, polygonMesh, VERTEX_FLAG } from './mesh.ts';
import { readOcs } from './ocs.ts';
import { type Pen, pen } from './pen.ts';
import { integerOf, needFinite, ownEnd, realOf } from './tag-values.ts';

/** Code 90 of LWPOLYLINE. POLYLINEs have no count. */
const STATED_COUNT = 90;

export const lwPolyline: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const isClosed = (integerOf(tags, 70, 0, 0, end) & POLYLINE_FLAG.closed) !== 0;
  const elevation = realOf(tags, 38, 0, 0, end);
  const ocs = readOcs(tags, end);
  if (ocs === null && elevation === 0 && isIdentity(map)) {
    const type = plainVertices(tags, end, isClosed, stroke.closedAsPolygons, builder);
    if (type !== 0) return type;
  }
  pen.begin(map, ocs, stroke);
  // A bulge comes after its vertex and applies to the segment to the next vertex.
  let bulge = 0;
  let x = Number.NaN;
  let count = 0;
  let xCount = 0;
  for (let i = 0; i < end; i++) {
    const code = tags.codes[i];
    if (code === 10) {
      x = tags.real(i);
      xCount++;
    } else if (code === 20) {
      count++;
      if (pen.count > 0) pen.bulgeTo(x, tags.real(i), elevation, bulge);
      else pen.position(x, tags.real(i), elevation);
      bulge = 0;
      x = Number.NaN;
    } else if (code === 42) bulge = tags.real(i);
  }
  needPairs(xCount, count);
  if (isClosed) closeWithBulge(pen, bulge);
  checkVertexCount(tags, count);
  return pen.finishLine(builder, isClosed && stroke.closedAsPolygons);
};

/**
 * The hot path: straight segments in the plane, copied from the tags to the builder's array. Returns 0 and leaves the
 * builder unchanged if there is a bulge.
 */
function plainVertices(
  tags: EntityTags,
  end: number,
  isClosed: boolean,
  closedAsPolygons: boolean,
  builder: GeometryBuilder,
): number {
  pen.notes = 0;
  const { codes } = tags;
  const { stride } = builder;
  const begin = builder.coordinateLength;
  builder.reserve((end + 2) * stride);
  const { coordinates } = builder;
  let at = begin;
  let finite = 0;
  let xCount = 0;
  let x = Number.NaN;
  for (let i = 0; i < end; i++) {
    const code = codes[i];
    if (code === 10) {
      x = tags.real(i);
      xCount++;
    } else if (code === 20) {
      const y = tags.real(i);
      finite += x * 0 + y * 0;
      coordinates[at] = x;
      coordinates[at + 1] = y;
      for (let k = 2; k < stride; k++) coordinates[at + k] = Number.NaN;
      at += stride;
      x = Number.NaN;
    } else if (code === 42 && tags.real(i) !== 0) return 0;
  }
  if (finite !== 0) throw new EntityError('a coordinate is not a finite number');
  let count = (at - begin) / stride;
  needPairs(xCount, count);
  if (count === 0) throw new EntityError('it has no vertices');
  checkVertexCount(tags, count);
  const last = at - stride;
  if (
    isClosed &&
    count > 1 &&
    (coordinates[begin] !== coordinates[last] || coordinates[begin + 1] !== coordinates[last + 1])
  ) {
    for (let k = 0; k < stride; k++) coordinates[at + k] = coordinates[begin + k];
    at += stride;
    count++;
  }
  builder.coordinateLength = at;
  builder.endRing();
  if (count === 1) {
    builder.endPart(PART_KIND.point);
    return GEOMETRY_TYPE.point;
  }
  const isPolygon = isClosed && closedAsPolygons && count >= 4;
  builder.endPart(isPolygon ? PART_KIND.polygon : PART_KIND.line);
  return isPolygon ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.lineString;
}

/**
 * Checks codes 10 and 20, which form a vertex. Readers of vertices forget x after each y, so a lone y is not a finite
 * position; a lone x shows in the counts.
 */
export function needPairs(xCount: number, yCount: number): void {
  if (xCount !== yCount) throw new EntityError(`${xCount} x (code 10) and ${yCount} y (code 20) of vertices`);
}

/** Notes a wrong count, as left by an interrupted writer or a manual edit: the count comes before the vertices. */
function checkVertexCount(tags: EntityTags, count: number): void {
  const at = tags.find(STATED_COUNT);
  if (at >= 0 && Math.trunc(tags.real(at)) !== count) pen.notes |= GEOMETRY_NOTE.vertexCount;
}

/** Draws the segment from the last vertex to the first, unless they are equal. */
export function closeWithBulge(target: Pen, bulge: number, firstPosition = 0): void {
  const { coordinates, coordinateLength } = target.scratch;
  const first = firstPosition * 3;
  const last = coordinateLength - 3;
  if (last <= first) return;
  const x = coordinates[first];
  const y = coordinates[first + 1];
  const z = coordinates[first + 2];
  if (coordinates[last] === x && coordinates[last + 1] === y && coordinates[last + 2] === z) return;
  target.bulgeTo(x, y, z, bulge);
}

/** POLYLINE: a 2D or 3D line or one of two kinds of mesh, depending on its flags. */
export const polyline: ShapeFunction = (entity, map, stroke, builder) => {
  const { tags, parts } = entity;
  const end = ownEnd(tags);
  const flags = integerOf(tags, 70, 0, 0, end);
  if ((flags & POLYLINE_FLAG.polyface) !== 0) return polyfaceMesh(entity, map, stroke, builder);
  if ((flags & POLYLINE_FLAG.polygonMesh) !== 0) return polygonMesh(entity, map, stroke, builder);
  const is3d = (flags & POLYLINE_FLAG.threeD) !== 0;
  const isClosed = (flags & POLYLINE_FLAG.closed) !== 0;
  const elevation = is3d ? 0 : realOf(tags, 30, 0, 0, end);
  pen.begin(map, is3d ? null : readOcs(tags, end), stroke);
  let bulge = 0;
  let hasVertex = false;
  for (const vertex of parts) {
    if (vertex.type !== 'VERTEX') continue;
    const vertexEnd = vertex.count;
    // Frame vertices of a spline are its control points, not points of the curve.
    if ((integerOf(vertex, 70, 0, 0, vertexEnd) & VERTEX_FLAG.splineFrame) !== 0) continue;
    const x = realOf(vertex, 10, Number.NaN, 0, vertexEnd);
    const y = realOf(vertex, 20, Number.NaN, 0, vertexEnd);
    // 2D vertices repeat the elevation or omit it; some writers store a height per vertex, which GDAL keeps too.
    const z = realOf(vertex, 30, 0, 0, vertexEnd) || elevation;
    if (hasVertex) pen.bulgeTo(x, y, z, bulge);
    else pen.position(x, y, z);
    hasVertex = true;
    bulge = is3d ? 0 : needFinite(realOf(vertex, 42, 0, 0, vertexEnd), 'bulge');
  }
  if (isClosed) closeWithBulge(pen, bulge);
  return pen.finishLine(builder, isClosed && stroke.closedAsPolygons);
};
