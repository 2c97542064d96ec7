/**
 * An R-tree of boxes, packed in the order of a sort by tiles: nodes of NODE boxes, level by level up to one.
 *
 *   boxes  | items ...            | nodes of the items ... | ... | root |
 *   starts   0                      items                          last
 */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';

const NODE = 16;
/** The order within a tile needs no exact sort. */
const BUCKETS = 1 << 16;

export class BoxIndex {
  /** minX, minY, maxX, maxY of each box. */
  readonly #boxes: Float64Array;
  /** Where each level begins, in boxes, and where the last one ends. */
  readonly #starts: readonly number[];
  /** The item of each box of the first level. */
  readonly #items: Uint32Array;
  /** What is left to search: pairs of a level and a box. */
  readonly #stack: number[] = [];

  /** `own`: minX, minY, maxX, maxY of each item; a box that is not finite is never found. */
  constructor(own: Float64Array) {
    const items = tiled(own, finiteItems(own));
    this.#items = items;
    const starts = [0];
    for (let size = items.length, total = 0; ; size = Math.ceil(size / NODE)) {
      total += size;
      starts.push(total);
      if (size <= 1) break;
    }
    this.#starts = starts;
    const boxes = new Float64Array(starts[starts.length - 1] * 4);
    for (let i = 0; i < items.length; i++)
      for (let side = 0; side < 4; side++) boxes[i * 4 + side] = own[items[i] * 4 + side];
    for (let level = 1; level + 1 < starts.length; level++)
      for (let box = starts[level]; box < starts[level + 1]; box++) {
        const first = starts[level - 1] + (box - starts[level]) * NODE;
        unite(boxes, box, first, Math.min(first + NODE, starts[level]));
      }
    this.#boxes = boxes;
  }

  /** Sets `found` to the items whose boxes meet this one, in no order. */
  search(west: number, south: number, east: number, north: number, found: number[]): void {
    found.length = 0;
    const boxes = this.#boxes;
    const starts = this.#starts;
    const stack = this.#stack;
    const top = starts.length - 2;
    if (starts[top] === starts[top + 1]) return;
    stack.push(top, starts[top], starts[top + 1]);
    while (stack.length > 0) {
      const end = stack.pop()!;
      const first = stack.pop()!;
      const level = stack.pop()!;
      for (let box = first; box < end; box++) {
        const at = box * 4;
        if (boxes[at] > east || boxes[at + 1] > north || boxes[at + 2] < west || boxes[at + 3] < south)
          continue;
        if (level === 0) {
          found.push(this.#items[box]);
          continue;
        }
        const child = starts[level - 1] + (box - starts[level]) * NODE;
        stack.push(level - 1, child, Math.min(child + NODE, starts[level]));
      }
    }
  }

  /** The items whose boxes meet these bounds. */
  meeting([west, south, east, north]: Bounds): number[] {
    const found: number[] = [];
    this.search(west, south, east, north, found);
    return found;
  }

  /**
   * Visits items, near boxes first, as long as their boxes are within the distance of this one that `visit` gave last. `visit` gets
   * the item and returns the distance up to which others are wanted.
   */
  visitNear(bounds: Bounds, within: number, visit: (item: number) => number): void {
    const starts = this.#starts;
    const top = starts.length - 2;
    if (starts[top] === starts[top + 1]) return;
    let limit = within;
    // Boxes to visit by distance: a binary heap.
    const queue: { readonly distance: number; readonly level: number; readonly box: number }[] = [];
    const enqueue = (level: number, first: number, end: number): void => {
      for (let box = first; box < end; box++) {
        const distance = distanceBetween(bounds, this.#boxes, box * 4);
        if (distance <= limit) push(queue, { distance, level, box });
      }
    };
    enqueue(top, starts[top], starts[top + 1]);
    while (queue.length > 0 && queue[0].distance <= limit) {
      const { level, box } = pop(queue);
      if (level === 0) {
        limit = Math.min(limit, visit(this.#items[box]));
        continue;
      }
      const child = starts[level - 1] + (box - starts[level]) * NODE;
      enqueue(level - 1, child, Math.min(child + NODE, starts[level]));
    }
  }
}

interface Queued {
  readonly distance: number;
}

function push<Item extends Queued>(heap: Item[], item: Item): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent].distance <= item.distance) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = item;
}

function pop<Item extends Queued>(heap: Item[]): Item {
  const first = heap[0];
  const item = heap.pop()!;
  const count = heap.length;
  if (count === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && heap[child + 1].distance < heap[child].distance) child++;
    if (heap[child].distance >= item.distance) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = item;
  return first;
}

function distanceBetween([west, south, east, north]: Bounds, boxes: Float64Array, at: number): number {
  const dx = Math.max(0, boxes[at] - east, west - boxes[at + 2]);
  const dy = Math.max(0, boxes[at + 1] - north, south - boxes[at + 3]);
  return Math.hypot(dx, dy);
}

function finiteItems(boxes: Float64Array): Uint32Array {
  const items = new Uint32Array(boxes.length / 4);
  let count = 0;
  for (let item = 0; item < items.length; item++) {
    const at = item * 4;
    const size = boxes[at + 2] - boxes[at] + (boxes[at + 3] - boxes[at + 1]);
    if (size >= 0 && size < Number.POSITIVE_INFINITY) items[count++] = item;
  }
  return items.slice(0, count);
}

/** The items in vertical slices of about as many as there are slices' nodes, each from south to north. */
function tiled(boxes: Float64Array, items: Uint32Array): Uint32Array {
  const byX = sortedBy(items, (item) => boxes[item * 4] + boxes[item * 4 + 2]);
  const slice = NODE * Math.max(1, Math.ceil(Math.sqrt(items.length / NODE)));
  for (let first = 0; first < byX.length; first += slice) {
    const own = byX.subarray(first, first + slice);
    own.set(sortedBy(own, (item) => boxes[item * 4 + 1] + boxes[item * 4 + 3]));
  }
  return byX;
}

/** By values rounded to BUCKETS of their range: a counting sort, or an exact one of few. */
function sortedBy(items: Uint32Array, keyOf: (item: number) => number): Uint32Array {
  if (items.length < BUCKETS / 16) return items.slice().sort((a, b) => keyOf(a) - keyOf(b));
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    const value = keyOf(item);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const scale = most > least ? (BUCKETS - 1) / (most - least) : 0;
  const bucketOf = (item: number): number => ((keyOf(item) - least) * scale) | 0;
  const starts = new Uint32Array(BUCKETS + 1);
  for (const item of items) starts[bucketOf(item) + 1]++;
  for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1] += starts[bucket];
  const sorted = new Uint32Array(items.length);
  for (const item of items) sorted[starts[bucketOf(item)]++] = item;
  return sorted;
}

function unite(boxes: Float64Array, box: number, first: number, end: number): void {
  const at = box * 4;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = first * 4; i < end * 4; i += 4) {
    west = Math.min(west, boxes[i]);
    south = Math.min(south, boxes[i + 1]);
    east = Math.max(east, boxes[i + 2]);
    north = Math.max(north, boxes[i + 3]);
  }
  boxes[at] = west;
  boxes[at + 1] = south;
  boxes[at + 2] = east;
  boxes[at + 3] = north;
}
