/** Single faces of three or four corners: SOLID and TRACE in the plane, 3DFACE in space. */
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import type { ShapeFunction } from '../contract.ts';
import { readOcs } from './ocs.ts';
import { pen } from './pen.ts';
import { needTriple, ownEnd } from './tag-values.ts';

const point = { x: 0, y: 0, z: 0 };
const SOLID_ORDER = [10, 11, 13, 12];

/** 3DFACE: corners in order, in the world's coordinates; a triangle repeats its third corner or leaves out the fourth. */
export const face3d: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  pen.begin(map, null, stroke);
  for (let code = 10; code <= 13; code++) {
    if (code === 13 && tags.find(13) < 0) break;
    needTriple(tags, code, 0, end, point, 'corner');
    pushCorner(point.x, point.y, point.z);
  }
  return finishFace(builder);
};

/** SOLID and TRACE: corners in the order 1 2 4 3; a triangle repeats the third corner or has no fourth. */
export const solid: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  pen.begin(map, readOcs(tags, end), stroke);
  for (const code of SOLID_ORDER) {
    if (code === 13 && tags.find(13) < 0) continue;
    needTriple(tags, code, 0, end, point, 'corner');
    pushCorner(point.x, point.y, point.z);
  }
  return finishFace(builder);
};

/** Omits a corner that exactly repeats the one before it. */
function pushCorner(x: number, y: number, z: number): void {
  const { coordinates, coordinateLength } = pen.scratch;
  const last = coordinateLength - 3;
  if (last >= 0 && coordinates[last] === x && coordinates[last + 1] === y && coordinates[last + 2] === z)
    return;
  pen.position(x, y, z);
}

function finishFace(builder: GeometryBuilder): number {
  pen.close(0);
  // Two different corners: a face seen from the side, drawn as a line.
  return pen.finishLine(builder, true);
}
