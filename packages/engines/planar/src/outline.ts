/**
 * The union of polygons from the arrangement of their edges: the pieces of edges that no polygon covers on their right, joined to rings. Their
 * positions are those of the polygons and rounded crossings, so rings are compared with each other once more.
 *
 * Polygons that meet in points only stay apart. Polygons that meet in a way that the arrangement cannot judge are left out,
 * together with all that they share an area or a border with.
 */
import { type GeometryBuilder, hasZ, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { Arrangement } from './arrangement.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { EdgeGrid } from './edge-grid.ts';
import type { EdgeSet } from './edge-set.ts';
import { isFolded, MEETING, meetingAt, orientationAt } from './orientation.ts';

const NONE = -1;
/** Positions of a ring that is not closed. */
const LEAST_POSITIONS = 3;

export class Outline {
  readonly #arrangement = new Arrangement();
  readonly #grid = new EdgeGrid();
  #sets = new DisjointSets(0);
  #isUnclear = new Uint8Array(0);
  /** Rings, not closed: ring r has the positions `[ringStarts[r], ringStarts[r + 1])`. */
  #rings = 0;
  #ringStarts = new Uint32Array(64);
  /** By ring: the set of polygons. */
  #setOf = new Uint32Array(64);
  #isShell = new Uint8Array(64);
  #positions = 0;
  #x = new Float64Array(256);
  #y = new Float64Array(256);
  #z = new Float64Array(256);
  /** By position: vertex, or the number of vertices + crossing; its ring; itself and the next position of the ring. */
  #number = new Uint32Array(256);
  #ringOf = new Uint32Array(256);
  #own = new Uint32Array(256);
  #next = new Uint32Array(256);
  /** By piece, 1: in a ring. */
  #isTraced = new Uint8Array(256);
  /** Numbers, as of positions, on the way around an interior. */
  #walk = new Uint32Array(256);
  #walked = 0;
  /** By vertex of several edges, its index in the walk, + 1. */
  #seenAt = new Uint32Array(256);

  /** Rings are added to it; owners are numbers below the count that `unite` gets. */
  begin(withZ: boolean): EdgeSet {
    this.#arrangement.edges.clear(withZ);
    return this.#arrangement.edges;
  }

  /** See Arrangement. False if it is left to others altogether. */
  unite(owners: number, classOf: Uint32Array | null, mayCrossItself: boolean): boolean {
    const sets = new DisjointSets(owners);
    this.#sets = sets;
    this.#isUnclear = new Uint8Array(owners);
    const arrangement = this.#arrangement;
    if (!arrangement.build(classOf, mayCrossItself, sets)) return false;
    const { edges, edgeOf, area, isUnclear } = arrangement;
    for (let piece = 0; piece < arrangement.pieces; piece++)
      if (isUnclear[area[piece]] === 1) this.reject(edges.owner[edgeOf[piece]]);
    if (!this.#trace()) return false;
    if (arrangement.crossings > 0) this.#verify();
    return true;
  }

  /** The first polygon of the set of those that are one now. */
  setOf(owner: number): number {
    return this.#sets.find(owner);
  }

  /** Whether the outline of the set is known. */
  isClear(owner: number): boolean {
    return this.#isUnclear[this.#sets.find(owner)] === 0;
  }

  /** Numbers of the rings by set, the shell first. */
  ringsBySet(): Map<number, number[]> {
    const rings = new Map<number, number[]>();
    for (let ring = 0; ring < this.#rings; ring++) {
      const own = rings.get(this.#setOf[ring]);
      if (own === undefined) rings.set(this.#setOf[ring], [ring]);
      else if (this.#isShell[ring] === 0) own.push(ring);
      else own.unshift(ring);
    }
    return rings;
  }

  /** Appends rings of a set as a part: shells go counter-clockwise, holes clockwise. */
  appendPart(rings: readonly number[], builder: GeometryBuilder): void {
    const withZ = hasZ(builder.dimensions);
    for (const ring of rings) {
      const start = this.#ringStarts[ring];
      const end = this.#ringStarts[ring + 1];
      for (let i = start; i <= end; i++) {
        const at = i < end ? i : start;
        if (withZ) builder.position(this.#x[at], this.#y[at], this.#z[at]);
        else builder.position(this.#x[at], this.#y[at]);
      }
      builder.endRing();
    }
    builder.endPart(PART_KIND.polygon);
  }

  /** Leaves the set of a polygon to others. */
  reject(owner: number): void {
    this.#isUnclear[owner] = 1;
    this.#isUnclear[this.#sets.find(owner)] = 1;
  }

  /** All rings of the sets that are clear so far. False unless each has exactly one shell. */
  #trace(): boolean {
    const { pieces, cover, edgeOf, edges } = this.#arrangement;
    this.#rings = 0;
    this.#positions = 0;
    if (this.#isTraced.length < pieces) this.#isTraced = new Uint8Array(pieces * 2);
    if (this.#seenAt.length < edges.vertices.count) this.#seenAt = new Uint32Array(edges.vertices.count * 2);
    this.#isTraced.fill(0, 0, pieces);
    const shells = new Uint32Array(this.#isUnclear.length);
    const hasEdges = new Uint8Array(this.#isUnclear.length);
    for (let piece = 0; piece < pieces; piece++) {
      const set = this.#sets.find(edges.owner[edgeOf[piece]]);
      if (this.#isUnclear[set] === 1) continue;
      hasEdges[set] = 1;
      if (cover[piece] !== 0 || this.#isTraced[piece] === 1) continue;
      const before = this.#rings;
      this.#traceFrom(piece, set);
      for (let ring = before; ring < this.#rings; ring++) shells[set] += this.#isShell[ring];
    }
    for (let set = 0; set < shells.length; set++)
      if (hasEdges[set] === 1 && this.isClear(set) && shells[set] !== 1) return false;
    return true;
  }

  /** A walk along the border of one interior. Where it comes to a vertex again, what is between is a ring of its own. */
  #traceFrom(first: number, set: number): void {
    const { edges, edgeOf, endOf, firstPiece, pieceBefore, next } = this.#arrangement;
    this.#walked = 0;
    let piece = first;
    do {
      if (this.#isTraced[piece] === 1)
        throw new Error('the outline of polygons does not lead back to its start');
      this.#isTraced[piece] = 1;
      const e = edgeOf[piece];
      if (this.#walked === this.#walk.length)
        this.#walk = grown(this.#walk, new Uint32Array(this.#walked * 2));
      if (piece !== firstPiece[e])
        this.#walk[this.#walked++] = edges.vertices.count + (endOf[piece - 1] >> 1);
      else this.#visit(edges.from[e], set);
      const end = endOf[piece];
      piece = end === NONE ? firstPiece[next[e]] : pieceBefore[end ^ 1] + 1;
    } while (piece !== first);
    this.#cutRing(0, set);
  }

  #visit(vertex: number, set: number): void {
    const { firstOut, nextOut } = this.#arrangement.edges;
    if (nextOut[firstOut[vertex]] !== NONE) {
      if (this.#seenAt[vertex] > 0) this.#cutRing(this.#seenAt[vertex] - 1, set);
      this.#seenAt[vertex] = this.#walked + 1;
    }
    this.#walk[this.#walked++] = vertex;
  }

  /** The walk from an index on becomes a ring. */
  #cutRing(from: number, set: number): void {
    const { edges, crossX, crossY, crossZ } = this.#arrangement;
    const { vertices, z } = edges;
    const { count, x, y } = vertices;
    const ring = this.#rings;
    if (ring + 1 >= this.#ringStarts.length) this.#growRings();
    while (this.#positions + this.#walked - from > this.#x.length) this.#growPositions();
    const start = this.#positions;
    this.#ringStarts[ring] = start;
    for (let i = from; i < this.#walked; i++) {
      const number = this.#walk[i];
      const at = this.#positions;
      if (number < count) {
        this.#seenAt[number] = 0;
        this.#x[at] = x[number];
        this.#y[at] = y[number];
        if (z !== null) this.#z[at] = z[number];
      } else {
        this.#x[at] = crossX[number - count];
        this.#y[at] = crossY[number - count];
        if (z !== null) this.#z[at] = crossZ[number - count];
      }
      this.#number[at] = number;
      this.#ringOf[at] = ring;
      this.#own[at] = at;
      this.#next[at] = at + 1;
      if (at === start || !this.#isSame(at, at - 1)) this.#positions++;
    }
    this.#walked = from;
    if (this.#positions - start > 1 && this.#isSame(start, this.#positions - 1)) this.#positions--;
    this.#endRing(ring, set);
  }

  #isSame(a: number, b: number): boolean {
    return this.#x[a] === this.#x[b] && this.#y[a] === this.#y[b];
  }

  #endRing(ring: number, set: number): void {
    const start = this.#ringStarts[ring];
    const end = this.#positions;
    const turn = end - start < LEAST_POSITIONS ? 0 : this.#turn(start, end);
    // Rounding has closed it.
    if (turn === 0) {
      this.reject(set);
      this.#positions = start;
      return;
    }
    this.#next[end - 1] = start;
    if (this.#hasCrossingAtVertex(start, end)) this.reject(set);
    this.#setOf[ring] = set;
    this.#isShell[ring] = turn > 0 ? 1 : 0;
    this.#ringStarts[++this.#rings] = end;
  }

  /** Whether rounding could have changed the order of edges around a vertex of several edges. */
  #hasCrossingAtVertex(start: number, end: number): boolean {
    const { crossings, edges } = this.#arrangement;
    if (crossings === 0) return false;
    const { firstOut, nextOut, vertices } = edges;
    for (let i = start; i < end; i++) {
      const a = this.#number[i];
      const b = this.#number[this.#next[i]];
      if (a >= vertices.count === b >= vertices.count) continue;
      if (nextOut[firstOut[Math.min(a, b)]] !== NONE) return true;
    }
    return false;
  }

  /** 1: counter-clockwise. */
  #turn(start: number, end: number): number {
    const x = this.#x;
    const y = this.#y;
    let west = start;
    for (let i = start + 1; i < end; i++)
      if (x[i] < x[west] || (x[i] === x[west] && y[i] < y[west])) west = i;
    const before = west > start ? west - 1 : end - 1;
    const after = west + 1 < end ? west + 1 : start;
    return orientationAt(x, y, before, west, after);
  }

  /** Rejects the sets of rings that touch after rounding, other than in a vertex or crossing. */
  #verify(): void {
    const x = this.#x;
    const y = this.#y;
    const next = this.#next;
    const number = this.#number;
    const rejectBoth = (a: number, b: number): void => {
      this.reject(this.#setOf[this.#ringOf[a]]);
      this.reject(this.#setOf[this.#ringOf[b]]);
    };
    this.#grid.build(x, y, this.#own, next, this.#positions, null);
    const isDone = this.#grid.eachPair(null, (a, b) => {
      const c = next[a];
      const d = next[b];
      const isJoined =
        number[a] === number[b] ||
        number[a] === number[d] ||
        number[c] === number[b] ||
        number[c] === number[d];
      if (!isJoined) {
        if (meetingAt(x, y, a, c, b, d) !== MEETING.none) rejectBoth(a, b);
      } else if (this.#isFolded(a, c, b, d)) rejectBoth(a, b);
      return true;
    });
    if (!isDone) this.#isUnclear.fill(1);
  }

  #isFolded(a: number, c: number, b: number, d: number): boolean {
    const number = this.#number;
    const atStart = number[a] === number[b] || number[a] === number[d];
    const at = atStart ? a : c;
    const other = number[at] === number[b] ? d : b;
    return isFolded(this.#x, this.#y, at, atStart ? c : a, at, other);
  }

  #growRings(): void {
    const size = this.#ringStarts.length * 2;
    this.#ringStarts = grown(this.#ringStarts, new Uint32Array(size));
    this.#setOf = grown(this.#setOf, new Uint32Array(size));
    this.#isShell = grown(this.#isShell, new Uint8Array(size));
  }

  #growPositions(): void {
    const size = this.#x.length * 2;
    this.#x = grown(this.#x, new Float64Array(size));
    this.#y = grown(this.#y, new Float64Array(size));
    this.#z = grown(this.#z, new Float64Array(size));
    this.#number = grown(this.#number, new Uint32Array(size));
    this.#ringOf = grown(this.#ringOf, new Uint32Array(size));
    this.#own = grown(this.#own, new Uint32Array(size));
    this.#next = grown(this.#next, new Uint32Array(size));
  }
}

function grown<A extends { set(source: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
