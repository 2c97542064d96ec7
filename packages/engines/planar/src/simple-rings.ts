/**
 * Tells of the rings of most valid polygons that they are valid, without GEOS: no two edges meet except where one follows the
 * other, holes are in their shell, and neither holes nor shells are in each other. Anything else, such as a hole that
 * touches its shell, is left for GEOS to decide.
 */
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { MonotoneChains } from './monotone-chains.ts';
import { MEETING, meetingAt, orientationAt } from './orientation.ts';
import { SEGMENTS_PER_BLOCK, SegmentBoxes } from './segment-boxes.ts';

const LEAST_POSITIONS = 4;
/** All pairs of rings are compared; more are left for GEOS. */
const MOST_RINGS = 64;

export class SimpleRings {
  #xs = new Float64Array(256);
  #ys = new Float64Array(256);
  #count = 0;
  /** Per ring its first position; after the last ring the end. */
  readonly #starts: number[] = [0];
  /** Per ring 1: the shell of a polygon. */
  readonly #isShell: boolean[] = [];
  /** minX, minY, maxX, maxY by ring. */
  readonly #bounds = new Float64Array(4 * MOST_RINGS);
  readonly #boxes = new SegmentBoxes();
  readonly #chains = new MonotoneChains();

  clear(): void {
    this.#count = 0;
    this.#starts.length = 1;
    this.#isShell.length = 0;
  }

  add(x: number, y: number): void {
    const at = this.#count++;
    if (at === this.#xs.length) {
      this.#xs = doubled(this.#xs);
      this.#ys = doubled(this.#ys);
    }
    this.#xs[at] = x;
    this.#ys[at] = y;
  }

  /** The positions added since the last ring are a ring, closed; holes follow their shell. */
  endRing(isShell: boolean): void {
    this.#starts.push(this.#count);
    this.#isShell.push(isShell);
  }

  /** Whether the polygons are valid for sure. */
  areValid(): boolean {
    const rings = this.#isShell.length;
    if (rings > MOST_RINGS) return false;
    for (let ring = 0; ring < rings; ring++) if (!this.#isProper(ring)) return false;
    const met = this.#chains.meet(this.#xs, this.#ys, this.#starts);
    if (met !== null) return !met && this.#areApart();
    this.#boxes.build(this.#xs, this.#ys, this.#count);
    for (let ring = 0; ring < rings; ring++)
      for (let i = this.#starts[ring]; i + 1 < this.#starts[ring + 1]; i++)
        if (this.#meetsLater(ring, i)) return false;
    return this.#areApart();
  }

  /** Closed, long enough, without repeated positions and without edges that go back on each other. */
  #isProper(ring: number): boolean {
    const xs = this.#xs;
    const ys = this.#ys;
    const first = this.#starts[ring];
    const last = this.#starts[ring + 1] - 1;
    if (last - first + 1 < LEAST_POSITIONS || xs[first] !== xs[last] || ys[first] !== ys[last]) return false;
    let minX = xs[first];
    let minY = ys[first];
    let maxX = minX;
    let maxY = minY;
    let before = last - 1;
    for (let i = first; i < last; before = i, i++) {
      const x = xs[i];
      const y = ys[i];
      const next = i + 1;
      const hasPlace = x - x === 0 && y - y === 0;
      if (!hasPlace || (x === xs[next] && y === ys[next])) return false;
      const back = (xs[before] - x) * (xs[next] - x) + (ys[before] - y) * (ys[next] - y);
      if (back > 0 && orientationAt(xs, ys, before, i, next) === 0) return false;
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
    }
    const at = 4 * ring;
    this.#bounds[at] = minX;
    this.#bounds[at + 1] = minY;
    this.#bounds[at + 2] = maxX;
    this.#bounds[at + 3] = maxY;
    return true;
  }

  /** Whether the edge from position `i` on meets one of those after it that is not next to it. */
  #meetsLater(ring: number, i: number): boolean {
    const xs = this.#xs;
    const ys = this.#ys;
    const ax = xs[i];
    const ay = ys[i];
    const bx = xs[i + 1];
    const by = ys[i + 1];
    const isFirst = i === this.#starts[ring];
    const lastEdge = this.#starts[ring + 1] - 2;
    const blocks = this.#boxes.find(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by));
    for (let b = 0; b < blocks; b++) {
      const block = this.#boxes.found[b] * SEGMENTS_PER_BLOCK;
      const end = Math.min(block + SEGMENTS_PER_BLOCK, this.#count - 1);
      for (let k = Math.max(block, i + 2); k < end; k++) {
        if (isFirst && k === lastEdge) continue;
        if (meetingAt(xs, ys, i, i + 1, k, k + 1) === MEETING.none) continue;
        if (!this.#isEnd(k)) return true;
      }
    }
    return false;
  }

  /** No edge begins at the last position of a ring. */
  #isEnd(position: number): boolean {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] > position) high = middle;
      else low = middle + 1;
    }
    return this.#starts[low] - 1 === position;
  }

  /** Edges do not meet, so one position of a ring tells where all of it is. */
  #areApart(): boolean {
    const rings = this.#isShell.length;
    let shell = 0;
    for (let ring = 0; ring < rings; ring++) {
      if (this.#isShell[ring]) shell = ring;
      else if (!this.#isIn(ring, shell)) return false;
      const last = this.#isShell[ring] ? 0 : shell + 1;
      for (let other = last; other < ring; other++) {
        // Shells are compared with shells, and holes with those of the same shell.
        if (this.#isShell[other] !== this.#isShell[ring]) continue;
        if (this.#isIn(ring, other) || this.#isIn(other, ring)) return false;
      }
    }
    return true;
  }

  #isIn(ring: number, outer: number): boolean {
    const xs = this.#xs;
    const ys = this.#ys;
    const bounds = this.#bounds;
    const own = this.#starts[ring];
    const x = xs[own];
    const y = ys[own];
    const at = outer * 4;
    if (x < bounds[at] || y < bounds[at + 1] || x > bounds[at + 2] || y > bounds[at + 3]) return false;
    let isInside = false;
    for (let i = this.#starts[outer]; i + 1 < this.#starts[outer + 1]; i++) {
      const isUp = ys[i + 1] > ys[i];
      if (ys[i] > y === ys[i + 1] > y) continue;
      if (orientationAt(xs, ys, i, i + 1, own) > 0 === isUp) isInside = !isInside;
    }
    return isInside;
  }
}

function doubled(array: Float64Array): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(array.length * 2);
  grown.set(array);
  return grown;
}

/** Whether the polygons of a row are valid for sure. `rings` is used again from row to row. */
export function areValidRings(
  rings: SimpleRings,
  { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  row: number,
): boolean {
  const stride = strideOf(dimensions);
  rings.clear();
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const end = coordOffsets[ring + 1] * stride;
      for (let at = coordOffsets[ring] * stride; at < end; at += stride)
        rings.add(coordinates[at], coordinates[at + 1]);
      rings.endRing(ring === ringOffsets[part]);
    }
  }
  return rings.areValid();
}
