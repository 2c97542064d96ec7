/**
 * Cuts a polygon of one ring along a polygon of the source without GEOS, where that is simple: the rings cross in two places, or in
 * none, and nothing is so near to anything else that rounding could decide. Anything else is left to GEOS.
 *
 *        +-------------+          Two simple rings that cross twice have one piece in common. Its ring consists of the part
 *        |   feature   |          of the source between the crossings that is inside of the feature, from E, where the ring of
 *    ----E----·        |          the source enters, to L, where it leaves, and of the part of the feature that is inside
 *        |     \       |          of the source, from L to E.
 *        +------L------+
 *                \  source
 */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { BoxIndex } from '../parts/box-index.ts';

/** Of the largest ordinate: what is nearer to an edge is left to GEOS. About 400 times the rounding of a position. */
const NEAR_SHARE = 1e-13;
/** Sine of the angle of a crossing: of smaller ones the position would be too inexact. */
const LEAST_SINE = 1e-3;
/** Edges of a feature: each pair is compared. */
const MAX_EDGES = 32;

export const RELATION = { outside: 0, inside: 1, cut: 2, unsure: 3 } as const;
export type Relation = (typeof RELATION)[keyof typeof RELATION];

/** The edges of a row of the source. */
export class EdgeIndex {
  readonly coordinates: Float64Array;
  /** By edge, which is that from this position after `first` to the next one: first and last position of its ring. */
  readonly ringStarts: Uint32Array;
  readonly ringEnds: Uint32Array;
  readonly first: number;
  /** The last position of every ring is its first one. */
  readonly isClosed: boolean;
  readonly #index: BoxIndex;

  /** XY. */
  constructor({ partOffsets, ringOffsets, coordOffsets, coordinates }: GeometryColumn, row: number) {
    const firstRing = ringOffsets[partOffsets[row]];
    const endRing = ringOffsets[partOffsets[row + 1]];
    const first = coordOffsets[firstRing];
    const count = coordOffsets[endRing] - first;
    const boxes = new Float64Array(count * 4).fill(Number.NaN);
    this.coordinates = coordinates;
    this.first = first;
    this.ringStarts = new Uint32Array(count);
    this.ringEnds = new Uint32Array(count);
    let isClosed = true;
    for (let ring = firstRing; ring < endRing; ring++) {
      const last = coordOffsets[ring + 1] - 1;
      const begin = coordOffsets[ring];
      isClosed &&=
        coordinates[begin * 2] === coordinates[last * 2] &&
        coordinates[begin * 2 + 1] === coordinates[last * 2 + 1];
      for (let position = coordOffsets[ring]; position < last; position++) {
        const edge = position - first;
        const at = position * 2;
        this.ringStarts[edge] = coordOffsets[ring];
        this.ringEnds[edge] = last;
        boxes[edge * 4] = Math.min(coordinates[at], coordinates[at + 2]);
        boxes[edge * 4 + 1] = Math.min(coordinates[at + 1], coordinates[at + 3]);
        boxes[edge * 4 + 2] = Math.max(coordinates[at], coordinates[at + 2]);
        boxes[edge * 4 + 3] = Math.max(coordinates[at + 1], coordinates[at + 3]);
      }
    }
    this.isClosed = isClosed;
    this.#index = new BoxIndex(boxes);
  }

  search(west: number, south: number, east: number, north: number, found: number[]): void {
    this.#index.search(west, south, east, north, found);
  }

  /** Whether the position, which is near no edge, is inside of the polygons. */
  contains(x: number, y: number, found: number[]): boolean {
    this.search(Number.NEGATIVE_INFINITY, y, x, y, found);
    let isInside = false;
    for (const edge of found) {
      const at = (this.first + edge) * 2;
      if (crossesWest(this.coordinates, at, x, y)) isInside = !isInside;
    }
    return isInside;
  }
}

/** Whether the edge at `at` crosses the line from the position to the west. */
function crossesWest(coordinates: Float64Array, at: number, x: number, y: number): boolean {
  const px = coordinates[at];
  const py = coordinates[at + 1];
  const qx = coordinates[at + 2];
  const qy = coordinates[at + 3];
  if (py > y === qy > y) return false;
  const side = (qx - px) * (y - py) - (qy - py) * (x - px);
  // The position is to the right of an edge that goes up.
  return qy > py ? side < 0 : side > 0;
}

/** A proper crossing of an edge of the source and one of the feature. */
interface Crossing {
  /** Position that the edge of the source begins at. */
  position: number;
  /** Number of the edge of the feature. */
  edge: number;
  /** Where on the edges, 0 to 1. */
  onSource: number;
  onFeature: number;
  /** Whether the ring of the source enters the feature. */
  enters: boolean;
  x: number;
  y: number;
}

const newCrossing = (): Crossing => ({
  position: 0,
  edge: 0,
  onSource: 0,
  onFeature: 0,
  enters: false,
  x: 0,
  y: 0,
});

export class RingCutter {
  /** The closed ring of the feature. */
  readonly #own = new Float64Array((MAX_EDGES + 1) * 2);
  readonly #lengths = new Float64Array(MAX_EDGES);
  /** Number of edges. */
  #count = 0;
  #near = 0;
  #isCounterclockwise = false;
  #bounds: Readonly<Bounds> = [0, 0, 0, 0];
  readonly #crossings: readonly [Crossing, Crossing] = [newCrossing(), newCrossing()];
  /** The ring of the piece, and how much of it is used. */
  #piece = new Float64Array(256);
  #length = 0;
  readonly #found: number[] = [];

  /** Takes the feature that `relate` compares. False: it is not a polygon of one simple ring with few positions, in XY. */
  load(column: GeometryColumn, row: number, bounds: Readonly<Bounds>): boolean {
    const { types, dimensions, partOffsets, ringOffsets, coordOffsets, coordinates } = column;
    if (types[row] !== GEOMETRY_TYPE.polygon || dimensions !== 'XY') return false;
    const ring = ringOffsets[partOffsets[row]];
    if (ringOffsets[partOffsets[row] + 1] !== ring + 1) return false;
    const first = coordOffsets[ring];
    const count = coordOffsets[ring + 1] - first - 1;
    if (count < 3 || count > MAX_EDGES) return false;
    const own = this.#own;
    for (let i = 0; i < (count + 1) * 2; i++) own[i] = coordinates[first * 2 + i];
    if (own[0] !== own[count * 2] || own[1] !== own[count * 2 + 1]) return false;
    const [west, south, east, north] = bounds;
    const largest = Math.max(Math.abs(west), Math.abs(south), Math.abs(east), Math.abs(north));
    if (!Number.isFinite(largest)) return false;
    this.#count = count;
    this.#bounds = bounds;
    this.#near = NEAR_SHARE * largest;
    let twice = 0;
    let length = 0;
    for (let edge = 0, at = 0; edge < count; edge++, at += 2) {
      const dx = own[at + 2] - own[at];
      const dy = own[at + 3] - own[at + 1];
      this.#lengths[edge] = Math.sqrt(dx * dx + dy * dy);
      length += this.#lengths[edge];
      twice += (own[at] - own[0]) * dy - (own[at + 1] - own[1]) * dx;
    }
    this.#isCounterclockwise = twice > 0;
    return Math.abs(twice) > this.#near * length && this.#isSimple();
  }

  /** How the feature lies to a valid polygon: `cut` has a piece in common with it, the one that `width` and `appendTo` are about. */
  relate(source: EdgeIndex): Relation {
    if (!source.isClosed) return RELATION.unsure;
    const near = this.#near;
    const own = this.#own;
    const [west, south, east, north] = this.#bounds;
    const found = this.#found;
    source.search(west - near, south - near, east + near, north + near, found);
    const { coordinates, first, ringStarts } = source;
    let count = 0;
    let ring = -1;
    let isOfOneRing = true;
    let hasRingInside = false;
    for (const edge of found) {
      const position = first + edge;
      const at = position * 2;
      if (ringStarts[edge] !== ring) {
        isOfOneRing = ring === -1;
        ring = ringStarts[edge];
        // Of a ring without crossings all positions are inside of the feature, or none.
        hasRingInside ||= this.#contains(coordinates[at], coordinates[at + 1]);
      }
      const crossed = this.#cross(coordinates, at, count);
      if (crossed < 0) return RELATION.unsure;
      for (let i = count; i < count + crossed; i++) this.#crossings[i].position = position;
      count += crossed;
    }
    const [one, other] = this.#crossings;
    if (count === 0) {
      if (hasRingInside) return RELATION.unsure;
    } else if (count !== 2 || !isOfOneRing || one.enters === other.enters) return RELATION.unsure;
    const isFirstInside = source.contains(own[0], own[1], found);
    if (count === 0) return isFirstInside ? RELATION.inside : RELATION.outside;
    this.#compose(source, one.enters ? one : other, one.enters ? other : one, isFirstInside);
    return RELATION.cut;
  }

  /** Mean width of the piece: twice its area by its perimeter. */
  get width(): number {
    const piece = this.#piece;
    let twice = 0;
    let length = 0;
    for (let at = 0; at + 2 < this.#length; at += 2) {
      const dx = piece[at + 2] - piece[at];
      const dy = piece[at + 3] - piece[at + 1];
      twice += (piece[at] - piece[0]) * dy - (piece[at + 1] - piece[1]) * dx;
      length += Math.sqrt(dx * dx + dy * dy);
    }
    return length === 0 ? 0 : Math.abs(twice) / length;
  }

  appendTo(builder: GeometryBuilder): void {
    for (let at = 0; at < this.#length; at += 2) builder.position(this.#piece[at], this.#piece[at + 1]);
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.polygon);
  }

  /** Number of crossings with the edge of the source at `at`, which are added after the first `count`; -1: more than two, or unsure. */
  #cross(coordinates: Float64Array, at: number, count: number): number {
    const near = this.#near;
    const own = this.#own;
    const px = coordinates[at];
    const py = coordinates[at + 1];
    const qx = coordinates[at + 2];
    const qy = coordinates[at + 3];
    const dx = qx - px;
    const dy = qy - py;
    const length = Math.sqrt(dx * dx + dy * dy);
    const least = near * length;
    const west = Math.min(px, qx) - near;
    const south = Math.min(py, qy) - near;
    const east = Math.max(px, qx) + near;
    const north = Math.max(py, qy) + near;
    let crossed = 0;
    for (let edge = 0, to = 0; edge < this.#count; edge++, to += 2) {
      const ax = own[to];
      const ay = own[to + 1];
      const bx = own[to + 2];
      const by = own[to + 3];
      if ((ax < west && bx < west) || (ax > east && bx > east)) continue;
      if ((ay < south && by < south) || (ay > north && by > north)) continue;
      const sideA = dx * (ay - py) - dy * (ax - px);
      const sideB = dx * (by - py) - dy * (bx - px);
      if (Math.abs(sideA) <= least || Math.abs(sideB) <= least) return -1;
      // If both are farther away than `near`, on one side, then so is all of the edge.
      if (sideA > 0 === sideB > 0) continue;
      const ex = bx - ax;
      const ey = by - ay;
      const sideP = ex * (py - ay) - ey * (px - ax);
      const sideQ = ex * (qy - ay) - ey * (qx - ax);
      const leastOwn = near * this.#lengths[edge];
      if (Math.abs(sideP) <= leastOwn || Math.abs(sideQ) <= leastOwn) return -1;
      if (sideP > 0 === sideQ > 0) continue;
      if (Math.abs(dx * ey - dy * ex) < LEAST_SINE * length * this.#lengths[edge]) return -1;
      if (count + crossed === 2) return -1;
      const crossing = this.#crossings[count + crossed++];
      crossing.edge = edge;
      crossing.onFeature = sideA / (sideA - sideB);
      crossing.onSource = sideP / (sideP - sideQ);
      crossing.enters = sideQ > 0 === this.#isCounterclockwise;
      // Features and polygons that share an edge get the same position, whatever its direction in their rings.
      if (ax < bx || (ax === bx && ay < by)) place(crossing, px, py, qx, qy, ax, ay, ex, ey);
      else place(crossing, px, py, qx, qy, bx, by, -ex, -ey);
    }
    return crossed;
  }

  /** The ring of the piece, closed. */
  #compose(
    { coordinates, first, ringStarts, ringEnds }: EdgeIndex,
    entry: Crossing,
    exit: Crossing,
    isFirstInside: boolean,
  ): void {
    const own = this.#own;
    this.#length = 0;
    this.#push(entry.x, entry.y);
    if (entry.position !== exit.position || entry.onSource > exit.onSource) {
      const start = ringStarts[entry.position - first];
      const last = ringEnds[entry.position - first];
      for (let position = entry.position; ; ) {
        position = position + 1 === last ? start : position + 1;
        this.#push(coordinates[position * 2], coordinates[position * 2 + 1]);
        if (position === exit.position) break;
      }
    }
    this.#push(exit.x, exit.y);
    const isEntryFirst =
      entry.edge < exit.edge || (entry.edge === exit.edge && entry.onFeature < exit.onFeature);
    const before = isEntryFirst ? entry : exit;
    const after = isEntryFirst ? exit : entry;
    // The positions between the crossings, or those before and after them, in the direction of the ring.
    const from = isFirstInside ? after.edge + 1 : before.edge + 1;
    const steps = isFirstInside ? this.#count - (after.edge - before.edge) : after.edge - before.edge;
    const isForward = isFirstInside === (exit === after);
    for (let step = 0; step < steps; step++) {
      const position = (from + (isForward ? step : steps - 1 - step)) % this.#count;
      this.#push(own[position * 2], own[position * 2 + 1]);
    }
    this.#push(entry.x, entry.y);
  }

  #push(x: number, y: number): void {
    if (this.#length === this.#piece.length) {
      const grown = new Float64Array(this.#length * 2);
      grown.set(this.#piece);
      this.#piece = grown;
    }
    this.#piece[this.#length++] = x;
    this.#piece[this.#length++] = y;
  }

  /** Whether a position that is near no edge is inside of the feature. */
  #contains(x: number, y: number): boolean {
    const [west, south, east, north] = this.#bounds;
    if (x < west || x > east || y < south || y > north) return false;
    let isInside = false;
    for (let at = 0; at < this.#count * 2; at += 2)
      if (crossesWest(this.#own, at, x, y)) isInside = !isInside;
    return isInside;
  }

  /** Whether no edge comes near another one but its neighbours, and none goes back along the one before. */
  #isSimple(): boolean {
    const own = this.#own;
    const count = this.#count;
    const near = this.#near;
    for (let i = 0; i < count; i++) {
      const at = i * 2;
      const px = own[at];
      const py = own[at + 1];
      const dx = own[at + 2] - px;
      const dy = own[at + 3] - py;
      const least = near * this.#lengths[i];
      if (this.#lengths[i] <= near) return false;
      const next = (i + 1) % count;
      const nx = own[next * 2 + 2] - own[next * 2];
      const ny = own[next * 2 + 3] - own[next * 2 + 1];
      const turn = dx * ny - dy * nx;
      if (Math.abs(turn) <= LEAST_SINE * this.#lengths[i] * this.#lengths[next] && dx * nx + dy * ny < 0)
        return false;
      for (let j = i + 2; j < count; j++) {
        if (i === 0 && j === count - 1) continue;
        const to = j * 2;
        const sideA = dx * (own[to + 1] - py) - dy * (own[to] - px);
        const sideB = dx * (own[to + 3] - py) - dy * (own[to + 2] - px);
        if (sideA > 0 === sideB > 0 && Math.abs(sideA) > least && Math.abs(sideB) > least) continue;
        const ex = own[to + 2] - own[to];
        const ey = own[to + 3] - own[to + 1];
        const leastOther = near * this.#lengths[j];
        const sideP = ex * (py - own[to + 1]) - ey * (px - own[to]);
        const sideQ = ex * (own[at + 3] - own[to + 1]) - ey * (own[at + 2] - own[to]);
        if (sideP > 0 === sideQ > 0 && Math.abs(sideP) > leastOther && Math.abs(sideQ) > leastOther) continue;
        return false;
      }
    }
    return true;
  }
}

/** Sets the position of the crossing of the edge p-q with the line through a in the direction e, from the lesser end of p-q. */
function place(
  crossing: Crossing,
  px: number,
  py: number,
  qx: number,
  qy: number,
  ax: number,
  ay: number,
  ex: number,
  ey: number,
): void {
  const isFirst = px < qx || (px === qx && py < qy);
  const ux = isFirst ? px : qx;
  const uy = isFirst ? py : qy;
  const vx = isFirst ? qx : px;
  const vy = isFirst ? qy : py;
  const sideU = ex * (uy - ay) - ey * (ux - ax);
  const sideV = ex * (vy - ay) - ey * (vx - ax);
  const share = sideU / (sideU - sideV);
  crossing.x = ux + share * (vx - ux);
  crossing.y = uy + share * (vy - uy);
}
