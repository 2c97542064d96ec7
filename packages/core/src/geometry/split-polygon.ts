/**
 * Splits a polygon with holes along a line of constant x into polygons on either side of it.
 *
 * Every ring is walked with the interior on its left and split into chains, each on one side. Along the cut, from the
 * lowest crossing up, the interior begins where a chain leaves the left side and ends where one returns to it: so
 * crossings pair up, and a chain that ends at one is continued by the chain that begins at its partner.
 *
 *      left   |   right           crossings by y: #0 leaves the left side, #1 returns, #2 leaves, #3 returns;
 *    <--------#3-------            #0 is joined with #1 and #2 with #3, on both sides of the cut
 *    |   hole |
 *    |   -----#2------>
 *    |        |
 *    |   <----#1-------
 *    ---------#0------>
 *
 * (A cut by clipping against a half-plane would join the pieces of one side by edges along the cut: invalid polygons.)
 */
import { locateInRing, signedArea } from './rings.ts';

/**
 * The shell first, then the holes; each with all ordinates of its positions in one array and its first position
 * repeated.
 */
export type FlatPolygon = number[][];

interface Crossing {
  readonly y: number;
  /** The ring crosses to the right side here. */
  readonly leavesLeft: boolean;
  readonly endingChain: number;
  readonly beginningChain: number;
}

interface Chains {
  /** Positions of each chain, from its first crossing to its last. */
  readonly chains: number[][];
  readonly crossings: Crossing[];
}

/** The polygons on the left (x <= cut), then those on the right; null if rings cross one another at the cut. */
export function splitPolygon(polygon: FlatPolygon, stride: number, cut: number): FlatPolygon[] | null {
  const found: Chains = { chains: [], crossings: [] };
  const wholeHoles: number[][] = [];
  for (let i = 0; i < polygon.length; i++) {
    const ring = oriented(polygon[i], stride, i === 0);
    const isCut = appendChains(ring, stride, cut, found);
    if (isCut) continue;
    if (i === 0) return [polygon];
    wholeHoles.push(ring);
  }
  const shells = joinChains(found, stride, cut);
  if (shells === null) return null;
  const pieces: FlatPolygon[] = shells.map((shell) => [shell]);
  for (const hole of wholeHoles) {
    const owner = pieces.find(([shell]) => contains(shell, hole, stride));
    if (owner === undefined) return null;
    owner.push(hole);
  }
  return pieces;
}

/** Orients the ring so that its interior is on the left: shells counter-clockwise, holes clockwise. */
function oriented(ring: number[], stride: number, isShell: boolean): number[] {
  const area = signedArea(Float64Array.from(ring), stride, 0, ring.length / stride);
  if (area > 0 === isShell) return ring;
  const reversed: number[] = [];
  for (let at = ring.length - stride; at >= 0; at -= stride)
    for (let i = 0; i < stride; i++) reversed.push(ring[at + i]);
  return reversed;
}

/** Splits a ring into chains; positions on the cut count as left. Returns false for a ring on one side of the cut. */
function appendChains(ring: number[], stride: number, cut: number, found: Chains): boolean {
  const count = ring.length / stride - 1;
  const isLeft = (i: number): boolean => ring[(i % count) * stride] <= cut;
  let start = 0;
  while (start < count && isLeft(start) === isLeft(start + 1)) start++;
  if (start === count) return false;
  const { chains, crossings } = found;
  const firstChain = chains.length;
  let chain: number[] = [];
  for (let step = 0; step < count; step++) {
    const i = start + step;
    const from = (i % count) * stride;
    const to = ((i + 1) % count) * stride;
    if (step > 0) appendPosition(chain, ring, from, stride);
    if (isLeft(i) === isLeft(i + 1)) continue;
    const crossing = positionAt(ring, from, to, stride, cut);
    if (step > 0) {
      appendPosition(chain, crossing, 0, stride);
      chains.push(chain);
    }
    crossings.push({
      y: crossing[1],
      leavesLeft: isLeft(i),
      endingChain: chains.length - 1,
      beginningChain: chains.length,
    });
    chain = [...crossing];
  }
  // The walk began at a crossing, so the last chain ends there.
  appendPosition(chain, ring, (start % count) * stride, stride);
  const first = crossings.findIndex(({ beginningChain }) => beginningChain === firstChain);
  appendPosition(chain, chains[firstChain], 0, stride);
  chains.push(chain);
  crossings[first] = { ...crossings[first], endingChain: chains.length - 1 };
  return true;
}

/** Appends a position unless it equals the last one of the chain. */
function appendPosition(chain: number[], source: readonly number[], at: number, stride: number): void {
  const last = chain.length - stride;
  if (last >= 0 && chain[last] === source[at] && chain[last + 1] === source[at + 1]) return;
  for (let i = 0; i < stride; i++) chain.push(source[at + i]);
}

/** The point where the edge between two positions crosses the cut. */
function positionAt(
  ring: readonly number[],
  from: number,
  to: number,
  stride: number,
  cut: number,
): number[] {
  const t = (cut - ring[from]) / (ring[to] - ring[from]);
  const position = [cut];
  for (let i = 1; i < stride; i++) {
    const a = ring[from + i];
    const b = ring[to + i];
    position.push(t === 0 ? a : t === 1 ? b : a + (b - a) * t);
  }
  return position;
}

function joinChains({ chains, crossings }: Chains, stride: number, cut: number): number[][] | null {
  const sorted = [...crossings].sort((a, b) => a.y - b.y);
  for (let i = 0; i < sorted.length; i++) {
    const leaves = i % 2 === 0;
    if (sorted[i].leavesLeft === leaves) continue;
    // Several crossings at one point: their order only shows beside the cut, where leaving and returning alternate.
    const other = sorted.findIndex((candidate, j) => j > i && candidate.leavesLeft === leaves);
    if (other < 0 || sorted[other].y !== sorted[i].y) return null;
    [sorted[i], sorted[other]] = [sorted[other], sorted[i]];
  }
  const following = new Array<number>(chains.length);
  for (let i = 0; i < sorted.length; i += 2) {
    following[sorted[i].endingChain] = sorted[i + 1].beginningChain;
    following[sorted[i + 1].endingChain] = sorted[i].beginningChain;
  }
  const isUsed = new Array<boolean>(chains.length).fill(false);
  const shells: { readonly ring: number[]; readonly isLeft: boolean }[] = [];
  for (let first = 0; first < chains.length; first++) {
    if (isUsed[first]) continue;
    const ring: number[] = [];
    for (let chain = first; !isUsed[chain]; chain = following[chain]) {
      isUsed[chain] = true;
      const positions = chains[chain];
      for (let at = 0; at < positions.length; at += stride) appendPosition(ring, positions, at, stride);
    }
    appendPosition(ring, ring, 0, stride);
    const area = signedArea(Float64Array.from(ring), stride, 0, ring.length / stride);
    // A ring that only touches the cut leaves a piece without area on the other side.
    if (ring.length < 4 * stride || area === 0) continue;
    if (area < 0) return null;
    shells.push({ ring, isLeft: ring.every((x, i) => i % stride !== 0 || x <= cut) });
  }
  return [...shells.filter(({ isLeft }) => isLeft), ...shells.filter(({ isLeft }) => !isLeft)].map(
    ({ ring }) => ring,
  );
}

function contains(shell: readonly number[], hole: readonly number[], stride: number): boolean {
  const coordinates = Float64Array.from(shell);
  for (let at = 0; at < hole.length; at += stride) {
    const side = locateInRing(hole[at], hole[at + 1], coordinates, stride, 0, shell.length / stride);
    if (side !== 0) return side > 0;
  }
  return true;
}
