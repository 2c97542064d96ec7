/**
 * Whether edges of rings meet, by runs of edges that all lead to the east, or all to the west. Such a chain never meets itself,
 * and two of them are compared like two sorted lists: most rings have few chains, so that takes little more than a look at
 * each edge.
 */
import { MEETING, meetingAt } from './orientation.ts';

/** All pairs of chains are compared. */
const MOST_CHAINS = 24;

export class MonotoneChains {
  #xs: Float64Array = new Float64Array(0);
  #ys: Float64Array = new Float64Array(0);
  /** West and east end of each chain, as positions; the step between neighbours is 1 or -1. */
  readonly #west = new Int32Array(MOST_CHAINS);
  readonly #east = new Int32Array(MOST_CHAINS);
  readonly #minY = new Float64Array(MOST_CHAINS);
  readonly #maxY = new Float64Array(MOST_CHAINS);
  /** First and last edge of the ring of each chain, which follow each other. */
  readonly #firstEdge = new Int32Array(MOST_CHAINS);
  readonly #lastEdge = new Int32Array(MOST_CHAINS);
  #count = 0;

  /**
   * Whether two edges meet that do not follow each other. Null where that takes another method: too many chains, or ends of
   * edges above each other. No ring repeats a position or goes back on itself; ring r has the positions
   * `[starts[r], starts[r + 1])`, the last of which is the first.
   */
  meet(xs: Float64Array, ys: Float64Array, starts: readonly number[]): boolean | null {
    this.#xs = xs;
    this.#ys = ys;
    this.#count = 0;
    for (let ring = 0; ring + 1 < starts.length; ring++)
      if (!this.#divide(starts[ring], starts[ring + 1] - 1)) return null;
    for (let a = 0; a < this.#count; a++) {
      for (let b = a + 1; b < this.#count; b++) {
        const met = this.#compare(a, b);
        if (met !== false) return met;
      }
    }
    return false;
  }

  /** False if there are too many chains. Edges to the north and south belong to the chain before them. */
  #divide(first: number, last: number): boolean {
    const xs = this.#xs;
    for (let start = first; start < last; ) {
      if (this.#count === MOST_CHAINS) return false;
      let end = start;
      let direction = 0;
      while (end < last) {
        const dx = xs[end + 1] - xs[end];
        if (dx * direction < 0) break;
        if (direction === 0) direction = dx;
        end++;
      }
      this.#add(start, end, direction >= 0, first, last - 1);
      start = end;
    }
    return true;
  }

  #add(start: number, end: number, isEast: boolean, firstEdge: number, lastEdge: number): void {
    const ys = this.#ys;
    const chain = this.#count++;
    let minY = ys[start];
    let maxY = minY;
    for (let i = start + 1; i <= end; i++) {
      if (ys[i] < minY) minY = ys[i];
      if (ys[i] > maxY) maxY = ys[i];
    }
    this.#west[chain] = isEast ? start : end;
    this.#east[chain] = isEast ? end : start;
    this.#minY[chain] = minY;
    this.#maxY[chain] = maxY;
    this.#firstEdge[chain] = firstEdge;
    this.#lastEdge[chain] = lastEdge;
  }

  /** Null if an edge of both ends at the same x before the chains do. */
  #compare(a: number, b: number): boolean | null {
    const xs = this.#xs;
    const ys = this.#ys;
    const endA = this.#east[a];
    const endB = this.#east[b];
    let i = this.#west[a];
    let k = this.#west[b];
    if (xs[i] > xs[endB] || xs[k] > xs[endA]) return false;
    if (this.#minY[a] > this.#maxY[b] || this.#minY[b] > this.#maxY[a]) return false;
    const stepA = i < endA ? 1 : -1;
    const stepB = k < endB ? 1 : -1;
    while (i !== endA && k !== endB) {
      const eastA = xs[i + stepA];
      const eastB = xs[k + stepB];
      if (eastA >= xs[k] && eastB >= xs[i]) {
        const meeting = meetingAt(xs, ys, i, i + stepA, k, k + stepB);
        if (meeting !== MEETING.none && !this.#isNext(a, b, Math.min(i, i + stepA), Math.min(k, k + stepB)))
          return true;
      }
      if (eastA < eastB) i += stepA;
      else if (eastB < eastA) k += stepB;
      else if (i + stepA === endA && k + stepB === endB) return false;
      else return null;
    }
    return false;
  }

  /** Whether one edge follows the other in a ring. */
  #isNext(a: number, b: number, edgeA: number, edgeB: number): boolean {
    if (this.#firstEdge[a] !== this.#firstEdge[b]) return false;
    const between = Math.abs(edgeA - edgeB);
    return between === 1 || between === this.#lastEdge[a] - this.#firstEdge[a];
  }
}
