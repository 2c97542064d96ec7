/**
 * Rounds doubles outward to the 32-bit floats of SQLite's RTree as in rtree.c (RNDTOWARDS, RNDAWAY), so that a row
 * updated through the RTree's triggers gets the same box.
 */
const TOWARDS_ZERO = 1 - 1 / 8388608;
const AWAY_FROM_ZERO = 1 + 1 / 8388608;
/** Smaller floats have fewer digits, and the factors have no effect. */
const SMALLEST_NORMAL = 1.1754943508222875e-38;
const LARGEST_FLOAT = 3.4028234663852886e38;

/** A float that is at most the value. */
export function roundedDown(value: number): number {
  const float = Math.fround(value);
  if (float <= value) return float;
  // SQLite would store infinity for larger values, and then not find the row.
  if (float === Number.POSITIVE_INFINITY) return LARGEST_FLOAT;
  if (Math.abs(value) < SMALLEST_NORMAL) return value < 0 ? -SMALLEST_NORMAL : 0;
  return Math.fround(value * (value < 0 ? AWAY_FROM_ZERO : TOWARDS_ZERO));
}

/** A float that is at least the value. */
export function roundedUp(value: number): number {
  const float = Math.fround(value);
  if (float >= value) return float;
  if (float === Number.NEGATIVE_INFINITY) return -LARGEST_FLOAT;
  if (Math.abs(value) < SMALLEST_NORMAL) return value < 0 ? 0 : SMALLEST_NORMAL;
  return Math.fround(value * (value < 0 ? TOWARDS_ZERO : AWAY_FROM_ZERO));
}
