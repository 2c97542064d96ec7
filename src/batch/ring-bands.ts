/**
 * A ring of many positions that many points are looked for in. Consecutive edges are put together to runs with the bounds of
 * their y: a point is compared with the edges of those runs alone that reach its height. With the square root of the
 * edges in a run, and a ring that does not zigzag over its whole height, a search costs about the square root as well.
 */
import { locateInRing } from './rings.ts';

export class RingBands {
  /** Runs and edges that the last search looked at. */
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
        // The edge before the first position comes from the last one.
        const y = coordinates[(i === start ? end - 1 : i - 1) * stride + 1];
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
      this.#bounds[run * 2] = low;
      this.#bounds[run * 2 + 1] = high;
    }
  }

  /** As `locateInRing`. */
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
