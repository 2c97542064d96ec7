/**
 * Opens polygons that were cut at the antimeridian or closed along a pole: for maps that do not end there.
 *
 *      180|-180                                     The edges on both sides of the antimeridian cancel one another, those along a
 *    --*  |  *--                --*-----*--         pole are dropped, and rings continue on the other side: around the Earth, if
 *      |  |  |          ==>                         they were closed along a pole.
 *    --*  |  *--                --*-----*--
 */
import { movedBy } from './crossing.ts';

/** The whole globe, which has no outline. */
export const GLOBE = 'globe';

/**
 * `rings`: closed, with their interior on the left. Null if there is nothing to open: no edge has its counterpart on the other side, a turn
 * away, or rings do not continue there. Results have continuous longitudes.
 */
export function openCuts(
  rings: readonly (readonly number[])[],
  stride: number,
  turn: number,
): number[][] | typeof GLOBE | null {
  const found = new Edges(rings, stride, turn);
  if (!found.hasCounterparts) return null;
  // An area that only touches a pole keeps its edge there.
  return openedBy(found, rings, stride, turn, true) ?? openedBy(found, rings, stride, turn, false);
}

function openedBy(
  found: Edges,
  rings: readonly (readonly number[])[],
  stride: number,
  turn: number,
  dropsPoles: boolean,
): number[][] | typeof GLOBE | null {
  const opened: number[][] = [];
  const chains: number[][] = [];
  for (const ring of rings) {
    const own = found.chainsOf(ring, dropsPoles);
    if (own === null) opened.push([...ring]);
    else for (const chain of own) chains.push(chain);
  }
  const joined = joinChains(chains, stride, turn);
  if (joined === null) return null;
  for (const ring of joined) opened.push(ring);
  return opened.length === 0 ? GLOBE : opened;
}

class Edges {
  readonly #stride: number;
  readonly #turn: number;
  /** Of edges along a meridian. */
  readonly #keys = new Set<string>();
  hasCounterparts = false;

  constructor(rings: readonly (readonly number[])[], stride: number, turn: number) {
    this.#stride = stride;
    this.#turn = turn;
    for (const ring of rings)
      for (let at = stride; at < ring.length; at += stride)
        if (this.#isAlong(ring, at)) this.#keys.add(keyOf(ring[at], ring[at - stride + 1], ring[at + 1]));
    for (const ring of rings)
      for (let at = stride; at < ring.length; at += stride)
        if (this.#hasCounterpart(ring, at)) this.hasCounterparts = true;
  }

  /** The chains of edges that stay; null: all do. */
  chainsOf(ring: readonly number[], dropsPoles: boolean): number[][] | null {
    const stride = this.#stride;
    const count = ring.length / stride - 1;
    const isDropped = (edge: number): boolean => {
      const at = ((edge % count) + 1) * stride;
      return this.#hasCounterpart(ring, at) || (dropsPoles && this.#isAtPole(ring, at));
    };
    let first = 0;
    while (first < count && !isDropped(first)) first++;
    if (first === count) return null;
    const chains: number[][] = [];
    let chain: number[] = [];
    for (let edge = first; edge < first + count; edge++) {
      if (isDropped(edge)) {
        if (chain.length > 0) chains.push(chain);
        chain = [];
        continue;
      }
      const at = (edge % count) * stride;
      if (chain.length === 0) for (let i = 0; i < stride; i++) chain.push(ring[at + i]);
      for (let i = 0; i < stride; i++) chain.push(ring[at + stride + i]);
    }
    if (chain.length > 0) chains.push(chain);
    return chains;
  }

  #isAlong(ring: readonly number[], at: number): boolean {
    return ring[at] === ring[at - this.#stride];
  }

  #hasCounterpart(ring: readonly number[], at: number): boolean {
    if (!this.#isAlong(ring, at)) return false;
    const [x, y, yBefore] = [ring[at], ring[at + 1], ring[at - this.#stride + 1]];
    return [x - this.#turn, x + this.#turn].some((other) => this.#keys.has(keyOf(other, y, yBefore)));
  }

  #isAtPole(ring: readonly number[], at: number): boolean {
    return Math.abs(ring[at + 1]) === this.#turn / 4 && ring[at + 1] === ring[at - this.#stride + 1];
  }
}

function keyOf(x: number, fromY: number, toY: number): string {
  return `${roundedLongitude(x)} ${fromY} ${toY}`;
}

/** Sums of longitudes and turns differ in the last bit. */
function roundedLongitude(x: number): number {
  return Math.round(x * 1e9);
}

function placeOf(x: number, y: number): string {
  return `${roundedLongitude(x)} ${y}`;
}

/** Null if a chain does not continue on the other side. */
function joinChains(chains: readonly number[][], stride: number, turn: number): number[][] | null {
  const byStart = new Map(chains.map((chain, i) => [placeOf(chain[0], chain[1]), i]));
  if (byStart.size < chains.length) return null;
  const isUsed = new Array<boolean>(chains.length).fill(false);
  const rings: number[][] = [];
  for (let first = 0; first < chains.length; first++) {
    if (isUsed[first]) continue;
    const ring: number[] = [];
    let turns = 0;
    for (let i = first; !isUsed[i]; ) {
      isUsed[i] = true;
      const chain = chains[i];
      // The first position of a further chain is the last one of the chain before.
      for (let at = ring.length === 0 ? 0 : stride; at < chain.length; at += stride) {
        ring.push(movedBy(chain[at], turns, { at: turn / 2, turn }));
        for (let axis = 1; axis < stride; axis++) ring.push(chain[at + axis]);
      }
      const end = chain.length - stride;
      const east = byStart.get(placeOf(chain[end] - turn, chain[end + 1]));
      const next = east ?? byStart.get(placeOf(chain[end] + turn, chain[end + 1]));
      if (next === undefined || (isUsed[next] && next !== first)) return null;
      turns += east === undefined ? -1 : 1;
      i = next;
    }
    rings.push(ring);
  }
  return rings;
}
