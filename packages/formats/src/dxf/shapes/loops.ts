/**
 * Converts loops of a filled area to polygons: which are shells, which are holes, and of which shell.
 *
 * By nesting only: a loop inside an odd number of loops is a hole; inside an even number it is a shell (an island in a
 * hole). The order of the loops, their orientation and a hatch's flags are not reliable.
 */
import { RingBands, RingTree } from '@geomill/core/geometry/ring-tree.ts';
import { locateInRing, signedArea } from '@geomill/core/geometry/rings.ts';
import { EntityError } from '../contract.ts';

/** Bounds may exceed others by this fraction of the loop's size: strokes of one arc in two loops differ by rounding. */
const BOUNDS_SLACK = 1e-9;
/** Positions checked at most before the majority decides about a loop that runs along another. */
const MAX_SAMPLES = 32;
/** Up to this many loops are compared pairwise. */
const MAX_PAIRED = 32;
/** Rings of up to this many positions are searched linearly. */
const MAX_PLAIN_RING = 64;
/** Edges and pairs of loops checked for one hatch: some seconds. Only loops that cross one another need more. */
const MAX_WORK = 2 ** 30;
/** Lead of inside over outside that decides: a single position can be wrong by rounding. */
const LEAD = 2;

/** Reusable; its arrays grow to the largest number of loops. */
export class LoopNester {
  /** Loop numbers, each shell followed by its holes; valid up to `loopCount`. */
  order = new Uint32Array(16);
  /** 1 for shells, by loop number. */
  isShell = new Uint8Array(16);
  shellCount = 0;
  /** Pairs of loops, edges and similar items that `nest` checked. */
  work = 0;
  #areas = new Float64Array(16);
  #bounds = new Float64Array(64);
  #parents = new Int32Array(16);
  #coordinates: Float64Array = new Float64Array(0);
  #stride = 2;
  #starts: Uint32Array = new Uint32Array(0);
  /** For loops with many positions, created on first use. */
  readonly #bands = new Map<number, RingBands>();

  /**
   * Loop i has the positions `[starts[i], starts[i + 1])` of `coordinates`; only x and y are used. Throws an
   * EntityError if these are not finite or nesting takes too much work.
   */
  nest(coordinates: Float64Array, stride: number, starts: Uint32Array, loopCount: number): void {
    this.#coordinates = coordinates;
    this.#stride = stride;
    this.#starts = starts;
    this.work = 0;
    this.#bands.clear();
    if (loopCount > this.order.length) this.#grow(loopCount * 2);
    if (loopCount === 1) {
      this.order[0] = 0;
      this.isShell[0] = 1;
      this.shellCount = 1;
      return;
    }
    for (let loop = 0; loop < loopCount; loop++) this.#measure(loop);
    this.#findParents(loopCount);
    this.#assignRoles(loopCount);
  }

  #measure(loop: number): void {
    const start = this.#starts[loop];
    const end = this.#starts[loop + 1];
    const coordinates = this.#coordinates;
    const stride = this.#stride;
    this.#areas[loop] = Math.abs(signedArea(coordinates, stride, start, end));
    let minX = Number.POSITIVE_INFINITY;
    let minY = Number.POSITIVE_INFINITY;
    let maxX = Number.NEGATIVE_INFINITY;
    let maxY = Number.NEGATIVE_INFINITY;
    let finite = 0;
    for (let at = start * stride; at < end * stride; at += stride) {
      const x = coordinates[at];
      const y = coordinates[at + 1];
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
      finite += x * 0 + y * 0;
    }
    if (finite !== 0) throw new EntityError('a coordinate is not a finite number');
    this.#bounds[loop * 4] = minX;
    this.#bounds[loop * 4 + 1] = minY;
    this.#bounds[loop * 4 + 2] = maxX;
    this.#bounds[loop * 4 + 3] = maxY;
  }

  /** The parent of a loop is the smallest larger loop around it. */
  #findParents(loopCount: number): void {
    if (loopCount <= MAX_PAIRED) {
      this.#parents.fill(-1, 0, loopCount);
      for (let loop = 0; loop < loopCount; loop++)
        for (let other = loopCount - 1; other >= 0; other--) this.#adopt(loop, other);
      return;
    }
    const bounds = this.#bounds;
    const wide = new Float64Array(loopCount * 4);
    for (let i = 0; i < wide.length; i++)
      wide[i] = bounds[i] + (i % 4 < 2 ? -1 : 1) * this.#slackOf(i - (i % 4));
    const tree = new RingTree(wide, this.#areas, loopCount);
    for (let loop = 0; loop < loopCount; loop++) {
      this.#parents[loop] = tree.smallestAround(loop, (other) => this.#holds(other, loop));
      this.#spend(tree.visited);
    }
  }

  /** How far bounds may exceed those at `#bounds[at]`. */
  #slackOf(at: number): number {
    const bounds = this.#bounds;
    return BOUNDS_SLACK * Math.max(bounds[at + 2] - bounds[at], bounds[at + 3] - bounds[at + 1]);
  }

  #adopt(loop: number, other: number): void {
    const parent = this.#parents[loop];
    const isSmaller = parent < 0 || this.#areas[other] < this.#areas[parent];
    if (isSmaller && this.#holds(other, loop)) this.#parents[loop] = other;
  }

  #spend(work: number): void {
    this.work += work;
    if (this.work > MAX_WORK)
      throw new EntityError('its boundary paths overlap in too many ways to determine which is inside which');
  }

  #holds(outer: number, inner: number): boolean {
    this.#spend(1);
    if (this.#areas[inner] >= this.#areas[outer]) return false;
    const bounds = this.#bounds;
    const o = outer * 4;
    const i = inner * 4;
    const slack = this.#slackOf(o);
    if (
      bounds[i] < bounds[o] - slack ||
      bounds[i + 1] < bounds[o + 1] - slack ||
      bounds[i + 2] > bounds[o + 2] + slack ||
      bounds[i + 3] > bounds[o + 3] + slack
    )
      return false;
    const start = this.#starts[inner];
    const edges = this.#starts[inner + 1] - start - 1;
    const samples = Math.min(edges, MAX_SAMPLES);
    let lead = 0;
    // First vertices all around the loop, then midpoints of edges, for loops whose vertices are all on the other loop.
    for (let half = 0; half < 2 && Math.abs(lead) < LEAD; half++)
      for (let k = 0; k < samples && Math.abs(lead) < LEAD; k++) {
        const at = start + Math.floor((k * edges) / samples);
        lead += this.#locate(at, at + half, outer);
      }
    return lead > 0;
  }

  /** Locates the midpoint of two positions. */
  #locate(position: number, other: number, loop: number): number {
    const coordinates = this.#coordinates;
    const stride = this.#stride;
    const a = position * stride;
    const b = other * stride;
    const x = (coordinates[a] + coordinates[b]) / 2;
    const y = (coordinates[a + 1] + coordinates[b + 1]) / 2;
    const start = this.#starts[loop];
    const end = this.#starts[loop + 1];
    if (end - start <= MAX_PLAIN_RING) {
      this.#spend(end - start);
      return locateInRing(x, y, coordinates, stride, start, end);
    }
    let bands = this.#bands.get(loop);
    if (bands === undefined) {
      this.#spend(end - start);
      bands = new RingBands(coordinates, stride, start, end);
      this.#bands.set(loop, bands);
    }
    const where = bands.locate(x, y);
    this.#spend(bands.visited);
    return where;
  }

  #assignRoles(loopCount: number): void {
    const parents = this.#parents;
    const holesOf = new Map<number, number[]>();
    // A parent is larger than its child, so its role is known before the child's.
    const bySize = Array.from({ length: loopCount }, (_, loop) => loop).sort(
      (a, b) => this.#areas[b] - this.#areas[a] || a - b,
    );
    this.shellCount = 0;
    for (const loop of bySize) {
      const parent = parents[loop];
      const isHole = parent >= 0 && this.isShell[parent] === 1;
      this.isShell[loop] = isHole ? 0 : 1;
      if (!isHole) this.shellCount++;
    }
    for (let loop = 0; loop < loopCount; loop++) {
      if (this.isShell[loop] === 1) continue;
      const holes = holesOf.get(parents[loop]);
      if (holes === undefined) holesOf.set(parents[loop], [loop]);
      else holes.push(loop);
    }
    let at = 0;
    for (let loop = 0; loop < loopCount; loop++) {
      if (this.isShell[loop] === 0) continue;
      this.order[at++] = loop;
      for (const hole of holesOf.get(loop) ?? []) this.order[at++] = hole;
    }
  }

  #grow(size: number): void {
    this.order = new Uint32Array(size);
    this.isShell = new Uint8Array(size);
    this.#areas = new Float64Array(size);
    this.#bounds = new Float64Array(size * 4);
    this.#parents = new Int32Array(size);
  }
}
