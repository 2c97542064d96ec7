/** Transforms the positions of a batch to another CRS. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { shortDefinition } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { stepErrors } from '@geomill/operations/errors.ts';
import type { Transformer } from '@geomill/proj/proj.ts';
import { rowOfPosition, rowsOf } from './position-rows.ts';
import type { ReprojectionCounts } from './task.ts';

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
