/** Bounds in degrees that meet on the Earth though their longitudes differ by whole turns. */
import type { Bounds } from '../geometry/bounds.ts';

const TURN = 360;
/** Longitudes are up to 540 degrees to both sides. */
const SHIFTS = [0, TURN, -TURN, 2 * TURN, -2 * TURN] as const;
const NONE: readonly number[] = [];
const SAME: readonly number[] = [0];

/** Degrees to add to `own` so that it meets the others, for each way it does; 0 comes first. */
export function meetingShifts(own: Readonly<Bounds>, other: Readonly<Bounds>): readonly number[] {
  if (!(own[1] <= other[3] && own[3] >= other[1])) return NONE;
  const meets = own[0] <= other[2] && own[2] >= other[0];
  // Most bounds are so far from 180 degrees that nothing else can meet.
  if (own[0] + TURN > other[2] && own[2] - TURN < other[0]) return meets ? SAME : NONE;
  return SHIFTS.filter((by) => own[0] + by <= other[2] && own[2] + by >= other[0]);
}
