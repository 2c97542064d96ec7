/** The interface of transformers, and their plain data for other threads. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type Dimensions, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { Approximation, ApproximationCounts } from './approximation.ts';
import { type AreasOfUse, NONE_OUTSIDE, type OutsideCounts, type PositionRows } from './area.ts';
import type { CandidateChoice } from './candidate-choice.ts';
import type { OperationDescription } from './operation-description.ts';

/** Number of positions of one call for which operations and, between projected systems, areas of use are checked. */
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
  /** The operations of a sample of the positions; plain data. */
  readonly operations: readonly OperationDescription[];
  /** Null: every position was transformed by the operation itself. */
  readonly approximated: ApproximationCounts | null;
}

export interface Transformer {
  readonly from: CrsText;
  readonly to: CrsText;
  /** Both are the same CRS, apart from axis order: nothing is transformed. */
  readonly isIdentity: boolean;
  /**
   * The operation in the middle of the common area of use. PROJ chooses one for each position: the used
   * operations are in `TransformOutcome.operations`.
   */
  readonly operation: OperationDescription;
  /**
   * Transforms interleaved positions in place: x is east and y is north on both sides, whatever the axis order of
   * the definitions; angles in the unit of the CRS (degrees, grads). Z goes through PROJ with x and y; a Z of NaN
   * counts as 0 and stays NaN. M is not touched. Positions whose x or y is NaN (empty points) are not touched.
   * `bounds` of the positions, where the caller has them, spare looking at each one for the areas of use. Without `rows`
   * each position is a row of its own. `approximation`: of this transformer; it is not used for data with Z.
   */
  transform(
    coordinates: Float64Array,
    dimensions: Dimensions,
    bounds?: Bounds,
    rows?: PositionRows,
    approximation?: Approximation | null,
  ): TransformOutcome;
  /** A new approximation; null where there must be none for an input of this size, in bytes. */
  approximation(inputBytes: number): Approximation | null;
  /** Plain data to create the same transformer in another thread; see `Proj.transformerOf`. */
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
  approximated: null,
};

/** The unit of the coordinates of a CRS, and how they are angles, if they are. */
export interface AnglesOf {
  readonly isGeographic: boolean;
  readonly degreesPerUnit: number;
  readonly primeMeridianDegrees: number;
  /** Of an angle: on a great circle. 0: not known. */
  readonly metersPerUnit: number;
}

/** Plain data: crosses threads. */
export interface TransformerRecipe {
  readonly from: CrsText;
  readonly to: CrsText;
  /** Null where PROJ chooses between operations for each position. */
  readonly single:
    | ({
        readonly pipeline: string;
      } & RecipeFacts)
    | null;
  /** PROJ's choice for each position as plain data; null if there is one operation, or if only PROJ can choose. */
  readonly several: ({ readonly choice: CandidateChoice } & RecipeFacts) | null;
}

interface RecipeFacts {
  readonly areas: AreasOfUse;
  readonly source: AnglesOf;
  readonly target: AnglesOf;
  /** As `Transformer.operation`. */
  readonly operation: OperationDescription;
  /** Results are a smooth function of the position, as far as it is known without the transformation. */
  readonly isSmooth: boolean;
}
