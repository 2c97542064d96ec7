/** Positions on the border of a map that its transformation to another map rejects, because rounding moved them beyond it. */
import { type GeometryColumn, strideOf } from '../geometry/geometry-column.ts';
import type { Seam } from './crossing.ts';
import { isOnSeam } from './edge-sides.ts';
import type { SpecialRow } from './special-rows.ts';
import type { MovePositions } from './subdivide-edges.ts';

/** Shares of the distance from the origin, at most 2 m, by which a position is moved into the map. */
const INWARD = [1e-12, 1e-10, 1e-9, 1e-8, 1e-7];

export interface Border {
  readonly move: MovePositions;
  readonly fromDegrees: MovePositions;
  readonly seam: Seam;
}

/**
 * Moves positions on the border a little into the map, in place. `degrees`: of the same positions. A position that is not on the target either, such
 * as its antipode, stays as it is.
 */
export function moveIntoMap(
  { coordinates, dimensions }: Pick<GeometryColumn, 'coordinates' | 'dimensions'>,
  degrees: Float64Array,
  { move, fromDegrees, seam }: Border,
): void {
  const stride = strideOf(dimensions);
  const isPlaced = (by: MovePositions, x: number, y: number): boolean => {
    const position = Float64Array.of(x, y);
    by(position, 'XY');
    return Number.isFinite(position[0]) && Number.isFinite(position[1]);
  };
  for (let at = 0; at < coordinates.length; at += stride) {
    if (!isOnSeam(degrees[at], degrees[at + 1], seam)) continue;
    const [x, y] = [coordinates[at], coordinates[at + 1]];
    if (isPlaced(move, x, y) || !isPlaced(fromDegrees, degrees[at], degrees[at + 1])) continue;
    const factors = INWARD.flatMap((share) => [1 - share, 1 + share]);
    const factor = factors.find((one) => isPlaced(move, x * one, y * one));
    if (factor === undefined) continue;
    coordinates[at] = x * factor;
    coordinates[at + 1] = y * factor;
  }
}

/** Empties positions that the transformation rejects, in parts whose pieces are known already. */
export function emptyReplaced(
  { ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  rows: readonly SpecialRow[],
  move: MovePositions,
): void {
  const stride = strideOf(dimensions);
  for (const { parts } of rows)
    for (const { part, pieces } of parts) {
      if (pieces === null) continue;
      const start = coordOffsets[ringOffsets[part]] * stride;
      const end = coordOffsets[ringOffsets[part + 1]] * stride;
      const moved = coordinates.slice(start, end);
      move(moved, dimensions);
      for (let at = 0; at < moved.length; at += stride)
        if (!Number.isFinite(moved[at])) coordinates.fill(Number.NaN, start + at, start + at + 2);
    }
}
