/**
 * Every fixture truncated at 40 lengths and with 200 seeded bit flips (8 and 16 unless the run is exhaustive; `npm run test:fuzz` damages files in more ways): a coded error
 * of the user's or a result, each within 10 seconds of work, without a crash and without leftover files or descriptors.
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import test, { after, before } from 'node:test';
import { Worker } from 'node:worker_threads';
import { outputFormats } from '../../packages/formats/src/registry.ts';
import { makeWorkspace } from '../support/convert.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';
import { allFixtures, crsFor, type Fixture } from '../support/fixtures.ts';
import type { HammerCase, HammerJob } from './hammer.ts';

/** Of processor time, a hundred times what a case takes. */
const CASE_LIMIT_MS = 10_000;
const LOOK_MS = 500;
const [CUTS, FLIPS] = IS_EXHAUSTIVE ? [40, 200] : [8, 16];

/** One for all fixtures: a new thread loads all codecs again, which takes longer than a job. */
let hammer: Worker | null = null;
after(() => hammer?.terminate());

/** Runs the job in the thread and ends it if one case takes too long, so that a hang is a failure. */
function runHammer(job: HammerJob): Promise<HammerCase[]> {
  hammer ??= new Worker(new URL('./hammer.ts', import.meta.url));
  const worker = hammer;
  return new Promise((resolve, reject) => {
    const cases: HammerCase[] = [];
    // Of this process, in which nothing else runs meanwhile: the thread can be in native code that answers nobody.
    let before = process.cpuUsage();
    const watchdog = setInterval(() => {
      const { user, system } = process.cpuUsage(before);
      if (user + system < CASE_LIMIT_MS * 1000) return;
      const last = cases.at(-1)?.name ?? 'the start';
      fail(new Error(`the case after '${last}' took longer than ${CASE_LIMIT_MS} ms`));
    }, LOOK_MS);
    const fail = (error: Error): void => {
      hammer = null;
      end();
      void worker.terminate();
      reject(error);
    };
    const receive = (done: HammerCase | null): void => {
      if (done === null) {
        end();
        resolve(cases);
      } else {
        cases.push(done);
        before = process.cpuUsage();
      }
    };
    const end = (): void => {
      clearInterval(watchdog);
      worker.off('message', receive).off('error', fail).off('exit', exit);
    };
    const exit = (code: number): void => fail(new Error(`the thread ended with status ${code}`));
    worker.on('message', receive).on('error', fail).on('exit', exit);
    worker.postMessage(job);
  });
}

function openDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

/** Damaged copies of a fixture, each to the next format. */
const jobOf = (fixture: Fixture, workspace: string, cuts: number, flips: number): HammerJob => ({
  path: fixture.path,
  format: fixture.format,
  workspace,
  outputs: outputFormats.map(({ id }) => id),
  crs: crsFor(fixture),
  cuts,
  flips,
});

const fixtures = allFixtures();
before(async () => {
  // Loads what opens descriptors for as long as the thread lives.
  using workspace = makeWorkspace();
  await runHammer(jobOf(fixtures[0], workspace.path, 0, outputFormats.length));
});

for (const fixture of fixtures) {
  test(`rejects damaged copies of ${fixture.format}/${fixture.name} with a code or reads them`, async () => {
    using workspace = makeWorkspace();
    const open = openDescriptors();
    const cases = await runHammer(jobOf(fixture, workspace.path, CUTS, FLIPS));
    const bad = cases.filter(({ outcome }) => outcome === 'bad');
    assert.deepEqual(bad.slice(0, 3), []);
    const size = statSync(fixture.path).size;
    assert.ok(cases.length >= Math.min(CUTS, size) + (size > 0 ? FLIPS : 0), `${cases.length} cases ran`);
    assert.deepEqual(workspace.entries(), []);
    const stillOpen = openDescriptors();
    if (open !== null && stillOpen !== null)
      assert.ok(stillOpen <= open + 2, `${stillOpen - open} descriptors stayed open`);
  });
}
