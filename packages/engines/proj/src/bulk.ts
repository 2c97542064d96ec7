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
): CountedRun {
  return {
    transform: () => transformAll(context, transformation, coordinates, dimensions),
    reasonOf: (at) => reasonOf(context, transformation, coordinates, at, dimensions),
  };
}

/** Transforms in place. Positions that fail keep their coordinates; so do empty ones and missing Z (NaN). */
export function transformAll(
  context: ProjContext,
  transformation: ProjObject,
  coordinates: Float64Array,
  dimensions: Dimensions,
): Failures {
  const stride = strideOf(dimensions);
  const usesZ = hasZ(dimensions);
  const blockOrdinates = Math.floor(BLOCK_DOUBLES / stride) * stride;
  const failures: Failures = { first: -1, count: 0 };
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
    else copyPositions(result, coordinates, start, stride, usesZ, failures);
  }
  return failures;
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
  failures: Failures,
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
