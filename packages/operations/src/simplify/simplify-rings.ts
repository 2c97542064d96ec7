/**
 * Douglas-Peucker on the lines and rings of one feature, with the results of GEOS bit by bit (DouglasPeuckerSimplifier
 * and TopologyPreservingSimplifier). A section becomes one segment if all of its positions are within the tolerance of that
 * segment, and otherwise is divided at its farthest position. Where topology is kept, the segment also
 *
 *     - meets no other segment, original or simplified, except at common ends
 *     - does not change the side on which another line or ring of the feature is
 *
 * The first position of a ring, at which no section ends, is left out last if the same holds for it.
 *
 * Memory: some 80 bytes per position of the largest feature. Without GEOS, because copying a feature in and out and its
 * allocations take longer than the method does.
 */
import { MEETING, meetingAt, orientation, orientationAt } from '@geomill/planar/orientation.ts';
import { SEGMENTS_PER_BLOCK, SegmentBoxes } from '@geomill/planar/segment-boxes.ts';

/** An open line needs two positions, a closed one four. */
const LEAST_OPEN = 2;
const LEAST_CLOSED = 4;
const NONE = -1;

export class RingSimplifier {
  /** Positions of the feature, ring after ring. */
  xs = new Float64Array(256);
  ys = new Float64Array(256);
  /** Positions that are kept, ring after ring; ring r has `kept[keptEnds[r - 1] .. keptEnds[r])`. */
  kept = new Uint32Array(256);
  readonly keptEnds: number[] = [];
  readonly #tolerance: number;
  readonly #keepsTopology: boolean;
  /** First position of each ring, and the end of the last. */
  readonly #starts: number[] = [0];
  readonly #isRing: boolean[] = [];
  /** Of the original segment from position i to i + 1: 1 while it is there. */
  #isOriginal = new Uint8Array(256);
  /** The position where the simplified segment that begins at position i ends; NONE: there is none. */
  #flatTo = new Int32Array(256);
  readonly #boxes = new SegmentBoxes();
  /** Sections that are still to be looked at: first and last position, and depth. */
  #sections = new Int32Array(96);

  /** Without topology, the kept positions may be too few, and lines may cross. */
  constructor(tolerance: number, keepsTopology: boolean) {
    this.#tolerance = tolerance;
    this.#keepsTopology = keepsTopology;
  }

  clear(): void {
    this.#starts.length = 1;
    this.#isRing.length = 0;
  }

  get positionCount(): number {
    return this.#starts[this.#starts.length - 1];
  }

  /** Adds a line, or a ring, from ordinates `[from, to)`; at least two positions, all finite; a ring is closed. */
  add(coordinates: Float64Array, stride: number, from: number, to: number, isRing: boolean): void {
    let at = this.positionCount;
    const end = at + (to - from) / stride;
    if (end > this.xs.length) this.#grow(end);
    const { xs, ys } = this;
    for (let i = from; i < to; i += stride) {
      xs[at] = coordinates[i];
      ys[at++] = coordinates[i + 1];
    }
    this.#starts.push(end);
    this.#isRing.push(isRing);
  }

  /** Fills `kept` and `keptEnds`. */
  simplify(): void {
    const count = this.positionCount;
    if (this.#keepsTopology) this.#startIndex(count);
    this.keptEnds.length = 0;
    let to = 0;
    for (let ring = 0; ring + 1 < this.#starts.length; ring++) {
      to = this.#simplifyRing(ring, to);
      this.keptEnds.push(to);
    }
  }

  #startIndex(count: number): void {
    this.#boxes.build(this.xs, this.ys, count);
    this.#isOriginal.fill(1, 0, count);
    this.#flatTo.fill(NONE, 0, count);
    // No segment begins at the last position of a ring.
    for (let ring = 1; ring < this.#starts.length; ring++) this.#isOriginal[this.#starts[ring] - 1] = 0;
  }

  #simplifyRing(ring: number, firstKept: number): number {
    const { xs, ys, kept } = this;
    const first = this.#starts[ring];
    const last = this.#starts[ring + 1] - 1;
    const isClosed = xs[first] === xs[last] && ys[first] === ys[last];
    const least = isClosed ? LEAST_CLOSED : LEAST_OPEN;
    let to = firstKept;
    kept[to++] = first;
    let waiting = this.#push(0, first, last, 1);
    while (waiting > 0) {
      const i = this.#sections[--waiting * 3];
      const j = this.#sections[waiting * 3 + 1];
      const depth = this.#sections[waiting * 3 + 2];
      if (i + 1 === j) {
        kept[to++] = j;
        continue;
      }
      // Positions so far; if the fewest that can follow are too few, the section is divided.
      const size = to - firstKept === 1 ? 0 : to - firstKept;
      const isEnough = size >= least || depth + 1 >= least;
      const farthest = this.#farthest(i, j);
      if (this.#farthestDistance <= this.#tolerance) {
        if (!this.#keepsTopology) {
          kept[to++] = j;
          continue;
        }
        if (isEnough && this.#isFree(ring, i, j, i, j)) {
          this.#isOriginal.fill(0, i, j);
          this.#flatten(i, j);
          kept[to++] = j;
          continue;
        }
      }
      waiting = this.#push(waiting, farthest, j, depth + 1);
      waiting = this.#push(waiting, i, farthest, depth + 1);
    }
    if (!this.#isRing[ring]) return to;
    if (!this.#keepsTopology) return this.#withoutEnd(firstKept, to);
    return to - firstKept > least && this.#leavesOutEnd(ring, firstKept, to) ? to - 1 : to;
  }

  /** Leaves out the first position of a ring, which is the last too, if that is possible. */
  #leavesOutEnd(ring: number, firstKept: number, end: number): boolean {
    const { xs, ys, kept } = this;
    const second = kept[firstKept + 1];
    const beforeLast = kept[end - 2];
    const x = xs[kept[firstKept]];
    const y = ys[kept[firstKept]];
    if (this.#distance(x, y, xs[beforeLast], ys[beforeLast], xs[second], ys[second]) > this.#tolerance)
      return false;
    const isFlat = orientationAt(xs, ys, beforeLast, second, kept[firstKept]) === 0;
    if (!isFlat && !this.#isFree(ring, beforeLast, second, NONE, NONE)) return false;
    const first = kept[firstKept];
    this.#flatTo[first] = NONE;
    this.#flatten(beforeLast, second);
    kept[firstKept] = beforeLast;
    return true;
  }

  /** The same without topology; the ring then begins at its second position. */
  #withoutEnd(firstKept: number, end: number): number {
    if (end - firstKept < LEAST_CLOSED) return end;
    const { xs, ys, kept } = this;
    const first = kept[firstKept];
    const a = kept[firstKept + 1];
    const b = kept[end - 2];
    if (this.#distance(xs[first], ys[first], xs[a], ys[a], xs[b], ys[b]) > this.#tolerance) return end;
    kept.copyWithin(firstKept, firstKept + 1, end - 1);
    kept[end - 2] = a;
    return end - 1;
  }

  #flatten(from: number, to: number): void {
    const { xs, ys } = this;
    this.#flatTo[from] = to;
    this.#boxes.extend(from, xs[from], ys[from], xs[to], ys[to]);
  }

  #farthestDistance = 0;

  /** Of the positions between `i` and `j`, the first of those farthest from the segment. */
  #farthest(i: number, j: number): number {
    const { xs, ys } = this;
    const ax = xs[i];
    const ay = ys[i];
    const bx = xs[j];
    const by = ys[j];
    let farthest = i;
    let most = -1;
    for (let k = i + 1; k < j; k++) {
      const distance = this.#distance(xs[k], ys[k], ax, ay, bx, by);
      if (distance > most) {
        most = distance;
        farthest = k;
      }
    }
    this.#farthestDistance = most;
    return farthest;
  }

  /** Of a position to the segment from a to b. */
  #distance(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
    const dx = bx - ax;
    const dy = by - ay;
    if (dx === 0 && dy === 0) return Math.sqrt((x - ax) * (x - ax) + (y - ay) * (y - ay));
    const square = dx * dx + dy * dy;
    const along = ((x - ax) * dx + (y - ay) * dy) / square;
    if (along <= 0) return Math.sqrt((x - ax) * (x - ax) + (y - ay) * (y - ay));
    if (along >= 1) return Math.sqrt((x - bx) * (x - bx) + (y - by) * (y - by));
    return Math.abs(((ay - y) * dx - (ax - x) * dy) / square) * Math.sqrt(square);
  }

  /** Whether the segment between two positions can replace what is between them; original segments `[start, end)` do not count. */
  #isFree(ring: number, from: number, to: number, start: number, end: number): boolean {
    const { xs, ys } = this;
    const ax = xs[from];
    const ay = ys[from];
    const bx = xs[to];
    const by = ys[to];
    const minX = Math.min(ax, bx);
    const minY = Math.min(ay, by);
    const maxX = Math.max(ax, bx);
    const maxY = Math.max(ay, by);
    const blocks = this.#boxes.find(minX, minY, maxX, maxY);
    const count = this.positionCount;
    for (let b = 0; b < blocks; b++) {
      const first = this.#boxes.found[b] * SEGMENTS_PER_BLOCK;
      const last = Math.min(first + SEGMENTS_PER_BLOCK, count);
      for (let i = first; i < last; i++) {
        if (this.#isOriginal[i] === 1 && (i < start || i >= end) && this.#isHit(from, to, i, i + 1))
          return false;
        if (this.#flatTo[i] !== NONE && this.#isHit(from, to, i, this.#flatTo[i])) return false;
      }
    }
    return this.#starts.length === 2 || !this.#jumps(ring, from, to);
  }

  /** Whether the segment from c to d is the same as that from a to b, or meets it other than at common ends. */
  #isHit(a: number, b: number, c: number, d: number): boolean {
    const { xs, ys } = this;
    if (xs[a] === xs[c] && ys[a] === ys[c] && xs[b] === xs[d] && ys[b] === ys[d]) return true;
    if (xs[a] === xs[d] && ys[a] === ys[d] && xs[b] === xs[c] && ys[b] === ys[c]) return true;
    return meetingAt(xs, ys, c, d, a, b) === MEETING.inside;
  }

  /** Whether another line or ring, known by its second position, would be on another side of the feature's outline. */
  #jumps(own: number, from: number, to: number): boolean {
    const { xs, ys } = this;
    // Around the end of a ring, the section goes over its last position, which is its first.
    const turn = from < to ? NONE : this.#starts[own];
    const middle = turn === NONE ? NONE : this.#starts[own + 1] - 1;
    let minX = Number.POSITIVE_INFINITY;
    let minY = Number.POSITIVE_INFINITY;
    let maxX = Number.NEGATIVE_INFINITY;
    let maxY = Number.NEGATIVE_INFINITY;
    const include = (i: number): void => {
      minX = Math.min(minX, xs[i]);
      minY = Math.min(minY, ys[i]);
      maxX = Math.max(maxX, xs[i]);
      maxY = Math.max(maxY, ys[i]);
    };
    if (turn === NONE) for (let i = from; i <= to; i++) include(i);
    else for (const i of [from, turn, to]) include(i);
    for (let ring = 0; ring + 1 < this.#starts.length; ring++) {
      if (ring === own) continue;
      const x = xs[this.#starts[ring] + 1];
      const y = ys[this.#starts[ring] + 1];
      if (x < minX || x > maxX || y < minY || y > maxY) continue;
      let crossings = this.#crosses(x, y, from, to);
      if (turn === NONE) for (let i = from; i < to; i++) crossings += this.#crosses(x, y, i, i + 1);
      else crossings += this.#crosses(x, y, from, middle) + this.#crosses(x, y, turn, to);
      if (crossings % 2 === 1) return true;
    }
    return false;
  }

  /** 1 if the segment between two positions crosses the ray from (x, y) to the east; 0 if (x, y) is on it. */
  #crosses(x: number, y: number, from: number, to: number): number {
    const { xs, ys } = this;
    const ax = xs[from];
    const ay = ys[from];
    const bx = xs[to];
    const by = ys[to];
    if ((ax < x && bx < x) || (bx === x && by === y)) return 0;
    if (!((ay > y && by <= y) || (by > y && ay <= y))) return 0;
    const side = orientation(ax, ay, bx, by, x, y);
    return (by < ay ? -side : side) > 0 ? 1 : 0;
  }

  #push(waiting: number, first: number, last: number, depth: number): number {
    const at = waiting * 3;
    if (at + 3 > this.#sections.length) {
      const grown = new Int32Array(this.#sections.length * 2);
      grown.set(this.#sections);
      this.#sections = grown;
    }
    this.#sections[at] = first;
    this.#sections[at + 1] = last;
    this.#sections[at + 2] = depth;
    return waiting + 1;
  }

  #grow(count: number): void {
    const size = count * 2;
    const xs = new Float64Array(size);
    const ys = new Float64Array(size);
    xs.set(this.xs);
    ys.set(this.ys);
    this.xs = xs;
    this.ys = ys;
    this.kept = new Uint32Array(size);
    this.#isOriginal = new Uint8Array(size);
    this.#flatTo = new Int32Array(size);
  }
}
