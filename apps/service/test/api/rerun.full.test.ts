/** POST /v1/jobs/{job_id}/rerun: the request of a job again, with another input. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { startFileHost } from '../../../../test/support/file-host.ts';
import { expectProblem } from '../../../../test/support/problem.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { postForm, postJson, startTestService, submitJob } from '../../../../test/support/service.ts';

const host = await startFileHost({ '/roads.geojson': (_request, response) => void response.end('fetched') });
const service = await startTestService({
  settings: { INPUT_URL_HOSTS: `127.0.0.1:${host.port}`, INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8' },
});
test.after(async () => {
  await service[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

const CONFIG = {
  input: { format: 'geojson', layer: 'a' },
  transformations: [{ type: 'buffer', params: { distance: 5, units: 'meters' } }],
  output: { format: 'gpkg', epsg: 25832 },
  fail_on: 'lost',
};
const first = await submitJob(service, { config: CONFIG });
const path = (id: string): string => `/v1/jobs/${id}/rerun`;

interface JobDocument {
  readonly request: unknown;
  readonly input: { readonly files: readonly { readonly name: string }[]; readonly file_count: number };
}

async function jobOf(response: Response): Promise<JobDocument & { readonly id: string }> {
  assert.equal(response.status, 202);
  const { job_id: id } = (await response.json()) as { job_id: string };
  await service.ended(id);
  return { id, ...((await (await fetch(`${service.url}/v1/jobs/${id}`)).json()) as JobDocument) };
}

const outputOfJob = async (id: string): Promise<string> =>
  (await fetch(`${service.url}/result/output/${id}`)).text();

test('the request of a job is used again with another file', async () => {
  const earlier = (await (await fetch(`${service.url}/v1/jobs/${first}`)).json()) as JobDocument;
  const parts = [['input_file', 'another input', 'lakes.geojson']] as const;
  const job = await jobOf(await postForm(service, path(first), { parts }));
  assert.notEqual(job.id, first);
  assert.deepEqual(job.request, earlier.request);
  assert.equal(job.input.files[0].name, 'lakes.geojson');
  assert.equal(await outputOfJob(job.id), outputOf('another input'));
});

test('the input can be GeoJSON in a JSON body, or a URL in a body of either kind', async () => {
  const inline = await jobOf(await postJson(service, path(first), { input_geojson: { type: 'Topology' } }));
  assert.equal(await outputOfJob(inline.id), outputOf('{"type":"Topology"}'));
  const url = `${host.url}/roads.geojson`;
  const byJson = await jobOf(await postJson(service, path(first), { input_url: url }));
  const byForm = await jobOf(await postForm(service, path(first), { parts: [], config: { input: { url } } }));
  for (const job of [byJson, byForm]) assert.equal(await outputOfJob(job.id), outputOf('fetched'));
  assert.deepEqual(byJson.request, inline.request);
});

test('a client that waits gets the output', async () => {
  const parts = [['file', 'waiting']] as const;
  const response = await postForm(service, `${path(first)}?async=false`, { parts });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), outputOf('waiting'));
});

test('the same Idempotency-Key gives the same job, and a conflict for another job or input', async () => {
  const headers = { 'idempotency-key': 'again' };
  const send = (id: string, content: string): Promise<Response> =>
    postForm(service, path(id), { parts: [['input_file', content]], headers });
  const job = await jobOf(await send(first, 'one'));
  assert.equal((await jobOf(await send(first, 'one'))).id, job.id);
  assert.equal((await send(first, 'two')).status, 422);
  const other = await submitJob(service, { config: CONFIG });
  assert.equal((await send(other, 'one')).status, 422);
});

test('only the input can be stated, and it has to be', async () => {
  const parts = [['input_file', 'x']] as const;
  const changed = { output: { format: 'csv' } };
  await expectProblem(await postForm(service, path(first), { parts, config: changed }), 400, /'output.format' cannot be changed/); // biome-ignore format: one line
  await expectProblem(await postJson(service, path(first), { input_geojson: {}, fail_on: 'changed' }), 400, /'fail_on' cannot be changed/); // biome-ignore format: one line
  await expectProblem(await postForm(service, path(first), { parts: [['note', 'x']] }), 400, /part 'file' is missing/); // biome-ignore format: one line
  await expectProblem(await postJson(service, path(first), {}), 400, /the body has no input: add 'input_url' or 'input_geojson'/); // biome-ignore format: one line
  await expectProblem(await postForm(service, path('none'), { parts }), 404, /there is no job 'none'/);
});

test('an append and a merge take as many files as the earlier request, or any number in one CRS', async () => {
  const body = { input_format: 'geojson', output_format: 'csv' };
  const merge = async (files: number, more: object): Promise<string> => {
    const parts = Array.from({ length: files }, (_, i) => ['files', `${i}`] as const);
    const url = '/v1/transform/geojson/merge?async=true';
    const response = await postForm(service, url, { parts, config: { ...body, ...more } });
    return ((await response.json()) as { task_id: string }).task_id;
  };
  const files = ['a', 'b', 'c'].map((content) => ['files', content] as const);
  const plain = await merge(2, {});
  assert.equal((await jobOf(await postForm(service, path(plain), { parts: files }))).input.file_count, 3);
  const listed = await merge(2, { input_crs_mapping: [4326, null] });
  await expectProblem(
    await postForm(service, path(listed), { parts: files }),
    400,
    /lists 2 CRS for 3 files/,
  );
  assert.equal((await postForm(service, path(listed), { parts: files.slice(1) })).status, 202);
});

test('a mask that was a file is sent again; a large one in the config is deleted with the input', async () => {
  const square = [[0, 0], [1, 0], [1, 1], [0, 0]]; // biome-ignore format: one line
  const polygon = { type: 'Polygon', coordinates: [square] };
  const mask = ['mask', JSON.stringify(polygon), 'mask.geojson'] as const;
  const clip = { ...CONFIG, transformations: [{ type: 'clip' }] };
  const submitted = await postForm(service, '/transform', {
    parts: [['input_file', 'x'], mask],
    config: clip,
  });
  const { id } = await jobOf(submitted);
  assert.equal((await postForm(service, path(id), { parts: [['file', 'y'], mask] })).status, 202);
  await expectProblem(await postForm(service, path(id), { parts: [['file', 'y']] }), 400, /part 'mask'/);
  await expectProblem(await postJson(service, path(id), { input_geojson: {} }), 400, /part 'mask'/);
  const within = (padding: number): Promise<string> => {
    const clippingGeojson = { ...polygon, name: 'x'.repeat(padding) };
    const transformations = [{ type: 'clip', clipping_geojson: clippingGeojson }];
    return submitJob(service, { config: { ...CONFIG, transformations } });
  };
  const parts = [['file', 'y']] as const;
  assert.equal((await postForm(service, path(await within(0)), { parts })).status, 202);
  const large = await within(200_000);
  const gone =
    /'transformations\[0\]\.clipping_geojson' of job '[^']+' is no longer stored; send .* as part 'mask'/;
  await expectProblem(await postForm(service, path(large), { parts }), 410, gone);
  const body = { input_geojson: { type: 'Topology' } };
  await expectProblem(await postJson(service, path(large), body), 410, gone);
  const again = await jobOf(
    await postForm(service, path(large), {
      parts: [...parts, ['mask', JSON.stringify(polygon), 'mask.geojson']],
    }),
  );
  const { request, inputs } = await service.ended(again.id);
  assert.equal(request.transformations[0].file?.input, 'mask');
  assert.deepEqual(
    inputs.map(({ stepInput }) => stepInput),
    [undefined, 'mask'],
  );
  // The rerun can be run again as any request with a mask.
  const twice = [...parts, ['mask', JSON.stringify(polygon), 'mask.geojson']] as const;
  assert.equal((await postForm(service, path(again.id), { parts: twice })).status, 202);
});

test('several large masks are sent again as a part for each step', async () => {
  const coordinates = [[[0, 0], [1, 0], [1, 1], [0, 0]]]; // biome-ignore format: a ring
  const mask = { type: 'Polygon', coordinates, name: 'x'.repeat(100_000) };
  const clip = { type: 'clip', clipping_geojson: mask };
  const id = await submitJob(service, { config: { ...CONFIG, transformations: [clip, clip] } });
  const parts = (...names: string[]) => ({
    parts: [['file', 'y'] as const, ...names.map((name) => [name, '{}', 'm.geojson'] as const)],
  });
  await expectProblem(await postForm(service, path(id), parts('mask')), 410, /as part 'mask_step1'/);
  await expectProblem(await postForm(service, path(id), parts('mask_step1')), 410, /as part 'mask_step2'/);
  const response = await postForm(service, path(id), parts('mask_step1', 'mask_step2'));
  assert.equal(response.status, 202);
});
