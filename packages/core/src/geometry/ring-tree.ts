import { locateInRing } from './rings.ts';

/**
 * Finds the smallest ring around another ring: a binary tree over the bounds of rings, split on the one of minX, minY,
 * maxX and maxY that varies most. Nodes store the bounds and the least and greatest area of their rings, so that a
 * search skips rings that do not overlap, rings that are smaller, and rings that are larger than the best one so far. A
 * stack of a thousand nested rings is searched as fast as a thousand rings side by side.
 */

const LEAF_RINGS = 8;
const NODE_VALUES = 6;

export class RingTree {
  /** Nodes visited by the last search. */
  visited = 0;
  /** Rings in leaf order. */
  readonly #order: Uint32Array;
  /** minX, minY, maxX, maxY by ring. */
  readonly #bounds: Float64Array;
  readonly #areas: Float64Array;
  /** minX, minY, maxX, maxY, least and greatest area by node; the children of node i are 2 i + 1 and 2 i + 2. */
  readonly #nodes: Float64Array;
  #ring = 0;
  #holds: (other: number) => boolean = () => false;
  #found = -1;

  /** `bounds` and `areas` are read up to `ringCount` and are kept by reference. */
  constructor(bounds: Float64Array, areas: Float64Array, ringCount: number) {
    this.#bounds = bounds;
    this.#areas = areas;
    this.#order = Uint32Array.from({ length: ringCount }, (_, ring) => ring);
    let nodeCount = 1;
    for (let length = ringCount; length > LEAF_RINGS; length = Math.ceil(length / 2))
      nodeCount = nodeCount * 2 + 1;
    this.#nodes = new Float64Array(nodeCount * NODE_VALUES);
    this.#build(0, 0, ringCount);
  }

  /**
   * The smallest ring larger than `ring` for which `holds` returns true; -1 if there is none. Calls `holds` only for
   * rings whose bounds contain those of `ring`.
   */
  smallestAround(ring: number, holds: (other: number) => boolean): number {
    this.#ring = ring;
    this.#holds = holds;
    this.#found = -1;
    this.visited = 0;
    this.#search(0, 0, this.#order.length);
    return this.#found;
  }

  #build(node: number, from: number, to: number): void {
    const nodes = this.#nodes;
    const at = node * NODE_VALUES;
    const low = [Infinity, Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity, -Infinity];
    let least = Infinity;
    let greatest = -Infinity;
    for (let i = from; i < to; i++) {
      const ring = this.#order[i];
      for (let k = 0; k < 4; k++) {
        low[k] = Math.min(low[k], this.#bounds[ring * 4 + k]);
        high[k] = Math.max(high[k], this.#bounds[ring * 4 + k]);
      }
      least = Math.min(least, this.#areas[ring]);
      greatest = Math.max(greatest, this.#areas[ring]);
    }
    nodes.set([low[0], low[1], high[2], high[3], least, greatest], at);
    if (to - from <= LEAF_RINGS) return;
    let axis = 0;
    for (let k = 1; k < 4; k++) if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    this.#order
      .subarray(from, to)
      .sort((a, b) => this.#bounds[a * 4 + axis] - this.#bounds[b * 4 + axis] || a - b);
    const middle = from + Math.ceil((to - from) / 2);
    this.#build(node * 2 + 1, from, middle);
    this.#build(node * 2 + 2, middle, to);
  }

  #search(node: number, from: number, to: number): void {
    this.visited++;
    if (!this.#mayHold(node)) return;
    if (to - from <= LEAF_RINGS) {
      for (let i = to - 1; i >= from; i--) this.#try(this.#order[i]);
      return;
    }
    const middle = from + Math.ceil((to - from) / 2);
    const left = node * 2 + 1;
    const isLeftSmaller = this.#nodes[left * NODE_VALUES + 4] < this.#nodes[(left + 1) * NODE_VALUES + 4];
    if (isLeftSmaller) this.#search(left, from, middle);
    this.#search(left + 1, middle, to);
    if (!isLeftSmaller) this.#search(left, from, middle);
  }

  #mayHold(node: number): boolean {
    const nodes = this.#nodes;
    const bounds = this.#bounds;
    const at = node * NODE_VALUES;
    const inner = this.#ring * 4;
    return (
      nodes[at] <= bounds[inner] &&
      nodes[at + 1] <= bounds[inner + 1] &&
      nodes[at + 2] >= bounds[inner + 2] &&
      nodes[at + 3] >= bounds[inner + 3] &&
      nodes[at + 5] > this.#areas[this.#ring] &&
      (this.#found < 0 || nodes[at + 4] < this.#areas[this.#found])
    );
  }

  #try(other: number): void {
    const area = this.#areas[other];
    const isSmaller = this.#found < 0 || area < this.#areas[this.#found];
    if (isSmaller && area > this.#areas[this.#ring] && this.#holds(other)) this.#found = other;
  }
}

/**
 * Locates many points in one ring with many positions. Consecutive edges are grouped into runs, and each run stores its
 * range of y: a point is compared only with the edges of runs that reach its y. With the square root of the number of
 * edges per run, and a ring that does not zigzag over its whole height, a search also costs about the square root.
 */

export class RingBands {
  /** Runs and edges visited by the last search. */
  visited = 0;
  readonly #coordinates: Float64Array;
  readonly #stride: number;
  readonly #start: number;
  readonly #end: number;
  readonly #runLength: number;
  /** Least and greatest y of each run. */
  readonly #bounds: Float64Array;

  constructor(coordinates: Float64Array, stride: number, start: number, end: number) {
    this.#coordinates = coordinates;
    this.#stride = stride;
    this.#start = start;
    this.#end = end;
    this.#runLength = Math.ceil(Math.sqrt(end - start));
    const runs = Math.ceil((end - start) / this.#runLength);
    this.#bounds = new Float64Array(runs * 2);
    for (let run = 0; run < runs; run++) {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      const first = start + run * this.#runLength;
      for (let i = first; i <= Math.min(end, first + this.#runLength); i++) {
        // The edge that ends at the first position starts at the last one.
        const y = coordinates[(i === start ? end - 1 : i - 1) * stride + 1];
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
      this.#bounds[run * 2] = low;
      this.#bounds[run * 2 + 1] = high;
    }
  }

  /** Same result as `locateInRing`. */
  locate(x: number, y: number): 1 | 0 | -1 {
    const bounds = this.#bounds;
    let isInside = false;
    this.visited = bounds.length / 2;
    for (let run = 0; run * 2 < bounds.length; run++) {
      if (y < bounds[run * 2] || y > bounds[run * 2 + 1]) continue;
      const first = this.#start + run * this.#runLength;
      const last = Math.min(this.#end, first + this.#runLength);
      this.visited += last - first;
      const before = first === this.#start ? this.#end - 1 : first - 1;
      const where = locateInRing(x, y, this.#coordinates, this.#stride, first, last, before);
      if (where === 0) return 0;
      if (where > 0) isInside = !isInside;
    }
    return isInside ? 1 : -1;
  }
}
