/**
 * Sort-tile-recursive order (Leutenegger et al. 1997): entries sorted by x are split into vertical slices, each sorted
 * by y, and every `fill` consecutive entries form a node. Radix sort on the bits of 32-bit floats: no comparison, no
 * object.
 */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const MASK = DIGITS - 1;
const DIGIT_COUNT = 3;
/**
 * Entries per call of the inner loops: V8 optimises a small function that is called often once, but a long loop while it runs, and
 * then falls back to slow code at its end.
 */
const BLOCK = 2048;

/** Working memory of the sort, 36 bytes per entry. */
export class TileSorter {
  /** minX, maxX, minY, maxY of each entry, in the order of x. */
  readonly boxes: Float32Array<ArrayBuffer>;
  /** The same memory: the bits of the floats. */
  readonly bits: Uint32Array<ArrayBuffer>;
  /** The numbers of the entries in the order of x. */
  readonly entries: Uint32Array<ArrayBuffer>;
  readonly #capacity: number;
  readonly #keys: Uint32Array;
  readonly #otherKeys: Uint32Array;
  readonly #order: Uint32Array;
  readonly #otherOrder: Uint32Array;
  readonly #counts = new Uint32Array(DIGITS * DIGIT_COUNT);

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.boxes = new Float32Array(capacity * 4);
    this.bits = new Uint32Array(this.boxes.buffer);
    this.entries = new Uint32Array(capacity);
    this.#keys = new Uint32Array(capacity);
    this.#otherKeys = new Uint32Array(capacity);
    this.#order = new Uint32Array(capacity);
    this.#otherOrder = new Uint32Array(capacity);
  }

  /**
   * Returns the order of the entries as indexes in `entries` and `boxes`, all valid until the next call. `boxes` contains minX, maxX, minY,
   * maxY of each entry, without NaN. The boxes are moved once, in the order of x: each slice of them stays in the processor's
   * caches, while all do not.
   */
  sort(boxes: Float32Array, count: number, fill: number): Uint32Array {
    if (count > this.#capacity) throw new RangeError(`${count} entries, room for ${this.#capacity}`);
    const { entries } = this;
    const order = this.#order;
    for (let i = 0; i < count; i++) order[i] = i;
    this.#sortRange(boxes, 0, 0, count);
    entries.set(order.subarray(0, count));
    const bits = new Uint32Array(boxes.buffer, boxes.byteOffset, boxes.length);
    for (let i = 0; i < count; i += BLOCK) moveBoxes(bits, order, this.bits, i, Math.min(i + BLOCK, count));
    const leafCount = Math.ceil(count / fill);
    const sliceCount = Math.ceil(Math.sqrt(leafCount));
    const sliceSize = Math.ceil(leafCount / sliceCount) * fill;
    for (let start = 0; start < count; start += sliceSize)
      this.#sortRange(this.boxes, 2, start, Math.min(start + sliceSize, count));
    return order.subarray(0, count);
  }

  /** Sorts order[start, end) by the midpoint of the axis that begins at `at` in a box. */
  #sortRange(boxes: Float32Array, at: number, start: number, end: number): void {
    const keys = this.#keys;
    const order = this.#order;
    const otherKeys = this.#otherKeys;
    const otherOrder = this.#otherOrder;
    const counts = this.#counts.fill(0);
    for (let i = start; i < end; i += BLOCK) takeKeys(boxes, at, keys, counts, i, Math.min(i + BLOCK, end));
    for (let digit = 0; digit < DIGIT_COUNT; digit++) toStarts(counts, digit * DIGITS, start);
    for (let i = start; i < end; i += BLOCK)
      pass(keys, order, otherKeys, otherOrder, counts, 0, i, Math.min(i + BLOCK, end));
    for (let i = start; i < end; i += BLOCK)
      pass(otherKeys, otherOrder, keys, order, counts, 1, i, Math.min(i + BLOCK, end));
    for (let i = start; i < end; i += BLOCK)
      pass(keys, order, otherKeys, otherOrder, counts, 2, i, Math.min(i + BLOCK, end));
    order.set(otherOrder.subarray(start, end), start);
  }
}

/** Copies the boxes of order[start, end), and numbers these in their order. */
function moveBoxes(
  boxes: Uint32Array,
  order: Uint32Array,
  into: Uint32Array,
  start: number,
  end: number,
): void {
  for (let i = start; i < end; i++) {
    const from = order[i] * 4;
    const to = i * 4;
    into[to] = boxes[from];
    into[to + 1] = boxes[from + 1];
    into[to + 2] = boxes[from + 2];
    into[to + 3] = boxes[from + 3];
    order[i] = i;
  }
}

const sharedFloat = new Float32Array(1);
const sharedBits = new Uint32Array(sharedFloat.buffer);

/** Sets the keys of the boxes [start, end) and counts their digits. */
function takeKeys(
  boxes: Float32Array,
  at: number,
  keys: Uint32Array,
  counts: Uint32Array,
  start: number,
  end: number,
): void {
  for (let i = start; i < end; i++) {
    const box = i * 4 + at;
    sharedFloat[0] = boxes[box] * 0.5 + boxes[box + 1] * 0.5;
    const bits = sharedBits[0];
    // Floats as integers of the same order: all bits of negative ones are inverted, the others get the highest bit.
    const key = (bits ^ ((-(bits >>> 31) | 0x80000000) >>> 0)) >>> 0;
    keys[i] = key;
    counts[key & MASK]++;
    counts[DIGITS + ((key >>> DIGIT_BITS) & MASK)]++;
    counts[DIGITS * 2 + (key >>> (DIGIT_BITS * 2))]++;
  }
}

/** Replaces the counts of a digit, which begin at `base`, by the index of the first key with each value. */
function toStarts(counts: Uint32Array, base: number, start: number): void {
  for (let i = base, sum = start; i < base + DIGITS; i++) {
    const countHere = counts[i];
    counts[i] = sum;
    sum += countHere;
  }
}

/** Moves the keys [start, end) and their entries to their places by a digit. */
function pass(
  keys: Uint32Array,
  order: Uint32Array,
  toKeys: Uint32Array,
  toOrder: Uint32Array,
  starts: Uint32Array,
  digit: number,
  start: number,
  end: number,
): void {
  const shift = digit * DIGIT_BITS;
  const base = digit * DIGITS;
  for (let i = start; i < end; i++) {
    const key = keys[i];
    const to = starts[base + ((key >>> shift) & MASK)]++;
    toKeys[to] = key;
    toOrder[to] = order[i];
  }
}
