/** What the service answers beyond the specification, on paths of its own. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  convert,
  get,
  type Json,
  jobParts,
  pollToEnd,
  postForm,
  problemOf,
  send,
  submitJob,
} from '../../../../../test/support/spec/client.ts';
import { geojsonFile, MIXED, point } from '../../../../../test/support/spec/inputs.ts';

const server = await sharedServer();
const TO_SHP = { input: { format: 'geojson' }, output: { format: 'shp', epsg: 25832 } };
const roads = geojsonFile(...MIXED);

test('Beyond the specification | GET /v1/jobs/{job_id} | state, progress, times, attempts, expiry and report', async () => {
  const { jobId } = await convert(server, TO_SHP, roads);
  const job = (await get(server, `/v1/jobs/${jobId}`)).json();
  assert.deepEqual([job.status, job.progress], ['SUCCESS', { fraction: 1, stage: 'ended' }]);
  assert.ok(Date.parse(String(job.expires_at)) > Date.parse(String(job.ended_at)));
  const { features, reprojections } = job.report as unknown as { features: Json; reprojections: Json[] };
  assert.deepEqual([features.read, features.written], [3, 3]);
  assert.equal(reprojections.length, 1);
});

test('Beyond the specification | GET /v1/jobs | jobs, newest first, in pages', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.unshift(await submitJob(server, TO_SHP, roads));
  const first = (await get(server, '/v1/jobs?limit=2')).json();
  const listed = (page: Json): string[] => (page.jobs as unknown as Json[]).map((job) => String(job.job_id));
  assert.deepEqual(listed(first), ids.slice(0, 2));
  const next = (await get(server, `/v1/jobs?limit=2&cursor=${first.next_cursor}`)).json();
  assert.equal(listed(next)[0], ids[2]);
});

test('Beyond the specification | GET /v1/jobs/{job_id}/events | server-sent events up to the final state', async () => {
  const id = await submitJob(server, TO_SHP, roads);
  const { mediaType, text } = await get(server, `/v1/jobs/${id}/events`);
  assert.equal(mediaType, 'text/event-stream');
  const states = [...text.matchAll(/^event: state\ndata: (.*)$/gm)].map(
    ([, data]) => JSON.parse(data).status,
  );
  assert.equal(states.at(-1), 'SUCCESS');
});

test('Beyond the specification | DELETE /v1/jobs/{job_id} | deletes a finished job with its output', async () => {
  const id = await submitJob(server, TO_SHP, roads);
  await pollToEnd(server, id);
  assert.equal((await send(server, `/v1/jobs/${id}`, { method: 'DELETE' })).status, 204);
  problemOf(await get(server, `/v1/jobs/${id}`), 404);
  problemOf(await get(server, `/result/output/${id}`), 404);
});

test('Beyond the specification | DELETE /v1/jobs/{job_id} | cancels a queued or running job', async () => {
  const dots = Array.from({ length: 3000 }, (_, i) =>
    point(9 + (i % 60) / 100, 50 + Math.floor(i / 60) / 100),
  );
  const transformations = [{ type: 'buffer', distance: 20, units: 'kilometers' }, { type: 'union' }];
  const id = await submitJob(server, { ...TO_SHP, transformations }, geojsonFile(...dots));
  assert.equal((await send(server, `/v1/jobs/${id}`, { method: 'DELETE' })).status, 204);
  const last = (await pollToEnd(server, id)).at(-1) as Json;
  assert.equal(last.status, 'FAILED');
  assert.match(String(last.error), /cancel/);
});

test('Beyond the specification | POST /v1/inspect | layers, fields, counts, extent, CRS; nothing is written', async () => {
  const answer = await postForm(server, '/v1/inspect', jobParts({ input: { format: 'geojson' } }, roads));
  assert.equal(answer.status, 200, answer.text);
  const [{ name, features, fields }] = answer.json().layers as unknown as Json[];
  assert.deepEqual([name, features], ['roads', 3]);
  assert.deepEqual(
    (fields as unknown as Json[]).map((field) => field.name),
    ['name', 'depth'],
  );
});

test('Beyond the specification | POST /v1/inspect | with output: what a conversion would change or drop', async () => {
  const file = geojsonFile(point(9, 50, { 'a long field name': 1 }));
  const answer = await postForm(server, '/v1/inspect', jobParts(TO_SHP, file));
  assert.match(JSON.stringify(answer.json().output), /"from":"a long field name","to":"[^"]{1,10}"/);
});

test('Beyond the specification | GET /v1/formats | formats with the options of their readers and writers', async () => {
  const formats = (await get(server, '/v1/formats')).json().formats as unknown as Json[];
  const csv = formats.find(({ id }) => String(id) === 'csv');
  assert.equal(csv?.input_crs, 'request');
  assert.ok('delimiter' in (csv?.read_options.properties ?? {}));
});

test('Beyond the specification | GET /v1/transformations | transformations with their parameters as schemas', async () => {
  const { transformations } = (await get(server, '/v1/transformations')).json();
  const buffer = (transformations as unknown as Json[]).find(({ id }) => String(id) === 'buffer');
  assert.deepEqual(buffer?.parameters.properties.units.enum, ['meters', 'kilometers', 'feet', 'miles']);
});

test('Beyond the specification | GET /v1/crs | searches EPSG by code, name and area', async () => {
  const { crs } = (await get(server, '/v1/crs?q=25832')).json();
  assert.equal(crs[0].code, 'EPSG:25832');
});

test('Beyond the specification | GET /openapi.json | the document against which these tests check every response', async () => {
  assert.match(String((await get(server, '/openapi.json')).json().openapi), /^3\.1\./);
});
