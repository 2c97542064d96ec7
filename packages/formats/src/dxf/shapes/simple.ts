/** Entities with one or two positions, and images. */
import { GEOMETRY_TYPE, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { ShapeFunction } from '../contract.ts';
import { readOcs } from './ocs.ts';
import { pen } from './pen.ts';
import { needTriple, ownEnd, readTriple, realOf, subclassStart } from './tag-values.ts';

const first = { x: 0, y: 0, z: 0 };
const second = { x: 0, y: 0, z: 0 };

export const point: ShapeFunction = ({ tags }, map, stroke, builder) => {
  needTriple(tags, 10, 0, ownEnd(tags), first, 'position');
  pen.begin(map, null, stroke);
  pen.position(first.x, first.y, first.z);
  return pen.finishLine(builder, false);
};

/** LINE and 3DLINE: both ends in the world's coordinates. */
export const line: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  needTriple(tags, 10, 0, end, first, 'start');
  needTriple(tags, 11, 0, end, second, 'end');
  pen.begin(map, null, stroke);
  pen.position(first.x, first.y, first.z);
  pen.position(second.x, second.y, second.z);
  return pen.finishLine(builder, false);
};

/** SHAPE (in its object coordinate system) and TOLERANCE (in world coordinates): their insertion points. */
export const shape: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  needTriple(tags, 10, 0, end, first, 'insertion point');
  pen.begin(map, tags.type === 'SHAPE' ? readOcs(tags, end) : null, stroke);
  pen.position(first.x, first.y, first.z);
  return pen.finishLine(builder, false);
};

const third = { x: 0, y: 0, z: 0 };
const corner = { x: 0, y: 0, z: 0 };

/**
 * IMAGE and WIPEOUT: the clipped outline as a polygon. The origin of pixel coordinates is the centre of the upper left
 * pixel, so the image extends from -0.5 to its size - 0.5.
 */
export const image: ShapeFunction = ({ tags }, map, stroke, builder) => {
  const end = ownEnd(tags);
  const start = Math.max(subclassStart(tags, 'AcDbRasterImage'), subclassStart(tags, 'AcDbWipeout'));
  needTriple(tags, 10, start, end, first, 'insertion point');
  needTriple(tags, 11, start, end, second, 'pixel width');
  needTriple(tags, 12, start, end, third, 'pixel height');
  const width = realOf(tags, 13, 1, start, end);
  const height = realOf(tags, 23, 1, start, end);
  pen.begin(map, null, stroke);
  const clip: number[] = [];
  for (let i = tags.find(14, start, end); i >= 0; i = tags.find(14, i + 1, end)) {
    readTriple(tags, 14, i, end, corner);
    clip.push(corner.x, corner.y);
  }
  if (clip.length < 4) clip.splice(0, clip.length, -0.5, -0.5, width - 0.5, height - 0.5);
  if (clip.length === 4) {
    const [left, top, right, bottom] = clip;
    clip.splice(0, 4, left, top, right, top, right, bottom, left, bottom);
  }
  for (let i = 0; i < clip.length; i += 2) {
    const u = clip[i] + 0.5;
    const v = height - clip[i + 1] - 0.5;
    pen.position(
      first.x + u * second.x + v * third.x,
      first.y + u * second.y + v * third.y,
      first.z + u * second.z + v * third.z,
    );
  }
  pen.close(0);
  pen.settle(builder);
  pen.copy(builder, 0, pen.count);
  builder.endRing();
  builder.endPart(PART_KIND.polygon);
  return GEOMETRY_TYPE.polygon;
};
