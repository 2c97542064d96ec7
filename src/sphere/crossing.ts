/** Which edges between two longitudes cross the antimeridian, and on which turn around the Earth a longitude is. */

/** Only edges between longitudes of at least this can cross, in degrees; RFC 7946's own examples lie exactly here. */
export const NEAR = 170;
/** Beyond 180 by no more than this is rounding, in degrees: such longitudes become 180 and nothing is cut. */
const ROUNDING = 1e-9;

export function isCrossing(x1: number, x2: number): boolean {
  if (!((x1 >= NEAR && x2 <= -NEAR) || (x1 <= -NEAR && x2 >= NEAR))) return false;
  const distance = Math.abs(x1 - x2);
  return distance > 180 && distance < 360;
}

/** Longitudes that are beyond 180 only by rounding become 180. */
export function snapped(x: number): number {
  if (x > 180 && x <= 180 + ROUNDING) return 180;
  return x < -180 && x >= -180 - ROUNDING ? -180 : x;
}

/** How many whole turns a longitude lies from [-180, 180). */
export function turnOf(x: number): number {
  return Math.floor((x + 180) / 360);
}
