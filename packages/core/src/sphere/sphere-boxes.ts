/**
 * Boxes of features across the antimeridian or around a pole that are not cut there. The box of their positions is around the rest of
 * the Earth:
 *
 *     -180                                    180
 *       | +--------------------------------+ |       positions at 170 and -170, and the box of the positions
 *       |-|                                |-|
 *       |-+--------------------------------+-|       the feature: the box has to reach 180 on both sides
 */
import { type Bounds, positionBounds } from '../geometry/bounds.ts';
import { type GeometryColumn, strideOf } from '../geometry/geometry-column.ts';
import { cutAtAntimeridian } from './cut.ts';

const HALF_TURN = 180;

/** Boxes of the features of a batch in degrees. Features are looked at when the first box is wider than half a turn. */
export class SphereBoxes {
  readonly #column: GeometryColumn;
  #found: ReadonlyMap<number, Bounds> | null = null;

  constructor(column: GeometryColumn) {
    this.#column = column;
  }

  /** A feature has to have a wider box than its positions. */
  get hasAny(): boolean {
    return this.#boxes().size > 0;
  }

  /** `boxes`: minX, minY, maxX, maxY of the positions of a row, at `at`. They are widened to contain the feature. */
  widen(row: number, boxes: Bounds | Float64Array, at = 0): void {
    if (!(boxes[at + 2] - boxes[at] > HALF_TURN)) return;
    const own = this.#boxes().get(row);
    if (own === undefined) return;
    for (let i = 0; i < 2; i++) {
      boxes[at + i] = Math.min(boxes[at + i], own[i]);
      boxes[at + 2 + i] = Math.max(boxes[at + 2 + i], own[2 + i]);
    }
  }

  /** As `widen`, for the bounds of all rows. */
  widenAll(bounds: Bounds): void {
    if (!(bounds[2] - bounds[0] > HALF_TURN)) return;
    for (const [minX, minY, maxX, maxY] of this.#boxes().values()) {
      bounds[0] = Math.min(bounds[0], minX);
      bounds[1] = Math.min(bounds[1], minY);
      bounds[2] = Math.max(bounds[2], maxX);
      bounds[3] = Math.max(bounds[3], maxY);
    }
  }

  #boxes(): ReadonlyMap<number, Bounds> {
    this.#found ??= boxesAcross(this.#column);
    return this.#found;
  }
}

function boxesAcross(column: GeometryColumn): ReadonlyMap<number, Bounds> {
  const { geometry, rows, uncut } = cutAtAntimeridian(column);
  const boxes = new Map<number, Bounds>();
  for (const row of rows) boxes.set(row, boxOfRow(geometry, row));
  for (const row of uncut) {
    const [, minY, , maxY] = boxOfRow(geometry, row);
    boxes.set(row, [-HALF_TURN, minY, HALF_TURN, maxY]);
  }
  return boxes;
}

function boxOfRow(column: GeometryColumn, row: number): Bounds {
  const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const start = coordOffsets[ringOffsets[partOffsets[row]]] * stride;
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  return positionBounds({ coordinates: coordinates.subarray(start, end), dimensions });
}
