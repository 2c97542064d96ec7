/** An index of the parts of a mask. */
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { BoxIndex } from '../box-index.ts';

/** Of the parts of an XY column. */
export function indexParts(column: GeometryColumn): BoxIndex {
  return new BoxIndex(boxesOfParts(column, column.partKinds.length));
}

function boxesOfParts(
  { ringOffsets, coordOffsets, coordinates }: GeometryColumn,
  count: number,
): Float64Array {
  const boxes = new Float64Array(count * 4);
  for (let part = 0; part < count; part++) {
    const at = part * 4;
    boxes.set([Infinity, Infinity, -Infinity, -Infinity], at);
    const end = coordOffsets[ringOffsets[part + 1]] * 2;
    for (let i = coordOffsets[ringOffsets[part]] * 2; i < end; i += 2) {
      boxes[at] = Math.min(boxes[at], coordinates[i]);
      boxes[at + 1] = Math.min(boxes[at + 1], coordinates[i + 1]);
      boxes[at + 2] = Math.max(boxes[at + 2], coordinates[i]);
      boxes[at + 3] = Math.max(boxes[at + 3], coordinates[i + 1]);
    }
  }
  return boxes;
}
