/** A box as a condition: features whose bounds intersect it, including its border. */
import { type GeometryColumn, strideOf } from '../../batch/geometry-column.ts';
import { failure } from '../../errors.ts';
import { field } from '../../message.ts';
import type { TransformPositions } from '../transformation.ts';

/** west, south, east, north. */
export type Box = readonly [number, number, number, number];

/** Positions per side; with 256 the bounds of a bent side are found to 0.01 % of the bend. */
const STEPS_PER_SIDE = 256;
/** Halvings to find the last position of a side that can be transformed. */
const HALVINGS = 40;

/** A box across the antimeridian, with west greater than east, as two boxes. */
export function boxesOf([west, south, east, north]: Box): readonly Box[] {
  if (west <= east) return [[west, south, east, north]];
  return [
    [west, south, 180, north],
    [-180, south, east, north],
  ];
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
  throw failure('TRANSFORMATION_INVALID', {
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

/** Clears the rows of `keeps` whose bounds intersect none of the boxes, and rows without a position. */
export function clearOutside(keeps: Uint8Array, column: GeometryColumn, boxes: readonly Box[]): void {
  const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
  const stride = strideOf(column.dimensions);
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
    keeps[row] = meets;
  }
}
