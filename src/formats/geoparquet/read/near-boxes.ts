/** Which ranges of rows can have features in a box, by the boxes of their row groups. */
import type { Bounds } from '../../../batch/bounds.ts';
import type { SourceLayer } from '../../format.ts';
import type { ParquetState } from './open.ts';
import { groupOf } from './row-groups.ts';

/** For each partition of the layer 1 or 0; null: no row group has a box. */
export function partitionsNear(
  { partitions, state }: SourceLayer,
  boxes: readonly Readonly<Bounds>[],
): Uint8Array | null {
  const { groups } = state as ParquetState;
  if (groups.boxes.every(Number.isNaN)) return null;
  const isNear = Uint8Array.from({ length: groups.boxes.length / 4 }, (_, group) => {
    const [minX, minY, maxX, maxY] = groups.boxes.subarray(group * 4, group * 4 + 4);
    // Comparisons with NaN are false: a group without a box can have any features.
    const isApart = (box: Readonly<Bounds>): boolean =>
      maxX < box[0] || maxY < box[1] || minX > box[2] || minY > box[3];
    return boxes.some((box) => !isApart(box)) ? 1 : 0;
  });
  return Uint8Array.from(partitions, ({ start, end }) => {
    const last = groupOf(groups.firstRows, end - 1);
    return isNear.subarray(groupOf(groups.firstRows, start), last + 1).includes(1) ? 1 : 0;
  });
}
