/**
 * Sort-tile-recursive order (Leutenegger et al. 1997): entries sorted by x are split into vertical slices, each sorted
 * by y, and every `fill` consecutive entries form a node. Radix sort on the bits of 32-bit floats.
 */
import { BLOCK, RadixSorter } from '@geomill/core/bytes/radix-sort.ts';

/** Working memory of the sort, 36 bytes per entry. */
export class TileSorter {
  /** minX, maxX, minY, maxY of each entry, in the order of x. */
  readonly boxes: Float32Array<ArrayBuffer>;
  /** The same memory: the bits of the floats. */
  readonly bits: Uint32Array<ArrayBuffer>;
  /** The numbers of the entries in the order of x. */
  readonly entries: Uint32Array<ArrayBuffer>;
  readonly #capacity: number;
  readonly #sorter: RadixSorter;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.boxes = new Float32Array(capacity * 4);
    this.bits = new Uint32Array(this.boxes.buffer);
    this.entries = new Uint32Array(capacity);
    this.#sorter = new RadixSorter(capacity);
  }

  /**
   * Returns the order of the entries as indexes in `entries` and `boxes`, all valid until the next call. `boxes` contains minX, maxX, minY,
   * maxY of each entry, without NaN. The boxes are moved once, in the order of x: each slice of them stays in the processor's
   * caches, while all do not.
   */
  sort(boxes: Float32Array, count: number, fill: number): Uint32Array {
    if (count > this.#capacity) throw new RangeError(`${count} entries, room for ${this.#capacity}`);
    const { entries } = this;
    const { order } = this.#sorter;
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

  /** Sorts order[start, end), which are the same numbers, by the midpoint of the axis that begins at `at` in a box. */
  #sortRange(boxes: Float32Array, at: number, start: number, end: number): void {
    const { keys } = this.#sorter;
    for (let i = start; i < end; i += BLOCK) takeKeys(boxes, at, keys, i, Math.min(i + BLOCK, end));
    this.#sorter.sort(start, end);
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

/** Sets the keys of the boxes [start, end). */
function takeKeys(boxes: Float32Array, at: number, keys: Uint32Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const box = i * 4 + at;
    sharedFloat[0] = boxes[box] * 0.5 + boxes[box + 1] * 0.5;
    const bits = sharedBits[0];
    // Floats as integers of the same order: all bits of negative ones are inverted, the others get the highest bit.
    keys[i] = bits ^ (-(bits >>> 31) | 0x80000000);
  }
}
