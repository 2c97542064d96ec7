/**
 * Determines which rings of a polygon record are shells and which hole belongs to which shell.
 *
 * A .shp stores rings in any order: shells clockwise, holes counter-clockwise, without a link from a hole to its shell.
 * Writers get the orientation wrong too often to rely on it alone. Nesting alone is not reliable either: rings of
 * invalid polygons overlap without one containing the other. So nesting is determined first; if the orientation
 * disagrees, nesting wins if one ring is really inside the other.
 *
 *     +--shell (cw)--------------+      depth 0  shell
 *     |  +-hole (ccw)---------+  |      depth 1  hole of the ring around it
 *     |  |  +-shell (cw)---+  |  |      depth 2  shell, an island in the hole
 *     |  |  +--------------+  |  |
 *     |  +--------------------+  |
 *     +--------------------------+
 */
import { RingBands, RingTree } from './ring-tree.ts';
import { locateInRing, signedArea } from './rings.ts';

/** Vertices tried before the orientation decides about a ring that runs along another's edge. */
const EDGE_TRIES = 16;
/** Vertices that must not be outside before nesting overrides the orientation. */
const PROOF_VERTICES = 64;
/** Up to this many rings are compared pairwise. */
const MAX_PAIRED = 128;
/** Rings of up to this many positions are searched linearly. */
const MAX_PLAIN_RING = 64;
/** Longer rings are searched linearly this many times, because building RingBands costs more. */
const PLAIN_SEARCHES = 2;
/**
 * Edges and pairs of rings checked for one record: about ten seconds. Only rings that wind around one another need
 * more.
 */
const MAX_WORK = 2 ** 32;

/** Reusable; its arrays grow to the largest record. */
export class RingSorter {
  /** Ring numbers in writing order: each shell followed by its holes. Valid for `ringCount` entries. */
  order = new Int32Array(16);
  /** 1 for rings that are shells, by ring number. */
  isShell = new Uint8Array(16);
  /** Pairs of rings, edges and similar items that `sort` checked. */
  work = 0;
  readonly #refuse: (reason: string) => never;
  readonly #maxWork: number;
  #areas = new Float64Array(16);
  #bounds = new Float64Array(64);
  #parents = new Int32Array(16);
  #depths = new Int32Array(16);
  #shellOf = new Int32Array(16);
  #xy: Float64Array = new Float64Array(0);
  #starts: Int32Array = new Int32Array(0);
  /** Number of linear searches, by ring. */
  #searches = new Uint8Array(16);
  /** For rings with many positions that are searched often. */
  readonly #bands = new Map<number, RingBands>();

  /** `refuse` throws the error for a record whose rings take too much work. */
  constructor(refuse: (reason: string) => never, maxWork = MAX_WORK) {
    this.#refuse = refuse;
    this.#maxWork = maxWork;
  }

  /**
   * Sorts rings `[starts[i], starts[i + 1])` of `xy` (two ordinates per position). Returns whether the orientation of a
   * ring contradicted its nesting.
   */
  sort(xy: Float64Array, starts: Int32Array, ringCount: number): boolean {
    this.#xy = xy;
    this.#starts = starts;
    this.work = 0;
    this.#measure(ringCount);
    this.#searches.fill(0, 0, ringCount);
    this.#bands.clear();
    if (this.#isShellWithHoles(ringCount)) {
      for (let ring = 0; ring < ringCount; ring++) {
        this.order[ring] = ring;
        this.isShell[ring] = ring === 0 ? 1 : 0;
      }
      return false;
    }
    this.#findParents(ringCount);
    const repaired = this.#assignRoles(ringCount);
    this.#writeOrder(ringCount);
    return repaired;
  }

  #measure(ringCount: number): void {
    if (ringCount > this.order.length) this.#grow(ringCount * 2);
    const xy = this.#xy;
    for (let ring = 0; ring < ringCount; ring++) {
      const start = this.#starts[ring];
      const end = this.#starts[ring + 1];
      // A ring with NaN has no area: NaN would hide the areas of other rings in the tree.
      this.#areas[ring] = signedArea(xy, 2, start, end) || 0;
      let minX = Number.POSITIVE_INFINITY;
      let minY = Number.POSITIVE_INFINITY;
      let maxX = Number.NEGATIVE_INFINITY;
      let maxY = Number.NEGATIVE_INFINITY;
      for (let i = start * 2; i < end * 2; i += 2) {
        const x = xy[i];
        const y = xy[i + 1];
        if (x < minX) minX = x;
        if (x > maxX) maxX = x;
        if (y < minY) minY = y;
        if (y > maxY) maxY = y;
      }
      this.#bounds[ring * 4] = minX;
      this.#bounds[ring * 4 + 1] = minY;
      this.#bounds[ring * 4 + 2] = maxX;
      this.#bounds[ring * 4 + 3] = maxY;
    }
  }

  /** The usual case: one clockwise ring, then counter-clockwise rings inside it. */
  #isShellWithHoles(ringCount: number): boolean {
    if (this.#areas[0] >= 0) return false;
    for (let ring = 1; ring < ringCount; ring++) {
      if (this.#areas[ring] <= 0 || !this.#holds(0, ring)) return false;
    }
    return true;
  }

  /** Finds the parent of each ring: the smallest larger ring that contains it. */
  #findParents(ringCount: number): void {
    const parents = this.#parents;
    const bounds = this.#bounds;
    if (ringCount <= MAX_PAIRED) {
      for (let ring = 0; ring < ringCount; ring++) {
        parents[ring] = -1;
        const left = bounds[ring * 4];
        const right = bounds[ring * 4 + 2];
        for (let other = 0; other < ringCount; other++)
          if (bounds[other * 4] <= left && bounds[other * 4 + 2] >= right) this.#adopt(ring, other);
      }
      return;
    }
    const sizes = this.#areas.subarray(0, ringCount).map(Math.abs);
    const tree = new RingTree(bounds, sizes, ringCount);
    for (let ring = 0; ring < ringCount; ring++) {
      parents[ring] = tree.smallestAround(ring, (other) => this.#holds(other, ring));
      this.#spend(tree.visited);
    }
  }

  #adopt(ring: number, other: number): void {
    const parent = this.#parents[ring];
    const smaller = parent < 0 || Math.abs(this.#areas[other]) < Math.abs(this.#areas[parent]);
    if (smaller && this.#holds(other, ring)) this.#parents[ring] = other;
  }

  #spend(work: number): void {
    this.work += work;
    if (this.work > this.#maxWork)
      this.#refuse(
        'its rings overlap in too many ways to determine which is inside which; split or repair this polygon',
      );
  }

  #holds(outer: number, inner: number): boolean {
    const bounds = this.#bounds;
    const o = outer * 4;
    const i = inner * 4;
    if (
      bounds[i] < bounds[o] ||
      bounds[i + 1] < bounds[o + 1] ||
      bounds[i + 2] > bounds[o + 2] ||
      bounds[i + 3] > bounds[o + 3] ||
      Math.abs(this.#areas[inner]) >= Math.abs(this.#areas[outer])
    )
      return false;
    this.#spend(1);
    const start = this.#starts[inner];
    const end = Math.min(this.#starts[inner + 1], start + EDGE_TRIES);
    for (let at = start; at < end; at++) {
      const where = this.#locate(at, outer);
      if (where !== 0) return where > 0;
    }
    return this.#areas[inner] > 0 !== this.#areas[outer] > 0;
  }

  #locate(position: number, ring: number): 1 | 0 | -1 {
    const xy = this.#xy;
    const x = xy[position * 2];
    const y = xy[position * 2 + 1];
    const start = this.#starts[ring];
    const end = this.#starts[ring + 1];
    if (end - start <= MAX_PLAIN_RING || this.#searches[ring] < PLAIN_SEARCHES) {
      if (this.#searches[ring] < PLAIN_SEARCHES) this.#searches[ring]++;
      this.#spend(end - start);
      return locateInRing(x, y, xy, 2, start, end);
    }
    let bands = this.#bands.get(ring);
    if (bands === undefined) {
      this.#spend(end - start);
      bands = new RingBands(xy, 2, start, end);
      this.#bands.set(ring, bands);
    }
    const where = bands.locate(x, y);
    this.#spend(bands.visited);
    return where;
  }

  #assignRoles(ringCount: number): boolean {
    const areas = this.#areas;
    const parents = this.#parents;
    let clockwise = 0;
    let counterClockwise = 0;
    for (let ring = 0; ring < ringCount; ring++) {
      if (parents[ring] >= 0) continue;
      if (areas[ring] < 0) clockwise++;
      else if (areas[ring] > 0) counterClockwise++;
    }
    // All rings of the record are reversed.
    const reversed = counterClockwise > clockwise;
    let repaired = counterClockwise > 0;
    const bySize = Array.from({ length: ringCount }, (_, ring) => ring).sort(
      (a, b) => Math.abs(areas[b]) - Math.abs(areas[a]),
    );
    for (const ring of bySize) {
      const parent = parents[ring];
      const area = areas[ring];
      if (parent < 0) {
        this.#depths[ring] = 0;
        this.isShell[ring] = 1;
        this.#shellOf[ring] = ring;
        continue;
      }
      const depth = this.#depths[parent] + 1;
      let shell = (depth & 1) === 0;
      const orientedAsShell = reversed ? area > 0 : area < 0;
      if (area !== 0 && shell !== orientedAsShell) {
        const overruled = shell ? reversed : this.#liesWithin(ring, parent);
        if (overruled) repaired = true;
        else shell = !shell;
      }
      this.#depths[ring] = shell === ((depth & 1) === 0) ? depth : depth + 1;
      this.isShell[ring] = shell ? 1 : 0;
      this.#shellOf[ring] = shell ? ring : this.#shellOf[parent];
    }
    return repaired;
  }

  #liesWithin(inner: number, outer: number): boolean {
    const start = this.#starts[inner];
    const count = this.#starts[inner + 1] - start;
    const step = Math.max(1, Math.floor(count / PROOF_VERTICES));
    for (let i = 0; i < count; i += step) if (this.#locate(start + i, outer) < 0) return false;
    return true;
  }

  /** Shells in file order, each followed by its holes in file order. */
  #writeOrder(ringCount: number): void {
    const holesOf = new Map<number, number[]>();
    for (let ring = 0; ring < ringCount; ring++) {
      if (this.isShell[ring] === 1) continue;
      const holes = holesOf.get(this.#shellOf[ring]);
      if (holes === undefined) holesOf.set(this.#shellOf[ring], [ring]);
      else holes.push(ring);
    }
    let at = 0;
    for (let ring = 0; ring < ringCount; ring++) {
      if (this.isShell[ring] === 0) continue;
      this.order[at++] = ring;
      for (const hole of holesOf.get(ring) ?? []) this.order[at++] = hole;
    }
  }

  #grow(size: number): void {
    this.order = new Int32Array(size);
    this.isShell = new Uint8Array(size);
    this.#searches = new Uint8Array(size);
    this.#areas = new Float64Array(size);
    this.#bounds = new Float64Array(size * 4);
    this.#parents = new Int32Array(size);
    this.#depths = new Int32Array(size);
    this.#shellOf = new Int32Array(size);
  }
}
