/** Runs a collecting step over all features of a layer: one half in this thread, the other in the workers that it calls. */

import { nullColumn } from '@geomill/core/columns/attribute-column.ts';
import { castBatch } from '@geomill/core/columns/cast.ts';
import { batchByteLength, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { BatchStore, CollectingHost } from '@geomill/operations/transformation.ts';
import { eventTurn } from '@geomill/platform/scheduling.ts';
import type { LoadedStep } from './conversion-plan.ts';
import type { Executor } from './executor.ts';
import type { GeometrySpool } from './geometry-spool.ts';
import { checkGrowth, positionCount } from './growth.ts';
import { RESULT_BYTES } from './layer-context.ts';
import { locateFindings } from './locate-findings.ts';
import { needsUnwrapping, unwrappedLayer, wrappedBatch } from './longitudes.ts';
import { throwIfAborted } from './partition-run.ts';
import type { Kept } from './pieces.ts';
import type { ProgressMeter } from './progress.ts';
import { stepSetting } from './step-setting.ts';
import type { StepTally } from './tally.ts';
import type { SessionLayer, TransformSetting } from './task.ts';
import { transformersFor } from './transformers.ts';

export interface Collecting {
  readonly batches: readonly FeatureBatch[];
  /** All batches are cast to these fields first. */
  readonly fields: readonly Field[];
  readonly step: LoadedStep;
  readonly tally: StepTally;
  readonly session: SessionLayer;
  readonly stage: number;
  readonly layerIndex: number;
  readonly weight: number;
  readonly executor: Executor;
  readonly store: BatchStore;
  readonly geometry: GeometrySpool;
  readonly findings: Findings;
  readonly locatesFindings: boolean;
  readonly signal: AbortSignal;
  readonly progress: ProgressMeter;
  readonly transforming: TransformSetting;
  readonly limits: Pick<InputLimits, 'outputFactor'>;
}

/** The features after the step: at least one batch, which may have no rows. */
export async function collectStage(collecting: Collecting): Promise<readonly Kept[]> {
  const { step, session, stage, fields, signal } = collecting;
  const { code } = step;
  const { collect, layerName: layer } = session.stages[stage];
  if (code.kind !== 'collecting' || collect === null) throw new Error(`'${step.type}' does not collect`);
  const transformers = await transformersFor([{ links: [], collect }], collecting.transforming);
  const { host, finish } = hostFor(collecting);
  const cast = collecting.batches.map((batch) => castBatch(batch, fields));
  const unwraps = needsUnwrapping(step, collect.crs);
  const before = unwraps
    ? unwrappedLayer(cast, step, step.type, host.findings)
    : { batches: cast, isChanged: false, hasLeft: false };
  const { batches } = before;
  const growth = { positionsIn: countPositions(batches), factor: collecting.limits.outputFactor };
  const setting = stepSetting(collect, layer, transformers, growth);
  const startedAt = performance.now();
  const kept: Kept[] = [];
  let bytes = 0;
  let rowsOut = 0;
  let positionsOut = 0;
  for (const result of await code.collect(batches, step.params, setting, host)) {
    throwIfAborted(signal);
    const batch = unwraps ? wrappedBatch(result, before, host.findings) : result;
    rowsOut += batch.rowCount;
    positionsOut += positionCount(batch);
    checkGrowth(collect, growth.positionsIn, positionsOut, growth.factor);
    bytes += batchByteLength(batch);
    kept.push(bytes <= RESULT_BYTES ? { batch } : { stored: collecting.store.store(batch) });
    // So that a cancellation is noticed.
    await eventTurn();
  }
  throwIfAborted(signal);
  finish();
  const found = collecting.locatesFindings
    ? locateFindings(host.findings.found(), batches)
    : host.findings.noted();
  collecting.tally.add({
    rowsIn: rowCountOf(batches),
    rowsOut,
    findings: found,
    seconds: (performance.now() - startedAt) / 1000,
  });
  collecting.findings.merge(found, (location) => ({ layer, ...location }), {
    crs: collect.crs.definition,
  });
  // Like a reader, a step returns a layer without features as one batch without rows.
  if (kept.length > 0) return kept;
  return [{ batch: emptyBatch(code.outputFields?.(fields, step.params) ?? fields) }];
}

function rowCountOf(batches: readonly FeatureBatch[]): number {
  return batches.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

function countPositions(batches: readonly FeatureBatch[]): number {
  return batches.reduce((sum, batch) => sum + positionCount(batch), 0);
}

function hostFor({ executor, geometry, layerIndex, stage, signal, progress, weight }: Collecting): {
  readonly host: CollectingHost;
  readonly finish: () => void;
} {
  let reported = 0;
  const tell = (fraction: number): void => {
    // A step may report a smaller share than before: progress never falls.
    const share = Math.min(1, fraction);
    if (!(share > reported)) return;
    progress.advance((share - reported) * weight);
    reported = share;
  };
  const host: CollectingHost = {
    width: executor.width,
    async call(payload, transfer = []) {
      throwIfAborted(signal);
      return executor.call({ layerIndex, stage, payload }, transfer);
    },
    keep: (column) => geometry.keep(column),
    progress: tell,
    findings: new Findings(),
  };
  return { host, finish: () => tell(1) };
}

export function emptyBatch(fields: readonly Field[]): FeatureBatch {
  return {
    rowCount: 0,
    geometry: new GeometryBuilder('XY', 0, 0).finish(),
    fields,
    columns: fields.map(({ type }) => nullColumn(type, 0)),
    ids: null,
  };
}
