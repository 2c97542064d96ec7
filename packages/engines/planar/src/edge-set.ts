/**
 * Directed edges of rings, with the interior on their left. Edges of opposite directions between the same two positions cancel out, as
 * borders between adjoining polygons do; that does not change how many polygons cover a place.
 */
import { type GeometryColumn, hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { DisjointSets } from './disjoint-sets.ts';
import { orientationAt } from './orientation.ts';
import { PositionIndex } from './position-index.ts';

const NONE = -1;
/** Edges of a vertex that are looked at, per edge. */
const MOST_STEPS = 64;

export class EdgeSet {
  /** Vertices: equal positions of a class are one. */
  readonly vertices = new PositionIndex();
  /** By vertex, of its first position; null: there is no Z. */
  z: Float64Array | null = null;
  /** Edges that are left. Edge e leads from vertex `from[e]` to `to[e]`. */
  count = 0;
  from = new Uint32Array(256);
  to = new Uint32Array(256);
  owner = new Uint32Array(256);
  /** First edge that leaves a vertex and the next one after an edge; likewise of those that arrive. -1: no more. */
  firstOut = new Int32Array(256);
  nextOut = new Int32Array(256);
  firstIn = new Int32Array(256);
  nextIn = new Int32Array(256);
  #isLeft = new Uint8Array(256);
  #ring = new Uint32Array(64);

  clear(withZ: boolean): void {
    this.vertices.clear();
    this.count = 0;
    if (!withZ) this.z = null;
    else this.z ??= new Float64Array(256);
  }

  /** The rings of a part that is a valid polygon. */
  addPolygon(column: GeometryColumn, part: number, owner: number, ofClass: number): void {
    const { ringOffsets, coordOffsets, coordinates, dimensions } = column;
    const stride = strideOf(dimensions);
    const z = hasZ(dimensions) ? 2 : -1;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const end = coordOffsets[ring + 1] * stride;
      for (let at = coordOffsets[ring] * stride; at < end; at += stride)
        this.add(coordinates[at], coordinates[at + 1], z < 0 ? Number.NaN : coordinates[at + z], ofClass);
      this.endRing(owner, ring === ringOffsets[part] ? 1 : -1);
    }
  }

  #ringLength = 0;

  add(x: number, y: number, z: number, ofClass: number): void {
    const before = this.vertices.count;
    const vertex = this.vertices.add(x, y, ofClass);
    if (this.z !== null && vertex === before) {
      if (vertex === this.z.length) {
        const grown = new Float64Array(vertex * 2);
        grown.set(this.z);
        this.z = grown;
      }
      this.z[vertex] = z;
    }
    if (this.#ringLength > 0 && this.#ring[this.#ringLength - 1] === vertex) return;
    if (this.#ringLength === this.#ring.length) this.#ring = doubled(this.#ring);
    this.#ring[this.#ringLength++] = vertex;
  }

  /** Edges between the positions added since the last ring, which may be closed. `side` 1: left of them is the interior if they go
   * counter-clockwise, -1: if they go clockwise, and they are turned round if not; 0: they stay as they are. */
  endRing(owner: number, side: number): void {
    const ring = this.#ring;
    let length = this.#ringLength;
    this.#ringLength = 0;
    if (length > 1 && ring[length - 1] === ring[0]) length--;
    if (length < 2) return;
    const isForward = side === 0 || this.#turn(length) === side;
    while (this.from.length < this.count + length) this.#grow();
    for (let i = 0; i < length; i++) {
      const next = ring[i + 1 < length ? i + 1 : 0];
      this.from[this.count] = isForward ? ring[i] : next;
      this.to[this.count] = isForward ? next : ring[i];
      this.owner[this.count++] = owner;
    }
  }

  /** 1: the ring goes counter-clockwise; decided at its most western vertex, without rounding. */
  #turn(length: number): number {
    const { x, y } = this.vertices;
    const ring = this.#ring;
    let west = 0;
    for (let i = 1; i < length; i++) {
      const a = ring[i];
      const b = ring[west];
      if (x[a] < x[b] || (x[a] === x[b] && y[a] < y[b])) west = i;
    }
    const before = ring[west > 0 ? west - 1 : length - 1];
    const after = ring[west + 1 < length ? west + 1 : 0];
    const at = ring[west];
    return orientationAt(x, y, before, at, after);
  }

  /** Removes pairs of opposite edges, and unites the owners of each. False if too many edges meet in a vertex. */
  cancel(sets: DisjointSets): boolean {
    this.#reserveLists();
    const { from, to, owner, firstOut, nextOut } = this;
    let steps = this.count * MOST_STEPS;
    const isLeft = this.#isLeft.fill(0, 0, this.count);
    for (let e = 0; e < this.count; e++) {
      let before = NONE;
      let other = firstOut[to[e]];
      while (other !== NONE && to[other] !== from[e]) {
        before = other;
        other = nextOut[other];
        steps--;
      }
      if (steps < 0) return false;
      if (other === NONE) {
        isLeft[e] = 1;
        nextOut[e] = firstOut[from[e]];
        firstOut[from[e]] = e;
        continue;
      }
      if (before === NONE) firstOut[to[e]] = nextOut[other];
      else nextOut[before] = nextOut[other];
      isLeft[other] = 0;
      sets.unite(owner[e], owner[other]);
    }
    this.#keep(isLeft);
    return true;
  }

  #keep(isLeft: Uint8Array): void {
    const { from, to, owner } = this;
    let left = 0;
    for (let e = 0; e < this.count; e++) {
      if (isLeft[e] === 0) continue;
      from[left] = from[e];
      to[left] = to[e];
      owner[left++] = owner[e];
    }
    this.count = left;
    const { firstOut, nextOut, firstIn, nextIn } = this;
    firstOut.fill(NONE, 0, this.vertices.count);
    firstIn.fill(NONE, 0, this.vertices.count);
    for (let e = 0; e < left; e++) {
      nextOut[e] = firstOut[from[e]];
      firstOut[from[e]] = e;
      nextIn[e] = firstIn[to[e]];
      firstIn[to[e]] = e;
    }
  }

  #reserveLists(): void {
    const { count } = this.vertices;
    if (this.firstOut.length < count) {
      this.firstOut = new Int32Array(count * 2);
      this.firstIn = new Int32Array(count * 2);
    }
    this.firstOut.fill(NONE, 0, count);
    if (this.nextOut.length >= this.count) return;
    this.nextOut = new Int32Array(this.count * 2);
    this.nextIn = new Int32Array(this.count * 2);
    this.#isLeft = new Uint8Array(this.count * 2);
  }

  #grow(): void {
    this.from = doubled(this.from);
    this.to = doubled(this.to);
    this.owner = doubled(this.owner);
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(array.length * 2);
  grown.set(array);
  return grown;
}
