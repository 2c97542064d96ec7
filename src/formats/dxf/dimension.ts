/** Dimensions whose block is missing: what they measure, as a line. */
import type { GeometryBuilder } from '../../batch/geometry-column.ts';
import type { AffineMap, Entity, StrokeOptions } from './contract.ts';
import { pen } from './shapes/pen.ts';
import { needTriple, ownEnd, readTriple, subclassStart } from './shapes/tag-values.ts';

const from = { x: 0, y: 0, z: 0 };
const to = { x: 0, y: 0, z: 0 };

/**
 * From the first to the second measured point (13 and 14; of radii and diameters 10 and 15); where they are not there, the
 * definition point (10). Tables have an insertion point only.
 */
export function dimensionShape(
  { tags }: Entity,
  map: AffineMap,
  stroke: StrokeOptions,
  builder: GeometryBuilder,
): number {
  const end = ownEnd(tags);
  const start = tags.type === 'ACAD_TABLE' ? subclassStart(tags, 'AcDbBlockReference') : 0;
  pen.begin(map, null, stroke);
  const isSpan = readTriple(tags, 13, start, end, from) && readTriple(tags, 14, start, end, to);
  if (tags.type !== 'ACAD_TABLE' && isSpan) {
    pen.position(from.x, from.y, from.z);
    pen.position(to.x, to.y, to.z);
    return pen.finishLine(builder, false);
  }
  needTriple(tags, 10, start, end, from, 'definition point');
  pen.position(from.x, from.y, from.z);
  if (tags.type !== 'ACAD_TABLE' && readTriple(tags, 15, start, end, to)) pen.position(to.x, to.y, to.z);
  return pen.finishLine(builder, false);
}
