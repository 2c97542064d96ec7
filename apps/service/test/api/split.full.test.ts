/** Outputs split by a field over HTTP: layers of one file, or a zip with a file for each value. With the real runners. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { expectProblem } from '../../../../test/support/problem.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { postForm, startTestService, submit, submitJob } from '../../../../test/support/service.ts';
import { readZipMembers } from '../../../../test/support/zip-members.ts';

const service = await startTestService({ runner: null });
test.after(() => service[Symbol.asyncDispose]());

const sample = readFileSync(join(import.meta.dirname, '../../../../samples/harbour.geojson'));
const input = { format: 'geojson' };

interface JobDocument {
  readonly status: string;
  readonly report: {
    readonly output: { readonly media_type: string; readonly layers: readonly object[] };
    readonly request: { readonly output: object };
  };
}

async function ended(id: string): Promise<JobDocument> {
  await service.ended(id);
  return (await (await fetch(`${service.url}/v1/jobs/${id}`)).json()) as JobDocument;
}

async function membersOf(id: string): Promise<string[]> {
  const response = await fetch(`${service.url}/result/output/${id}`);
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.match(response.headers.get('content-disposition') ?? '', /filename="?harbour\.zip/);
  return (await readZipMembers(Buffer.from(await response.arrayBuffer()))).map(({ name }) => name);
}

const submitted = (output: object) =>
  submitJob(service, { config: { input, output }, file: sample, fileName: 'harbour.geojson' });

test('a format with one layer gives a zip with a file for each value, with counts that add up; rerun gives it again', async () => {
  const id = await submitted({ format: 'csv', split_by: 'open' });
  const { report } = await ended(id);
  assert.equal(report.output.media_type, 'application/zip');
  const layers = report.output.layers as { readonly features: number }[];
  assert.deepEqual(
    layers.map(({ features: _, ...rest }) => rest),
    [
      { name: 'true', value: 'true', files: ['true.csv'] },
      { name: 'false', value: 'false', files: ['false.csv'] },
    ],
  );
  assert.equal(layers[0].features + layers[1].features, 10);
  assert.deepEqual(report.request.output, {
    format: 'csv',
    to_file: true,
    split_by: 'open',
    split_into: 'files',
  });
  assert.deepEqual(await membersOf(id), ['true.csv', 'false.csv']);
  const parts = [['input_file', sample, 'harbour.geojson']] as const;
  const again = await postForm(service, `/v1/jobs/${id}/rerun`, { parts });
  const { job_id: rerun } = (await again.json()) as { job_id: string };
  const { report: second } = await ended(rerun);
  assert.deepEqual(second.request, report.request);
  assert.deepEqual(second.output.layers, report.output.layers);
  assert.deepEqual(await membersOf(rerun), ['true.csv', 'false.csv']);
});

test('a GeoPackage gets layers, or a zip of GeoPackages on request', async () => {
  const layers = await ended(await submitted({ format: 'gpkg', split_by: 'open' }));
  assert.equal(layers.report.output.media_type, 'application/geopackage+sqlite');
  assert.deepEqual(layers.report.output.layers, [
    { name: 'true', features: 7, value: 'true' },
    { name: 'false', features: 3, value: 'false' },
  ]);
  const files = await submitted({ format: 'gpkg', split_by: 'open', split_into: 'files' });
  await ended(files);
  assert.deepEqual(await membersOf(files), ['true.gpkg', 'false.gpkg']);
});

test('the versioned API splits, and answers a client that waits with the zip', async () => {
  const response = await postForm(service, '/v1/transform/geojson', {
    parts: [['file', sample, 'harbour.geojson']],
    config: { output_format: 'shp', output_crs: 25832, split_by: 'kind' },
  });
  assert.equal(response.status, 200);
  const members = await readZipMembers(Buffer.from(await response.arrayBuffer()));
  assert.ok(members.some(({ name }) => name.endsWith('.shp')));
});

test('what is not possible is refused when it is submitted, a field that is missing when it is read', async () => {
  const cases: [object, RegExp][] = [
    [{ format: 'geojson', split_by: 'open', to_file: false }, /its parts are files/],
    [{ format: 'csv', split_by: 'open', split_into: 'layers' }, /CSV has no layers/],
    [{ format: 'gpkg', split_into: 'layers' }, /needs 'split_by'/],
    [{ format: 'gpkg', split_by: 'open', split_into: 'parts' }, /"layers" or "files"/],
    [
      { format: 'gpkg', split_by: { op: 'nothing', args: [] } },
      /output\.split_by.*'nothing' is not a function/,
    ],
    [{ format: 'gpkg', split_bye: 'open' }, /did you mean 'output.split_by'/],
  ];
  for (const [output, message] of cases)
    await expectProblem(await submit(service, { config: { input, output } }), 400, message);
  const merge = await postForm(service, '/v1/transform/geojson/merge', {
    parts: [['files', sample, 'a.geojson'], ['files', sample, 'b.geojson']], // biome-ignore format: one line
    config: { output_format: 'gpkg', split_by: 'open' },
  });
  await expectProblem(merge, 400, /a merge makes one layer/);
  const failed = await ended(await submitted({ format: 'gpkg', split_by: 'opne' }));
  assert.equal(failed.status, 'FAILED');
  assert.match(JSON.stringify(failed), /has no field 'opne' \(did you mean 'open'\?\)/);
});

test('an output is split by an expression, as text or as JSON', async () => {
  const year = { op: '<', args: [{ property: 'built' }, 1950] };
  for (const split_by of ['built < 1950', year]) {
    const id = await submitted({ format: 'csv', split_by });
    const { report } = await ended(id);
    assert.deepEqual(report.request.output, { format: 'csv', to_file: true, split_by, split_into: 'files' });
    assert.deepEqual(await membersOf(id), ['true.csv', 'false.csv']);
  }
});
