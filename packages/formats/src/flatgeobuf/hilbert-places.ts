/** The order of boxes along a Hilbert curve through an extent. */
import { hilbert } from '@geomill/core/geometry/hilbert.ts';

/** Number of cells of the curve along each axis, as a power of 2. */
const CELL_BITS = 16;
const CELLS = 2 ** CELL_BITS;
/** Numbers of places are below this. */
export const PLACES = 2 ** (2 * CELL_BITS);

/** Gives the place of the box at `boxes[at]`. */
export type Place = (boxes: Float64Array, at: number) => number;

/** Places in the order of the reference implementation, against the curve; boxes without a position come last. */
export function placesIn([minX, minY, maxX, maxY]: Readonly<Float64Array>): Place {
  return (boxes, at) => {
    if (boxes[at] > boxes[at + 2]) return PLACES - 1;
    const x = cellOf(boxes[at] / 2 + boxes[at + 2] / 2, minX, maxX);
    const y = cellOf(boxes[at + 1] / 2 + boxes[at + 3] / 2, minY, maxY);
    return PLACES - 1 - hilbert(x, y, CELL_BITS);
  };
}

/** 0 for an extent without width. */
function cellOf(centre: number, least: number, most: number): number {
  const cell = Math.floor(((CELLS - 1) * (centre - least)) / (most - least));
  return cell > 0 ? Math.min(cell, CELLS - 1) : 0;
}
