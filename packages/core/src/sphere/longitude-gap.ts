/** The largest gap between longitudes: a plane that begins there has features of all longitudes in one piece. */

const TURN = 360;
/** Gaps that differ by no more are equally large, in degrees. */
const EQUAL = 1e-9;

/** Intervals of longitudes, from west to east; the east may be more than 180. */
export class LongitudeIntervals {
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  add(west: number, east: number): void {
    if (!(east >= west)) return;
    this.#starts.push(west);
    this.#lengths.push(east - west);
  }

  /**
   * The longitude of the middle of the largest gap, from -180 on, below 180; -180 if that is in a gap as large as any other, or if
   * there is no gap.
   */
  seam(): number {
    return this.#largest().seam;
  }

  /** Width of the largest gap; 0: there is none. */
  width(): number {
    return this.#largest().width;
  }

  /** A longitude within a gap: -180 if that is in one, else the middle of the largest. Null: there is no gap. */
  cleanSeam(): number | null {
    const { width, seam, isBroken } = this.#largest();
    if (width <= EQUAL) return null;
    return isBroken ? seam : -TURN / 2;
  }

  /** `isBroken`: an interval has -180 inside, or begins or ends there. */
  #largest(): { readonly width: number; readonly seam: number; readonly isBroken: boolean } {
    const order = this.#starts.map((start, i) => [start - TURN * turnsOf(start), this.#lengths[i]] as const);
    order.sort((a, b) => a[0] - b[0]);
    const last = order.reduce((east, [start, length]) => Math.max(east, start + length), -Infinity);
    if (order.length === 0 || order.some(([, length]) => length >= TURN))
      return { width: 0, seam: -TURN / 2, isBroken: order.length > 0 };
    let reached = last - TURN;
    const isBroken = reached >= -TURN / 2 || order[0][0] <= -TURN / 2;
    // The gap around -180, if there is one, comes first and wins over others of the same size.
    let best = { width: 0, seam: -TURN / 2 };
    for (const [i, [start, length]] of order.entries()) {
      const width = start - reached;
      if (width > best.width + EQUAL)
        best = { width, seam: i === 0 && reached <= -TURN / 2 ? -TURN / 2 : reached + width / 2 };
      reached = Math.max(reached, start + length);
    }
    return { ...best, isBroken };
  }
}

/** Number of whole turns that a longitude is away from [-180, 180). */
function turnsOf(longitude: number): number {
  return Math.floor((longitude + TURN / 2) / TURN);
}

/** Degrees to add to an interval, whole turns, so that it begins at the seam or up to a turn east of it. */
export function shiftTo(seam: number, west: number): number {
  return -TURN * Math.floor((west - seam) / TURN) + 0;
}
