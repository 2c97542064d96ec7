/** Which edges between two longitudes cross the antimeridian, and on which turn around the Earth a longitude is. */

/** Beyond 180 by no more than this is rounding, in degrees: such longitudes become 180 and nothing is cut. */
const ROUNDING = 1e-9;

/** A meridian at which geometries are cut, in the unit of the longitudes. */
export interface Seam {
  /** Its longitude, or that longitude and any number of whole turns. */
  readonly at: number;
  /** A whole turn around the Earth: 360 degrees, 400 grads. */
  readonly turn: number;
}

export const ANTIMERIDIAN: Seam = { at: 180, turn: 360 };

/**
 * Whether the edge between two longitudes crosses the antimeridian: more than 180 degrees apart, the short way is the one over 180.
 * An edge of 360 degrees runs around the Earth.
 */
export function isCrossing(x1: number, x2: number): boolean {
  const distance = Math.abs(x1 - x2);
  return distance > 180 && distance < 360;
}

/** So near to the corner of a map of the world, in degrees, about a kilometre: maps that a datum shift moved end before the corner. */
const CORNER = 0.01;

/**
 * As `isCrossing`, but not for an edge from one corner of a map of the world to the other, along a pole: areas around a pole, such as Antarctica,
 * are often closed by it, and are to stay as they are.
 */
export function isCrossingEdge(x1: number, y1: number, x2: number, y2: number): boolean {
  return isCrossing(x1, x2) && !(isCorner(x1, y1) && isCorner(x2, y2) && y1 > 0 === y2 > 0);
}

function isCorner(x: number, y: number): boolean {
  return Math.abs(x) >= 180 - CORNER && Math.abs(y) >= 90 - CORNER;
}

/** Longitudes that are beyond 180 only by rounding become 180. */
export function snapped(x: number): number {
  if (x > 180 && x <= 180 + ROUNDING) return 180;
  return x < -180 && x >= -180 - ROUNDING ? -180 : x;
}

/** How many whole turns a longitude lies east of the turn that ends at the seam. */
export function turnOf(x: number, { at, turn }: Seam = ANTIMERIDIAN): number {
  return Math.floor((x - at) / turn) + 1;
}

/** The seams strictly between two longitudes, in the order from the first to the second. */
export function cutsBetween(from: number, to: number, { at, turn }: Seam = ANTIMERIDIAN): number[] {
  const cuts: number[] = [];
  const low = Math.min(from, to);
  const high = Math.max(from, to);
  for (let cut = at + turn * Math.floor((low - at) / turn); cut < high; cut += turn)
    if (cut > low) cuts.push(cut);
  return from <= to ? cuts : cuts.reverse();
}

/**
 * A longitude moved by whole turns. The sum rounds at 1e-13 degrees; rounded to 1e-12 it gives the decimal that the longitude was
 * written as.
 */
export function movedBy(x: number, turns: number, { turn }: Seam = ANTIMERIDIAN): number {
  return turns === 0 ? x : Number((x + turn * turns).toFixed(12));
}

/** Linear interpolation that returns the ends exactly. */
export function mix(a: number, b: number, t: number): number {
  return t === 0 ? a : t === 1 ? b : a + (b - a) * t;
}
