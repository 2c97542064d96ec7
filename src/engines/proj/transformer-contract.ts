/** What a transformer promises, and what of it travels between threads. */
import type { Bounds } from '../../batch/bounds.ts';
import { type Dimensions, strideOf } from '../../batch/geometry-column.ts';
import type { CrsText } from '../../crs/crs.ts';
import { type AreasOfUse, NONE_OUTSIDE, type OutsideCounts, type PositionRows } from './area.ts';
import type { OperationDescription } from './operation-description.ts';

/** Positions of one call whose operation and, between projected systems, whose area of use is looked up. */
export const SAMPLE_SIZE = 32;

export interface TransformOutcome {
  /** Index of the first position that PROJ could not transform; -1: none. Its coordinates stay as they were. */
  readonly failedPosition: number;
  /** Its source coordinates; NaN when none failed. */
  readonly failedX: number;
  readonly failedY: number;
  readonly failedCount: number;
  /** Why the first one failed, in PROJ's words; empty when none did. */
  readonly reason: string;
  /**
   * Rows with positions outside the areas of use. Counted where one of the two CRSs is geographic; else estimated from a
   * sample of SAMPLE_SIZE positions per call.
   */
  readonly outside: OutsideCounts;
  /** The operations that a sample of the positions went through; plain data. */
  readonly operations: readonly OperationDescription[];
}

export interface Transformer {
  readonly from: CrsText;
  readonly to: CrsText;
  /** Both are the same CRS, axis order aside: there is nothing to transform. */
  readonly isIdentity: boolean;
  /**
   * The operation in the middle of the common area of use. PROJ chooses anew for each position: what data went
   * through stands in `TransformOutcome.operations`.
   */
  readonly operation: OperationDescription;
  /**
   * Transforms interleaved positions in place: x is east and y is north on both sides, whatever the axis order of
   * the definitions; angles in the unit of the CRS (degrees, grads). Z goes through PROJ with x and y; a Z of NaN
   * counts as 0 and stays NaN. M is not touched. Positions whose x or y is NaN (empty points) are not touched.
   * `bounds` of the positions, where the caller has them, spare looking at each one for the areas of use. Without `rows`
   * each position is a row of its own.
   */
  transform(
    coordinates: Float64Array,
    dimensions: Dimensions,
    bounds?: Bounds,
    rows?: PositionRows,
  ): TransformOutcome;
  /** What another thread needs to make the same transformer; see `Proj.transformerOf`. */
  readonly recipe: TransformerRecipe;
}

/** Each position as a row of its own. */
export function eachPosition(coordinates: Float64Array, dimensions: Dimensions): PositionRows {
  return { count: coordinates.length / strideOf(dimensions), at: (position) => position };
}

export const NOTHING_DONE: TransformOutcome = {
  failedPosition: -1,
  failedX: Number.NaN,
  failedY: Number.NaN,
  failedCount: 0,
  reason: '',
  outside: NONE_OUTSIDE,
  operations: [],
};

/** How the coordinates of a CRS are angles, if they are. */
export interface AnglesOf {
  readonly isGeographic: boolean;
  readonly degreesPerUnit: number;
  readonly primeMeridianDegrees: number;
}

/** Plain data: crosses threads. */
export interface TransformerRecipe {
  readonly from: CrsText;
  readonly to: CrsText;
  /** Null where PROJ chooses between operations for each position. */
  readonly single: {
    readonly pipeline: string;
    readonly areas: AreasOfUse;
    readonly source: AnglesOf;
    readonly target: AnglesOf;
    readonly operation: OperationDescription;
  } | null;
}
