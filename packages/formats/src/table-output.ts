/** Outputs that are tables without geometries; see `holdsTables` of a format. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { GEOMETRY_TYPE } from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from './findings.ts';

/** Reports the geometries of a batch that becomes rows of a table. `target`: the table of an existing output that gets them; null: a new one. */
export function noteDroppedGeometries(
  { geometry: { types } }: FeatureBatch,
  findings: Findings,
  target: string | null = null,
): void {
  const dropped = new RowTally();
  for (let row = 0; row < types.length; row++) if (types[row] !== GEOMETRY_TYPE.none) dropped.add(row);
  if (target === null) findings.noteTally(formatFindings.GEOMETRY_NOT_WRITTEN, {}, dropped);
  else findings.noteTally(formatFindings.GEOMETRY_NOT_IN_TARGET, { layer: target }, dropped);
}
