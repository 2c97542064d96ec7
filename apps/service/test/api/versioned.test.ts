/** The versioned API over real HTTP, with the fake runner: paths, forms, answers, tasks. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { inputFormats } from '../../../../packages/formats/src/registry.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import {
  type FormPart,
  type FormSubmission,
  postForm,
  startTestService,
} from '../../../../test/support/service.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

const json = async (response: Response) => (await response.json()) as Record<string, unknown>;
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { headers, method });
const post = (path: string, submission: FormSubmission) => postForm(service, path, submission);

const CRS = 'EPSG:28350';
/** A config that suits every format and operation: keys that an operation does not have are warnings. */
const config = { output_format: 'csv', input_crs: CRS, append_crs_mapping: CRS, input_crs_mapping: CRS };
const file = (content: string, fileName = 'roads.x'): FormPart => ['file', content, fileName];
const files = (...contents: string[]): FormPart[] =>
  contents.map((content, i) => ['files', content, `more-${i}.x`]);

/** The job behind an answer, by its Link. */
async function jobOf(response: Response): Promise<Awaited<ReturnType<typeof service.ended>>> {
  const id = /\/v1\/jobs\/([\w-]+)>/.exec(String(response.headers.get('link')))?.[1];
  return service.ended(String(id));
}

for (const { id } of inputFormats) {
  test(`${id} can be transformed, appended and merged`, async () => {
    const transformed = await post(`/v1/transform/${id}`, { parts: [file('a')], config });
    assert.equal(transformed.status, 200, await transformed.clone().text());
    assert.equal(await transformed.text(), outputOf('a'));
    const appended = await post(`/v1/transform/${id}/append`, {
      parts: [...files('b', 'c'), file('target')],
      config,
    });
    assert.equal(appended.status, 200);
    assert.equal(await appended.text(), outputOf('target+b+c'), 'the target is first, wherever it came');
    const merged = await post(`/v1/transform/${id}/merge`, { parts: files('a', 'b', 'c'), config });
    assert.equal(merged.status, 200);
    assert.equal(await merged.text(), outputOf('a+b+c'));
    for (const [response, operation] of [
      [transformed, 'transform'],
      [appended, 'append'],
      [merged, 'merge'],
    ] as const) {
      const { request } = await jobOf(response);
      assert.equal(request.operation, operation);
      assert.equal(request.input.format, id);
      assert.equal(request.output?.crs ?? null, operation === 'append' ? 'source' : null);
    }
  });
}

test('source is a CRS of an output, not of an input', async () => {
  const parts = [file('a')];
  const kept = await post('/v1/transform/shp', {
    parts,
    config: { output_format: 'gpkg', output_crs: ' Source' },
  });
  assert.equal((await jobOf(kept)).request.output?.crs, 'source');
  const refused = await post('/v1/transform/shp', {
    parts,
    config: { output_format: 'gpkg', input_crs: 'source' },
  });
  assert.equal(refused.status, 400);
  assert.match(String((await json(refused)).detail), /unknown coordinate reference system 'source'/);
});

test('an output comes with its name, its length and what was done', async () => {
  const response = await post('/v1/transform/shp', {
    parts: [file('hello', 'roads.zip')],
    config: {
      output_format: 'GeoPackage',
      output_crs: 'epsg:3857',
      transformations: [{ type: 'buffer', distance: 1, units: 'meters' }, { type: 'union' }],
      colour: 'red',
    },
  });
  assert.equal(response.status, 200);
  const { id } = await jobOf(response);
  const expected = {
    'content-type': 'application/geopackage+sqlite',
    'content-disposition': 'attachment; filename="roads.gpkg"',
    'content-length': String(outputOf('hello').length),
    'content-location': `${service.url}/v1/transform/output/o_${id}`,
    etag: `"${id}"`,
    link: `<${service.url}/v1/jobs/${id}>; rel="describedby"`,
    'metadata-input-format': 'shp',
    'metadata-output-format': 'gpkg',
    'metadata-transformations': 'buffer,union',
    'metadata-request-size': '5',
    'metadata-response-size': String(outputOf('hello').length),
    'geomill-warnings': '1;info=1;changed=0;lost=0',
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(response.headers.get(name), value, name);
  await response.text();
  for (const path of [`/v1/transform/output/o_${id}`, `/result/output/${id}`])
    for (const method of ['GET', 'HEAD']) {
      const again = await get(path, {}, method);
      for (const name of ['content-length', 'etag', 'metadata-transformations', 'geomill-warnings'] as const)
        assert.equal(again.headers.get(name), expected[name], `${method} ${path} ${name}`);
      assert.equal(await again.text(), method === 'GET' ? outputOf('hello') : '');
    }
});

test('a GeoJSON output is application/geo+json, or inline application/json', async () => {
  const parts = [file('a', 'roads.zip')];
  const asFile = await post('/v1/transform/shp', { parts, config: { output_format: 'geojson' } });
  assert.equal(asFile.headers.get('content-type'), 'application/geo+json');
  assert.equal(asFile.headers.get('content-disposition'), 'attachment; filename="roads.geojson"');
  const inline = await post('/v1/transform/shp', {
    parts,
    config: { output_format: 'geojson', to_file: false },
  });
  assert.equal(inline.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(inline.headers.get('content-disposition'), null);
  assert.equal(await inline.text(), outputOf('a'));
});

test('ranges and conditions apply to a GET alone', async () => {
  const response = await post('/v1/transform/shp', {
    parts: [file('0123456789')],
    config: { output_format: 'csv' },
    headers: { range: 'bytes=0-3', 'if-none-match': '*' },
  });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), outputOf('0123456789'));
  const path = `/v1/transform/output/o_${(await jobOf(response)).id}`;
  const head = await get(path, { range: 'bytes=0-3' }, 'HEAD');
  assert.equal(head.status, 200);
  const part = await get(path, { range: 'bytes=0-3' });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), '0123');
  assert.equal((await get(path, { range: 'bytes=99999-' })).status, 416);
  assert.equal((await get(path, { 'if-none-match': String(part.headers.get('etag')) }, 'HEAD')).status, 304);
});

test('a job that fails is answered with its error', async () => {
  const response = await post('/v1/transform/shp', {
    parts: [file('refuse')],
    config: { output_format: 'csv' },
  });
  assert.equal(response.status, 400);
  assert.match(String((await json(response)).detail), /it is a test/);
  assert.match(String(response.headers.get('link')), /\/v1\/jobs\//);
  const fault = await post('/v1/transform/shp', { parts: [file('fault')], config: { output_format: 'csv' } });
  assert.equal(fault.status, 500);
  assert.doesNotMatch(await fault.text(), /secret/);
});

test('who does not want to wait gets a task, and follows it to its output', async () => {
  const ways: [string, Record<string, string>, string | null][] = [
    ['?async=true', {}, null],
    ['?async=true', { prefer: 'wait=20' }, null],
    ['', { prefer: 'respond-async' }, 'respond-async'],
    ['', { prefer: 'wait=0' }, 'wait=0'],
  ];
  for (const [query, headers, applied] of ways)
    for (const path of ['', '/append', '/merge']) {
      const parts = path === '' ? [file('x')] : [file('x'), ...files('y')];
      const response = await post(`/v1/transform/gpkg${path}${query}`, {
        parts,
        config: { output_format: 'csv' },
        headers,
      });
      assert.equal(response.status, 202);
      assert.equal(response.headers.get('preference-applied'), applied);
      const { message, task_id: id, state, ...others } = await json(response);
      assert.deepEqual([state, typeof message, others], ['TASK CREATED', 'string', {}]);
      assert.equal(response.headers.get('location'), `${service.url}/v1/transform/result/${id}`);
      await service.ended(String(id));
      const task = await json(await get(`/v1/transform/result/${id}`));
      assert.deepEqual(Object.keys(task), ['state', 'message', 'output_url']);
      assert.equal(task.state, 'SUCCESS');
      assert.equal(task.output_url, `${service.url}/v1/transform/output/o_${id}`);
      assert.equal(await (await fetch(String(task.output_url))).text(), outputOf(path === '' ? 'x' : 'x+y'));
      assert.equal((await json(await get(`/result/status/${id}`))).status, 'SUCCESS', 'a task is a job');
    }
});

test('what takes longer than the wait becomes a task', async () => {
  const response = await post('/v1/transform/shp', {
    parts: [file('wait 60000')],
    config: { output_format: 'csv' },
    headers: { prefer: 'wait=1' },
  });
  assert.equal(response.status, 202);
  assert.equal(response.headers.get('preference-applied'), 'wait=1');
  const { message, task_id: id } = await json(response);
  assert.match(String(message), /not finished after 1 s/);
  const running = await json(await get(`/v1/transform/result/${id}`));
  assert.deepEqual(running, { state: 'PROCESSING', message: 'the task is running' });
  assert.equal((await get(`/v1/transform/output/o_${id}`)).status, 409);
  await get(`/v1/jobs/${id}`, {}, 'DELETE');
  assert.equal((await service.ended(String(id))).state, 'FAILED');
});

test('a task that fails says why, one that never was is a 404', async () => {
  const response = await post('/v1/transform/shp/merge?async=true', {
    parts: files('refuse', 'x').slice(0, 1),
    config: { output_format: 'csv' },
  });
  const { task_id: id } = await json(response);
  await service.ended(String(id));
  assert.deepEqual(await json(await get(`/v1/transform/result/${id}`)), {
    state: 'FAILED',
    message: 'the task failed',
    error: 'CSV line 3: it is a test (layer x)',
  });
  assert.equal((await get(`/v1/transform/output/o_${id}`)).status, 409);
  for (const path of ['result/nope', 'output/o_nope'])
    assert.equal((await get(`/v1/transform/${path}`)).status, 404, path);
  assert.equal((await get(`/v1/transform/output/${id}`)).status, 404);
});

/** The id of the one job that runs. */
async function runningJob(): Promise<string> {
  for (;;) {
    const { jobs } = (await json(await get('/v1/jobs'))) as { jobs: { job_id: string; status: string }[] };
    const running = jobs.find(({ status }) => status === 'RUNNING');
    if (running !== undefined) return running.job_id;
  }
}

test('a client that goes away leaves its job to go on', async () => {
  const abort = new AbortController();
  const form = new FormData();
  form.append('file', new Blob(['wait 1500']), 'gone.zip');
  form.append('config', '{"output_format":"csv"}');
  const path = `${service.url}/v1/transform/shp`;
  const answer = globalThis.fetch(path, { method: 'POST', body: form, signal: abort.signal });
  const id = await runningJob();
  abort.abort();
  await assert.rejects(answer);
  assert.equal((await service.ended(id)).state, 'SUCCESS');
});

test('who waits for a job that is cancelled is told so', async () => {
  const answer = post('/v1/transform/shp', {
    parts: [file('wait 60000')],
    config: { output_format: 'csv' },
  });
  await get(`/v1/jobs/${await runningJob()}`, {}, 'DELETE');
  const response = await answer;
  assert.equal(response.status, 400);
  assert.match(String((await json(response)).detail), /cancelled/);
});

test('an inspection is answered with JSON, with or without an output to ask about', async () => {
  for (const config of [{ input: { format: 'dxf' } }, { input_format: 'shp', output_format: 'gpkg' }]) {
    const response = await post('/v1/inspect', { parts: [['input_file', 'a', 'a.zip']], config });
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('metadata-output-format'), 'json');
    const { request } = await jobOf(response);
    assert.equal(request.operation, 'inspect');
    assert.equal(request.output?.format ?? null, 'output_format' in config ? 'gpkg' : null);
    const inline = await get(`/result/output/${(await jobOf(response)).id}`);
    assert.equal(inline.headers.get('content-disposition'), null);
  }
  const task = await post('/v1/inspect?async=true', {
    parts: [file('a')],
    config: { input: { format: 'shp' } },
  });
  assert.equal(task.status, 202);
  await service.ended(String((await json(task)).task_id));
});
