/**
 * MLINE: parallel lines along one path. Each vertex stores for each line its distance from the path along the miter, so
 * the style is not needed. Breaks of single lines (where mlines cross) are ignored.
 */
import { PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { EntityError, type ShapeFunction } from '../contract.ts';
import { pen } from './pen.ts';
import { integerOf, ownEnd, readTriple } from './tag-values.ts';

const CLOSED = 2;
const vertex = { x: 0, y: 0, z: 0 };
const miter = { x: 0, y: 0, z: 0 };

export const mline: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const isClosed = (integerOf(tags, 71, 0, 0, end) & CLOSED) !== 0;
  const stated = integerOf(tags, 72, -1, 0, end);
  /** Positions x, y, z of each line. */
  const lines: number[][] = [];
  let vertices = 0;
  for (let at = tags.find(11, 0, end); at >= 0; vertices++) {
    const next = tags.find(11, at + 1, end);
    const vertexEnd = next < 0 ? end : next;
    readTriple(tags, 11, at, vertexEnd, vertex);
    if (!readTriple(tags, 13, at, vertexEnd, miter)) throw new EntityError('a vertex has no miter (code 13)');
    let element = 0;
    for (let i = tags.find(74, at, vertexEnd); i >= 0; i = tags.find(74, i + 1, vertexEnd), element++) {
      // The first parameter is the distance along the miter; without parameters the line does not exist.
      if (tags.integer(i) === 0 || i + 1 >= vertexEnd || tags.codes[i + 1] !== 41) continue;
      const distance = tags.real(i + 1);
      lines[element] ??= [];
      lines[element].push(
        vertex.x + miter.x * distance,
        vertex.y + miter.y * distance,
        vertex.z + miter.z * distance,
      );
    }
    at = next;
  }
  if (stated >= 0 && stated !== vertices)
    throw new EntityError(`an mline of ${stated} vertices has ${vertices}`);
  pen.begin(map, null, stroke);
  for (const line of lines) {
    if (line === undefined || line.length < 6) continue;
    const first = pen.count;
    for (let i = 0; i < line.length; i += 3) pen.position(line[i], line[i + 1], line[i + 2]);
    if (isClosed) pen.close(first);
    pen.endLoop();
  }
  return pen.finishParts(builder, PART_KIND.line);
};
