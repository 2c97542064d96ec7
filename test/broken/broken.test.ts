/**
 * Every fixture truncated at 40 lengths and with 200 seeded bit flips (10 and 50 unless the run is exhaustive): a coded error
 * of the user's or a result, each within 10 seconds, without a crash and without leftover files or descriptors.
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { outputFormats } from '../../src/formats/registry.ts';
import { makeWorkspace } from '../support/convert.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import { allFixtures, crsFor } from '../support/fixtures.ts';
import type { HammerCase, HammerJob } from './hammer.ts';

const CASE_LIMIT_MS = 10_000;
const [CUTS, FLIPS] = IS_EXHAUSTIVE ? [40, 200] : [10, 50];

/** Runs the job in a thread and ends it if one case takes too long, so that a hang is a failure. */
function runHammer(job: HammerJob): Promise<HammerCase[]> {
  return new Promise((resolve, reject) => {
    const cases: HammerCase[] = [];
    const worker = new Worker(new URL('./hammer.ts', import.meta.url), { workerData: job });
    const tooLong = (): void => {
      void worker.terminate();
      reject(
        new Error(
          `the case after '${cases.at(-1)?.name ?? 'the start'}' took longer than ${CASE_LIMIT_MS} ms`,
        ),
      );
    };
    let watchdog = setTimeout(tooLong, CASE_LIMIT_MS);
    worker.on('message', (done: HammerCase) => {
      cases.push(done);
      clearTimeout(watchdog);
      watchdog = setTimeout(tooLong, CASE_LIMIT_MS);
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      clearTimeout(watchdog);
      resolve(cases);
    });
  });
}

function openDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

for (const fixture of allFixtures()) {
  test(`rejects damaged copies of ${fixture.format}/${fixture.name} with a code or reads them`, async () => {
    using workspace = makeWorkspace();
    const before = openDescriptors();
    const cases = await runHammer({
      path: fixture.path,
      format: fixture.format,
      workspace: workspace.path,
      outputs: outputFormats.map(({ id }) => id),
      crs: crsFor(fixture),
      cuts: CUTS,
      flips: FLIPS,
    });
    const bad = cases.filter(({ outcome }) => outcome === 'bad');
    assert.deepEqual(bad.slice(0, 3), []);
    const size = statSync(fixture.path).size;
    assert.ok(cases.length >= Math.min(CUTS, size) + (size > 0 ? FLIPS : 0), `${cases.length} cases ran`);
    assert.deepEqual(workspace.entries(), []);
    const after = openDescriptors();
    if (before !== null && after !== null)
      assert.ok(after <= before + 2, `${after - before} descriptors stayed open`);
  });
}
