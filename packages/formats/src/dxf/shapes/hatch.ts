/** HATCH and MPOLYGON: boundary paths as one Polygon or MultiPolygon. Patterns and fill colours are ignored. */
import { GEOMETRY_TYPE, type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { EntityError, type EntityTags, type ShapeFunction } from '../contract.ts';
import { isIdentity } from './affine-map.ts';
import { readEdgePath } from './hatch-edges.ts';
import { LoopNester } from './loops.ts';
import { readOcs } from './ocs.ts';
import { pen } from './pen.ts';
import { closeWithBulge, needPairs } from './polyline.ts';
import { ownEnd, realOf } from './tag-values.ts';

/** Bit of code 92: the path is a polyline; otherwise it consists of edges. */
const POLYLINE_PATH = 2;

const nester = new LoopNester();

export const hatch: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const ocs = readOcs(tags, end);
  const head = tags.find(91, 0, end);
  if (head < 0 || tags.integer(head) < 1) throw new EntityError('a hatch has no boundary paths');
  const pathCount = tags.integer(head);
  const elevation = realOf(tags, 30, 0, 0, head);
  const first = tags.find(92, head, end);
  if (first < 0) throw new EntityError(`a hatch of ${pathCount} boundary paths has none`);
  const last = pathsEnd(tags, first, end);
  if (pathCount === 1 && ocs === null && elevation === 0 && isIdentity(map)) {
    const type = plainPath(tags, first, last, builder);
    if (type !== 0) return type;
  }
  pen.begin(map, ocs, stroke);
  let found = 0;
  for (let at = first; at >= 0; found++) {
    const next = tags.find(92, at + 1, last);
    const pathEnd = next < 0 ? last : next;
    if ((tags.integer(at) & POLYLINE_PATH) !== 0) readPolylinePath(tags, at + 1, pathEnd, elevation);
    else readEdgePath(tags, at + 1, pathEnd, elevation);
    at = next;
  }
  if (found !== pathCount) throw new EntityError(`a hatch of ${pathCount} boundary paths has ${found}`);
  return finishArea(builder);
};

/** Index of the tag after the paths: the style, the pattern or the seed points reuse codes of the paths. */
function pathsEnd(tags: EntityTags, first: number, end: number): number {
  const { codes } = tags;
  for (let i = first; i < end; i++) {
    const code = codes[i];
    if (code === 75 || code === 76 || code === 98) return i;
  }
  return end;
}

/** Nests the pen's loops and appends them as one area. */
function finishArea(builder: GeometryBuilder): number {
  const { loopCount } = pen;
  if (loopCount === 0) throw new EntityError('no boundary path of the hatch encloses an area');
  // In the hatch's own plane, as the plane may be vertical in the world.
  nester.nest(pen.scratch.coordinates, 3, pen.starts, loopCount);
  pen.settle(builder);
  const { order, isShell } = nester;
  for (let i = 0; i < loopCount; i++) {
    if (i > 0 && isShell[order[i]] === 1) builder.endPart(PART_KIND.polygon);
    pen.ring(builder, order[i]);
  }
  builder.endPart(PART_KIND.polygon);
  return nester.shellCount === 1 ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.multiPolygon;
}

function readPolylinePath(tags: EntityTags, start: number, end: number, elevation: number): void {
  const { codes } = tags;
  const first = pen.count;
  let stated = -1;
  let vertices = 0;
  let bulge = 0;
  let xCount = 0;
  let x = Number.NaN;
  for (let i = start; i < end; i++) {
    const code = codes[i];
    if (code === 10) {
      x = tags.real(i);
      xCount++;
    } else if (code === 20) {
      if (vertices > 0) pen.bulgeTo(x, tags.real(i), elevation, bulge);
      else pen.position(x, tags.real(i), elevation);
      bulge = 0;
      vertices++;
      x = Number.NaN;
    } else if (code === 42) bulge = tags.real(i);
    else if (code === 93) stated = tags.integer(i);
    else if (code === 97) break;
  }
  needPairs(xCount, vertices);
  needCount(stated, vertices);
  closeWithBulge(pen, bulge, first);
  pen.endArea(first);
}

function needCount(stated: number, vertices: number): void {
  if (stated >= 0 && stated !== vertices)
    throw new EntityError(`a boundary path of ${stated} vertices has ${vertices}`);
}

/** The hot path, as that of LWPOLYLINE: one polyline without bulges, copied from the tags to the builder's array. */
function plainPath(tags: EntityTags, first: number, last: number, builder: GeometryBuilder): number {
  if ((tags.integer(first) & POLYLINE_PATH) === 0) return 0;
  pen.notes = 0;
  const { codes } = tags;
  const { stride } = builder;
  const begin = builder.coordinateLength;
  builder.reserve((last - first + 2) * stride);
  const { coordinates } = builder;
  let at = begin;
  let finite = 0;
  let stated = -1;
  let xCount = 0;
  let x = Number.NaN;
  for (let i = first + 1; i < last; i++) {
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
    else if (code === 93) stated = tags.integer(i);
    else if (code === 92) return 0;
    else if (code === 97) break;
  }
  if (finite !== 0) throw new EntityError('a coordinate is not a finite number');
  needPairs(xCount, (at - begin) / stride);
  needCount(stated, (at - begin) / stride);
  const end = at - stride;
  if (
    end > begin &&
    (coordinates[begin] !== coordinates[end] || coordinates[begin + 1] !== coordinates[end + 1])
  ) {
    for (let k = 0; k < stride; k++) coordinates[at + k] = coordinates[begin + k];
    at += stride;
  }
  if (at - begin < 4 * stride) return 0;
  builder.coordinateLength = at;
  builder.endRing();
  builder.endPart(PART_KIND.polygon);
  return GEOMETRY_TYPE.polygon;
}
