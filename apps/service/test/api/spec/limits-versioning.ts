/** Specification, "What the service does", "Limits" and "Versioning". */
import assert from 'node:assert/strict';
import test from 'node:test';
import { serverForTests, startServerProcess } from '../../../../../test/support/server-process.ts';
import {
  convert,
  get,
  jobParts,
  pollToEnd,
  postForm,
  postJson,
  problemOf,
  submitJob,
  warningsOf,
} from '../../../../../test/support/spec/client.ts';
import { geojsonFile, point } from '../../../../../test/support/spec/inputs.ts';
import { dbfTable, zipMembers } from '../../../../../test/support/spec/outputs.ts';

const server = await serverForTests({
  MAX_UPLOAD: '100 KiB',
  MAX_JSON_BODY: '50 KiB',
  MAX_FILES: '3',
});
const TO_GEOJSON = { input: { format: 'geojson' }, output: { format: 'geojson' } };
const roads = geojsonFile(point(9, 50, { name: 'first' }));

test('Service | formats | geojson, shp, dxf, gpkg and csv are read and written', async () => {
  const { formats } = (await get(server, '/v1/formats')).json();
  const listed = formats as unknown as { id: string; input: boolean; output: boolean }[];
  for (const specified of ['csv', 'dxf', 'geojson', 'gpkg', 'shp']) {
    const { input, output } = listed.find(({ id }) => id === specified) ?? {};
    assert.ok(input && output, specified);
  }
});

test('Service | jobs | submit, poll status, download the output', async () => {
  const id = await submitJob(server, TO_GEOJSON, roads);
  let url = '';
  while (url === '') url = String((await get(server, `/result/status/${id}`)).json().output_url ?? '');
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
});

test('Service | addresses | have the base URL that the client used', async () => {
  const { headers } = await postForm(server, '/transform', jobParts(TO_GEOJSON, roads));
  assert.ok(headers.get('location')?.startsWith(`${server.url}/result/status/`));
});

test('Limits | Shapefile | attribute field names are truncated to 10 bytes, made unique, and reported', async () => {
  const file = geojsonFile(point(9, 50, { 'a long field name': 1, 'a long field title': 2 }));
  const { bytes, jobId } = await convert(server, { ...TO_GEOJSON, output: { format: 'shp' } }, file);
  const { fields } = dbfTable((await zipMembers(bytes)).get('roads.dbf')!);
  assert.equal(new Set(fields.map(({ name }) => name)).size, 2);
  for (const { name } of fields) assert.ok(Buffer.byteLength(name) <= 10, name);
  assert.ok((await warningsOf(server, jobId)).has('FIELD_RENAMED'));
});

test('Limits | DXF output version | R2018', async () => {
  const { text } = await convert(server, { ...TO_GEOJSON, output: { format: 'dxf' } }, roads);
  assert.match(text, /\$ACADVER\r?\n *1\r?\nAC1032\r?\n/);
});

test('Limits | upload size | above MAX_UPLOAD: 413 with the name of the setting', async () => {
  const file = { name: 'large.geojson', content: ' '.repeat(200 * 1024) };
  const { detail } = problemOf(await postForm(server, '/transform', jobParts(TO_GEOJSON, file)), 413);
  assert.match(String(detail), /MAX_UPLOAD/);
});

test('Limits | JSON body | above MAX_JSON_BODY: 413 with the name of the setting', async () => {
  const body = `{"output_format":"csv",${' '.repeat(60 * 1024)}"input_geojson":{}}`;
  const { detail } = problemOf(await postJson(server, '/v1/transform/geojson', body), 413);
  assert.match(String(detail), /MAX_JSON_BODY/);
});

test('Limits | files of a request | more than MAX_FILES: 413 with the name of the setting', async () => {
  const files = [1, 2, 3, 4].map((n) => ['files', String(roads.content), `${n}.geojson`] as const);
  const parts = [['config', '{"output_format":"csv"}'] as const, ...files];
  const { detail } = problemOf(await postForm(server, '/v1/transform/geojson/merge', parts), 413);
  assert.match(String(detail), /MAX_FILES/);
});

test('Limits | retention of outputs | after OUTPUT_RETENTION the output is 410', async () => {
  await using expiring = await startServerProcess({ OUTPUT_RETENTION: '1 s' });
  const id = await submitJob(expiring, TO_GEOJSON, roads);
  await pollToEnd(expiring, id);
  let answer = await get(expiring, `/result/output/${id}`);
  while (answer.status === 200) answer = await get(expiring, `/result/output/${id}`);
  assert.match(String(problemOf(answer, 410).detail), new RegExp(id));
});

test('Versioning | versioned API | transform, append and merge have the prefix /v1', async () => {
  for (const operation of ['', '/append', '/merge']) {
    problemOf(await postForm(server, `/transform/shp${operation}`, [['config', '{}']]), 404);
    problemOf(await postForm(server, `/v1/transform/shp${operation}`, [['config', '{}']]), 400);
  }
});

test('Versioning | job API | its paths have no version prefix', async () => {
  problemOf(await postForm(server, '/v1/transform', jobParts(TO_GEOJSON, roads)), 404);
  assert.equal((await postForm(server, '/transform', jobParts(TO_GEOJSON, roads))).status, 202);
});

test('Versioning | formats | every format that can be read is at /v1/transform/{format}', async () => {
  const { formats } = (await get(server, '/v1/formats')).json();
  for (const { id, input } of formats as unknown as { id: string; input: boolean }[]) {
    if (!input) continue;
    const answer = await postForm(server, `/v1/transform/${id}`, [['config', '{}']]);
    assert.match(String(problemOf(answer, 400).detail), /output_format|file/, id);
  }
});
