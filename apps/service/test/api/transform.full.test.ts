/** The job API over real HTTP, with the fake runner. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { inputFormats } from '../../../../packages/formats/src/registry.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import {
  GEOJSON_TO_GEOJSON,
  type Submission,
  startTestService,
  submit,
  submitJob,
} from '../../../../test/support/service.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

const json = async (response: Response) => (await response.json()) as Record<string, unknown>;
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { headers, method });

test('a job goes from 202 to its output', async () => {
  const response = await submit(service, { file: 'hello' });
  assert.equal(response.status, 202);
  const body = await json(response);
  assert.deepEqual(Object.keys(body), ['job_id', 'status']);
  assert.equal(body.status, 'QUEUED');
  assert.equal(response.headers.get('location'), `${service.url}/result/status/${body.job_id}`);
  await service.ended(String(body.job_id));
  assert.deepEqual(await json(await get(`/result/status/${body.job_id}`)), {
    job_id: body.job_id,
    status: 'SUCCESS',
    output_url: `${service.url}/result/output/${body.job_id}`,
  });
  const output = await get(`/result/output/${body.job_id}`);
  assert.equal(output.status, 200);
  assert.equal(output.headers.get('content-type'), 'application/geo+json');
  assert.equal(output.headers.get('content-length'), String(outputOf('hello').length));
  assert.equal(output.headers.get('content-disposition'), 'attachment; filename="roads.geojson"');
  assert.equal(output.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(await output.text(), outputOf('hello'));
  assert.equal(await (await get(`/result/output/${body.job_id}`)).text(), outputOf('hello'), 'and once more');
});

test('a failed job tells why, and only that', async () => {
  const id = await submitJob(service, { file: 'refuse' });
  await service.ended(id);
  const status = await json(await get(`/result/status/${id}`));
  assert.deepEqual(status, { job_id: id, status: 'FAILED', error: 'CSV line 3: it is a test (layer x)' });
  const output = await get(`/result/output/${id}`);
  assert.equal(output.status, 409);
  assert.match(String((await json(output)).detail), /FAILED.*it is a test/);
});

test('our own fault is answered in general and never tried again', async () => {
  const id = await submitJob(service, { file: 'fault' });
  const job = await service.ended(id);
  assert.equal(job.attempts, 1);
  const status = await json(await get(`/result/status/${id}`));
  assert.doesNotMatch(String(status.error), /secret/);
  assert.match(String(status.error), new RegExp(id));
});

test('the second shape, payload and file with flat keys, does the same for every format', async () => {
  for (const { id: format } of inputFormats) {
    const id = await submitJob(service, {
      config: {
        input_format: format,
        input_epsg: 'EPSG:4326',
        output_format: 'csv',
        output_crs: 'epsg:3857',
      },
      configPart: 'payload',
      filePart: 'file',
      fileName: 'a.b.csv',
    });
    const job = await service.ended(id);
    assert.equal(job.request.input.format, format);
    assert.equal(job.request.input.files[0].crs, 'EPSG:4326');
    assert.equal(job.request.output?.crs, 'EPSG:3857');
    assert.equal(job.output?.fileName, 'a.b.csv');
  }
});

test('an EPSG code may be a number, digits or EPSG:digits', async () => {
  for (const epsg of [28350, '28350', 'EPSG:28350']) {
    const config = { input: { format: 'csv', epsg }, output: { format: 'shp', epsg } };
    const job = await service.ended(await submitJob(service, { config }));
    assert.equal(job.request.input.files[0].crs, 'EPSG:28350');
    assert.equal(job.request.output?.crs, 'EPSG:28350');
  }
});

test('unknown keys and parts are warnings of the job, not errors', async () => {
  const id = await submitJob(service, {
    config: { ...GEOJSON_TO_GEOJSON, colour: 'red', output: { format: 'geojson', depth: 3 } },
    morePart: [['note', 'hello']],
  });
  await service.ended(id);
  const job = await json(await get(`/v1/jobs/${id}`));
  const report = job.report as { warnings: { code: string; message: string }[] };
  assert.deepEqual(
    report.warnings.map(({ code, message }) => `${code} ${message}`),
    [
      "UNKNOWN_KEY 'output.depth' is an unknown key and was ignored",
      "UNKNOWN_KEY 'colour' is an unknown key and was ignored",
      "UNKNOWN_PART 'note' is an unknown form part and was ignored",
    ],
  );
  assert.deepEqual(job.progress, { fraction: 1, stage: 'ended' });
  assert.equal(job.attempts, 1);
  assert.equal(job.error, null);
});

test('inline output is application/json without a file name', async () => {
  const config = { input: { format: 'geojson' }, output: { format: 'geojson', to_file: false } };
  const id = await submitJob(service, { config });
  await service.ended(id);
  const output = await get(`/result/output/${id}`);
  assert.equal(output.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(output.headers.get('content-disposition'), null);
});

test('a name outside of ASCII is offered in both ways of RFC 6266', async () => {
  const id = await submitJob(service, { fileName: 'straße süd.geojson' });
  await service.ended(id);
  const output = await get(`/result/output/${id}`);
  assert.equal(
    output.headers.get('content-disposition'),
    `attachment; filename="stra_e s_d.geojson"; filename*=UTF-8''stra%C3%9Fe%20s%C3%BCd.geojson`,
  );
  await output.body?.cancel();
});

test('an output has ranges, an ETag and HEAD', async () => {
  const id = await submitJob(service, { file: '0123456789' });
  await service.ended(id);
  const path = `/result/output/${id}`;
  const whole = outputOf('0123456789');
  const head = await get(path, {}, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), String(whole.length));
  assert.equal(await head.text(), '');
  const etag = String(head.headers.get('etag'));
  assert.equal((await get(path, { 'if-none-match': etag })).status, 304);

  const ranges: [string, number, string | null][] = [
    ['bytes=0-9', 206, whole.slice(0, 10)],
    ['bytes=10990-', 206, whole.slice(10990)],
    ['bytes=-5', 206, whole.slice(-5)],
    ['bytes=10995-99999', 206, whole.slice(10995)],
    ['bytes=0-1,4-5', 200, whole],
    ['lines=0-1', 200, whole],
    ['bytes=11000-', 416, null],
    ['bytes=-0', 416, null],
  ];
  for (const [range, status, expected] of ranges) {
    const response = await get(path, { range });
    const text = await response.text();
    assert.equal(response.status, status, range);
    if (expected !== null) assert.equal(text, expected, range);
    if (status === 416) assert.equal(response.headers.get('content-range'), `bytes */${whole.length}`);
    if (status === 206) assert.match(String(response.headers.get('content-range')), /^bytes \d+-\d+\/11000$/);
  }
  assert.equal((await get(path, { range: 'bytes=0-9', 'if-range': etag })).status, 206);
  assert.equal((await get(path, { range: 'bytes=0-9', 'if-range': '"other"' })).status, 200);
});

test('who wants to wait gets the output in the same request', async () => {
  const byHeader = await submit(service, { file: 'now', headers: { prefer: 'respond-async, wait=20' } });
  assert.equal(byHeader.status, 200);
  assert.equal(byHeader.headers.get('preference-applied'), 'wait=20');
  assert.equal(await byHeader.text(), outputOf('now'));
  const byQuery = await submit(service, { file: 'now', query: '?async=false' });
  assert.equal(byQuery.status, 200);
  assert.equal(await byQuery.text(), outputOf('now'));
  const failed = await submit(service, { file: 'refuse', query: '?async=false' });
  assert.equal(failed.status, 400);
  assert.match(String((await json(failed)).detail), /it is a test/);
});

test('who waits for less than it takes gets the 202', async () => {
  const response = await submit(service, { file: 'wait 1200', headers: { prefer: 'wait=1' } });
  assert.equal(response.status, 202);
  const body = await json(response);
  assert.equal(body.status, 'RUNNING');
  const running = await json(await get(`/v1/jobs/${body.job_id}`));
  assert.equal((running.progress as { stage: string }).stage, 'converting');
  assert.equal((await get(`/result/output/${body.job_id}`)).status, 409);
  await service.ended(String(body.job_id));
});

test('an Idempotency-Key names one job', async () => {
  const headers = { 'idempotency-key': 'k1' };
  const first = await json(await submit(service, { file: 'a', headers }));
  const second = await json(await submit(service, { file: 'a', headers }));
  assert.equal(second.job_id, first.job_id);
  const same: Submission[] = [
    { file: 'b', headers },
    { file: 'a', fileName: 'other.geojson', headers },
    { file: 'a', config: { input: { format: 'geojson' }, output: { format: 'csv' } }, headers },
  ];
  for (const submission of same) assert.equal((await submit(service, submission)).status, 422);
  const together = await Promise.all(
    Array.from({ length: 8 }, () => submitJob(service, { file: 'c', headers: { 'idempotency-key': 'k2' } })),
  );
  assert.equal(new Set(together).size, 1);
});

test('what never was and what is no path are 404 problems, a wrong method 405', async () => {
  const rows: [string, string, number][] = [
    ['GET', '/result/status/nope', 404],
    ['GET', '/result/output/nope', 404],
    ['GET', '/v1/jobs/nope', 404],
    ['GET', '/nowhere', 404],
    ['GET', '/transform', 405],
    ['DELETE', '/result/status/x', 405],
  ];
  for (const [method, path, status] of rows) {
    const response = await get(path, {}, method);
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get('content-type'), 'application/problem+json', path);
    const problem = await json(response);
    assert.equal(problem.status, status);
    for (const key of ['type', 'title', 'detail']) assert.equal(typeof problem[key], 'string', key);
    if (status === 405) assert.ok(response.headers.get('allow'));
  }
});

test('health, readiness and metrics are told', async () => {
  assert.deepEqual(await json(await get('/healthz')), { status: 'ok' });
  assert.deepEqual(await json(await get('/readyz')), { status: 'ready' });
  const metrics = await (await get('/metrics')).text();
  assert.match(
    metrics,
    /geomill_jobs_total\{state="SUCCESS",input_format="geojson",output_format="geojson"\} \d+/,
  );
  assert.match(metrics, /geomill_queue_length 0/);
});
