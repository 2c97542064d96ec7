/** Specification, "States and transitions". */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  type File,
  type Json,
  jobParts,
  pollToEnd,
  postForm,
  send,
  submitJob,
} from '../../../../../test/support/spec/client.ts';
import { geojsonFile, point } from '../../../../../test/support/spec/inputs.ts';

// It has one runner, so a job behind another one has to wait.
const server = await sharedServer();
const TO_GEOJSON = { input: { format: 'geojson' }, output: { format: 'geojson' } };
const roads = geojsonFile(point(9, 50));
/** Long enough to be seen at work: circles, each of which lies on many others. */
const LONG_CONFIG = {
  ...TO_GEOJSON,
  transformations: [{ type: 'buffer', distance: 20, units: 'kilometers' }, { type: 'union' }],
};
const longFile: File = geojsonFile(
  ...Array.from({ length: 4000 }, (_, i) => point(9 + (i % 64) / 100, 50 + Math.floor(i / 64) / 100)),
);

/** A job in each of the states it passes; it stands behind a long one, which is taken away once it was seen. */
async function passedStates(
  file: File,
): Promise<{ readonly documents: readonly Json[]; readonly long: readonly Json[] }> {
  const longId = await submitJob(server, LONG_CONFIG, longFile);
  const id = await submitJob(server, TO_GEOJSON, file);
  const waiting = await statusOf(id);
  let working = await statusOf(longId);
  while (working.status === ('QUEUED' as unknown)) working = await statusOf(longId);
  await send(server, `/v1/jobs/${longId}`, { method: 'DELETE' });
  return { documents: [waiting, ...(await pollToEnd(server, id))], long: [working] };
}

async function statusOf(id: string): Promise<Json> {
  return (await send(server, `/result/status/${id}`)).json();
}

let passing: ReturnType<typeof passedStates> | null = null;

function passed(): ReturnType<typeof passedStates> {
  passing ??= passedStates(roads);
  return passing;
}

test('Job status | QUEUED | job accepted and waiting: job_id, status', async () => {
  const [{ job_id, ...rest }] = (await passed()).documents;
  assert.match(String(job_id), /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, { status: 'QUEUED' });
});

test('Job status | QUEUED | the response to the submission', async () => {
  const answer = await postForm(server, '/transform', jobParts(TO_GEOJSON, roads));
  const { job_id, ...rest } = answer.json();
  assert.deepEqual([typeof job_id, rest], ['string', { status: 'QUEUED' }]);
});

test('Job status | RUNNING | job executing: job_id, status', async () => {
  const [{ job_id, ...rest }] = (await passed()).long;
  assert.equal(typeof job_id, 'string');
  assert.deepEqual(rest, { status: 'RUNNING' });
});

test('Job status | SUCCESS | job finished: job_id, status, output_url', async () => {
  const last = (await passed()).documents.at(-1) as Json;
  assert.deepEqual(Object.keys(last), ['job_id', 'status', 'output_url']);
  assert.equal(last.status, 'SUCCESS');
});

test('Job status | FAILED | job failed: job_id, status, error', async () => {
  const id = await submitJob(server, TO_GEOJSON, { name: 'a.geojson', content: 'no GeoJSON' });
  const last = (await pollToEnd(server, id)).at(-1) as Json;
  assert.deepEqual(Object.keys(last), ['job_id', 'status', 'error']);
  assert.deepEqual([last.status, typeof last.error], ['FAILED', 'string']);
});

test('Job status | polling | a client polls until the status is SUCCESS or FAILED, which is final', async () => {
  const order = ['QUEUED', 'RUNNING', 'SUCCESS'];
  const seen = (await passed()).documents.map(({ status }) => order.indexOf(String(status)));
  assert.deepEqual(seen, [...seen].sort());
  assert.equal(order[seen.at(-1) ?? -1], 'SUCCESS');
});
