/** The service at work at every level of isolation that this machine can build. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { GeomillError } from '../../../../packages/core/src/messages/errors.ts';
import { startTestService, submitJob, type TestService } from '../../../../test/support/service.ts';
import { SANDBOX_LEVELS, type SandboxLevel } from '../../src/sandbox/sandbox.ts';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/shp');

/** Null where the level cannot be built here; the test is skipped then. */
async function serviceAt(
  level: SandboxLevel,
  dataDirectory: string,
  context: TestContext,
  options: { readonly runner?: null; readonly settings?: Readonly<Record<string, string>> },
): Promise<TestService | null> {
  try {
    const settings = { RUNNER_SANDBOX: level, RUNNERS: '1', RUNNER_THREADS: '2', ...options.settings };
    return await startTestService({ ...options, settings, dataDirectory });
  } catch (error) {
    if (!(error instanceof GeomillError) || error.code !== 'SETTING_INVALID') throw error;
    context.skip(error.message);
    return null;
  }
}

/** A data directory that other users can get to. */
function makeDirectory(): { readonly path: string; [Symbol.dispose](): void } {
  const root = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  chmodSync(root, 0o711);
  const path = join(root, 'data');
  mkdirSync(path);
  return { path, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

function points(count: number): string {
  const features = Array.from(
    { length: count },
    (_, i) =>
      `{"type":"Feature","properties":{"n":${i},"pad":"${'x'.repeat(400)}"},"geometry":{"type":"Point","coordinates":[9,50]}}`,
  );
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
}

for (const level of SANDBOX_LEVELS) {
  test(`level ${level}: archives, threads and one job after the other`, async (context) => {
    using directory = makeDirectory();
    const service = await serviceAt(level, directory.path, context, { runner: null });
    if (service === null) return;
    try {
      const [archive] = readdirSync(FIXTURES).filter((name) => name.endsWith('.zip'));
      const zipped = {
        config: { input: { format: 'shp' }, output: { format: 'geojson' } },
        file: new Uint8Array(readFileSync(join(FIXTURES, archive))),
        fileName: archive,
      };
      const large = {
        config: { input: { format: 'geojson' }, output: { format: 'csv', epsg: 25832 } },
        file: points(20_000),
      };
      const [runner] = service.service.runners;
      for (const submission of [zipped, large, zipped]) {
        const id = await submitJob(service, submission);
        const job = await service.ended(id);
        assert.equal(job.state, 'SUCCESS', JSON.stringify(job.error));
        const { uid, mode } = statSync(join(directory.path, 'outputs', id));
        assert.equal(uid, process.getuid?.());
        assert.equal(mode & 0o077, 0, 'the output is for the user of the service alone');
      }
      assert.deepEqual([...service.service.runners], [runner], 'one runner did it all');
    } finally {
      await service.stop();
    }
    assert.deepEqual(readdirSync(join(directory.path, 'slots')), []);
  });

  test(`level ${level}: the memory of Node itself is bounded`, async (context) => {
    if (process.platform !== 'linux') return context.skip('only Linux tells the memory of a process');
    using directory = makeDirectory();
    const service = await serviceAt(level, directory.path, context, {
      settings: { RUNNER_MEMORY: '300 MiB' },
    });
    if (service === null) return;
    try {
      const job = await service.ended(await submitJob(service, { file: 'grow' }));
      assert.equal(job.error?.code, 'JOB_OUT_OF_MEMORY');
      assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
    } finally {
      await service.stop();
    }
  });
}
