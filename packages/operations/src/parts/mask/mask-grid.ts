/**
 * A raster over a mask that decides most features by their bounds alone. Cells that the outline of the mask touches
 * are undecided, all others are completely inside or outside:
 *
 *     . . . ? ? .        . outside   ? the outline   # inside
 *     . ? ? # # ?
 *     ? # # # # ?        Bounds over # only are inside, over . only outside; sums over the cells above and to the
 *     . ? ? ? ? .        left of each corner give the answer in four additions, however many cells the bounds cover.
 */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';

export const PLACE = { outside: 0, inside: 1, border: 2 } as const;
export type Place = (typeof PLACE)[keyof typeof PLACE];

/** Cells along each side: more cells leave fewer features undecided, at little cost (1.6 MB, some milliseconds). */
const SIDE = 512;
/** Rounding error of a position, in cells. */
const SLACK = 1e-6;

export class MaskGrid {
  readonly bounds: Bounds;
  readonly #columnsPerUnit: number;
  readonly #rowsPerUnit: number;
  readonly #cells = new Uint8Array(SIDE * SIDE);
  /** At (column, row): cells left of the column and below the row that are not inside, and not outside. */
  readonly #notInside = new Int32Array((SIDE + 1) * (SIDE + 1));
  readonly #notOutside = new Int32Array((SIDE + 1) * (SIDE + 1));

  /** Of valid polygons, XY; `bounds` are theirs. */
  constructor(polygons: GeometryColumn, bounds: Bounds) {
    this.bounds = bounds;
    // A mask without extent has no inside, so the scale is arbitrary.
    this.#columnsPerUnit = SIDE / (bounds[2] - bounds[0]) || 1;
    this.#rowsPerUnit = SIDE / (bounds[3] - bounds[1]) || 1;
    this.#fill(polygons);
    this.#markOutline(polygons);
    this.#sum();
  }

  /** Whether the bounds are inside or outside; border if undecided or NaN. */
  placeOfBounds(minX: number, minY: number, maxX: number, maxY: number): Place {
    const [west, south, east, north] = this.bounds;
    if (maxX < west || minX > east || maxY < south || minY > north) return PLACE.outside;
    if (!(minX <= maxX && minY <= maxY)) return PLACE.border;
    const left = this.#columnOf(minX - west);
    const right = this.#columnOf(maxX - west) + 1;
    const below = this.#rowOf(minY - south);
    const above = this.#rowOf(maxY - south) + 1;
    if (countOf(this.#notOutside, left, below, right, above) === 0) return PLACE.outside;
    const isWithin = minX >= west && maxX <= east && minY >= south && maxY <= north;
    if (isWithin && countOf(this.#notInside, left, below, right, above) === 0) return PLACE.inside;
    return PLACE.border;
  }

  placeOfPosition(x: number, y: number): Place {
    const [west, south, east, north] = this.bounds;
    if (x < west || x > east || y < south || y > north) return PLACE.outside;
    if (!(x >= west && y >= south)) return PLACE.border;
    return this.#cells[this.#rowOf(y - south) * SIDE + this.#columnOf(x - west)] as Place;
  }

  #columnOf(dx: number): number {
    return cellOf(dx * this.#columnsPerUnit);
  }

  #rowOf(dy: number): number {
    return cellOf(dy * this.#rowsPerUnit);
  }

  /** Marks as inside the cells whose centre is, by the crossings of the outline with the middle of each row. */
  #fill({ coordOffsets, coordinates }: GeometryColumn): void {
    const [west, south] = this.bounds;
    const crossings: number[][] = Array.from({ length: SIDE }, () => []);
    for (let ring = 0; ring + 1 < coordOffsets.length; ring++) {
      for (let i = coordOffsets[ring] + 1; i < coordOffsets[ring + 1]; i++) {
        const u1 = (coordinates[i * 2 - 2] - west) * this.#columnsPerUnit;
        const v1 = (coordinates[i * 2 - 1] - south) * this.#rowsPerUnit - 0.5;
        const u2 = (coordinates[i * 2] - west) * this.#columnsPerUnit;
        const v2 = (coordinates[i * 2 + 1] - south) * this.#rowsPerUnit - 0.5;
        const last = Math.min(SIDE, Math.ceil(Math.max(v1, v2)));
        for (let row = Math.max(0, Math.ceil(Math.min(v1, v2))); row < last; row++) {
          crossings[row].push(u1 + ((row - v1) / (v2 - v1)) * (u2 - u1));
        }
      }
    }
    for (let row = 0; row < SIDE; row++) {
      const sorted = Float64Array.from(crossings[row]).sort();
      for (let i = 0; i + 1 < sorted.length; i += 2) {
        const start = row * SIDE + Math.max(0, Math.ceil(sorted[i] - 0.5));
        const end = row * SIDE + Math.min(SIDE, Math.ceil(sorted[i + 1] - 0.5));
        if (start < end) this.#cells.fill(PLACE.inside, start, end);
      }
    }
  }

  /** Marks every cell that the outline touches, and cells that it may touch by rounding. */
  #markOutline({ coordOffsets, coordinates }: GeometryColumn): void {
    const [west, south] = this.bounds;
    for (let ring = 0; ring + 1 < coordOffsets.length; ring++) {
      for (let i = coordOffsets[ring] + 1; i < coordOffsets[ring + 1]; i++) {
        this.#markEdge(
          (coordinates[i * 2 - 2] - west) * this.#columnsPerUnit,
          (coordinates[i * 2 - 1] - south) * this.#rowsPerUnit,
          (coordinates[i * 2] - west) * this.#columnsPerUnit,
          (coordinates[i * 2 + 1] - south) * this.#rowsPerUnit,
        );
      }
    }
  }

  #markEdge(u1: number, v1: number, u2: number, v2: number): void {
    const firstRow = cellOf(Math.min(v1, v2) - SLACK);
    const lastRow = cellOf(Math.max(v1, v2) + SLACK);
    const low = Math.min(u1, u2);
    const high = Math.max(u1, u2);
    const slope = (u2 - u1) / (v2 - v1);
    for (let row = firstRow; row <= lastRow; row++) {
      let from = low;
      let to = high;
      if (Number.isFinite(slope) && firstRow < lastRow) {
        // Where the edge enters and leaves the row.
        const a = u1 + (row - SLACK - v1) * slope;
        const b = u1 + (row + 1 + SLACK - v1) * slope;
        from = Math.min(high, Math.max(low, Math.min(a, b)));
        to = Math.max(low, Math.min(high, Math.max(a, b)));
      }
      const start = row * SIDE + cellOf(from - SLACK);
      this.#cells.fill(PLACE.border, start, row * SIDE + cellOf(to + SLACK) + 1);
    }
  }

  #sum(): void {
    const width = SIDE + 1;
    for (let row = 0; row < SIDE; row++) {
      let notInside = 0;
      let notOutside = 0;
      for (let column = 0; column < SIDE; column++) {
        const cell = this.#cells[row * SIDE + column];
        if (cell !== PLACE.inside) notInside++;
        if (cell !== PLACE.outside) notOutside++;
        const at = (row + 1) * width + column + 1;
        this.#notInside[at] = this.#notInside[at - width] + notInside;
        this.#notOutside[at] = this.#notOutside[at - width] + notOutside;
      }
    }
  }
}

/** The cell of a coordinate in cells; the nearest one for coordinates outside the grid. */
function cellOf(place: number): number {
  return place <= 0 ? 0 : place >= SIDE ? SIDE - 1 : Math.floor(place);
}

/** Of the cells in columns `[left, right)` and rows `[below, above)`. */
function countOf(sums: Int32Array, left: number, below: number, right: number, above: number): number {
  const width = SIDE + 1;
  return (
    sums[above * width + right] -
    sums[above * width + left] -
    sums[below * width + right] +
    sums[below * width + left]
  );
}
