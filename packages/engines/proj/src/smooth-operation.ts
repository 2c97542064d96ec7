/** Decides for which operations, inputs and cells positions may be approximated; see docs/decisions/approximated-positions.md. */
import type { SmoothOperation } from './approximation.ts';
import { type Area, type AreasOfUse, grown, isWithin, widthOf } from './area.ts';
import type { Failures } from './failures.ts';
import type { AnglesOf } from './transformer-contract.ts';

/** Wanted size of the largest cells. */
const CELL_DEGREES = 1;
const CELL_METERS = 131_072;
/** Data often reaches a few degrees beyond the area of use, as all of Germany in UTM zone 32N does. */
const MARGIN_DEGREES = 3;
/**
 * To fit a cell costs as much as 74 positions. An input of this size has at least 160 positions in each square degree, even if they are spread
 * evenly over the area of use.
 */
const BYTES_PER_SQUARE_DEGREE = 16_384;
/** Smaller areas count as this size, so inputs of less than 1 MB are never approximated. */
const MIN_SQUARE_DEGREES = 64;
const RADIANS_PER_DEGREE = Math.PI / 180;

export interface Approximable {
  readonly areas: AreasOfUse;
  readonly source: AnglesOf;
  readonly target: AnglesOf;
  /** Transforms interleaved x, y in place. */
  transform(positions: Float64Array): Failures;
  /** Longitudes and latitudes of positions of the source; called only if neither system is geographic. Null: not known. */
  degreesOf(positions: Float64Array): Float64Array | null;
  /** Whether the whole cell has one operation, which uses no grid. Default: every cell has. */
  hasOneOperation?(cell: CellFacts): boolean;
}

export interface CellFacts {
  /** x, y of the source. */
  readonly corners: readonly (readonly [number, number])[];
  /** Longitudes and latitudes of positions all over the cell, the corners among them. */
  readonly degrees: Float64Array;
  readonly sizeMeters: number;
}

/** Null if the operation must not be approximated for an input of this size. */
export function smoothOperation(operation: Approximable, inputBytes: number): SmoothOperation | null {
  const { source, target, areas } = operation;
  const squareDegrees = Math.max(MIN_SQUARE_DEGREES, squareDegreesOf(areas));
  if (inputBytes < BYTES_PER_SQUARE_DEGREE * squareDegrees) return null;
  const wanted = source.isGeographic
    ? CELL_DEGREES / source.degreesPerUnit
    : CELL_METERS / source.metersPerUnit;
  if (!(wanted > 0 && target.metersPerUnit > 0)) return null;
  const cellSize = 2 ** Math.round(Math.log2(wanted));
  const limits = [areas.source, areas.target].flatMap((area) =>
    area === null ? [] : [grown(area, MARGIN_DEGREES)],
  );
  return {
    cellSize,
    unitMeters(y) {
      const { isGeographic, metersPerUnit, degreesPerUnit } = target;
      const shrink = isGeographic ? Math.cos(y * degreesPerUnit * RADIANS_PER_DEGREE) : 1;
      return [metersPerUnit * shrink, metersPerUnit];
    },
    transform: (positions) => operation.transform(positions),
    mayApproximate(positions, result) {
      const degrees = source.isGeographic
        ? inDegrees(positions, source)
        : target.isGeographic
          ? inDegrees(result, target)
          : operation.degreesOf(positions);
      if (degrees === null) return false;
      for (const area of limits) if (!isWhollyIn(area, degrees)) return false;
      return operation.hasOneOperation?.(factsOf(positions, degrees, source)) ?? true;
    },
  };
}

/** Size of the smaller area of use. */
function squareDegreesOf({ source, target }: AreasOfUse): number {
  const sizeOf = (area: Area | null): number =>
    area === null ? 360 * 180 : widthOf(area) * (area.north - area.south);
  return Math.min(sizeOf(source), sizeOf(target));
}

/** Of a cell that is the bounds of the positions. */
function factsOf(positions: Float64Array, degrees: Float64Array, { metersPerUnit }: AnglesOf): CellFacts {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 2) {
    west = Math.min(west, positions[i]);
    east = Math.max(east, positions[i]);
    south = Math.min(south, positions[i + 1]);
    north = Math.max(north, positions[i + 1]);
  }
  const corners = [
    [west, south],
    [east, south],
    [west, north],
    [east, north],
  ] as const;
  return { corners, degrees, sizeMeters: (east - west) * metersPerUnit };
}

function isWhollyIn(area: Area, degrees: Float64Array): boolean {
  for (let i = 0; i < degrees.length; i += 2) if (!isWithin(area, degrees[i], degrees[i + 1])) return false;
  return true;
}

function inDegrees(
  positions: Float64Array,
  { degreesPerUnit, primeMeridianDegrees }: AnglesOf,
): Float64Array {
  return positions.map((value, i) => value * degreesPerUnit + (i % 2 === 0 ? primeMeridianDegrees : 0));
}
