/** Runs one streaming transformation on a batch, as the pipeline would: parameters checked, code loaded, findings listed. */
import assert from 'node:assert/strict';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import type { CrsDescription } from '../../packages/core/src/crs/crs.ts';
import { WGS84_DESCRIPTION } from '../../packages/core/src/crs/wgs84.ts';
import { type Finding, Findings } from '../../packages/core/src/messages/findings.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { checkedStep } from '../../packages/operations/src/requested-steps.ts';
import type { StepSetting, Transformation } from '../../packages/operations/src/transformation.ts';
import { batchRows, type Row } from './rows.ts';

/** A plane with metres, which knows no way to EPSG:4326. */
export const METRIC_CRS: CrsDescription = {
  ...WGS84_DESCRIPTION,
  definition: 'test plane',
  name: 'test plane',
  authority: null,
  kind: 'projected',
  unitName: 'metre',
  unitFactor: 1,
  areaOfUse: null,
};

export interface RunStep {
  readonly batch: FeatureBatch;
  readonly rows: readonly Row[];
  /** WKT or null by row. */
  readonly texts: readonly (string | null)[];
  readonly findings: readonly Finding[];
  /** Code and count. */
  readonly counts: Readonly<Record<string, number>>;
}

export function settingIn(crs: CrsDescription): StepSetting {
  const stay = (): void => {};
  return {
    crs,
    fromWgs84: stay,
    toWgs84: stay,
    layerName: 'layer',
    path: 'transformations[0]',
    checkPositions: stay,
  };
}

/** Everything of GEOS that is made for a batch must be freed with it, and the batch must stay as it is. */
export async function runStep(
  record: Transformation,
  params: Readonly<Record<string, unknown>>,
  batch: FeatureBatch,
  setting: StepSetting = settingIn(METRIC_CRS),
): Promise<RunStep> {
  const step = checkedStep(record, { ...params }, setting.path);
  const code = await record.load();
  assert.ok(code.kind === 'streaming');
  const value = record.fileParameter?.value;
  const given = value
    ? { [value.name]: value.fromValue(step.params[value.name], `${setting.path}.${value.name}`) }
    : {};
  const apply = await code.prepare({ ...step.params, ...given }, setting);
  const geos = await Geos.load();
  const findings = new Findings();
  const input = structuredClone(batch);
  const result = apply(batch, findings);
  // A step may keep what it makes for its first batch, but nothing of each batch.
  const before = geos.liveCount;
  apply(batch, new Findings());
  assert.equal(geos.liveCount, before, 'what was made of GEOS was freed');
  assert.deepEqual(batch, input, 'the input is as it was');
  const rows = batchRows(result);
  return {
    batch: result,
    rows,
    texts: rows.map(({ geometry }) => geometry?.replaceAll(',', ', ') ?? null),
    findings: findings.list(),
    counts: Object.fromEntries(findings.list().map(({ code, count }) => [code, count])),
  };
}

/** Features with their ids, for steps that drop some. */
export function idsOf(run: RunStep): unknown[] {
  assert.deepEqual(
    run.rows.map(({ properties }) => properties.n),
    run.rows.map(({ id }) => id),
    'ids and attributes stay together',
  );
  return run.rows.map(({ id }) => id);
}

export async function areValid(batch: FeatureBatch): Promise<boolean> {
  const geos = await Geos.load();
  for (let row = 0; row < batch.rowCount; row++) {
    using geometry = geos.read(batch.geometry, row);
    if (!geometry.isValid) return false;
  }
  return true;
}
