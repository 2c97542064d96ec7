/**
 * Cells over longitudes: where the grid of a layer begins and ends on the Earth. It begins after the largest gap between features, so
 * that the cells of features on both sides of 180 degrees are beside each other.
 */
import { LongitudeIntervals } from '@geomill/core/sphere/longitude-gap.ts';

const TURN = 360;
const BINS = 3600;
const ROUNDING = 1e-9;

/** Brings a longitude to -180 or more, below 180. */
export function inRange(x: number): number {
  return x >= -TURN / 2 && x < TURN / 2 ? x : x - TURN * Math.floor((x + TURN / 2) / TURN);
}

/** Number of cells around the Earth; null: the last one would not end where the first begins. */
export function cellsAround(size: number): number | null {
  const count = Math.round(TURN / size);
  return count > 0 && Math.abs(TURN / size - count) < ROUNDING * count ? count : null;
}

/** West and east of features, by the longitude of their centres, which is in range. */
export class FeatureLongitudes {
  readonly #west = new Float64Array(BINS).fill(Number.POSITIVE_INFINITY);
  readonly #east = new Float64Array(BINS).fill(Number.NEGATIVE_INFINITY);

  add(centre: number, west: number, east: number): void {
    const bin = Math.min(BINS - 1, Math.floor(((centre + TURN / 2) / TURN) * BINS));
    this.#west[bin] = Math.min(this.#west[bin], west);
    this.#east[bin] = Math.max(this.#east[bin], east);
  }

  /**
   * The longitude at which the grid begins, and its extent from there on. Features with centres west of the seam are a turn further east.
   * `leastGap`: with a smaller one, the grid begins at -180.
   */
  extent(leastGap: number): { readonly seam: number; readonly west: number; readonly east: number } {
    const intervals = new LongitudeIntervals();
    for (let bin = 0; bin < BINS; bin++) intervals.add(this.#west[bin], this.#east[bin]);
    const seam = intervals.width() < leastGap ? -TURN / 2 : intervals.seam();
    let [west, east] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let bin = 0; bin < BINS; bin++) {
      if (this.#west[bin] > this.#east[bin]) continue;
      // The seam is in no interval: the centres of a bin are on one side of it.
      const shift = (this.#west[bin] + this.#east[bin]) / 2 < seam ? TURN : 0;
      west = Math.min(west, this.#west[bin] + shift);
      east = Math.max(east, this.#east[bin] + shift);
    }
    return { seam, west, east };
  }
}
