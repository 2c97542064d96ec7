/** An input that is fetched by its URL, from the request to the output. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Timers } from '../../../../packages/core/src/timers.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { type FileHost, type Handler, startFileHost } from '../../../../test/support/file-host.ts';
import { ManualTimers } from '../../../../test/support/manual-timers.ts';
import { RUNNER } from '../../../../test/support/program.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import {
  FAKE_RUNNER,
  postForm,
  postJson,
  startTestService,
  submit,
  submitJob,
  type TestService,
} from '../../../../test/support/service.ts';

const ROADS = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { name: 'High St' },
      geometry: { type: 'Point', coordinates: [7.1, 50.7] },
    },
  ],
});

const sendText =
  (text: string): Handler =>
  (_request, response) =>
    void response.end(text);

function startAllowing(
  host: FileHost,
  settings: Readonly<Record<string, string>> = {},
  { runner, timers }: { readonly runner?: null; readonly timers?: Timers } = {},
): Promise<TestService> {
  return startTestService({
    settings: {
      INPUT_URL_HOSTS: `127.0.0.1:${host.port}`,
      INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8',
      RUNNERS: '1',
      ...settings,
    },
    runner,
    start: { runner: runner === null ? RUNNER : FAKE_RUNNER, timers },
  });
}

const fromUrl = (url: string, format = 'geojson') => ({
  config: { input: { format: 'geojson', url }, output: { format } },
  file: null,
});

async function detailOf(response: Response): Promise<string> {
  assert.equal(response.status, 400);
  return ((await response.json()) as { detail: string }).detail;
}

interface JobDocument {
  readonly input: { readonly files: readonly { readonly name: string; readonly bytes: number | null }[] };
  readonly report: { readonly fetched: unknown; readonly features: { readonly read: number } } | null;
  readonly warnings: readonly { readonly code: string }[];
}

async function jobDocument(service: TestService, id: string): Promise<JobDocument> {
  return (await (await fetch(`${service.url}/v1/jobs/${id}`)).json()) as JobDocument;
}

test('a file is fetched, converted and named like an uploaded one', async () => {
  await using host = await startFileHost({
    '/export': (_request, response) =>
      void response
        .writeHead(200, { 'content-disposition': 'attachment; filename="../roads.geojson"' })
        .end(ROADS),
    '/start': (_request, response) => void response.writeHead(302, { location: '/export' }).end(),
  });
  await using service = await startAllowing(host, {}, { runner: null });
  const answer = await submit(service, {
    ...fromUrl(`${host.url}/start?key=hidden`, 'csv'),
    query: '?async=false',
  });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /High St/);
  assert.match(answer.headers.get('content-disposition') ?? '', /roads\.csv/);
  const [, id] = /status\/(.*)$/.exec(answer.headers.get('location') ?? '') ?? [];
  const job = await jobDocument(service, id);
  assert.deepEqual(job.input.files, [{ name: 'start', bytes: null, crs: null }]);
  assert.deepEqual(job.report?.fetched, { host: `127.0.0.1:${host.port}`, byte_length: ROADS.length });
  assert.equal(job.report?.features.read, 1);
  assert.doesNotMatch(JSON.stringify(job), /hidden/);
  assert.match(host.requests[0].headers['user-agent'] ?? '', /^geomill\/\d/);
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'inputs')), []);
});

test('the versioned API and inspections take a URL, too', async () => {
  await using host = await startFileHost({ '/roads.geojson': sendText(ROADS) });
  await using service = await startAllowing(host, {}, { runner: null });
  const url = `${host.url}/roads.geojson`;
  const flat = { input_url: url, output_format: 'csv' };
  const converted = await postForm(service, '/v1/transform/geojson', { parts: [], config: flat });
  assert.equal(converted.status, 200);
  assert.match(await converted.text(), /High St/);
  const inspected = await postForm(service, '/v1/inspect', {
    parts: [],
    config: { input: { format: 'geojson', url } },
  });
  assert.equal(inspected.status, 200);
  assert.match(await inspected.text(), /"features":\s*1|"feature_count":\s*1|High St|name/);
});

test('a URL where it is not possible, or with a file, is a 400 at once', async () => {
  await using host = await startFileHost({ '/a': sendText(ROADS) });
  await using service = await startAllowing(host);
  const url = `${host.url}/a`;
  const both = await submit(service, { ...fromUrl(url), file: 'some input' });
  assert.equal(
    await detailOf(both),
    "part 'input_file' and 'input.url' both state the input; send one of them",
  );
  const fileFirst = await postForm(service, '/v1/transform/geojson', {
    parts: [
      ['file', 'x', 'a.geojson'],
      ['config', JSON.stringify({ input_url: url, output_format: 'csv' })],
    ],
  });
  assert.match(await detailOf(fileFirst), /'file' and 'input_url' both/);
  for (const operation of ['append', 'merge']) {
    const parts = [['files', 'x', 'a.geojson']] as const;
    const config = { input_url: url, output_format: 'csv' };
    const combined = await postForm(service, `/v1/transform/geojson/${operation}`, { parts, config });
    assert.equal(
      await detailOf(combined),
      `'input_url' is not possible with ${operation}; send the files themselves`,
    );
  }
  const body = { input_geojson: {}, input_url: url, output_format: 'csv' };
  assert.match(
    await detailOf(await postJson(service, '/v1/transform/geojson', body)),
    /'input_geojson' and 'input_url' both state the input/,
  );
  for (const value of [7, {}, ['http://127.0.0.1/'], ''])
    assert.match(
      await detailOf(await submit(service, fromUrl(value as string))),
      /'input.url' must be a URL/,
    );
  assert.equal(host.requests.length, 0);
});

test('a URL that is not allowed is a 400 at once, and nothing is looked up or fetched', async () => {
  await using host = await startFileHost({});
  await using service = await startAllowing(host);
  const refused = [
    'http://169.254.169.254/latest/meta-data/',
    `http://localhost:${host.port}/`,
    `http://127.0.0.2:${host.port}/`,
    `http://[::ffff:127.0.0.1]:${host.port}/`,
    `http://127.0.0.1:${new URL(service.url).port}/health`,
    'http://evil.example/',
  ];
  for (const url of refused)
    assert.match(
      await detailOf(await submit(service, fromUrl(url))),
      /files are not fetched from .*: the host is not allowed by INPUT_URL_HOSTS, or has no public address/,
    );
  for (const url of [
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    `http://127.0.0.1:${host.port}@evil.example/`,
  ])
    assert.match(
      await detailOf(await submit(service, fromUrl(url))),
      /^'input.url' is not a URL that a file can be fetched from/,
    );
  await using closed = await startTestService();
  assert.match(
    await detailOf(await submit(closed, fromUrl('https://data.example.org/'))),
    /'input.url' is not enabled/,
  );
  assert.equal(host.requests.length, 0);
});

test('what goes wrong with the host fails the job with a sentence for its owner', async () => {
  await using host = await startFileHost({
    '/large': (_request, response) =>
      void response.writeHead(200, { 'content-length': '5000' }).flushHeaders(),
    '/endless': (_request, response) => void response.write('x'.repeat(5000)),
    '/slow': (_request, response) => void response.write('x'),
    '/empty': (_request, response) => void response.end(),
    '/inside': (_request, response) =>
      void response.writeHead(307, { location: 'http://169.254.169.254/secret' }).end(),
    '/short': (_request, response) => {
      response.writeHead(200, { 'content-length': '50' }).write('x');
      setImmediate(() => response.destroy());
    },
  });
  await using patient = await startAllowing(host, { MAX_UPLOAD: '1000' });
  await using impatient = await startAllowing(host, { INPUT_URL_TIMEOUT: '2' });
  const name = `127.0.0.1:${host.port}`;
  const expected: [string, string, RegExp][] = [
    ['missing', 'URL_STATUS', /returned status 404/],
    ['large', 'LIMIT_EXCEEDED', /declared as 5000 bytes; the limit is 1000 bytes \(MAX_UPLOAD\)/],
    ['endless', 'LIMIT_EXCEEDED', /the limit is 1000 bytes/],
    ['slow', 'URL_TIMEOUT', /did not send the whole file within 2 s \(INPUT_URL_TIMEOUT\)/],
    ['empty', 'INPUT_EMPTY', /is empty/],
    ['inside', 'URL_REDIRECT', /redirects to an address from which files are not fetched/],
    ['short', 'URL_INCOMPLETE', /closed before the whole file was received/],
  ];
  for (const [path, code, sentence] of expected) {
    const service = path === 'slow' ? impatient : patient;
    const job = await service.ended(await submitJob(service, fromUrl(`${host.url}/${path}`)));
    assert.deepEqual([job.state, job.error?.code, job.attempts], ['FAILED', code, 1]);
    const status = (await (await fetch(`${service.url}/result/status/${job.id}`)).json()) as {
      error: string;
    };
    assert.match(status.error, sentence);
    assert.ok(status.error.includes(name));
    assert.doesNotMatch(status.error, /169\.254|secret|INTERNAL/);
  }
});

test('the time of an attempt counts the download', async () => {
  await using host = await startFileHost({ '/slow': (_request, response) => void response.write('x') });
  const timers = new ManualTimers();
  await using service = await startAllowing(host, { JOB_TIMEOUT: '1' }, { timers });
  const id = await submitJob(service, fromUrl(`${host.url}/slow`));
  await host.requested('/slow');
  timers.pass(1000);
  assert.equal((await service.ended(id)).error?.code, 'JOB_TIMEOUT');
  await host.deserted();
});

test('a job that is cancelled during the download leaves its host, and the next one runs', async () => {
  await using host = await startFileHost({
    '/slow': (_request, response) => void response.write('x'),
    '/a': sendText('a'),
  });
  await using service = await startAllowing(host);
  const id = await submitJob(service, fromUrl(`${host.url}/slow`));
  await host.requested('/slow');
  assert.equal((await fetch(`${service.url}/v1/jobs/${id}`, { method: 'DELETE' })).status, 204);
  await host.deserted();
  assert.equal((await service.ended(id)).error?.code, 'CANCELLED');
  const next = await service.ended(await submitJob(service, fromUrl(`${host.url}/a`)));
  assert.equal(next.state, 'SUCCESS');
  const output = await fetch(`${service.url}/result/output/${next.id}`);
  assert.equal(await output.text(), outputOf('a'));
});

test('a service that stops ends its downloads, and fetches again when it is back', async () => {
  let answers = 0;
  await using host = await startFileHost({
    '/a': (_request, response) => void (answers++ === 0 ? response.write('x') : response.end('a')),
  });
  const first = await startAllowing(host);
  const { dataDirectory } = first.config;
  const id = await submitJob(first, fromUrl(`${host.url}/a`));
  await host.requested('/a');
  await first.stop();
  await host.deserted();
  await using second = await startTestService({
    dataDirectory,
    settings: { INPUT_URL_HOSTS: `127.0.0.1:${host.port}`, INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8' },
  });
  const job = await second.ended(id);
  assert.deepEqual([job.state, job.attempts], ['SUCCESS', 1]);
  assert.equal(host.requests.length, 2);
  await first[Symbol.asyncDispose]();
});

test('a job whose runner crashes is fetched again for each attempt', async () => {
  await using host = await startFileHost({ '/a': sendText('crash') });
  await using service = await startAllowing(host);
  const job = await service.ended(await submitJob(service, fromUrl(`${host.url}/a`)));
  assert.equal(job.error?.code, 'JOB_ATTEMPTS_EXHAUSTED');
  assert.equal(host.requests.length, 3);
});

test('a request with the same idempotency key and URL is the same job', async () => {
  await using host = await startFileHost({ '/a': sendText('a'), '/b': sendText('b') });
  await using service = await startAllowing(host);
  const headers = { 'idempotency-key': 'k1' };
  const id = await submitJob(service, { ...fromUrl(`${host.url}/a`), headers });
  assert.equal(await submitJob(service, { ...fromUrl(`${host.url}/a`), headers }), id);
  assert.equal((await submit(service, { ...fromUrl(`${host.url}/b`), headers })).status, 422);
  await service.ended(id);
  assert.equal(host.requests.length, 1);
});

test('settings that cannot be meant stop the start', async () => {
  const bad: Record<string, string>[] = [
    { INPUT_URL_HOSTS: 'https://a.example/' },
    { INPUT_URL_PRIVATE_NETWORKS: '10.0/8' },
  ];
  for (const settings of bad)
    await assert.rejects(startTestService({ settings }), { code: 'SETTING_INVALID' });
});
