/** Specification, "Asynchronous mode" of the versioned API, and tasks as the design decides them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  type Answer,
  type FormPart,
  get,
  postForm,
  postJson,
  problemOf,
  taskToEnd,
} from '../../../../../test/support/spec/client.ts';
import { collection, geojsonFile, point } from '../../../../../test/support/spec/inputs.ts';
import { featuresOf } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const roads = geojsonFile(point(9, 50, { name: 'first' }));
const config: FormPart = ['config', '{"output_format":"geojson"}'];
const target: FormPart = ['file', roads.content, 'target.geojson'];
const more: FormPart = ['files', roads.content, 'more.geojson'];

async function finished(answer: Answer): Promise<number> {
  assert.equal(answer.status, 202, answer.text);
  const id = String(answer.json().task_id);
  const { last } = await taskToEnd(server, id);
  assert.equal(last.state, 'SUCCESS', JSON.stringify(last));
  return featuresOf((await get(server, `/v1/transform/output/o_${id}`)).text).length;
}

test('Asynchronous mode | append | ?async=true processes in the background and returns a task id', async () => {
  const answer = await postForm(server, '/v1/transform/geojson/append?async=true', [target, more, config]);
  assert.equal(await finished(answer), 2);
});

test('Asynchronous mode | merge | ?async=true processes in the background and returns a task id', async () => {
  const answer = await postForm(server, '/v1/transform/geojson/merge?async=true', [more, more, config]);
  assert.equal(await finished(answer), 2);
});

test('Asynchronous mode | transform | ?async=true works the same', async () => {
  const answer = await postForm(server, '/v1/transform/geojson?async=true', [target, config]);
  assert.equal(await finished(answer), 1);
});

test('Asynchronous mode | JSON bodies | ?async=true works the same', async () => {
  const body = { input_geojson: collection(point(1, 2)), output_format: 'geojson' };
  assert.equal(await finished(await postJson(server, '/v1/transform/geojson?async=true', body)), 1);
});

test('Asynchronous mode | Prefer | respond-async has the same effect', async () => {
  const headers = { prefer: 'respond-async' };
  const answer = await postForm(server, '/v1/transform/geojson', [target, config], headers);
  assert.equal(answer.headers.get('preference-applied'), 'respond-async');
  assert.equal(await finished(answer), 1);
});

test('Asynchronous mode | task record | 202 with message, task_id and state TASK CREATED', async () => {
  const answer = await postForm(server, '/v1/transform/geojson/merge?async=true', [more, more, config]);
  assert.equal(answer.status, 202);
  const { message, task_id, state, ...others } = answer.json();
  assert.deepEqual([typeof message, typeof task_id, state, others], ['string', 'string', 'TASK CREATED', {}]);
  assert.equal(answer.headers.get('location'), `${server.url}/v1/transform/result/${task_id}`);
});

test('Asynchronous mode | task record | states TASK CREATED, PROCESSING, SUCCESS with output_url', async () => {
  const answer = await postForm(server, '/v1/transform/geojson?async=true', [target, config]);
  const id = String(answer.json().task_id);
  const { states, last } = await taskToEnd(server, id);
  const order = ['TASK CREATED', 'PROCESSING', 'SUCCESS'];
  const seen = states.map((state) => order.indexOf(state));
  assert.deepEqual(seen, [...seen].sort());
  assert.ok(!seen.includes(-1), states.join());
  assert.deepEqual(Object.keys(last).sort(), ['message', 'output_url', 'state']);
  assert.equal(last.output_url, `${server.url}/v1/transform/output/o_${id}`);
});

test('Asynchronous mode | task record | FAILED with error', async () => {
  const broken: FormPart = ['file', 'no GeoJSON', 'broken.geojson'];
  const answer = await postForm(server, '/v1/transform/geojson?async=true', [broken, config]);
  const id = String(answer.json().task_id);
  const { last } = await taskToEnd(server, id);
  assert.deepEqual(Object.keys(last).sort(), ['error', 'message', 'state']);
  assert.deepEqual([last.state, typeof last.error], ['FAILED', 'string']);
  problemOf(await get(server, `/v1/transform/output/o_${id}`), 409);
});

test('Asynchronous mode | task output | can be fetched until it expires, more than once', async () => {
  const id = String(
    (await postForm(server, '/v1/transform/geojson?async=true', [target, config])).json().task_id,
  );
  await taskToEnd(server, id);
  const path = `/v1/transform/output/o_${id}`;
  assert.equal((await get(server, path)).text, (await get(server, path)).text);
});

test('Asynchronous mode | task id | is a job id that the other paths accept', async () => {
  const id = String(
    (await postForm(server, '/v1/transform/geojson?async=true', [target, config])).json().task_id,
  );
  await taskToEnd(server, id);
  assert.equal((await get(server, `/result/status/${id}`)).json().status, 'SUCCESS');
  assert.equal((await get(server, `/result/output/${id}`)).status, 200);
  assert.equal((await get(server, `/v1/jobs/${id}`)).json().job_id, id);
});

test('Asynchronous mode | task id | an unknown one is 404', async () => {
  problemOf(await get(server, '/v1/transform/result/unknown'), 404);
  problemOf(await get(server, '/v1/transform/output/o_unknown'), 404);
});

test('Asynchronous mode | async | any other value is 400', async () => {
  problemOf(await postForm(server, '/v1/transform/geojson?async=maybe', [target, config]), 400);
});

test('Synchronous mode | without async | the request waits, and the response is 200 with the output', async () => {
  for (const query of ['', '?async=false']) {
    const answer = await postForm(server, `/v1/transform/geojson${query}`, [target, config]);
    assert.deepEqual([answer.status, answer.mediaType], [200, 'application/geo+json']);
  }
});

test('Synchronous mode | a failed conversion | a problem document with the reason, not a 200', async () => {
  const broken: FormPart = ['file', 'no GeoJSON', 'broken.geojson'];
  problemOf(await postForm(server, '/v1/transform/geojson', [broken, config]), 400);
});

test('Synchronous mode | wait limit | a conversion that takes longer becomes a task', async () => {
  const answer = await postForm(server, '/v1/transform/geojson', [target, config], { prefer: 'wait=0' });
  assert.equal(answer.status, 202);
  assert.equal(answer.json().state, 'TASK CREATED');
});
