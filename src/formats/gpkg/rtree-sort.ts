/**
 * Sort-tile-recursive order (Leutenegger et al. 1997): entries sorted by x are split into vertical slices, each sorted
 * by y, and every `fill` consecutive entries form a node. Radix sort on the bits of 32-bit floats: no comparison, no
 * object.
 */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const MASK = DIGITS - 1;

/** Working memory of the sort, 16 bytes per entry. */
export class TileSorter {
  readonly #capacity: number;
  readonly #keys: Uint32Array;
  readonly #otherKeys: Uint32Array;
  readonly #order: Uint32Array;
  readonly #otherOrder: Uint32Array;
  readonly #counts = new Uint32Array(DIGITS * 3);

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#keys = new Uint32Array(capacity);
    this.#otherKeys = new Uint32Array(capacity);
    this.#order = new Uint32Array(capacity);
    this.#otherOrder = new Uint32Array(capacity);
  }

  /**
   * The numbers of the entries in their order, valid until the next call. `boxes` contains minX, maxX, minY, maxY of
   * each entry, without NaN.
   */
  sort(boxes: Float32Array, count: number, fill: number): Uint32Array {
    if (count > this.#capacity) throw new RangeError(`${count} entries, room for ${this.#capacity}`);
    const order = this.#order;
    for (let i = 0; i < count; i++) order[i] = i;
    this.#sortRange(boxes, 0, 0, count);
    const leafCount = Math.ceil(count / fill);
    const sliceCount = Math.ceil(Math.sqrt(leafCount));
    const sliceSize = Math.ceil(leafCount / sliceCount) * fill;
    for (let start = 0; start < count; start += sliceSize)
      this.#sortRange(boxes, 2, start, Math.min(start + sliceSize, count));
    return order.subarray(0, count);
  }

  /** Sorts order[start, end) by the midpoint of the axis that begins at `at` in a box. */
  #sortRange(boxes: Float32Array, at: number, start: number, end: number): void {
    const keys = this.#keys;
    const order = this.#order;
    const counts = this.#counts.fill(0);
    const bits = sharedBits;
    for (let i = start; i < end; i++) {
      const box = order[i] * 4 + at;
      sharedFloat[0] = boxes[box] * 0.5 + boxes[box + 1] * 0.5;
      // Floats as integers of the same order: all bits of negative ones are inverted, the others get the highest bit.
      const key = (bits[0] ^ ((-(bits[0] >>> 31) | 0x80000000) >>> 0)) >>> 0;
      keys[i] = key;
      counts[key & MASK]++;
      counts[DIGITS + ((key >>> DIGIT_BITS) & MASK)]++;
      counts[DIGITS * 2 + (key >>> (DIGIT_BITS * 2))]++;
    }
    const { length } = counts;
    for (let digit = 0; digit < length; digit += DIGITS) {
      for (let i = digit, sum = start; i < digit + DIGITS; i++) {
        const countHere = counts[i];
        counts[i] = sum;
        sum += countHere;
      }
    }
    this.#pass(keys, order, this.#otherKeys, this.#otherOrder, 0, start, end);
    this.#pass(this.#otherKeys, this.#otherOrder, keys, order, 1, start, end);
    this.#pass(keys, order, this.#otherKeys, this.#otherOrder, 2, start, end);
    order.set(this.#otherOrder.subarray(start, end), start);
  }

  #pass(
    keys: Uint32Array,
    order: Uint32Array,
    toKeys: Uint32Array,
    toOrder: Uint32Array,
    digit: number,
    start: number,
    end: number,
  ): void {
    const counts = this.#counts;
    const shift = digit * DIGIT_BITS;
    const base = digit * DIGITS;
    for (let i = start; i < end; i++) {
      const key = keys[i];
      const to = counts[base + ((key >>> shift) & MASK)]++;
      toKeys[to] = key;
      toOrder[to] = order[i];
    }
  }
}

const sharedFloat = new Float32Array(1);
const sharedBits = new Uint32Array(sharedFloat.buffer);
