/** Coordinate arrays of any length through one PROJ transformation, block by block. */
import { type Dimensions, hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { BLOCK_DOUBLES, type ProjContext, type ProjObject } from './context.ts';
import type { CountedRun } from './counted.ts';
import type { Failures } from './failures.ts';
import { PJ_FWD } from './native.ts';
import { transformBlock } from './transformation.ts';

/** One transformation of these coordinates, for `transformAndCount`. */
export function nativeRun(
  context: ProjContext,
  transformation: ProjObject,
  coordinates: Float64Array,
  dimensions: Dimensions,
  isInverse = false,
): CountedRun {
  return {
    transform: () => transformAll(context, transformation, coordinates, dimensions, isInverse),
    reasonOf: (at) => reasonOf(context, transformation, coordinates, at, dimensions),
  };
}

/**
 * Transforms in place. Positions that fail keep their coordinates; so do empty ones and missing Z (NaN). `isInverse`: from a map to longitudes
 * and latitudes. Positions on the border of the map are then transformed, though rounding moved them beyond it.
 */
export function transformAll(
  context: ProjContext,
  transformation: ProjObject,
  coordinates: Float64Array,
  dimensions: Dimensions,
  isInverse = false,
): Failures {
  const stride = strideOf(dimensions);
  const usesZ = hasZ(dimensions);
  const failed: number[] = [];
  const blockOrdinates = Math.floor(BLOCK_DOUBLES / stride) * stride;
  for (let start = 0; start < coordinates.length; start += blockOrdinates) {
    const length = Math.min(blockOrdinates, coordinates.length - start);
    const base = context.block / 8;
    const block = context.doubles.subarray(base, base + length);
    block.set(coordinates.subarray(start, start + length));
    const hasGaps = usesZ && fillMissingZ(block, stride);
    if (!transformBlock(context, transformation, PJ_FWD, length / stride, stride, usesZ))
      transformEach(context, transformation, coordinates.subarray(start, start + length), stride, usesZ);
    // The memory may have grown, which detaches the old view.
    const result = context.doubles.subarray(base, base + length);
    if (!hasGaps && isAllFinite(result, stride)) coordinates.set(result, start);
    else copyPositions(result, coordinates, start, stride, usesZ, failed);
  }
  const left = isInverse
    ? failed.filter((at) => !transformInward(context, transformation, coordinates, at, stride, usesZ))
    : failed;
  return { first: left.length === 0 ? -1 : left[0] / stride, count: left.length };
}

/**
 * Shares of the distance from the origin by which a failed position is moved: 2 m at the border of a map of the world. Rounding needs 1e-12, and
 * Robinson, whose formulas do not fit together at latitudes of its table, 1e-7.
 */
const INWARD = [0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7];
/** The share is found to this: at the pole of Mollweide, 1e-11 are a degree of longitude. */
const INWARD_STEP = 1e-15;

/**
 * Transforms a position as little nearer to the origin as possible, or farther from it on a map whose origin is not in the middle. PROJ rejects
 * positions at exactly 180 degrees from the central meridian of Mollweide, Robinson and others, where cut features have their borders.
 */
function transformInward(
  context: ProjContext,
  transformation: ProjObject,
  coordinates: Float64Array,
  at: number,
  stride: number,
  usesZ: boolean,
): boolean {
  const source = coordinates.slice(at, at + stride);
  const isMoved = (share: number): boolean => {
    const base = context.block / 8;
    const position = context.doubles.subarray(base, base + stride);
    position.set(source);
    position[0] *= 1 - share;
    position[1] *= 1 - share;
    if (usesZ) fillMissingZ(position, stride);
    if (!transformBlock(context, transformation, PJ_FWD, 1, stride, usesZ)) return false;
    const failed: number[] = [];
    copyPositions(context.doubles.subarray(base, base + stride), coordinates, at, stride, usesZ, failed);
    return failed.length === 0;
  };
  for (const side of [1, -1]) {
    const first = INWARD.findIndex((share, i) => i > 0 && isMoved(side * share));
    if (first < 0) continue;
    let [low, high] = [INWARD[first - 1], INWARD[first]];
    while (high - low > INWARD_STEP) {
      const middle = (low + high) / 2;
      if (isMoved(side * middle)) high = middle;
      else low = middle;
    }
    return isMoved(side * high);
  }
  return false;
}

/** Transforms a block in which PROJ aborted position by position; Infinity for those at which it aborts again. */
function transformEach(
  context: ProjContext,
  transformation: ProjObject,
  coordinates: Float64Array,
  stride: number,
  usesZ: boolean,
): void {
  const results = new Float64Array(coordinates.length);
  for (let at = 0; at < coordinates.length; at += stride) {
    const base = context.block / 8;
    const position = context.doubles.subarray(base, base + stride);
    position.set(coordinates.subarray(at, at + stride));
    if (usesZ) fillMissingZ(position, stride);
    const isWhole = transformBlock(context, transformation, PJ_FWD, 1, stride, usesZ);
    const moved = context.doubles.subarray(base, base + stride);
    if (!isWhole) moved.fill(Number.POSITIVE_INFINITY, 0, 2);
    results.set(moved, at);
  }
  context.doubles.set(results, context.block / 8);
}

/** The reason why the position at ordinate `at` fails, from a call with this position alone. */
function reasonOf(
  context: ProjContext,
  transformation: ProjObject,
  coordinates: Float64Array,
  at: number,
  dimensions: Dimensions,
): string {
  const stride = strideOf(dimensions);
  const base = context.block / 8;
  context.clearMessages();
  context.doubles.set(coordinates.subarray(at, at + stride), base);
  if (hasZ(dimensions)) fillMissingZ(context.doubles.subarray(base, base + stride), stride);
  transformBlock(context, transformation, PJ_FWD, 1, stride, hasZ(dimensions));
  return context.reason('the result is infinite');
}

/** Replaces missing Z by 0, because PROJ would return NaN for the whole position; returns whether any was missing. */
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

/** Copies a block back position by position, except failed and empty positions and missing Z. */
function copyPositions(
  result: Float64Array,
  coordinates: Float64Array,
  start: number,
  stride: number,
  usesZ: boolean,
  failed: number[],
): void {
  for (let i = 0; i < result.length; i += stride) {
    const at = start + i;
    if (Number.isFinite(result[i]) && Number.isFinite(result[i + 1])) {
      coordinates[at] = result[i];
      coordinates[at + 1] = result[i + 1];
      if (usesZ && !Number.isNaN(coordinates[at + 2])) coordinates[at + 2] = result[i + 2];
    } else if (!Number.isNaN(coordinates[at]) && !Number.isNaN(coordinates[at + 1])) failed.push(at);
  }
}
