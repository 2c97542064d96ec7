/** The client against the whole service with its real runners, over HTTP. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { checkedFetch } from '../../../test/support/response-check.ts';
import { startTestService } from '../../../test/support/service.ts';
import { formats } from '../../formats/src/registry.ts';
import {
  type FeatureCollection,
  GeomillClient,
  GeomillProblem,
  JobFailed,
  type Progress,
} from '../src/client.ts';
import { fileFrom, saveTo } from '../src/node/files.ts';

const service = await startTestService({ runner: null });
test.after(() => service[Symbol.asyncDispose]());

// Only answers that the document knows: what the client does with others is the matter of transport.test.ts.
const fetch = checkedFetch as typeof globalThis.fetch;
const client = new GeomillClient({ baseUrl: service.url, fetch });

const samplePath = join(import.meta.dirname, '../../../samples/harbour.geojson');
const sample = readFileSync(samplePath, 'utf8');
const harbour = { name: 'harbour.geojson', data: sample };
const geojsonToCsv = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;

function pointsAt(...longitudes: number[]): FeatureCollection {
  const features = longitudes.map((longitude) => ({
    type: 'Feature' as const,
    properties: { name: `at ${longitude}` },
    geometry: { type: 'Point' as const, coordinates: [longitude, 50] },
  }));
  return { type: 'FeatureCollection', features };
}

test('a job is submitted, waited for and downloaded', async () => {
  const job = await client.submit({ input: harbour, config: geojsonToCsv });
  const told: Progress[] = [];
  const ended = await job.wait({ onProgress: (progress) => told.push(progress) });
  assert.equal(ended.status, 'SUCCESS');
  assert.deepEqual(told.at(-1), { fraction: 1, stage: 'ended' });
  const fractions = told.map(({ fraction }) => fraction);
  assert.deepEqual(fractions, fractions.toSorted((a, b) => a - b)); // biome-ignore format: one line
  const output = await job.download();
  assert.equal(output.fileName, 'harbour.csv');
  assert.equal(output.mediaType, 'text/csv; charset=utf-8; header=present');
  const text = await output.text();
  assert.equal(Buffer.byteLength(text), output.byteLength);
  assert.match(text, /geom_wkt/);
  assert.equal(await output.text(), text, 'it can be read again');
  assert.equal((await output.blob()).size, output.byteLength);
  assert.equal((await output.blob()).type, output.mediaType);
  assert.deepEqual((await job.report())?.features.written, 10);
});

test('a job is run again with other inputs', async () => {
  const first = await client.submit({ input: harbour, config: geojsonToCsv });
  const again = await first.rerun({ name: 'points.geojson', data: JSON.stringify(pointsAt(1, 2)) });
  const output = await again.result();
  assert.equal(output.fileName, 'points.csv');
  assert.deepEqual((await again.report())?.features.written, 2);
  const third = await again.rerun(pointsAt(3));
  assert.match(await (await third.result()).text(), /at 3/);
  const config = { output_format: 'csv', input_crs_mapping: 4326 } as const;
  const merged = await client.submitMerge('geojson', { files: [pointsAt(1), pointsAt(2)], config });
  const more = await merged.rerun({ files: [pointsAt(1), pointsAt(2), pointsAt(3)] });
  await more.wait();
  assert.equal((await more.report())?.features.read, 3);
});

test('a file of the disk is sent and an output saved under its own name', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-client-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const output = await client.transform('geojson', {
    input: await fileFrom(samplePath),
    config: { output_format: 'shp', output_crs: 'EPSG:25832' },
  });
  const path = await saveTo(output, directory);
  assert.equal(path, join(directory, 'harbour.zip'));
  assert.equal(statSync(path).size, output.byteLength);
  assert.deepEqual(readdirSync(directory), ['harbour.zip']);
  assert.equal(readFileSync(path).subarray(0, 2).toString(), 'PK');
});

test('a save that fails leaves what was there before', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-client-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'out.csv');
  writeFileSync(path, 'before');
  const job = await client.submit({ input: harbour, config: geojsonToCsv });
  await job.wait();
  const output = await job.download({ signal: AbortSignal.abort() }).catch((error: Error) => error);
  assert.equal((output as Error).name, 'AbortError');
  const controller = new AbortController();
  const started = await job.download({ signal: controller.signal });
  controller.abort();
  await assert.rejects(saveTo(started, path), { name: 'AbortError' });
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(directory)], ['before', ['out.csv']]);
});

test('GeoJSON objects go as they are and come back as they are', async () => {
  const output = await client.transform('geojson', {
    input: pointsAt(7.5),
    config: { output_format: 'geojson', to_file: false },
  });
  assert.equal(output.fileName, null);
  assert.equal(output.mediaType, 'application/json; charset=utf-8');
  const collection = await output.json<FeatureCollection>();
  assert.deepEqual(collection.features[0].geometry, { type: 'Point', coordinates: [7.5, 50] });
});

const appended = { output_format: 'geojson', to_file: false } as const;
const longitudesOf = ({ features }: FeatureCollection): number[] =>
  features.map(({ geometry }) => (geometry as { coordinates: number[] }).coordinates[0]);

test('files and objects are appended and merged, mixed too', async () => {
  const asFile = (longitude: number) => ({
    name: `${longitude}.geojson`,
    data: JSON.stringify(pointsAt(longitude)),
  });
  for (const files of [
    [pointsAt(2, 3), pointsAt(4)],
    [asFile(2), asFile(3), asFile(4)],
    [asFile(2), pointsAt(3, 4)],
  ]) {
    const request = { target: pointsAt(1), files, config: appended };
    const output = await client.append('geojson', request);
    const collection = await output.json<FeatureCollection>();
    assert.deepEqual(longitudesOf(collection), [1, 2, 3, 4]);
    assert.deepEqual(collection.features[3].properties, { name: 'at 4' });
    const merged = await (
      await client.merge('geojson', { files, config: appended })
    ).json<FeatureCollection>();
    assert.deepEqual(longitudesOf(merged), [2, 3, 4]);
    assert.deepEqual(merged.features[2].properties ?? {}, {});
  }
});

test('what needs no waiting is a job', async () => {
  const jobs = await Promise.all([
    client.submitTransform('geojson', { input: pointsAt(1), config: appended }),
    client.submitAppend('geojson', { target: pointsAt(1), files: [pointsAt(2)], config: appended }),
    client.submitMerge('geojson', { files: [pointsAt(1), pointsAt(2)], config: appended }),
  ]);
  const outputs = await Promise.all(jobs.map(async (job) => (await job.result()).json<FeatureCollection>()));
  assert.deepEqual(outputs.map(longitudesOf), [[1], [1, 2], [1, 2]]);
});

test('bytes, blobs, files and streams are inputs', async () => {
  const bytes = new TextEncoder().encode(sample);
  const inputs = [
    bytes,
    new Blob([bytes]),
    new File([bytes], 'a.geojson'),
    new Blob([bytes]).stream(),
    { name: 'a.geojson', data: () => new Blob([bytes]).stream() },
    { name: 'ä (1).geojson', data: new Blob([bytes]).stream() },
  ];
  const names: (string | null)[] = [];
  for (const input of inputs) {
    const output = await client.transform('geojson', { input, config: { output_format: 'csv' } });
    names.push(output.fileName);
    assert.match(await output.text(), /POINT/);
  }
  assert.deepEqual(names.slice(2), ['a.csv', 'input.csv', 'a.csv', 'ä (1).csv']);
});

test('a file is inspected', async () => {
  const { format, layers } = await client.inspect({
    input: harbour,
    config: { input: { format: 'geojson' } },
  });
  assert.equal(format, 'geojson');
  assert.equal(layers.reduce((sum, layer) => sum + layer.features, 0), 10); // biome-ignore format: one line
});

test('formats, transformations and CRS are listed', async () => {
  assert.deepEqual(
    (await client.formats()).map(({ id }) => id),
    formats.map(({ id }) => id),
  );
  assert.ok((await client.transformations()).some(({ id }) => id === 'buffer'));
  const [first, ...others] = await client.crs('25832', { limit: 1 });
  assert.deepEqual([first.code, others.length], ['EPSG:25832', 0]);
});

test('jobs are listed over pages', async () => {
  const jobs = [];
  for (let i = 0; i < 5; i++) jobs.push(await client.submit({ input: harbour, config: geojsonToCsv }));
  for (const job of jobs) await job.wait();
  const listed: string[] = [];
  for await (const { job_id } of client.jobs({ status: 'SUCCESS', operation: 'transform', pageSize: 2 })) {
    listed.push(job_id);
    if (listed.length === 5) break;
  }
  assert.deepEqual(listed, jobs.map(({ id }) => id).reverse());
  for await (const { status } of client.jobs({ status: 'QUEUED' })) assert.fail(status);
});

test('what is wrong with a request is a problem that says where', async () => {
  const config = { input: { format: 'dxf' }, output: { format: 'csv' } } as const;
  await assert.rejects(client.submit({ input: harbour, config }), (error) => {
    assert.ok(error instanceof GeomillProblem);
    assert.deepEqual([error.status, error.code, error.errors[0].path], [400, 'FIELD_REQUIRED', 'input.epsg']);
    assert.match(error.message, /input\.epsg/);
    assert.equal(error.jobId, null);
    return true;
  });
  await assert.rejects(client.job('nonsense').wait(), { status: 404, code: 'JOB_UNKNOWN' });
});

test('a job that fails says why and where, waited for by events or in one request', async () => {
  const input = { name: 'a.csv', data: 'geom_wkt\nPOINT (1 2)\nPOINT (1\n' };
  const config = { input: { format: 'csv', epsg: 4326 }, output: { format: 'shp' } } as const;
  const job = await client.submit({ input, config });
  await assert.rejects(job.wait(), (error) => {
    assert.ok(error instanceof JobFailed);
    assert.equal(error.code, 'CSV_GEOMETRY');
    assert.equal(error.place?.line, 3);
    assert.equal(error.job.status, 'FAILED');
    return true;
  });
  await assert.rejects(job.download(), { status: 409, code: 'JOB_NOT_DONE' });
  const request = { input, config: { input_crs: 'EPSG:4326', output_format: 'shp' } } as const;
  await assert.rejects(client.transform('csv', request), (error) => {
    assert.ok(error instanceof GeomillProblem);
    assert.deepEqual([error.status, error.code], [400, 'CSV_GEOMETRY']);
    assert.notEqual(error.jobId, null);
    return true;
  });
});

test('the same key names the same job, and another body with it is refused', async () => {
  const request = { input: harbour, config: geojsonToCsv };
  const first = await client.submit(request, { idempotencyKey: 'once' });
  const second = await client.submit(request, { idempotencyKey: 'once' });
  assert.equal(first.id, second.id);
  const other = client.submit(
    { ...request, input: { ...harbour, name: 'b.geojson' } },
    { idempotencyKey: 'once' },
  );
  await assert.rejects(other, { status: 422, code: 'IDEMPOTENCY_CONFLICT' });
  await first.wait();
});

test('a job that has ended is deleted, and left as it is by cancel', async () => {
  const job = await client.submit({ input: harbour, config: geojsonToCsv });
  await job.wait();
  await job.cancel();
  assert.equal((await job.status()).status, 'SUCCESS');
  await job.delete();
  await assert.rejects(job.status(), { status: 404 });
  await job.delete();
});
