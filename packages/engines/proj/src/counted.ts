/** What every transformation of coordinates reports: failures, and rows outside of the areas of use. */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type Dimensions, hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { Approximation, ApproximationCounts } from './approximation.ts';
import {
  type AreasOfUse,
  countOutside,
  isWhollyWithin,
  NONE_OUTSIDE,
  type OutsideCounts,
  type PositionRows,
} from './area.ts';
import type { Failures } from './failures.ts';
import { type AnglesOf, NOTHING_DONE, type TransformOutcome } from './transformer-contract.ts';

export interface CountedRun {
  /** Transforms in place; positions that fail keep their coordinates. */
  transform(): Failures;
  /** Why the position at this ordinate fails. */
  reasonOf(at: number): string;
  /** After `transform`. Default: every position was transformed by the operation itself. */
  readonly approximated?: ApproximationCounts | null;
}

/** A run that transforms by the approximation where it can, else by the run of the operation itself. */
export function approximatedRun(
  runOf: (coordinates: Float64Array) => CountedRun,
  coordinates: Float64Array,
  dimensions: Dimensions,
  approximation: Approximation | null,
): CountedRun {
  const exact = runOf(coordinates);
  if (approximation === null || hasZ(dimensions)) return exact;
  let approximated: ApproximationCounts | null = null;
  return {
    transform() {
      const done = approximation.transform(coordinates, strideOf(dimensions), (part) =>
        runOf(part).transform(),
      );
      approximated = done.counts;
      return done.failures;
    },
    reasonOf: (at) => exact.reasonOf(at),
    get approximated() {
      return approximated;
    },
  };
}

/** Transforms in place and counts the rows outside the areas of use, on the side with angular coordinates. */
export function transformAndCount(
  run: CountedRun,
  coordinates: Float64Array,
  dimensions: Dimensions,
  facts: {
    readonly areas: AreasOfUse;
    readonly source: AnglesOf;
    readonly target: AnglesOf;
    readonly bounds: Bounds | undefined;
    readonly rows: PositionRows;
  },
): { outside: OutsideCounts; outcome: TransformOutcome } {
  const stride = strideOf(dimensions);
  const { areas, source, target, bounds, rows } = facts;
  const count = ({ degreesPerUnit, primeMeridianDegrees }: AnglesOf): OutsideCounts =>
    countOutside(areas, coordinates, stride, rows, degreesPerUnit, primeMeridianDegrees);
  let outside = NONE_OUTSIDE;
  if (source.isGeographic) {
    const isInside =
      bounds !== undefined &&
      [areas.source, areas.target].every(
        (area) =>
          area === null || isWhollyWithin(area, bounds, source.degreesPerUnit, source.primeMeridianDegrees),
      );
    if (!isInside) outside = count(source);
  }
  const failures = run.transform();
  if (!source.isGeographic && target.isGeographic) outside = count(target);
  const approximated = run.approximated ?? null;
  if (failures.first < 0) return { outside, outcome: { ...NOTHING_DONE, approximated } };
  const at = failures.first * stride;
  const outcome: TransformOutcome = {
    ...NOTHING_DONE,
    approximated,
    failedPosition: failures.first,
    failedX: coordinates[at],
    failedY: coordinates[at + 1],
    failedCount: failures.count,
    reason: run.reasonOf(at),
  };
  return { outside, outcome };
}
