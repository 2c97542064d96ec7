/**
 * Features across the antimeridian around a step: what the record of the step states as `longitudes` is done here. The step gets
 * longitudes that continue over 180 degrees, and its result is cut there again. Data whose longitudes are within half a turn of one
 * another costs one look at them.
 */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { LayerWindow, rowsAtSeam } from '@geomill/core/sphere/layer-window.ts';
import { unwrapped, wrapped } from '@geomill/core/sphere/unwrap.ts';
import type { ApplyStep, Longitudes, Transformation } from '@geomill/operations/transformation.ts';
import { pipelineFindings } from './findings.ts';

/** Whether the pipeline unwraps features for the step in this CRS. */
export function needsUnwrapping(
  { longitudes }: Pick<Transformation, 'longitudes'>,
  crs: Pick<CrsDescription, 'kind' | 'unitFactor'>,
): boolean {
  return isInDegrees(crs) && longitudes !== 'as written' && longitudes !== 'own';
}

/** A streaming step of which each feature is unwrapped. */
export function onUnwrapped(
  apply: ApplyStep,
  { id, longitudes }: Pick<Transformation, 'id' | 'longitudes'>,
): ApplyStep {
  return (batch, findings, rowsBefore, forAddition) => {
    const own = unwrappedBatch(batch, id, longitudes, findings);
    return wrappedBatch(apply(own.batch, findings, rowsBefore, forAddition), own, findings);
  };
}

/** What was done to a batch before a step. */
export interface BeforeStep {
  readonly batch: FeatureBatch;
  /** A feature of the batch was unwrapped. */
  readonly isChanged: boolean;
  /** A feature could not be unwrapped. */
  readonly hasLeft: boolean;
}

/** Notes ANTIMERIDIAN_IN_PLANE. Rows of findings count from 0 in the batch. */
export function unwrappedBatch(
  batch: FeatureBatch,
  operation: string,
  longitudes: Longitudes,
  findings: Findings,
): BeforeStep {
  const { geometry, leftRows } = unwrapped(batch.geometry, longitudes === 'feature' ? 'features' : 'edges');
  noteLeft(leftRows, operation, findings);
  if (geometry === batch.geometry) return { batch, isChanged: false, hasLeft: leftRows.length > 0 };
  return { batch: { ...batch, geometry }, isChanged: true, hasLeft: leftRows.length > 0 };
}

/** Notes ANTIMERIDIAN_CUT. */
export function wrappedBatch(
  batch: FeatureBatch,
  { isChanged, hasLeft }: Pick<BeforeStep, 'isChanged' | 'hasLeft'>,
  findings: Findings,
): FeatureBatch {
  const { geometry, cutRows } = wrapped(batch.geometry, isChanged, hasLeft);
  const cut = new RowTally();
  for (const row of cutRows) cut.add(row);
  findings.noteTally(generalFindings.ANTIMERIDIAN_CUT, {}, cut);
  return geometry === batch.geometry ? batch : { ...batch, geometry };
}

/** All features of a layer, of which those that belong together are side by side in one plane. */
export function unwrappedLayer(
  batches: readonly FeatureBatch[],
  { longitudes }: { readonly longitudes: Longitudes },
  operation: string,
  findings: Findings,
): { readonly batches: readonly FeatureBatch[]; readonly isChanged: boolean; readonly hasLeft: boolean } {
  const none = { batches, isChanged: false, hasLeft: false };
  if (longitudes !== 'layer') return none;
  const window = new LayerWindow();
  for (const { geometry } of batches) window.addBounds(geometry.coordinates, geometry.dimensions);
  if (!window.isWide) return none;
  let rowsBefore = 0;
  let hasLeft = false;
  for (const { geometry, rowCount } of batches) {
    const { leftRows } = window.add(geometry);
    if (leftRows.length > 0) hasLeft = true;
    noteLeft(
      leftRows.map((row) => row + rowsBefore),
      operation,
      findings,
    );
    rowsBefore += rowCount;
  }
  let isChanged = false;
  const atSeam = new RowTally();
  rowsBefore = 0;
  const placed = batches.map((batch) => {
    const geometry = window.place(batch.geometry);
    if (window.isAround) for (const row of rowsAtSeam(geometry)) atSeam.add(row + rowsBefore);
    rowsBefore += batch.rowCount;
    if (geometry === batch.geometry) return batch;
    isChanged = true;
    return { ...batch, geometry };
  });
  findings.noteTally(pipelineFindings.LAYER_AROUND_EARTH, { operation }, atSeam);
  return { batches: placed, isChanged, hasLeft };
}

function noteLeft(rows: readonly number[], operation: string, findings: Findings): void {
  const left = new RowTally();
  for (const row of rows) left.add(row);
  findings.noteTally(pipelineFindings.ANTIMERIDIAN_IN_PLANE, { operation }, left);
}
