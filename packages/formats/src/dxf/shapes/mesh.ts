/** Reads surfaces in space as a MultiPolygon: POLYLINE as polygon mesh or polyface mesh, and MESH. */
import { GEOMETRY_TYPE, type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { EntityError, type EntityTags, type ShapeFunction } from '../contract.ts';
import { pen } from './pen.ts';
import { integerOf, ownEnd, readTriple, realOf, subclassStart } from './tag-values.ts';

/** The vertices of the current mesh: x, y, z each. Reused. */
let vertices = new Float64Array(256);
let vertexCount = 0;

function pushVertex(x: number, y: number, z: number): void {
  const at = vertexCount * 3;
  if (at + 3 > vertices.length) {
    const grown = new Float64Array(vertices.length * 2);
    grown.set(vertices);
    vertices = grown;
  }
  vertices[at] = x;
  vertices[at + 1] = y;
  vertices[at + 2] = z;
  vertexCount++;
}

function pushPart(part: EntityTags, end: number): void {
  pushVertex(
    realOf(part, 10, Number.NaN, 0, end),
    realOf(part, 20, Number.NaN, 0, end),
    realOf(part, 30, 0, 0, end),
  );
}

const vertex = { x: 0, y: 0, z: 0 };

/** A face's corner, 0-based. */
function corner(index: number): void {
  if (!(index >= 0 && index < vertexCount))
    throw new EntityError(`a face names vertex ${index + 1}, but there are ${vertexCount}`);
  pen.position(vertices[index * 3], vertices[index * 3 + 1], vertices[index * 3 + 2]);
}

function endFace(first: number): void {
  pen.close(first);
  pen.endLoop();
}

/** M x N vertices, row by row; a smoothed mesh has the vertices of its surface in addition to those of its frame. */
export const polygonMesh: ShapeFunction = ({ tags, parts }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const flags = integerOf(tags, 70, 0, 0, end);
  const isSmoothed = integerOf(tags, 75, 0, 0, end) !== 0;
  const rows = integerOf(tags, isSmoothed ? 73 : 71, 0, 0, end);
  const columns = integerOf(tags, isSmoothed ? 74 : 72, 0, 0, end);
  vertexCount = 0;
  for (const part of parts) {
    if (part.type !== 'VERTEX') continue;
    const partEnd = part.count;
    if (isSmoothed && (integerOf(part, 70, 0, 0, partEnd) & VERTEX_FLAG.splineFrame) !== 0) continue;
    pushPart(part, partEnd);
  }
  if (rows < 2 || columns < 2 || rows * columns !== vertexCount)
    throw new EntityError(`a mesh of ${rows} x ${columns} vertices has ${vertexCount} of them`);
  pen.begin(map, null, stroke);
  const rowFaces = (flags & POLYLINE_FLAG.closed) !== 0 ? rows : rows - 1;
  const columnFaces = (flags & POLYLINE_FLAG.closedN) !== 0 ? columns : columns - 1;
  for (let row = 0; row < rowFaces; row++)
    for (let column = 0; column < columnFaces; column++) {
      const nextRow = ((row + 1) % rows) * columns;
      const nextColumn = (column + 1) % columns;
      const first = pen.count;
      corner(row * columns + column);
      corner(row * columns + nextColumn);
      corner(nextRow + nextColumn);
      corner(nextRow + column);
      endFace(first);
    }
  return asMulti(builder);
};

/** VERTEX entities that are positions, and VERTEX entities that are faces: up to four position numbers, from 1. */
export const polyfaceMesh: ShapeFunction = ({ parts }, map, stroke, builder) => {
  vertexCount = 0;
  for (const part of parts) {
    if (part.type !== 'VERTEX') continue;
    const end = part.count;
    if ((integerOf(part, 70, 0, 0, end) & VERTEX_FLAG.position) !== 0) pushPart(part, end);
  }
  pen.begin(map, null, stroke);
  let hasEdge = false;
  for (const part of parts) {
    if (part.type !== 'VERTEX') continue;
    const end = part.count;
    const flags = integerOf(part, 70, 0, 0, end);
    if ((flags & VERTEX_FLAG.face) === 0 || (flags & VERTEX_FLAG.position) !== 0) continue;
    const first = pen.count;
    for (let code = 71; code <= 74; code++) {
      // Negative: the edge that begins there is invisible.
      const number = Math.abs(integerOf(part, code, 0, 0, end));
      if (number !== 0) corner(number - 1);
    }
    const corners = pen.count - first;
    if (corners === 0) continue;
    if (corners < 3) {
      hasEdge = true;
      pen.endLoop();
    } else endFace(first);
  }
  if (!hasEdge) return asMulti(builder);
  pen.notes |= GEOMETRY_NOTE.surface;
  // Faces with one or two corners are points and lines of a wire frame.
  pen.settle(builder);
  for (let loop = 0; loop < pen.loopCount; loop++) {
    const count = pen.starts[loop + 1] - pen.starts[loop];
    pen.ring(builder, loop);
    builder.endPart(count === 1 ? PART_KIND.point : count === 2 ? PART_KIND.line : PART_KIND.polygon);
  }
  return GEOMETRY_TYPE.geometryCollection;
};

/** A mesh is a MultiPolygon even with a single face: the type must not depend on the count. */
function asMulti(builder: GeometryBuilder): number {
  if (pen.loopCount === 0) throw new EntityError('a mesh has no faces');
  pen.notes |= GEOMETRY_NOTE.surface;
  pen.finishParts(builder, PART_KIND.polygon);
  return GEOMETRY_TYPE.multiPolygon;
}

function needFaceTag(tags: EntityTags, i: number): void {
  if (tags.codes[i] !== 90)
    throw new EntityError(`group code ${tags.codes[i]} is in the list of faces, which has code 90 only`);
}

/** MESH: the faces of the control mesh (subdivision level 0). */
export const mesh: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const start = subclassStart(tags, 'AcDbSubDMesh');
  const vertexList = tags.find(92, start, end);
  const faceList = tags.find(93, start, end);
  if (vertexList < 0 || faceList < vertexList)
    throw new EntityError('a mesh has no list of vertices (code 92) and faces (code 93)');
  vertexCount = 0;
  for (let i = vertexList + 1; i < faceList; i++) {
    if (tags.codes[i] !== 10) continue;
    readTriple(tags, 10, i, faceList, vertex);
    pushVertex(vertex.x, vertex.y, vertex.z);
  }
  const stated = tags.integer(vertexList);
  if (stated !== vertexCount)
    throw new EntityError(`a mesh of ${stated} vertices has ${vertexCount} of them`);
  pen.begin(map, null, stroke);
  let i = faceList + 1;
  const listEnd = Math.min(end, i + tags.integer(faceList));
  while (i < listEnd) {
    needFaceTag(tags, i);
    const corners = tags.integer(i++);
    if (corners < 3 || i + corners > listEnd)
      throw new EntityError(`a face of ${corners} vertices does not fit the list of faces`);
    const first = pen.count;
    for (let k = 0; k < corners; k++, i++) {
      needFaceTag(tags, i);
      corner(tags.integer(i));
    }
    endFace(first);
  }
  if (i < end && tags.codes[i] === 90)
    throw new EntityError('the list of faces is longer than its code 93 states');
  return asMulti(builder);
};

/** Bits of code 70 of LWPOLYLINE and POLYLINE. */
export const POLYLINE_FLAG = { closed: 1, threeD: 8, polygonMesh: 16, closedN: 32, polyface: 64 } as const;

/** Bits of code 70 of VERTEX. */
export const VERTEX_FLAG = { splineFrame: 16, position: 64, face: 128 } as const;
