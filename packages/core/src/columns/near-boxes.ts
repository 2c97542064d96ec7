/** Whether features with known bounds can be in boxes, as the indexes of files answer it. */
import type { Bounds } from '../geometry/bounds.ts';

export interface NearBoxes {
  readonly boxes: readonly Readonly<Bounds>[];
  /**
   * Bounds that are wider do not show where features are: in degrees, a feature with an edge over 180 degrees has positions on both
   * sides, and bounds around the rest of the Earth. Infinity in a plane.
   */
  readonly widest: number;
}

/** Bounds with a side that is not known, NaN, can meet any box there. */
export function mayMeet(
  { boxes, widest }: NearBoxes,
  minX: number,
  minY: number,
  maxX: number,
  maxY: number,
): boolean {
  if (maxX - minX > widest) return true;
  for (let i = 0; i < boxes.length; i++) {
    const box = boxes[i];
    if (!(maxX < box[0] || maxY < box[1] || minX > box[2] || minY > box[3])) return true;
  }
  return false;
}
