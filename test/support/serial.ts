/** Runs a serial transformation without the pipeline, with batches on disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { type Finding, Findings } from '../../packages/core/src/messages/findings.ts';
import { checkedStep } from '../../packages/operations/src/requested-steps.ts';
import type {
  StepSetting,
  StoredBatch,
  Transformation,
} from '../../packages/operations/src/transformation.ts';
import { BatchSpool } from '../../packages/pipeline/src/batch-spool.ts';
import { METRIC_CRS, settingIn } from './run-step.ts';

/** Runs `work` with a spool that is removed afterwards. */
export async function withSpool<Result>(
  work: (spool: BatchSpool) => Result | Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-spool-'));
  const spool = new BatchSpool(join(directory, 'features'));
  try {
    return await work(spool);
  } finally {
    spool.discard();
    rmSync(directory, { recursive: true });
  }
}

export async function runSerial(
  record: Transformation,
  params: Readonly<Record<string, unknown>>,
  batches: readonly FeatureBatch[],
  setting: StepSetting = settingIn(METRIC_CRS),
): Promise<{ readonly batches: readonly FeatureBatch[]; readonly findings: readonly Finding[] }> {
  const step = checkedStep(record, { ...params }, setting.path);
  const code = await record.load();
  if (code.kind !== 'serial') throw new Error(`${record.id} is not serial`);
  return withSpool(async (spool) => {
    const run = await code.begin(step.params, setting, spool);
    const findings = new Findings();
    for (const batch of batches) {
      if (run.isComplete?.()) break;
      run.add(batch, findings, null);
    }
    return { batches: loaded(run.finish(findings), spool), findings: findings.list() };
  });
}

export function loaded(
  result: Iterable<FeatureBatch | StoredBatch>,
  spool: BatchSpool,
): readonly FeatureBatch[] {
  return [...result].map((one) => ('shape' in one ? spool.load(one) : one));
}
