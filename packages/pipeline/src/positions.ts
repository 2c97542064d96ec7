/** Transforms the positions of a batch to another CRS. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { FoundFinding } from '@geomill/core/messages/findings.ts';
import { stepErrors } from '@geomill/operations/errors.ts';
import type { ApproximationCounts } from '@geomill/proj/approximation.ts';
import type { OutsideCounts, PositionRows } from '@geomill/proj/area.ts';
import type { OperationDescription } from '@geomill/proj/operation-description.ts';
import type { Transformer } from '@geomill/proj/proj.ts';

/**
 * Transforms the batch's coordinates in place. `bounds` of the positions. Throws
 * COORDINATE_OUTSIDE_DOMAIN for the first that cannot be transformed.
 */
export function reprojectBatch(
  batch: FeatureBatch,
  transformer: Transformer,
  bounds: Bounds,
): Omit<ReprojectionCounts, 'number' | 'findings'> {
  const { geometry } = batch;
  const rows = rowsOf(geometry, batch.rowCount);
  const outcome = transformer.transform(geometry.coordinates, geometry.dimensions, bounds, rows);
  if (outcome.failedPosition >= 0) {
    const record = rowOfPosition(geometry, outcome.failedPosition) + 1;
    const at = outcome.failedPosition * strideOf(geometry.dimensions);
    throw failure(
      stepErrors.COORDINATE_OUTSIDE_DOMAIN,
      {
        place: `feature ${record}`,
        x: outcome.failedX ?? geometry.coordinates[at],
        y: outcome.failedY ?? geometry.coordinates[at + 1],
        from: shortDefinition(transformer.from),
        to: shortDefinition(transformer.to),
        reason: outcome.reason,
      },
      { record },
    );
  }
  return {
    rows: batch.rowCount,
    operations: outcome.operations,
    outside: outcome.outside,
    approximated: outcome.approximated,
  };
}

/** The row of each position; for ascending positions the search is needed once per row. */
export function rowsOf(geometry: GeometryColumn, count: number): PositionRows {
  let row = -1;
  let end = 0;
  const at = (position: number): number => {
    if (row < 0 || position >= end) {
      row = rowOfPosition(geometry, position);
      end = geometry.coordOffsets[geometry.ringOffsets[geometry.partOffsets[row + 1]]];
    }
    return row;
  };
  return { count, at };
}

/** The row that a position belongs to, by binary search through the three levels of offsets. */
function rowOfPosition(geometry: GeometryColumn, position: number): number {
  const ring = lastAtMost(geometry.coordOffsets, position);
  const part = lastAtMost(geometry.ringOffsets, ring);
  return lastAtMost(geometry.partOffsets, part);
}

/** Index of the last entry that is at most `value`, in ascending offsets; skips empty slots. */
function lastAtMost(offsets: Uint32Array, value: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A CRS definition for a message: authority codes as they are, WKT by its name. */
export function shortDefinition(definition: string): string {
  return /^\s*\w+\s*\[\s*"([^"]+)"/.exec(definition)?.[1] ?? definition.slice(0, 80);
}

/** One reprojection of one batch. */
export interface ReprojectionCounts {
  /** Position among the reprojections of the layer. */
  readonly number: number;
  readonly rows: number;
  /** The coordinate operations of a sample of the positions; PROJ chooses one for each position. */
  readonly operations: readonly OperationDescription[];
  readonly outside: OutsideCounts;
  /** Null: every position was transformed by the operation itself. */
  readonly approximated: ApproximationCounts | null;
  /** Locations count the rows of the batch from 1. */
  readonly findings: readonly FoundFinding[];
}
