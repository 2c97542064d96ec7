/** The order of boxes along a Hilbert curve through an extent. */

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
    return PLACES - 1 - hilbert(x, y);
  };
}

/** 0 for an extent without width. */
function cellOf(centre: number, least: number, most: number): number {
  const cell = Math.floor(((CELLS - 1) * (centre - least)) / (most - least));
  return cell > 0 ? Math.min(cell, CELLS - 1) : 0;
}

/** Bits of a cell number in one step. */
const STEP_BITS = 4;
const STEP_MASK = (1 << STEP_BITS) - 1;
/** By orientation (2 bits), bits of x, bits of y: the orientation after the step (2 bits), the distance in the step (8 bits). */
const STEPS = makeSteps();

/** Distance along the curve of the cell; x and y have 16 bits. */
export function hilbert(x: number, y: number): number {
  let orientation = 0;
  let distance = 0;
  for (let shift = CELL_BITS - STEP_BITS; shift >= 0; shift -= STEP_BITS) {
    const step = STEPS[(orientation << 8) | (((x >> shift) & STEP_MASK) << 4) | ((y >> shift) & STEP_MASK)];
    orientation = step >> 8;
    distance = (distance << 8) | (step & 0xff);
  }
  return distance >>> 0;
}

/**
 * Bit by bit, a quadrant of the curve is the curve itself with x and y swapped (1) or with both reversed (2): the orientation.
 */
function makeSteps(): Uint16Array {
  const steps = new Uint16Array(4 << (2 * STEP_BITS));
  for (let i = 0; i < steps.length; i++) {
    let orientation = i >> 8;
    let distance = 0;
    for (let bit = STEP_BITS - 1; bit >= 0; bit--) {
      let right = (i >> (bit + STEP_BITS)) & 1;
      let upper = (i >> bit) & 1;
      if ((orientation & 2) !== 0) {
        right ^= 1;
        upper ^= 1;
      }
      if ((orientation & 1) !== 0) [right, upper] = [upper, right];
      distance = (distance << 2) | ((3 * right) ^ upper);
      if (upper === 0) orientation ^= right === 1 ? 3 : 1;
    }
    steps[i] = (orientation << 8) | distance;
  }
  return steps;
}
