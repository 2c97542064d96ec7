/** Sorts numbers of tiles. */

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** The indexes of the first `count` numbers in ascending order of these; of equal ones in their own order. */
export function stableOrder(numbers: Float64Array, count: number): Uint32Array<ArrayBuffer> {
  let most = 0;
  for (let i = 0; i < count; i++) if (numbers[i] > most) most = numbers[i];
  let from = Uint32Array.from({ length: count }, (_, i) => i);
  let to = new Uint32Array(count);
  const starts = new Uint32Array(DIGITS);
  // A radix sort: numbers of tiles of the largest zoom have 44 bits.
  for (let unit = 1; unit <= most; unit *= DIGITS) {
    starts.fill(0);
    for (let i = 0; i < count; i++) starts[Math.floor(numbers[i] / unit) % DIGITS]++;
    for (let digit = 0, start = 0; digit < DIGITS; digit++) {
      const length = starts[digit];
      starts[digit] = start;
      start += length;
    }
    for (let i = 0; i < count; i++) {
      const index = from[i];
      to[starts[Math.floor(numbers[index] / unit) % DIGITS]++] = index;
    }
    [from, to] = [to, from];
  }
  return from;
}
