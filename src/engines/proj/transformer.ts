/** Coordinates from one CRS to another, in place and in bulk. */
import { type Dimensions, hasZ, strideOf } from '../../batch/geometry-column.ts';
import type { CrsDescription, CrsText } from '../../crs/crs.ts';
import { failure } from '../../errors.ts';
import { type Area, countOutside, isWholeWorld, middleOf } from './area.ts';
import { BLOCK_DOUBLES, type ProjContext, type ProjObject } from './context.ts';
import { isSameInXyOrder } from './crs.ts';
import { abbreviate, createCrs } from './definition.ts';
import { DegreesView } from './degrees.ts';
import { PJ_FWD } from './native.ts';
import { NO_OPERATION_NEEDED, type OperationDescription } from './operation-description.ts';
import { OperationCandidates } from './operations.ts';
import { createTransformation, transformBlock } from './transformation.ts';

/** Positions of one call whose operation and, between projected systems, whose area of use is looked up. */
const SAMPLE_SIZE = 32;

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
   * Positions outside the area of use of either CRS. Counted where one of the two is geographic; else estimated from
   * a sample of SAMPLE_SIZE positions per call.
   */
  readonly outsideAreaCount: number;
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
   */
  transform(coordinates: Float64Array, dimensions: Dimensions): TransformOutcome;
}

const NOTHING_DONE: TransformOutcome = {
  failedPosition: -1,
  failedX: Number.NaN,
  failedY: Number.NaN,
  failedCount: 0,
  reason: '',
  outsideAreaCount: 0,
  operations: [],
};

/** Everything native that a transformer needs; freed at once and set up again at the next use. */
class Machinery {
  readonly transformation: ProjObject;
  readonly candidates: OperationCandidates;
  readonly source: DegreesView;
  readonly target: DegreesView;

  constructor(context: ProjContext, from: CrsText, to: CrsText) {
    using source = createCrs(context, from, 'input CRS');
    using target = createCrs(context, to, 'output CRS');
    context.clearMessages();
    this.transformation = createTransformation(context, source, target);
    if (this.transformation.pointer === 0) {
      const reason = context.reason('PROJ knows none');
      throw failure('CRS_NO_OPERATION', { from: abbreviate(from), to: abbreviate(to), reason });
    }
    this.candidates = new OperationCandidates(context, source, target);
    this.source = new DegreesView(context, source);
    this.target = new DegreesView(context, target);
    context.clearMessages();
  }

  [Symbol.dispose](): void {
    this.transformation[Symbol.dispose]();
    this.candidates[Symbol.dispose]();
    this.source[Symbol.dispose]();
    this.target[Symbol.dispose]();
  }
}

export class ProjTransformer implements Transformer {
  readonly from: CrsText;
  readonly to: CrsText;
  readonly isIdentity: boolean;
  readonly #context: ProjContext;
  /** Areas of use of source and target; those that are the whole world are left out. */
  readonly #areas: readonly Area[];
  readonly #middle: { readonly longitude: number; readonly latitude: number } | null;
  #machinery: Machinery | null = null;
  #operation: OperationDescription | null = null;

  /** Throws CRS_NO_OPERATION for a pair that PROJ refuses. */
  constructor(context: ProjContext, source: CrsDescription, target: CrsDescription) {
    this.#context = context;
    this.from = source.definition;
    this.to = target.definition;
    this.isIdentity = this.from === this.to || isSameCrs(context, this.from, this.to);
    const areas = [source.areaOfUse, target.areaOfUse].filter((area) => area !== null);
    this.#areas = areas.filter((area) => !isWholeWorld(area));
    this.#middle = areas.length === 0 ? null : middleOf(areas[0], areas[1] ?? null);
    if (!this.isIdentity) this.#ready();
  }

  get operation(): OperationDescription {
    this.#operation ??= this.isIdentity ? NO_OPERATION_NEEDED : this.#operationInTheMiddle();
    return this.#operation;
  }

  transform(coordinates: Float64Array, dimensions: Dimensions): TransformOutcome {
    if (this.isIdentity || coordinates.length === 0) return NOTHING_DONE;
    const machinery = this.#ready();
    const stride = strideOf(dimensions);
    const sample = this.#sample(coordinates, stride, machinery);
    const { source, target } = machinery;
    let outside = 0;
    if (source.isGeographic) outside = this.#countOutside(coordinates, stride, source);
    const failures = this.#transformAll(coordinates, dimensions, machinery.transformation);
    if (!source.isGeographic && target.isGeographic)
      outside = this.#countOutside(coordinates, stride, target);
    if (!source.isGeographic && !target.isGeographic)
      outside = Math.round(sample.outsideShare * (coordinates.length / stride));
    const outcome = { ...NOTHING_DONE, outsideAreaCount: outside, operations: sample.operations };
    if (failures.first < 0) return outcome;
    const at = failures.first * stride;
    return {
      ...outcome,
      failedPosition: failures.first,
      failedX: coordinates[at],
      failedY: coordinates[at + 1],
      failedCount: failures.count,
      reason: this.#reasonOf(coordinates, at, dimensions, machinery.transformation),
    };
  }

  /** Frees the native objects; the transformer stays usable and sets them up again when needed. */
  release(): void {
    this.#machinery?.[Symbol.dispose]();
    this.#machinery = null;
  }

  #ready(): Machinery {
    this.#machinery ??= new Machinery(this.#context, this.from, this.to);
    return this.#machinery;
  }

  #countOutside(coordinates: Float64Array, stride: number, view: DegreesView): number {
    const { degreesPerUnit, primeMeridianDegrees } = view;
    return countOutside(
      this.#areas,
      coordinates,
      0,
      coordinates.length,
      stride,
      degreesPerUnit,
      primeMeridianDegrees,
    );
  }

  #operationInTheMiddle(): OperationDescription {
    const { candidates, source } = this.#ready();
    const first = candidates.first() ?? UNNAMED_OPERATION;
    if (candidates.isOnlyOne || this.#middle === null || !source.isPossible) return first;
    const { longitude, latitude } = this.#middle;
    const position = Float64Array.of(longitude, latitude);
    source.fromDegrees(position);
    return candidates.at(position[0], position[1], longitude, latitude) ?? first;
  }

  /** Which operations an evenly spread sample of the (untransformed) positions takes, and how many lie outside. */
  #sample(
    coordinates: Float64Array,
    stride: number,
    { candidates, source, target }: Machinery,
  ): { operations: OperationDescription[]; outsideShare: number } {
    const first = candidates.first() ?? UNNAMED_OPERATION;
    const needsArea = this.#areas.length > 0 && !source.isGeographic && !target.isGeographic;
    if (candidates.isOnlyOne && !needsArea) return { operations: [first], outsideShare: 0 };
    const positions = sampleOf(coordinates, stride);
    const degrees = positions.slice();
    if (source.isPossible) source.toDegrees(degrees);
    else degrees.fill(Number.NaN);
    const operations = new Set<OperationDescription>();
    for (let i = 0; i < positions.length; i += 2) {
      if (Number.isNaN(positions[i])) continue;
      const operation = candidates.isOnlyOne
        ? first
        : candidates.at(positions[i], positions[i + 1], degrees[i], degrees[i + 1]);
      operations.add(operation ?? first);
    }
    const outside = needsArea ? countOutside(this.#areas, degrees, 0, degrees.length, 2) : 0;
    return { operations: [...operations], outsideShare: outside / (degrees.length / 2) };
  }

  #transformAll(
    coordinates: Float64Array,
    dimensions: Dimensions,
    transformation: ProjObject,
  ): { first: number; count: number } {
    const stride = strideOf(dimensions);
    const usesZ = hasZ(dimensions);
    const blockOrdinates = Math.floor(BLOCK_DOUBLES / stride) * stride;
    const failures = { first: -1, count: 0 };
    for (let start = 0; start < coordinates.length; start += blockOrdinates) {
      const length = Math.min(blockOrdinates, coordinates.length - start);
      const base = this.#context.block / 8;
      const block = this.#context.doubles.subarray(base, base + length);
      block.set(coordinates.subarray(start, start + length));
      const hasGaps = usesZ && fillMissingZ(block, stride);
      transformBlock(this.#context, transformation, PJ_FWD, length / stride, stride, usesZ);
      // The memory may have grown under the old view.
      const result = this.#context.doubles.subarray(base, base + length);
      if (!hasGaps && isAllFinite(result, stride)) coordinates.set(result, start);
      else copyPositions(result, coordinates, start, stride, usesZ, failures);
    }
    return failures;
  }

  /** Tries the failed position alone: the reason of a single call is the reason of this position. */
  #reasonOf(
    coordinates: Float64Array,
    at: number,
    dimensions: Dimensions,
    transformation: ProjObject,
  ): string {
    const stride = strideOf(dimensions);
    const base = this.#context.block / 8;
    this.#context.clearMessages();
    this.#context.doubles.set(coordinates.subarray(at, at + stride), base);
    if (hasZ(dimensions)) fillMissingZ(this.#context.doubles.subarray(base, base + stride), stride);
    transformBlock(this.#context, transformation, PJ_FWD, 1, stride, hasZ(dimensions));
    return this.#context.reason('the result is infinite');
  }
}

function isSameCrs(context: ProjContext, from: CrsText, to: CrsText): boolean {
  using source = createCrs(context, from, 'input CRS');
  using target = createCrs(context, to, 'output CRS');
  return isSameInXyOrder(context, source, target);
}

const UNNAMED_OPERATION: OperationDescription = {
  name: 'not known',
  accuracyMeters: null,
  ballpark: false,
  gridsUsed: [],
  gridsMissing: [],
};

/** x and y of at most SAMPLE_SIZE positions, evenly spread, the first and the last among them. */
function sampleOf(coordinates: Float64Array, stride: number): Float64Array {
  const count = coordinates.length / stride;
  const size = Math.min(count, SAMPLE_SIZE);
  const sample = new Float64Array(size * 2);
  for (let i = 0; i < size; i++) {
    const position = size === 1 ? 0 : Math.floor((i * (count - 1)) / (size - 1));
    sample[i * 2] = coordinates[position * stride];
    sample[i * 2 + 1] = coordinates[position * stride + 1];
  }
  return sample;
}

/** Puts 0 where there is no Z, because PROJ turns the whole position into NaN; tells whether it had to. */
function fillMissingZ(block: Float64Array, stride: number): boolean {
  let hasGaps = false;
  for (let i = 2; i < block.length; i += stride) {
    if (!Number.isNaN(block[i])) continue;
    block[i] = 0;
    hasGaps = true;
  }
  return hasGaps;
}

function isAllFinite(block: Float64Array, stride: number): boolean {
  let sum = 0; // x - x is 0 for finite numbers, else NaN
  for (let i = 0; i < block.length; i += stride) sum += block[i] - block[i] + (block[i + 1] - block[i + 1]);
  return sum === 0;
}

/** Copies a block back position by position, leaving alone what failed, what was empty and Z that was missing. */
function copyPositions(
  result: Float64Array,
  coordinates: Float64Array,
  start: number,
  stride: number,
  usesZ: boolean,
  failures: { first: number; count: number },
): void {
  for (let i = 0; i < result.length; i += stride) {
    const at = start + i;
    if (Number.isFinite(result[i]) && Number.isFinite(result[i + 1])) {
      coordinates[at] = result[i];
      coordinates[at + 1] = result[i + 1];
      if (usesZ && !Number.isNaN(coordinates[at + 2])) coordinates[at + 2] = result[i + 2];
    } else if (!Number.isNaN(coordinates[at]) && !Number.isNaN(coordinates[at + 1])) {
      if (failures.first < 0) failures.first = at / stride;
      failures.count++;
    }
  }
}
