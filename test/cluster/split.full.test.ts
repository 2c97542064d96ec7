/** Jobs that are divided among several workers: the bytes, report and errors of one machine, also when workers die. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { S3Store } from '../../apps/service/src/storage/s3-store.ts';
import { GeomillClient, type SubmitJobConfig } from '../../packages/client/src/client.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { onlyExhaustive } from '../support/exhaustive.ts';
import { noPostgres as skip } from '../support/postgres.ts';
import { BUCKET, KEY_ID, S3TestServer, SECRET } from '../support/s3-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import {
  collection,
  ended,
  facts,
  features,
  type Input,
  MANY_PARTS,
  metric,
  partRunning,
  SLOW,
  startCluster,
  submit,
} from './split-service.ts';

const inputs: Record<string, Input> = {};

before(async () => {
  if (skip !== false) return;
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, collection(features(8000)));
  inputs.geojson = { name: 'in.geojson', bytes: readFileSync(path) };
  for (const format of ['csv', 'gpkg', 'shp']) {
    using own = makeWorkspace();
    const { outputPath } = await convertFile(path, own.path, { from: 'geojson', to: format });
    inputs[format] = { name: `in.${format === 'shp' ? 'zip' : format}`, bytes: readFileSync(outputPath) };
  }
});

const OUTPUTS = {
  GeoJSON: { format: 'geojson' },
  'newline-delimited GeoJSON': { format: 'geojson', sequence: 'lines' },
  CSV: { format: 'csv' },
} as const;

test('a divided job gives the bytes and the report of one machine, for all inputs and outputs', {
  skip: skip || onlyExhaustive,
}, async () => {
  await using cluster = await startCluster(2);
  await using alone = await startServerProcess();
  const single = new GeomillClient({ baseUrl: alone.url });
  for (const format of ['geojson', 'csv', 'gpkg', 'shp'] as const)
    for (const [name, output] of Object.entries(OUTPUTS))
      for (const epsg of [undefined, 25832]) {
        // The other combinations are in packages/pipeline/test/division.test.ts, without a service.
        if (format !== 'geojson' && (epsg !== undefined) !== (name === 'CSV')) continue;
        const config = {
          input: { format, ...(format === 'csv' ? { epsg: 4326 } : {}) },
          output: { ...output, ...(epsg === undefined ? {} : { epsg }) },
        } as SubmitJobConfig;
        const handles = await Promise.all([
          submit(cluster.api, inputs[format], config),
          submit(single, inputs[format], config),
        ]);
        const divided = await ended(cluster.api, handles[0].id);
        const whole = await ended(single, handles[1].id);
        const label = `${format} to ${name} ${epsg ?? ''}`;
        assert.deepEqual(facts(divided.job), facts(whole.job), label);
        assert.ok(divided.bytes !== null && whole.bytes?.equals(divided.bytes), `${label}: other bytes`);
      }
  const parts = await cluster.parts();
  assert.ok(Math.min(...parts) > 0, `both workers ran parts of the other: ${parts}`);
  assert.deepEqual(cluster.partFiles(), []);
});

for (const who of ['helper', 'holder'] as const)
  test(`the bytes are the same after kill -9 of the worker of ${who === 'helper' ? 'a part' : 'the job'}`, {
    skip: skip || (who === 'helper' ? false : onlyExhaustive),
  }, async () => {
    await using cluster = await startCluster(2, MANY_PARTS);
    const { id } = await submit(cluster.api, inputs.geojson, SLOW);
    const workers = await partRunning(cluster);
    await workers[who].kill();
    const { job, bytes } = await ended(cluster.api, id);
    assert.equal(job.attempts, who === 'helper' ? 1 : 2);
    await using alone = await startServerProcess();
    const single = new GeomillClient({ baseUrl: alone.url });
    const whole = await ended(single, (await submit(single, inputs.geojson, SLOW)).id);
    assert.deepEqual(facts(job), facts(whole.job));
    assert.ok(bytes !== null && whole.bytes?.equals(bytes), 'other bytes');
    assert.equal(await cluster.rows(), 0);
  });

test('a cancelled job ends with all its parts, and leaves no files of them', { skip }, async () => {
  // The parts would end with their leases at the latest: the test would wait for an hour.
  await using cluster = await startCluster(2, { ...MANY_PARTS, JOB_LEASE: '1h' });
  const { id } = await submit(cluster.api, inputs.geojson, SLOW);
  const { helper } = await partRunning(cluster);
  await cluster.api.job(id).cancel();
  assert.equal(await cluster.rows(), 0, 'the worker of the part has stopped');
  assert.deepEqual(cluster.partFiles(), []);
  const next = await submit(
    cluster.api,
    { name: 'a.geojson', bytes: Buffer.from(collection(features(3))) },
    SLOW,
  );
  await ended(cluster.api, next.id);
  assert.equal(await metric(helper, 'geomill_jobs_running'), 0);
});

test('a part that fails gives the error of one machine', { skip: skip || onlyExhaustive }, async () => {
  await using cluster = await startCluster(2);
  await using alone = await startServerProcess();
  const single = new GeomillClient({ baseUrl: alone.url });
  const text = inputs.geojson.bytes.toString();
  for (const damaged of [text.replace('"n":6000,', '"n":6000 '), text.slice(0, -1000)]) {
    const input = { name: 'damaged.geojson', bytes: Buffer.from(damaged) };
    const config = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;
    const divided = await ended(cluster.api, (await submit(cluster.api, input, config)).id);
    const whole = await ended(single, (await submit(single, input, config)).id);
    assert.notEqual(divided.job.error ?? null, null);
    assert.deepEqual(divided.job.error, whole.job.error);
  }
  assert.deepEqual(cluster.partFiles(), []);
});

test('parts go through S3, too, and leave nothing there', { skip }, async (context) => {
  using workspace = makeWorkspace();
  const server = await S3TestServer.start(workspace.path);
  if (server === null) return context.skip('s3rver is not installed');
  await using _ = server;
  const s3 = {
    STORE_URL: `s3://${BUCKET}/split`,
    S3_ENDPOINT: server.url,
    S3_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
  };
  await using cluster = await startCluster(2, { ...MANY_PARTS, ...s3 });
  await using alone = await startServerProcess();
  const single = new GeomillClient({ baseUrl: alone.url });
  for (const format of ['geojson', 'gpkg'] as const) {
    const config: SubmitJobConfig = { ...SLOW, input: { format } };
    const divided = await ended(cluster.api, (await submit(cluster.api, inputs[format], config)).id);
    const whole = await ended(single, (await submit(single, inputs[format], config)).id);
    assert.equal(divided.job.error ?? null, null);
    assert.ok(divided.bytes !== null && whole.bytes?.equals(divided.bytes), `${format}: other bytes`);
  }
  const parts = await cluster.parts();
  assert.ok(parts[0] + parts[1] > 0, 'a worker ran parts of the other');
  const files = new S3Store(server.settings('split'));
  for await (const { id } of files.parts.list()) assert.fail(`files of parts of ${id} are left`);
  files.close();
});
