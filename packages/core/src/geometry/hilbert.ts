/** The Hilbert curve: cells of a square that follow each other along it are neighbours. */

/** Bits of a cell number in one step. */
const STEP_BITS = 4;
const STEP_MASK = (1 << STEP_BITS) - 1;
const STEP_DISTANCES = 1 << (2 * STEP_BITS);
/**
 * By orientation (2 bits), bits of x, bits of y: the orientation after the step (2 bits), the distance in the step (8 bits). Null until
 * the first call, as most commands need none: it takes 2 ms.
 */
let steps: Uint16Array | null = null;

/** Distance along the curve of the cell; x and y have `bits` bits, a multiple of 4, up to 24. */
export function hilbert(x: number, y: number, bits: number): number {
  steps ??= makeSteps();
  let orientation = 0;
  let distance = 0;
  for (let shift = bits - STEP_BITS; shift >= 0; shift -= STEP_BITS) {
    const step = steps[(orientation << 8) | (((x >> shift) & STEP_MASK) << 4) | ((y >> shift) & STEP_MASK)];
    orientation = step >> 8;
    distance = distance * STEP_DISTANCES + (step & (STEP_DISTANCES - 1));
  }
  return distance;
}

/**
 * Bit by bit, a quadrant of the curve is the curve itself with x and y swapped (1) or with both reversed (2): the orientation.
 */
function makeSteps(): Uint16Array {
  const made = new Uint16Array(4 << (2 * STEP_BITS));
  for (let i = 0; i < made.length; i++) {
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
    made[i] = (orientation << 8) | distance;
  }
  return made;
}
