/** Where the map of a projection ends, found by transforming positions on both sides. */
import type { MovePositions } from './subdivide-edges.ts';

/** Latitudes at which both sides of a meridian are compared, in degrees. */
const LATITUDES = [0, 45, -45, 70, -70];
/** Degrees beside the meridian. */
const BESIDE = 0.01;
/** Two positions 2 * BESIDE apart that are farther than this many times as far on the map are on opposite sides of it. */
const FAR = 100;
/** Degrees from the seam at which positions on it are transformed, so that they are on their side of the map. */
const NUDGES = [0, 1e-11, 1e-8, 1e-5, 1e-3];
/** Areas around a pole that the map cannot show end here, in degrees. */
export const LAST_LATITUDE = 89;
/** A pole that is farther from the latitude a degree before than this many degrees there is not on the map. */
const FAR_POLE = 10;

export interface MapEdge {
  /** Longitude in the unit of the source, where the map ends at the east; a turn before, it begins at the west. */
  readonly at: number;
  /** To be subtracted from it at the east, and added at the west, before positions on it are transformed. */
  readonly nudge: number;
}

/** Which poles are on the map. */
export interface MapPoles {
  readonly hasNorth: boolean;
  readonly hasSouth: boolean;
}

type Place = (longitude: number, latitude: number) => readonly [number, number];

/** `turn`: a whole turn in the unit of the longitudes; latitudes are in degrees. */
function placeWith(move: MovePositions, turn: number): Place {
  return (longitude, latitude) => {
    const position = Float64Array.of(longitude, (latitude * turn) / 360);
    move(position, 'XY');
    return [position[0], position[1]];
  };
}

function apart(a: readonly [number, number], b: readonly [number, number]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/**
 * `central`: the central meridian in the unit of the source. `isPoint`: a pole has to be one point of the map, because the map has no edge
 * on which it is a line.
 */
export function mapPoles(central: number, turn: number, move: MovePositions, isPoint: boolean): MapPoles {
  const place = placeWith(move, turn);
  const hasPole = (sign: number): boolean => {
    const pole = place(central, 90 * sign);
    const last = place(central, LAST_LATITUDE * sign);
    const degree = apart(last, place(central, (LAST_LATITUDE - 1) * sign));
    const isOne = !isPoint || apart(pole, place(central + turn / 4, 90 * sign)) <= degree;
    return isOne && apart(pole, last) <= FAR_POLE * degree;
  };
  return { hasNorth: hasPole(1), hasSouth: hasPole(-1) };
}

/**
 * `opposite`: longitude opposite to the central meridian in the unit of the source, whose whole turn is `turn`. Null: the map goes on
 * there.
 */
export function mapEdgeAt(opposite: number, turn: number, move: MovePositions): MapEdge | null {
  const unit = turn / 360;
  // Half a turn itself is kept by PROJ on the side on which it is.
  const at = opposite <= -turn / 2 + 1e-9 ? turn / 2 : opposite;
  const place = placeWith(move, turn);
  const step = BESIDE * unit;
  // An oblique map of the world ends at this meridian for some latitudes alone.
  const jumps = LATITUDES.flatMap((latitude) => {
    const east = place(at - step, latitude);
    const near = apart(east, place(at - 2 * step, latitude));
    const jump = apart(east, place(at + step, latitude));
    return Number.isNaN(jump) || Number.isNaN(near) ? [] : jump > FAR * near;
  });
  if (jumps.length === 0 || jumps.includes(false)) return null;
  const isOnItsSide = (nudge: number): boolean =>
    LATITUDES.every((latitude) => {
      const [east, west] = [place(at - step, latitude), place(at - turn + step, latitude)];
      const near = apart(east, place(at - 2 * step, latitude));
      const isEast = apart(east, place(at - nudge * unit, latitude)) <= FAR * near;
      return isEast && apart(west, place(at - turn + nudge * unit, latitude)) <= FAR * near;
    });
  const nudge = NUDGES.find(isOnItsSide) ?? NUDGES[NUDGES.length - 1];
  return { at, nudge: nudge * unit };
}
