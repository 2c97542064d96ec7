/** Areas that reach a pole that a map does not show: Mercator, the other side of a polar map. They end at a parallel near it. */
import { longitudesOf, windingOf } from './loose-rings.ts';
import { LAST_LATITUDE, type MapPoles } from './map-edge.ts';

/** Whether positions reach a pole that the map does not show. `latitudes`: from south to north; `turn`: in their unit. */
export function reachesMissing(
  [south, north]: readonly [number, number],
  { hasNorth, hasSouth }: MapPoles,
  turn: number,
): boolean {
  return (!hasSouth && south <= -turn / 4) || (!hasNorth && north >= turn / 4);
}

/**
 * The parallel near a missing pole at which areas end: 89 degrees, or halfway from the largest latitude of the rings to the pole, so that it
 * does not touch them.
 */
export function lastParallel(rings: readonly (readonly number[])[], stride: number, turn: number): number {
  const least = (LAST_LATITUDE * turn) / 360;
  const pole = turn / 4;
  let largest = 0;
  for (const ring of rings)
    for (let at = 1; at < ring.length; at += stride) {
      const own = Math.abs(ring[at]);
      if (own > largest && own < pole) largest = own;
    }
  return largest < least ? least : (largest + pole) / 2;
}

/** Moves positions at a missing pole to the parallel; returns whether there are any. */
export function endAtParallel(
  coordinates: { [at: number]: number; readonly length: number },
  stride: number,
  turn: number,
  { hasNorth, hasSouth }: MapPoles,
  parallel: number,
): boolean {
  let isMoved = false;
  for (let at = 1; at < coordinates.length; at += stride) {
    const y = coordinates[at];
    if (Math.abs(y) < turn / 4 || (y > 0 ? hasNorth : hasSouth)) continue;
    coordinates[at] = Math.sign(y) * parallel;
    isMoved = true;
  }
  return isMoved;
}

/**
 * For a map without an edge: closing rings around the missing poles that an area holds. `rings`: with their interior on the left, so that
 * the direction of the northernmost and southernmost of those that go around the Earth shows whether the poles are inside; none: the
 * area is the whole Earth.
 */
export function ringsAroundMissing(
  rings: readonly number[][],
  stride: number,
  turn: number,
  { hasNorth, hasSouth }: MapPoles,
): number[][] {
  const around = rings.flatMap((ring) => {
    const winding = windingOf(ring, stride, turn);
    return winding === null || winding === 0 ? [] : [{ winding, north: mostNorthern(ring, stride) }];
  });
  around.sort((a, b) => a.north - b.north);
  const isWhole = rings.length === 0;
  const parallel = lastParallel(rings, stride, turn);
  const closing: number[][] = [];
  const half = turn / 2;
  if (!hasSouth && (isWhole || around[0]?.winding === -1))
    closing.push(edgeOf(-half, half, -parallel, stride));
  if (!hasNorth && (isWhole || around.at(-1)?.winding === 1))
    closing.push(edgeOf(half, -half, parallel, stride));
  return closing;
}

/** Z and M are not known. */
function edgeOf(from: number, to: number, latitude: number, stride: number): number[] {
  const unknown = new Array<number>(stride - 2).fill(Number.NaN);
  return [from, latitude, ...unknown, to, latitude, ...unknown];
}

function mostNorthern(ring: readonly number[], stride: number): number {
  let north = Number.NEGATIVE_INFINITY;
  for (let at = 1; at < ring.length; at += stride) north = Math.max(north, ring[at]);
  return north;
}

/** Whether a ring has longitudes of other turns. */
export function isBeyond(ring: readonly number[], stride: number, half: number): boolean {
  const [low, high] = longitudesOf(ring, stride);
  return low < -half || high > half;
}
