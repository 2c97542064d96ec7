/** Rings with continuous longitudes: they go on over the antimeridian, and may go around a pole. */
import { signedArea } from '../geometry/rings.ts';
import { isCrossingEdge, mix } from './crossing.ts';

/** The sum of a longitude and a turn is rounded; in turns. */
const ROUNDING = 1e-14;

/** How often a closed ring with continuous longitudes goes around the Earth, eastward; null: it is not closed. */
export function windingOf(ordinates: readonly number[], stride: number, turn: number): number | null {
  const last = ordinates.length - stride;
  if (ordinates[1] !== ordinates[last + 1]) return null;
  const turns = (ordinates[last] - ordinates[0]) / turn;
  const winding = Math.round(turns);
  return Math.abs(winding) <= 1 && Math.abs(turns - winding) <= ROUNDING ? winding : null;
}

/**
 * The ring in the direction in which the interior of the polygon is on the left. A ring that goes around the Earth holds the pole that
 * is nearer to it.
 */
export function withInteriorLeft(ring: number[], stride: number, isShell: boolean, turn: number): number[] {
  const winding = windingOf(ring, stride, turn);
  const isLeft =
    winding === 0
      ? areaOf(ring, stride) > 0
      : // Eastward around it, a pole on the left is the north pole.
        (winding === 1) === meanLatitude(ring, stride) > 0;
  return isLeft === isShell ? ring : reversed(ring, stride);
}

function meanLatitude(ring: readonly number[], stride: number): number {
  let sum = 0;
  for (let at = 1; at < ring.length; at += stride) sum += ring[at];
  return sum / (ring.length / stride);
}

export function areaOf(ring: readonly number[], stride: number): number {
  return signedArea(Float64Array.from(ring), stride, 0, ring.length / stride);
}

export function reversed(ring: readonly number[], stride: number): number[] {
  const result: number[] = [];
  for (let at = ring.length - stride; at >= 0; at -= stride)
    for (let i = 0; i < stride; i++) result.push(ring[at + i]);
  return result;
}

/** The ordinates with longitudes that go on where an edge crosses the antimeridian. */
export function unwrapRing(ring: readonly number[], stride: number, turn: number): number[] {
  const result = [...ring];
  const degrees = 360 / turn;
  let turns = 0;
  for (let at = stride; at < ring.length; at += stride) {
    const before = at - stride;
    const [x1, y1, x2, y2] = [ring[before], ring[before + 1], ring[at], ring[at + 1]];
    if (isCrossingEdge(x1 * degrees, y1 * degrees, x2 * degrees, y2 * degrees))
      turns += x1 > 0 ? turn : -turn;
    result[at] += turns;
  }
  return result;
}

/**
 * Edges of half a turn or more are divided: in longitudes that do not go on, as they are written, such an edge would be taken for the short
 * way around the Earth.
 */
export function withShortEdges(ring: readonly number[], stride: number, turn: number): number[] {
  const result = ring.slice(0, stride);
  for (let at = stride; at < ring.length; at += stride) {
    const before = at - stride;
    const share = Math.abs(ring[at] - ring[before]) / turn;
    const count = share < 1 / 2 ? 1 : Math.ceil(share * 3);
    for (let step = 1; step < count; step++)
      for (let i = 0; i < stride; i++) result.push(mix(ring[before + i], ring[at + i], step / count));
    for (let i = 0; i < stride; i++) result.push(ring[at + i]);
  }
  return result;
}

/** The lowest and the highest longitude; inverted infinities without positions. */
export function longitudesOf(ring: readonly number[], stride: number): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < ring.length; at += stride) {
    if (ring[at] < low) low = ring[at];
    if (ring[at] > high) high = ring[at];
  }
  return [low, high];
}
