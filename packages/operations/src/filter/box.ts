/** A box as a condition: features whose bounds intersect it, including its border. */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { meetingShifts } from '@geomill/core/sphere/meeting-turns.ts';
import { unwrapped } from '@geomill/core/sphere/unwrap.ts';
import type { TransformPositions } from '../transformation.ts';

/** west, south, east, north. */
export type Box = Readonly<Bounds>;

/** Positions per side; with 256 the bounds of a bent side are found to 0.01 % of the bend. */
const STEPS_PER_SIDE = 256;
/** Halvings to find the last position of a side that can be transformed. */
const HALVINGS = 40;

const TURN = 360;

/** A box in degrees within -180 to 180; two if it crosses the antimeridian, with west greater than east, or goes on beyond 180. */
export function boxesOf([west, south, east, north]: Box): readonly Box[] {
  const width = west <= east ? east - west : east + TURN - west;
  if (width >= TURN) return [[-TURN / 2, south, TURN / 2, north]];
  const isInRange = west >= -TURN / 2 && west <= TURN / 2;
  const from = isInRange ? west : west - TURN * Math.floor((west + TURN / 2) / TURN);
  if (isInRange && west <= east && east <= TURN / 2) return [[west, south, east, north]];
  if (from + width <= TURN / 2) return [[from, south, from + width, north]];
  return [
    [from, south, TURN / 2, north],
    [-TURN / 2, south, from + width - TURN, north],
  ];
}

/** The boxes and their copies a turn away, where data with longitudes beyond 180 degrees has the same places. */
export function withTurns(boxes: readonly Box[]): readonly Box[] {
  return [0, TURN, -TURN].flatMap((by) =>
    boxes.map(([west, south, east, north]): Box => [west + by, south, east + by, north]),
  );
}

/**
 * The bounds of a box of EPSG:4326 in the CRS of the data. Its sides are curved there, so they are followed in small
 * steps, as far as they can be transformed. Throws TRANSFORMATION_INVALID if no position of them can
 * be transformed.
 */
export function transformedBox(box: Box, fromWgs84: TransformPositions, path: string): Box {
  const [west, south, east, north] = box;
  const corners = [west, south, east, south, east, north, west, north, west, south];
  const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  const position = new Float64Array(2);
  const include = (x: number, y: number): boolean => {
    position[0] = x;
    position[1] = y;
    try {
      fromWgs84(position, 'XY');
    } catch {
      return false;
    }
    if (!Number.isFinite(position[0]) || !Number.isFinite(position[1])) return false;
    bounds[0] = Math.min(bounds[0], position[0]);
    bounds[1] = Math.min(bounds[1], position[1]);
    bounds[2] = Math.max(bounds[2], position[0]);
    bounds[3] = Math.max(bounds[3], position[1]);
    return true;
  };
  for (let side = 0; side < 4; side++) {
    const [x1, y1, x2, y2] = corners.slice(2 * side, 2 * side + 4);
    const at = (t: number): boolean => include(x1 + (x2 - x1) * t, y1 + (y2 - y1) * t);
    let wasKnown = at(0);
    for (let step = 1; step <= STEPS_PER_SIDE; step++) {
      const isKnown = at(step / STEPS_PER_SIDE);
      if (isKnown !== wasKnown) findEdge(at, (step - 1) / STEPS_PER_SIDE, step / STEPS_PER_SIDE, wasKnown);
      wasKnown = isKnown;
    }
  }
  if (bounds[0] <= bounds[2]) return bounds;
  throw failure(generalErrors.TRANSFORMATION_INVALID, {
    path: field(path),
    reason: 'lies where the CRS of the data is not defined',
  });
}

/** Finds the end of the transformable part of a side by bisection. */
function findEdge(at: (t: number) => boolean, from: number, to: number, fromIsKnown: boolean): void {
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (from + to) / 2;
    if (at(middle) === fromIsKnown) from = middle;
    else to = middle;
  }
}

/**
 * Clears the rows of `keeps` whose bounds intersect none of the boxes, and rows without a position. `isInDegrees`: features across the
 * antimeridian have their bounds there, and whole turns make no difference.
 */
export function clearOutside(
  keeps: Uint8Array,
  written: GeometryColumn,
  boxes: readonly Box[],
  isInDegrees: boolean,
): void {
  const column = isInDegrees ? unwrapped(written, 'features').geometry : written;
  const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
  const stride = strideOf(column.dimensions);
  const bounds: [number, number, number, number] = [0, 0, 0, 0];
  for (let row = 0; row < keeps.length; row++) {
    if (keeps[row] === 0) continue;
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    let minX = Infinity;
    let minY = Infinity;
    let maxX = -Infinity;
    let maxY = -Infinity;
    for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride; at < end; at += stride) {
      const x = coordinates[at];
      const y = coordinates[at + 1];
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
    }
    let meets = 0;
    for (let i = 0; i < boxes.length; i++) {
      const box = boxes[i];
      if (minX <= box[2] && maxX >= box[0] && minY <= box[3] && maxY >= box[1]) meets = 1;
    }
    if (meets === 0 && isInDegrees) {
      bounds[0] = minX;
      bounds[1] = minY;
      bounds[2] = maxX;
      bounds[3] = maxY;
      if (boxes.some((box) => meetingShifts(bounds, box).length > 0)) meets = 1;
    }
    keeps[row] = meets;
  }
}
