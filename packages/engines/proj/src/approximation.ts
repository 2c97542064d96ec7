/**
 * Approximates an operation by polynomials, one for each cell of fixed grids over the source coordinates.
 *
 * A cell is fitted when its first position comes. It is used only if the operation itself agrees at all points of the fit, those between the
 * nodes included; a rejected cell is split into four of half its size, and PROJ transforms the positions of cells that are rejected at the last level. So the result of a
 * position depends on the position alone: not on other positions, their order, or how they are divided among calls and threads. Equal positions
 * stay equal.
 */
import { BLOCK_ORDINATES } from './cell-layout.ts';
import { CellMemory } from './cell-memory.ts';
import type { Failures } from './failures.ts';
import { fitPoints, fitted } from './polynomial.ts';

/** An operation that may be approximated; x and y only. */
export interface SmoothOperation {
  /** Width and height of the largest cells in the unit of the source; a power of two, so that boundaries are exact. */
  readonly cellSize: number;
  /** Metres in a unit of x and of y of the target. For angles: on the ground, at this y. */
  unitMeters(y: number): readonly [x: number, y: number];
  /** Transforms interleaved x, y in place. */
  transform(positions: Float64Array): Failures;
  /** Whether a cell may be approximated, of which these are positions and their results. */
  mayApproximate(source: Float64Array, result: Float64Array): boolean;
}

/** How positions were transformed. */
export interface ApproximationCounts {
  /** Positions that polynomials transformed. */
  readonly positions: number;
  /** Positions that the operation itself transformed. */
  readonly exactPositions: number;
  /** Largest difference at the points of the fits of the cells that were used so far. */
  readonly largestDifferenceMeters: number;
}

export const ALL_EXACT: ApproximationCounts = { positions: 0, exactPositions: 0, largestDifferenceMeters: 0 };

interface Cell {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  /** Of its polynomial in the memory; 0: none is used. */
  readonly record: number;
}

/** No position is in it. */
const NOWHERE: Cell = {
  west: Number.POSITIVE_INFINITY,
  south: Number.POSITIVE_INFINITY,
  east: Number.NEGATIVE_INFINITY,
  north: Number.NEGATIVE_INFINITY,
  record: 0,
};

/** Largest accepted difference at the points of a fit. */
const TOLERANCE_METERS = 1e-7;
/** Each has cells of half the size of the one before. */
const LEVELS = 3;
/** Bounds the memory: 16,384 cells have records of 8 MB. Beyond it all are forgotten; a cell that is fitted again is the same. */
const MAX_CELLS = 16_384;
/** Columns and rows of a grid on each side of zero; positions beyond them are not approximated. */
const HALF_GRID = 1 << 12;

export class Approximation {
  readonly #operation: SmoothOperation;
  readonly #memory: CellMemory;
  readonly #cells = new Map<number, Cell>();
  #largestDifferenceMeters = 0;

  constructor(operation: SmoothOperation) {
    this.#operation = operation;
    this.#memory = new CellMemory(operation.cellSize / 2 ** (LEVELS - 1));
  }

  /**
   * Transforms in place. `exact` transforms positions of the same stride in place by the operation itself. Only x and y change here, so data
   * whose Z may change must not be passed.
   */
  transform(
    coordinates: Float64Array,
    stride: number,
    exact: (coordinates: Float64Array) => Failures,
  ): { readonly failures: Failures; readonly counts: ApproximationCounts } {
    const count = coordinates.length / stride;
    const rest = new Uint32Array(count);
    const blockLength = Math.floor(BLOCK_ORDINATES / stride) * stride;
    let restCount = 0;
    for (let start = 0; start < coordinates.length; start += blockLength)
      restCount = this.#transformBlock(
        coordinates.subarray(start, start + blockLength),
        start,
        stride,
        rest,
        restCount,
      );
    let empty = 0;
    for (let i = 0; i < restCount; i++)
      if (Number.isNaN(coordinates[rest[i]]) || Number.isNaN(coordinates[rest[i] + 1])) empty++;
    const failures = transformRest(coordinates, stride, rest.subarray(0, restCount), exact);
    const counts = {
      positions: count - restCount,
      exactPositions: restCount - empty,
      largestDifferenceMeters: this.#largestDifferenceMeters,
    };
    return { failures, counts };
  }

  /** Appends to `rest` the ordinates of positions that are left to the operation, `start` added; returns their number. */
  #transformBlock(
    block: Float64Array,
    start: number,
    stride: number,
    rest: Uint32Array,
    restCount: number,
  ): number {
    const memory = this.#memory;
    const { length } = block;
    memory.block.set(block);
    let at = memory.transform(0, length, stride);
    while (at < length) {
      const cell = this.#cellAt(block[at], block[at + 1]);
      if (cell.record !== 0) memory.assign(block[at], block[at + 1], cell.record);
      else
        do {
          rest[restCount++] = start + at;
          at += stride;
        } while (at < length && isIn(cell, block[at], block[at + 1]));
      at = memory.transform(at, length, stride);
    }
    block.set(memory.block.subarray(0, length));
    return restCount;
  }

  /** The largest cell at the position whose polynomial is used; else the smallest one. */
  #cellAt(x: number, y: number): Cell {
    let size = this.#operation.cellSize;
    for (let level = 0; ; level++, size /= 2) {
      const column = Math.floor(x / size);
      const row = Math.floor(y / size);
      // False for NaN, too.
      if (!(Math.abs(column) < HALF_GRID && Math.abs(row) < HALF_GRID)) return NOWHERE;
      const key = ((column + HALF_GRID) * 2 * HALF_GRID + (row + HALF_GRID)) * LEVELS + level;
      let cell = this.#cells.get(key);
      if (cell === undefined) {
        if (this.#cells.size >= MAX_CELLS) {
          this.#cells.clear();
          this.#memory.clear();
        }
        cell = this.#fittedCell(column * size, row * size, size);
        this.#cells.set(key, cell);
      }
      if (cell.record !== 0 || level === LEVELS - 1) return cell;
    }
  }

  #fittedCell(west: number, south: number, size: number): Cell {
    const operation = this.#operation;
    const half = size / 2;
    const source = fitPoints().map((at, i) => (i % 2 === 0 ? west : south) + half + half * at);
    const result = source.slice();
    const cell = { west, south, east: west + size, north: south + size, record: 0 };
    if (operation.transform(result).count > 0 || !operation.mayApproximate(source, result)) return cell;
    const coefficients = fitted(result);
    const approximated = this.#memory.valuesAtFitPoints(coefficients);
    let differenceMeters = 0;
    for (let i = 0; i < result.length; i += 2) {
      const [x, y] = operation.unitMeters(result[i + 1]);
      differenceMeters = Math.max(
        differenceMeters,
        Math.abs(approximated[i] - result[i]) * x,
        Math.abs(approximated[i + 1] - result[i + 1]) * y,
      );
    }
    if (!(differenceMeters <= TOLERANCE_METERS)) return cell;
    this.#largestDifferenceMeters = Math.max(this.#largestDifferenceMeters, differenceMeters);
    return { ...cell, record: this.#memory.add({ west, south, size }, coefficients) };
  }
}

function isIn({ west, south, east, north }: Cell, x: number, y: number): boolean {
  return x >= west && x < east && y >= south && y < north;
}

/** Transforms the positions at the ordinates `rest` in place; the failures count all positions. */
export function transformRest(
  coordinates: Float64Array,
  stride: number,
  rest: Uint32Array,
  exact: (coordinates: Float64Array) => Failures,
): Failures {
  if (rest.length === 0) return { first: -1, count: 0 };
  if (rest.length * stride === coordinates.length) return exact(coordinates);
  const positions = new Float64Array(rest.length * stride);
  for (let i = 0; i < rest.length; i++)
    for (let ordinate = 0; ordinate < stride; ordinate++)
      positions[i * stride + ordinate] = coordinates[rest[i] + ordinate];
  const { first, count } = exact(positions);
  for (let i = 0; i < rest.length; i++)
    for (let ordinate = 0; ordinate < stride; ordinate++)
      coordinates[rest[i] + ordinate] = positions[i * stride + ordinate];
  return { first: first < 0 ? -1 : rest[first] / stride, count };
}
