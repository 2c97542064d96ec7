/** What every transformation of coordinates reports: failures, and rows outside of the areas of use. */
import type { Bounds } from '../../batch/bounds.ts';
import { type Dimensions, strideOf } from '../../batch/geometry-column.ts';
import {
  type AreasOfUse,
  countOutside,
  isWhollyWithin,
  NONE_OUTSIDE,
  type OutsideCounts,
  type PositionRows,
} from './area.ts';
import { type AnglesOf, NOTHING_DONE, type TransformOutcome } from './transformer-contract.ts';

/** Positions that could not be transformed; `first` is an index, -1 if there is none. */
export interface Failures {
  first: number;
  count: number;
}

export interface CountedRun {
  /** Transforms in place; positions that fail keep their coordinates. */
  transform(): Failures;
  /** Why the position at this ordinate fails. */
  reasonOf(at: number): string;
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
  if (failures.first < 0) return { outside, outcome: NOTHING_DONE };
  const at = failures.first * stride;
  const outcome: TransformOutcome = {
    ...NOTHING_DONE,
    failedPosition: failures.first,
    failedX: coordinates[at],
    failedY: coordinates[at + 1],
    failedCount: failures.count,
    reason: run.reasonOf(at),
  };
  return { outside, outcome };
}
