/**
 * Where edges of rings cross, and how many polygons cover what is beside them: the plane divided by the rings. Which edges cross and in what order
 * they leave a vertex is decided without rounding. What a rounded position could change is not decided at all: edges that touch in any
 * other way are marked as unclear.
 */
import type { DisjointSets } from './disjoint-sets.ts';
import { EdgeGrid } from './edge-grid.ts';
import { EdgeSet } from './edge-set.ts';
import { isBefore, isFolded, MEETING, meetingAt, orientationAt } from './orientation.ts';

const NONE = -1;
/** Crossings per edge; more are left to others, which remove covered edges step by step. */
const MOST_CROSSINGS = 4;
/** Edges that leave or reach one vertex. */
const MOST_ENDS = 64;

export class Arrangement {
  readonly edges = new EdgeSet();
  readonly #grid = new EdgeGrid();

  /** Two edges by crossing, and where it is. */
  crossings = 0;
  pairs = new Uint32Array(256);
  crossX = new Float64Array(128);
  crossY = new Float64Array(128);
  crossZ = new Float64Array(128);
  /** How far along both edges it is, 0 to 1. */
  #along = new Float64Array(256);
  /** By crossing and edge, 1: the other edge comes from the right. */
  #fromRight = new Uint8Array(256);

  /** Pieces of edges between crossings; piece p of edge e: `firstPiece[e] <= p < firstPiece[e + 1]`. */
  pieces = 0;
  firstPiece = new Uint32Array(256);
  /** By piece: its edge, the crossing at its end (crossing * 2 + which of its two edges), -1: the vertex. */
  edgeOf = new Uint32Array(256);
  endOf = new Int32Array(256);
  /** By crossing * 2 + which of its edges: the piece before it; the next piece is the one after it. */
  pieceBefore = new Uint32Array(256);
  /** By piece: how many polygons cover its right side; there is one more on its left side. Meaningless in unclear areas. */
  cover = new Int32Array(256);
  /** By piece: number of the connected area of edges. */
  area = new Int32Array(256);
  areas = 0;
  /** By area, 1: edges touch in another way than at vertices or by crossing. */
  isUnclear = new Uint8Array(64);
  /** By edge that arrives at a vertex: the one that leaves it on the other side of the interior. */
  next = new Uint32Array(256);
  /** By edge: number of polygons at its right at both ends, relative to those west of the vertex. */
  #atStart = new Int32Array(256);
  #atEnd = new Int32Array(256);
  #isUnclearEdge = new Uint8Array(256);
  readonly #ends: number[] = [];
  #stack = new Uint32Array(256);

  /**
   * Of the rings in `edges`. `classOf`: class by owner, null: all are of one; `mayCrossItself`: edges of one owner are
   * compared as well. Unites owners in `sets` that have an area in common, or share a border. False if it gives up: too many
   * edges are close to each other.
   */
  build(classOf: Uint32Array | null, mayCrossItself: boolean, sets: DisjointSets): boolean {
    const { edges } = this;
    if (!edges.cancel(sets)) return false;
    const { owner, vertices, from, to, count } = edges;
    this.#reserve(count);
    this.crossings = 0;
    this.#isUnclearEdge.fill(0, 0, count);
    const edgeClass =
      classOf === null ? null : Uint32Array.from({ length: count }, (_, e) => classOf[owner[e]]);
    this.#grid.build(vertices.x, vertices.y, from, to, count, edgeClass);
    const most = count * MOST_CROSSINGS + 16;
    const isDone = this.#grid.eachPair(mayCrossItself ? null : owner, (e, f) => {
      if (this.#meet(e, f)) sets.unite(owner[e], owner[f]);
      return this.crossings <= most;
    });
    if (!isDone) return false;
    this.#divide();
    this.#sortAtVertices();
    return this.#spread(edgeClass, sets);
  }

  /** Whether the edges cross. Marks those that meet otherwise than in a vertex of both. */
  #meet(e: number, f: number): boolean {
    const { from, to, vertices } = this.edges;
    const { x, y } = vertices;
    const a = from[e];
    const b = to[e];
    const c = from[f];
    const d = to[f];
    if (a === c || a === d || b === c || b === d) {
      if (isFolded(x, y, a, b, c, d)) this.#mark(e, f);
      return false;
    }
    const atC = orientationAt(x, y, a, b, c);
    const atD = orientationAt(x, y, a, b, d);
    if (atC * atD > 0) return false;
    const atA = orientationAt(x, y, c, d, a);
    const atB = orientationAt(x, y, c, d, b);
    if (atA * atB > 0) return false;
    if (atA * atB * atC * atD === 0) {
      if (meetingAt(x, y, a, b, c, d) !== MEETING.none) this.#mark(e, f);
      return false;
    }
    const isPlaced = this.#cross(e, f, atC < 0 ? 1 : 0);
    if (!isPlaced) this.#mark(e, f);
    return isPlaced;
  }

  #mark(e: number, f: number): void {
    this.#isUnclearEdge[e] = 1;
    this.#isUnclearEdge[f] = 1;
  }

  /** False if digits do not suffice to say where. */
  #cross(e: number, f: number, fromRight: number): boolean {
    const { from, to, vertices, z } = this.edges;
    const { x, y } = vertices;
    if (this.crossings * 2 + 2 > this.pairs.length) this.#growCrossings();
    const a = from[e];
    const b = to[e];
    const c = from[f];
    const d = to[f];
    const eX = x[b] - x[a];
    const eY = y[b] - y[a];
    const fX = x[d] - x[c];
    const fY = y[d] - y[c];
    const sideA = fX * (y[a] - y[c]) - fY * (x[a] - x[c]);
    const sideB = fX * (y[b] - y[c]) - fY * (x[b] - x[c]);
    const alongE = within(sideA / (sideA - sideB), 0, 1);
    const pX = within(
      x[a] + alongE * eX,
      Math.max(Math.min(x[a], x[b]), Math.min(x[c], x[d])),
      Math.min(Math.max(x[a], x[b]), Math.max(x[c], x[d])),
    );
    const pY = within(
      y[a] + alongE * eY,
      Math.max(Math.min(y[a], y[b]), Math.min(y[c], y[d])),
      Math.min(Math.max(y[a], y[b]), Math.max(y[c], y[d])),
    );
    const alongF = within(((pX - x[c]) * fX + (pY - y[c]) * fY) / (fX * fX + fY * fY), 0, 1);
    if (!Number.isFinite(alongE + alongF + pX + pY)) return false;
    const crossing = this.crossings++;
    this.pairs[crossing * 2] = e;
    this.pairs[crossing * 2 + 1] = f;
    this.#along[crossing * 2] = alongE;
    this.#along[crossing * 2 + 1] = alongF;
    this.#fromRight[crossing * 2] = fromRight;
    this.#fromRight[crossing * 2 + 1] = 1 - fromRight;
    this.crossX[crossing] = pX;
    this.crossY[crossing] = pY;
    if (z !== null)
      this.crossZ[crossing] = mean(z[a] + alongE * (z[b] - z[a]), z[c] + alongF * (z[d] - z[c]));
    return true;
  }

  /** Divides edges at their crossings. */
  #divide(): void {
    const { count } = this.edges;
    const { firstPiece } = this;
    this.pieces = count + 2 * this.crossings;
    this.#reservePieces(this.pieces);
    firstPiece.fill(1, 0, count);
    for (let i = 0; i < this.crossings * 2; i++) firstPiece[this.pairs[i]]++;
    let sum = 0;
    for (let e = 0; e < count; e++) {
      const own = firstPiece[e];
      firstPiece[e] = sum;
      for (const end = sum + own; sum < end; sum++) this.edgeOf[sum] = e;
      this.endOf[sum - 1] = NONE;
    }
    firstPiece[count] = sum;
    // The pieces of an edge but the last get its crossings, sorted by insertion: there are few.
    this.cover.fill(0, 0, count);
    for (let i = 0; i < this.crossings * 2; i++) {
      const e = this.pairs[i];
      const first = firstPiece[e];
      let at = first + this.cover[e]++;
      for (; at > first && this.#along[this.endOf[at - 1]] > this.#along[i]; at--)
        this.endOf[at] = this.endOf[at - 1];
      this.endOf[at] = i;
    }
    for (let piece = 0; piece < this.pieces; piece++)
      if (this.endOf[piece] !== NONE) this.pieceBefore[this.endOf[piece]] = piece;
  }

  /** Around each vertex, edges that leave it and that reach it must take turns. */
  #sortAtVertices(): void {
    const { from, to, firstOut, nextOut, firstIn, nextIn, vertices, count } = this.edges;
    this.#atStart.fill(0, 0, count);
    this.#atEnd.fill(0, 0, count);
    const ends = this.#ends;
    for (let vertex = 0; vertex < vertices.count; vertex++) {
      const out = firstOut[vertex];
      if (out === NONE) continue;
      if (nextOut[out] === NONE) {
        this.next[firstIn[vertex]] = out;
        continue;
      }
      ends.length = 0;
      // Two numbers per edge: what leaves the vertex, and what arrives.
      for (let e = out; e !== NONE; e = nextOut[e])
        this.#sortIn(e * 2, vertices.x, vertices.y, vertex, to[e]);
      for (let e = firstIn[vertex]; e !== NONE; e = nextIn[e])
        this.#sortIn(e * 2 + 1, vertices.x, vertices.y, vertex, from[e]);
      this.#takeTurns();
    }
  }

  #sortIn(end: number, x: Float64Array, y: Float64Array, vertex: number, other: number): void {
    const { from, to } = this.edges;
    const ends = this.#ends;
    let at = ends.length;
    ends.push(end);
    if (at >= MOST_ENDS) return;
    for (; at > 0; at--) {
      const one = ends[at - 1];
      const far = (one & 1) === 0 ? to[one >> 1] : from[one >> 1];
      if (!isBefore(x, y, vertex, other, far)) break;
      ends[at] = one;
    }
    ends[at] = end;
  }

  #takeTurns(): void {
    const ends = this.#ends;
    let cover = 0;
    let isClear = ends.length <= MOST_ENDS;
    for (let i = 0; i < ends.length; i++) {
      const before = ends[i > 0 ? i - 1 : ends.length - 1];
      const e = ends[i] >> 1;
      if (((before ^ ends[i]) & 1) === 0) isClear = false;
      if ((ends[i] & 1) === 0) this.#atStart[e] = cover++;
      else {
        this.#atEnd[e] = --cover;
        this.next[e] = before >> 1;
      }
    }
    if (!isClear) for (const end of ends) this.#isUnclearEdge[end >> 1] = 1;
  }

  /** Numbers connected areas and spreads cover from piece to piece; a ray from the most western vertex of each gives the rest. */
  #spread(edgeClass: Uint32Array | null, sets: DisjointSets): boolean {
    const { from, vertices } = this.edges;
    this.area.fill(NONE, 0, this.pieces);
    this.areas = 0;
    /** By area: what is missing in its cover, and one of the owners that cover all of it. */
    const offsets: number[] = [];
    const coverers: number[] = [];
    for (let start = 0; start < this.pieces; start++) {
      if (this.area[start] !== NONE) continue;
      const west = this.#spreadFrom(start, this.areas++);
      const x = vertices.x[from[west]];
      const y = vertices.y[from[west]];
      const ofClass = edgeClass === null ? 0 : edgeClass[west];
      const cover = this.#grid.winding(x, y, ofClass, null);
      if (Number.isNaN(cover)) return false;
      offsets.push(cover - this.#coverWestOf(west));
      coverers.push(cover === 0 ? NONE : this.#covererOf(x, y, ofClass, sets));
    }
    this.#complete(offsets, coverers, sets);
    return true;
  }

  /** One of the owners that cover a place; all are united. */
  #covererOf(x: number, y: number, ofClass: number, sets: DisjointSets): number {
    const { owner } = this.edges;
    // By set: an owner of which some edges are missing has no winding number of its own.
    const windings = new Map<number, number>();
    this.#grid.winding(x, y, ofClass, (e, one) => {
      const set = sets.find(owner[e]);
      windings.set(set, (windings.get(set) ?? 0) + one);
    });
    let coverer = NONE;
    for (const [set, winding] of windings) {
      if (winding === 0) continue;
      if (coverer !== NONE) sets.unite(coverer, set);
      coverer = set;
    }
    return coverer;
  }

  #complete(offsets: readonly number[], coverers: readonly number[], sets: DisjointSets): void {
    const { from, owner, firstOut, nextOut } = this.edges;
    for (let piece = 0; piece < this.pieces; piece++) {
      const area = this.area[piece];
      const e = this.edgeOf[piece];
      this.cover[piece] += offsets[area];
      if (coverers[area] !== NONE) sets.unite(coverers[area], owner[e]);
      if (this.#isUnclearEdge[e] === 1) this.isUnclear[area] = 1;
      // Polygons that meet in a point within another one: nothing else would link them with it.
      if (piece === this.firstPiece[e] && this.cover[piece] !== 0 && nextOut[firstOut[from[e]]] !== NONE)
        this.isUnclear[area] = 1;
    }
  }

  /** Returns the edge that leaves the most western vertex. */
  #spreadFrom(start: number, area: number): number {
    const { from, to, firstOut, nextOut, vertices } = this.edges;
    const { x, y } = vertices;
    if (area === this.isUnclear.length) this.isUnclear = doubled8(this.isUnclear);
    this.isUnclear[area] = 0;
    let west = this.edgeOf[start];
    let waiting = 0;
    const reach = (piece: number, cover: number): void => {
      if (this.area[piece] === NONE) {
        this.area[piece] = area;
        this.cover[piece] = cover;
        this.#stack[waiting++] = piece;
      } else if (this.cover[piece] !== cover) this.isUnclear[area] = 1;
    };
    reach(start, 0);
    while (waiting > 0) {
      const piece = this.#stack[--waiting];
      const cover = this.cover[piece];
      const end = this.endOf[piece];
      if (end !== NONE) {
        // An edge that crosses from the right covers its left side, which is before the crossing.
        reach(piece + 1, this.#fromRight[end] === 1 ? cover - 1 : cover + 1);
        reach(this.pieceBefore[end ^ 1] + 1, cover);
        continue;
      }
      const e = this.edgeOf[piece];
      const v = to[e];
      const best = from[west];
      if (x[v] < x[best] || (x[v] === x[best] && y[v] < y[best])) west = firstOut[v];
      const around = cover - this.#atEnd[e];
      for (let f = firstOut[v]; f !== NONE; f = nextOut[f])
        reach(this.firstPiece[f], around + this.#atStart[f]);
    }
    return west;
  }

  /** West of the start of the edge, which is the most western vertex of its area. */
  #coverWestOf(e: number): number {
    const { from, to, firstIn, nextIn, vertices } = this.edges;
    const { x, y } = vertices;
    const cover = this.cover[this.firstPiece[e]] - this.#atStart[e];
    const v = from[e];
    const arriving = firstIn[v];
    // Around a vertex of several edges it is counted from the west on.
    if (nextIn[arriving] !== NONE) return cover;
    const u = from[arriving];
    return orientationAt(x, y, u, v, to[e]) > 0 ? cover : cover + 1;
  }

  #reserve(count: number): void {
    if (this.next.length >= count + 1) return;
    const size = count * 2 + 1;
    this.next = new Uint32Array(size);
    this.#atStart = new Int32Array(size);
    this.#atEnd = new Int32Array(size);
    this.#isUnclearEdge = new Uint8Array(size);
    this.firstPiece = new Uint32Array(size);
  }

  #reservePieces(count: number): void {
    if (this.pieceBefore.length < this.crossings * 2) this.pieceBefore = new Uint32Array(this.crossings * 4);
    if (this.edgeOf.length >= count) return;
    this.edgeOf = new Uint32Array(count * 2);
    this.endOf = new Int32Array(count * 2);
    this.cover = new Int32Array(count * 2);
    this.area = new Int32Array(count * 2);
    this.#stack = new Uint32Array(count * 2);
  }

  #growCrossings(): void {
    const size = this.pairs.length * 2;
    this.pairs = grown(this.pairs, new Uint32Array(size));
    this.crossX = grown(this.crossX, new Float64Array(size / 2));
    this.crossY = grown(this.crossY, new Float64Array(size / 2));
    this.crossZ = grown(this.crossZ, new Float64Array(size / 2));
    this.#along = grown(this.#along, new Float64Array(size));
    this.#fromRight = grown(this.#fromRight, new Uint8Array(size));
  }
}

function within(value: number, least: number, most: number): number {
  return value < least ? least : Math.min(value, most);
}

/** Of the values that are not NaN. */
function mean(a: number, b: number): number {
  return Number.isNaN(a) ? b : Number.isNaN(b) ? a : (a + b) / 2;
}

function doubled8(array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return grown(array, new Uint8Array(array.length * 2));
}

function grown<A extends { set(source: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
