/** Makes a new geometry for each feature; shared by the steps that process features one at a time. */
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  type Dimensions,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
} from '@geomill/core/geometry/geometry-column.ts';
import { rowDimensions } from '@geomill/core/geometry/row-dimensions.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { stepFindings } from '../findings.ts';
import { withRows } from './take-rows.ts';

/** Result for a row. */
export const MAPPED = {
  /** Its result is empty, and nothing was appended. */
  dropped: 0,
  /** Appended with the ordinates that the builder has. */
  copied: 1,
  /** Appended by GEOS, which has no M. */
  changed: 2,
  /** The same after a repair of the geometry. */
  repaired: 3,
} as const;

export type Mapped = (typeof MAPPED)[keyof typeof MAPPED];

/** Appends one feature for the row, which is neither null nor empty, unless its result is empty. */
export type MapRow = (column: GeometryColumn, row: number, builder: GeometryBuilder) => Mapped;

/**
 * The batch with the geometries that `mapRow` makes; attributes, ids and order stay, null and empty geometries too.
 * `operation` is the step's id, `dimensions` the ordinates that results can have. Notes GEOMETRY_DROPPED,
 * GEOMETRY_REPAIRED, Z_DROPPED and M_DROPPED.
 */
export function mapGeometries(
  batch: FeatureBatch,
  findings: Findings,
  operation: string,
  dimensions: Dimensions,
  mapRow: MapRow,
): FeatureBatch {
  const { geometry, rowCount } = batch;
  const builder = new GeometryBuilder(dimensions, rowCount, rowCount);
  const dropped = new RowTally();
  const repaired = new RowTally();
  const withoutZ = new RowTally();
  const withoutM = new RowTally();
  const losesZ = hasZ(geometry.dimensions) && !hasZ(dimensions);
  const hadM = hasM(geometry.dimensions);
  const kept = new Uint32Array(rowCount);
  let keptCount = 0;
  for (let row = 0; row < rowCount; row++) {
    const isNothing = geometry.partOffsets[row] === geometry.partOffsets[row + 1];
    let mapped: Mapped = MAPPED.copied;
    if (isNothing) copyRows(builder, geometry, row, row + 1);
    else mapped = mapRow(geometry, row, builder);
    if (mapped === MAPPED.dropped) {
      dropped.add(row);
      continue;
    }
    kept[keptCount++] = row;
    if (mapped === MAPPED.repaired) repaired.add(row);
    if (losesZ && hasZ(rowDimensions(geometry, row))) withoutZ.add(row);
    const losesM = hadM && (mapped !== MAPPED.copied || !hasM(dimensions));
    if (losesM && hasM(rowDimensions(geometry, row))) withoutM.add(row);
  }
  findings.noteTally(stepFindings.GEOMETRY_DROPPED, { operation }, dropped);
  findings.noteTally(stepFindings.GEOMETRY_REPAIRED, { operation }, repaired);
  findings.noteTally(generalFindings.Z_DROPPED, { format: operation }, withoutZ);
  findings.noteTally(generalFindings.M_DROPPED, { format: operation }, withoutM);
  const mappedGeometry = builder.finish();
  if (keptCount === rowCount) return { ...batch, geometry: mappedGeometry };
  return withRows(batch, kept.slice(0, keptCount), mappedGeometry);
}
