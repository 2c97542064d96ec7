/**
 * Cuts the rings of polygons at a seam, and closes rings that go around a pole along it.
 *
 *      the turn between two seams                   Every ring is walked with the interior on its left, and is divided
 *      +--------north pole--------+                 into chains, each within one turn. A chain that ends at the border
 *      |                          |                 of the turn is continued along the border, counter-clockwise, by
 *      |  <------ #1 -----------  |  a hole         the chain that begins there next. On its way the border passes
 *      |            around a pole |                 the poles: so areas around a pole, with or without holes around
 *      |  ------- #0 ---------->  |  the shell      it, need no rule of their own. Here chain #0 ends at the east
 *      |                          |                 border, where #1 begins, and #1 ends at the west border, where
 *      +--------south pole--------+                 #0 begins: a band.
 */
import { locateInRing } from '../geometry/rings.ts';
import type { FlatPolygon } from '../geometry/split-polygon.ts';
import { mix, movedBy, type Seam } from './crossing.ts';
import { areaOf, longitudesOf } from './loose-rings.ts';

/** The border of a turn, counter-clockwise from its south-east corner; the poles themselves have length 1. */
class Border {
  readonly #seam: Seam;
  /** Latitude of the poles, or where the closing line runs near them. */
  readonly #pole: number;

  constructor(seam: Seam, pole: number) {
    this.#seam = seam;
    this.#pole = pole;
  }

  get length(): number {
    return 4 * this.#pole + 2;
  }

  placeOf(isEast: boolean, y: number): number {
    const within = Math.max(-this.#pole, Math.min(this.#pole, y));
    return isEast ? within + this.#pole : 3 * this.#pole + 1 - within;
  }

  /** Longitude and latitude of the corners between two places; `to` may be less than `from`. */
  cornersBetween(from: number, to: number): [number, number][] {
    const { at, turn } = this.#seam;
    const pole = this.#pole;
    const corners: [number, number, number][] = [
      [2 * pole, at, pole],
      [2 * pole + 1, at - turn, pole],
      [4 * pole + 1, at - turn, -pole],
      [this.length, at, -pole],
    ];
    const end = to < from ? to + this.length : to;
    const found: [number, number][] = [];
    for (const lap of [0, this.length])
      for (const [place, x, y] of corners) if (place + lap >= from && place + lap <= end) found.push([x, y]);
    return found;
  }
}

/** Areas up to this, in square units of the coordinates, are rounding. */
const NO_AREA = 1e-12;
/** Pieces along the seam that are narrower are rounding, in units of the coordinates: 10 micrometres. */
const NO_WIDTH = 1e-10;

interface Chain {
  /** Positions from border to border. */
  readonly positions: number[];
  /** Places on the border. */
  readonly start: number;
  readonly end: number;
}

/**
 * The polygons of closed rings. The rings have their interior on the left and continuous longitudes: the last position of a ring
 * is the first, or the first moved by a whole turn. The results are in the turn that ends at the seam. Null if rings cross one another
 * at the seam, or if a hole is in no shell. `pole`: latitude of the north pole, or of the parallel near it along which areas are closed.
 */
export function cutRings(
  rings: readonly (readonly number[])[],
  stride: number,
  seam: Seam,
  pole: number,
): FlatPolygon[] | null {
  const border = new Border(seam, pole);
  const chains: Chain[] = [];
  const shells: number[][] = [];
  const holes: number[][] = [];
  for (const ring of rings) {
    const found = chainsOf(ring, stride, seam, border);
    if (found !== null) for (const chain of found) chains.push(chain);
    else {
      const whole = withinTurn(ring, stride, seam);
      (areaOf(whole, stride) < 0 ? holes : shells).push(whole);
    }
  }
  const joined = joinChains(chains, stride, border);
  if (joined === null) return null;
  const pieces: FlatPolygon[] = [...joined, ...shells].map((shell) => [shell]);
  for (const hole of holes) {
    const owner = ownerOf(pieces, hole, stride);
    if (owner === undefined) return null;
    owner.push(hole);
  }
  return pieces;
}

/** The polygon with the smallest of the shells around a hole. */
export function ownerOf(
  pieces: readonly FlatPolygon[],
  hole: readonly number[],
  stride: number,
): FlatPolygon | undefined {
  let owner: FlatPolygon | undefined;
  for (const piece of pieces)
    if (
      contains(piece[0], hole, stride) &&
      (owner === undefined || areaOf(piece[0], stride) < areaOf(owner[0], stride))
    )
      owner = piece;
  return owner;
}

/** Null: the ring does not cross the seam. */
function chainsOf(ring: readonly number[], stride: number, seam: Seam, border: Border): Chain[] | null {
  // Positions on the seam count as west of it.
  const turnAt = (at: number): number => Math.ceil((ring[at] - seam.at) / seam.turn);
  const chains: Chain[] = [];
  let turn = turnAt(0);
  let start = Number.NaN;
  let positions: number[] = [];
  appendPosition(positions, ring, 0, stride, movedBy(ring[0], -turn, seam));
  for (let at = stride; at < ring.length; at += stride) {
    const next = turnAt(at);
    while (turn !== next) {
      const isEastward = next > turn;
      const crossing = crossingOf(ring, at, stride, seam.at + seam.turn * (isEastward ? turn : turn - 1));
      appendPosition(positions, crossing, 0, stride, isEastward ? seam.at : seam.at - seam.turn);
      chains.push({ positions, start, end: border.placeOf(isEastward, crossing[1]) });
      start = border.placeOf(!isEastward, crossing[1]);
      positions = [];
      appendPosition(positions, crossing, 0, stride, isEastward ? seam.at - seam.turn : seam.at);
      turn += isEastward ? 1 : -1;
    }
    // The last position is the first again, perhaps a turn away.
    if (at + stride < ring.length)
      appendPosition(positions, ring, at, stride, movedBy(ring[at], -turn, seam));
  }
  if (chains.length === 0) return null;
  // The walk began within a chain: its end is the beginning of the first one.
  const [first] = chains;
  for (let at = 0; at < first.positions.length; at += stride)
    appendPosition(positions, first.positions, at, stride, first.positions[at]);
  chains[0] = { positions, start, end: first.end };
  return chains;
}

/** The position at longitude `cut` on the edge that ends at `at`. */
function crossingOf(ring: readonly number[], at: number, stride: number, cut: number): number[] {
  const x1 = ring[at - stride];
  const t = (cut - x1) / (ring[at] - x1);
  const position: number[] = [cut];
  for (let i = 1; i < stride; i++) position.push(mix(ring[at - stride + i], ring[at + i], t));
  return position;
}

/** Appends a position at longitude `x`, unless it equals the last one. */
function appendPosition(
  chain: number[],
  source: readonly number[],
  at: number,
  stride: number,
  x: number,
): void {
  const last = chain.length - stride;
  if (last >= 0 && chain[last] === x && chain[last + 1] === source[at + 1]) return;
  chain.push(x);
  for (let i = 1; i < stride; i++) chain.push(source[at + i]);
}

/** Joins chains along the border to shells; null if they cross one another. */
function joinChains(chains: readonly Chain[], stride: number, border: Border): number[][] | null {
  const following = followingChains(chains);
  if (following === null) return null;
  const shells: number[][] = [];
  const isUsed = new Array<boolean>(chains.length).fill(false);
  for (let first = 0; first < chains.length; first++) {
    if (isUsed[first]) continue;
    const ring: number[] = [];
    for (let i = first; !isUsed[i]; i = following[i]) {
      isUsed[i] = true;
      const { positions, end } = chains[i];
      for (let at = 0; at < positions.length; at += stride)
        appendPosition(ring, positions, at, stride, positions[at]);
      for (const [x, y] of border.cornersBetween(end, chains[following[i]].start)) {
        const corner = ring.slice(-stride);
        corner[1] = y;
        appendPosition(ring, corner, 0, stride, x);
      }
    }
    appendPosition(ring, ring, 0, stride, ring[0]);
    const area = areaOf(ring, stride);
    // A ring that only touches the border leaves a piece without area in the other turn.
    if (ring.length < 4 * stride || Math.abs(area) < NO_AREA + NO_WIDTH * heightOf(ring, stride)) continue;
    if (area < 0) return null;
    shells.push(ring);
  }
  return shells;
}

function heightOf(ring: readonly number[], stride: number): number {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = 1; at < ring.length; at += stride) {
    low = Math.min(low, ring[at]);
    high = Math.max(high, ring[at]);
  }
  return high - low;
}

/** For each chain the one that begins next on the border after its end; null if ends and beginnings do not alternate. */
function followingChains(chains: readonly Chain[]): number[] | null {
  const events = chains
    .flatMap(({ start, end }, chain) => [
      { place: end, isEnd: true, chain },
      { place: start, isEnd: false, chain },
    ])
    .sort((a, b) => a.place - b.place || Number(b.isEnd) - Number(a.isEnd));
  const first = events.findIndex(({ isEnd }) => isEnd);
  const around = [...events.slice(first), ...events.slice(0, first)];
  const following = new Array<number>(chains.length);
  for (let i = 0; i < around.length; i++) {
    const isEnd = i % 2 === 0;
    if (around[i].isEnd !== isEnd) {
      // Several at one place: ends and beginnings alternate there.
      const other = around.findIndex((event, j) => j > i && event.isEnd === isEnd);
      if (other < 0 || around[other].place !== around[i].place) return null;
      [around[i], around[other]] = [around[other], around[i]];
    }
    if (!isEnd) following[around[i - 1].chain] = around[i].chain;
  }
  return following;
}

/** A ring that does not cross the seam, moved by whole turns to the turn that ends at it. */
export function withinTurn(ring: readonly number[], stride: number, seam: Seam): number[] {
  const [low, high] = longitudesOf(ring, stride);
  const turns = Math.ceil(((low + high) / 2 - seam.at) / seam.turn);
  return ring.map((ordinate, i) => (i % stride === 0 ? movedBy(ordinate, -turns, seam) : ordinate));
}

function contains(shell: readonly number[], hole: readonly number[], stride: number): boolean {
  const coordinates = Float64Array.from(shell);
  for (let at = 0; at < hole.length; at += stride) {
    const side = locateInRing(hole[at], hole[at + 1], coordinates, stride, 0, shell.length / stride);
    if (side !== 0) return side > 0;
  }
  return true;
}
