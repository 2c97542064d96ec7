/** Sorts numbers of 32 bits: no comparison, no object. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const MASK = DIGITS - 1;
const DIGIT_COUNT = 3;
/**
 * Keys per call of the inner loops: V8 optimises a small function that is called often once, but a long loop while it runs, and then
 * falls back to slow code at its end.
 */
export const BLOCK = 2048;

/** Working memory of a sort, 16 bytes per entry. */
export class RadixSorter {
  /** Set by the caller before a sort; changed by it. */
  readonly keys: Uint32Array<ArrayBuffer>;
  /** The numbers of the entries in their order. */
  readonly order: Uint32Array<ArrayBuffer>;
  readonly #otherKeys: Uint32Array;
  readonly #otherOrder: Uint32Array;
  readonly #counts = new Uint32Array(DIGITS * DIGIT_COUNT);

  constructor(capacity: number) {
    this.keys = new Uint32Array(capacity);
    this.order = new Uint32Array(capacity);
    this.#otherKeys = new Uint32Array(capacity);
    this.#otherOrder = new Uint32Array(capacity);
  }

  /** Sorts order[start, end) by keys[start, end), which are the keys of the same places. Entries with the same key stay in their order. */
  sort(start: number, end: number): void {
    const { keys, order } = this;
    const otherKeys = this.#otherKeys;
    const otherOrder = this.#otherOrder;
    const counts = this.#counts.fill(0);
    for (let i = start; i < end; i += BLOCK) countDigits(keys, counts, i, Math.min(i + BLOCK, end));
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

function countDigits(keys: Uint32Array, counts: Uint32Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const key = keys[i];
    counts[key & MASK]++;
    counts[DIGITS + ((key >>> DIGIT_BITS) & MASK)]++;
    counts[DIGITS * 2 + (key >>> (DIGIT_BITS * 2))]++;
  }
}

/** Replaces the counts of a digit, which begin at `base`, by the place of the first key with each value. */
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
