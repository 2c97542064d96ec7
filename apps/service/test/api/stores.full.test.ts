/** A service whose files are in S3, or in a directory that machines share: what clients see is the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import * as tus from 'tus-js-client';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { BUCKET, KEY_ID, S3_FAULTS, S3TestServer, SECRET } from '../../../../test/support/s3-server.ts';
import {
  startTestService,
  submitJob,
  type TestService,
  type TestServiceOptions,
} from '../../../../test/support/service.ts';
import { appendTo, newUpload } from '../../../../test/support/tus.ts';
import { until } from '../../../../test/support/until.ts';
import { ANY_OWNER } from '../../src/jobs/job.ts';

interface Place {
  readonly settings: Readonly<Record<string, string>>;
  /** Names of all stored files. */
  readonly files: () => string[];
}

function s3Settings(server: S3TestServer, prefix: string): Record<string, string> {
  return {
    STORE_URL: `s3://${BUCKET}/${prefix}`,
    S3_ENDPOINT: server.url,
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
  };
}

/** Null: skipped. */
async function startS3(context: TestContext): Promise<S3TestServer | null> {
  const workspace = makeWorkspace();
  const server = await S3TestServer.start(join(workspace.path, 's3'));
  if (server === null) context.skip('@20minutes/s3rver is not installed');
  context.after(async () => {
    await server?.[Symbol.asyncDispose]();
    workspace[Symbol.dispose]();
  });
  return server;
}

const PLACES: Readonly<Record<string, (context: TestContext) => Promise<Place | null>>> = {
  S3: async (context) => {
    const server = await startS3(context);
    if (server === null) return null;
    return { settings: s3Settings(server, 'mill/a'), files: () => server.objects() };
  },
  'a shared directory': async (context) => {
    const workspace = makeWorkspace();
    context.after(() => workspace[Symbol.dispose]());
    const directory = join(workspace.path, 'shared');
    mkdirSync(directory);
    const isFile = (name: string): boolean => !['inputs', 'outputs', 'uploads'].includes(name);
    return {
      settings: { STORE_URL: `file://${directory}` },
      files: () =>
        readdirSync(directory, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && isFile(entry.name))
          .map(({ name }) => name),
    };
  },
};

async function start(context: TestContext, options: TestServiceOptions): Promise<TestService> {
  const service = await startTestService(options);
  context.after(() => service[Symbol.asyncDispose]());
  return service;
}

async function noFilesLeft({ files }: Place): Promise<void> {
  await until('no file is left', () => files().length === 0);
}

for (const [name, open] of Object.entries(PLACES)) {
  test(`with ${name}, a job is submitted, run, downloaded in ranges and deleted`, async (context) => {
    const place = await open(context);
    if (place === null) return;
    const service = await start(context, place);
    const id = await submitJob(service, { file: 'the input' });
    await service.ended(id);
    const url = `${service.url}/result/output/${id}`;
    const expected = outputOf('the input');
    const whole = await checkedFetch(url);
    assert.equal(await whole.text(), expected);
    const range = await checkedFetch(url, { headers: { range: 'bytes=2-5' } });
    assert.deepEqual([range.status, await range.text()], [206, expected.slice(2, 6)]);
    const head = await checkedFetch(url, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(expected.length));
    assert.ok(!existsSync(join(service.config.dataDirectory, 'outputs')), 'nothing is in the data directory');
    assert.equal(place.files().length, 1, 'the input was removed');
    assert.equal((await checkedFetch(`${service.url}/v1/jobs/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await checkedFetch(url)).status, 404);
    await noFilesLeft(place);
  });

  test(`with ${name}, an upload is continued after a restart and becomes the input of jobs`, async (context) => {
    const place = await open(context);
    if (place === null) return;
    const workspace = makeWorkspace();
    context.after(() => workspace[Symbol.dispose]());
    const options = { ...place, dataDirectory: workspace.path };
    const first = await startTestService(options);
    // In base 64, so that the fake runner can read it as a text.
    const content = Buffer.from(randomBytes(3000).toString('base64'));
    const started = new Promise<string>((resolve, reject) => {
      const upload: tus.Upload = new tus.Upload(content, {
        endpoint: `${first.url}/v1/uploads`,
        chunkSize: 500,
        metadata: { filename: 'a.geojson' },
        retryDelays: [],
        storeFingerprintForResuming: false,
        onError: reject,
        onChunkComplete: (_size, accepted) => {
          if (accepted < 2000) return;
          void upload.abort().then(() => resolve(upload.url ?? ''));
        },
      });
      upload.start();
    });
    const path = new URL(await started).pathname;
    await first.stop();
    const service = await start(context, options);
    await new Promise<void>((resolve, reject) => {
      const upload = new tus.Upload(content, {
        uploadUrl: service.url + path,
        chunkSize: 500,
        retryDelays: [],
        storeFingerprintForResuming: false,
        onError: reject,
        onSuccess: () => resolve(),
      });
      upload.start();
    });
    const submit = async (): Promise<string> => {
      const response = await checkedFetch(`${service.url}/v1/transform/geojson`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'wait=20' },
        body: JSON.stringify({ input_upload: path.split('/').at(-1), output_format: 'csv' }),
      });
      assert.equal(response.status, 200);
      return response.text();
    };
    assert.equal(await submit(), outputOf(String(content)));
    assert.equal(await submit(), outputOf(String(content)), 'the upload is still there');
    assert.equal(
      (await checkedFetch(service.url + path, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } }))
        .status,
      204,
    );
    const jobs = service.service.jobsOf(ANY_OWNER);
    for (const { id } of await jobs.list({ state: null, operation: null }, null, 10)) await jobs.remove(id);
    await noFilesLeft(place);
  });
}

test('with S3, a real runner converts without the credentials of the store', async (context) => {
  const server = await startS3(context);
  if (server === null) return;
  const service = await start(context, {
    settings: { ...s3Settings(server, 'real'), RUNNERS: '1' },
    runner: null,
  });
  const sample = join(import.meta.dirname, '../../../../samples/harbour.geojson');
  const form = new FormData();
  form.set('config', JSON.stringify({ input: { format: 'geojson' }, output: { format: 'csv' } }));
  form.set('input_file', new Blob([readFileSync(sample)]), 'harbour.geojson');
  const response = await fetch(`${service.url}/transform`, {
    method: 'POST',
    headers: { prefer: 'wait=60' },
    body: form,
  });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /^id,name,.*\n1,Nordkai,/);
  if (process.platform !== 'linux') return;
  for (const { pid } of service.service.runners) {
    if (pid === undefined) continue;
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    assert.ok(!/AWS_|S3_|STORE_URL/.test(environment), environment);
  }
});

test('with STORE_REDIRECT, downloads come from the store, after the same checks', async (context) => {
  const server = await startS3(context);
  if (server === null) return;
  const settings = {
    ...s3Settings(server, 'redirected'),
    STORE_REDIRECT: 'true',
    STORE_REDIRECT_EXPIRY: '60',
  };
  const service = await start(context, { settings });
  const id = await submitJob(service, { file: 'the input' });
  await service.ended(id);
  const url = `${service.url}/result/output/${id}`;
  const answer = await checkedFetch(url, { redirect: 'manual' });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.get('cache-control'), 'private, no-store');
  const location = answer.headers.get('location') ?? '';
  assert.ok(location.startsWith(`${server.url}/${BUCKET}/redirected/outputs/${id}/`));
  assert.match(location, /X-Amz-Expires=60&/);
  assert.ok(!location.includes(`${SECRET}:`));
  const direct = await fetch(location);
  assert.equal(await direct.text(), outputOf('the input'));
  const streamed = await checkedFetch(url, { headers: { 'if-range': `"${id}"`, range: 'bytes=0-3' } });
  assert.deepEqual([streamed.status, await streamed.text()], [206, outputOf('the input').slice(0, 4)]);
  for (const name of ['content-type', 'content-disposition'])
    assert.equal(direct.headers.get(name), streamed.headers.get(name), name);
  const script = await checkedFetch(url, { headers: { 'sec-fetch-dest': 'empty' } });
  assert.deepEqual([script.redirected, await script.text()], [false, outputOf('the input')]);
  assert.equal((await checkedFetch(url, { method: 'HEAD' })).status, 200);
  const unknown = `${service.url}/result/output/${crypto.randomUUID()}`;
  assert.equal((await checkedFetch(unknown, { redirect: 'manual' })).status, 404);
});

test('while requests to the store fail at random, jobs and uploads end as without, and nothing is left', async (context) => {
  const server = await startS3(context);
  if (server === null) return;
  const service = await start(context, { settings: s3Settings(server, 'shaken') });
  const faults = S3_FAULTS.filter((fault) => fault !== 'stall');
  let state = 11;
  const random = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  server.faultFor = () => (random() < 0.1 ? faults[Math.floor(random() * faults.length)] : null);
  const texts = new Map<string, string>();
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const text = `job ${index}`;
      if (index % 4 > 0) texts.set(await submitJob(service, { file: text }), text);
      else {
        const url = await newUpload(service, text.length);
        for (let at = 0; at < text.length; at += 2)
          assert.equal((await appendTo(url, at, text.slice(at, at + 2))).status, 204);
        const config = {
          input: { format: 'geojson', upload: url.split('/').at(-1) },
          output: { format: 'csv' },
        };
        texts.set(await submitJob(service, { config, file: null }), text);
        await checkedFetch(url, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } });
      }
    }),
  );
  const jobs = service.service.jobsOf(ANY_OWNER);
  for (const [id, text] of texts) {
    const { state: end, attempts } = await service.ended(id);
    assert.deepEqual([end, attempts], ['SUCCESS', 1], text);
    const output = await checkedFetch(`${service.url}/result/output/${id}`);
    assert.equal(await output.text(), outputOf(text));
    assert.equal(await jobs.remove(id), true);
  }
  server.faultFor = () => null;
  await noFilesLeft({ settings: {}, files: () => server.objects() });
  assert.deepEqual(server.pending(), []);
});

test('while the store fails, submissions are refused and outputs are said to be unavailable; then all goes on', async (context) => {
  const server = await startS3(context);
  if (server === null) return;
  const service = await start(context, { settings: s3Settings(server, 'failing') });
  const before = await submitJob(service, { file: 'before' });
  await service.ended(before);
  const running = await submitJob(service, { file: 'wait 300' });
  const fault = { status: 403, code: 'AccessDenied' };
  server.faultFor = () => fault;
  const output = await checkedFetch(`${service.url}/result/output/${before}`);
  assert.equal(output.status, 503);
  const problem = JSON.stringify(await output.json());
  assert.match(problem, /refuses its credentials/);
  assert.ok(!problem.includes(server.url) && !problem.includes(BUCKET), problem);
  const page = await fetch(`${service.url}/jobs/${before}/output`);
  assert.equal(page.status, 503);
  assert.equal(page.headers.get('retry-after'), '5');
  assert.match(await page.text(), /storage of the service is not available.*refuses its credentials/);
  const isReady = async (): Promise<boolean> => (await fetch(`${service.url}/readyz`)).ok;
  await until('the job that could not be stored was noticed', async () => !(await isReady()));
  server.faultFor = () => null;
  await service.ended(running);
  const found = await checkedFetch(`${service.url}/result/output/${running}`);
  assert.equal(await found.text(), outputOf('wait 300'));
  assert.equal(await isReady(), true);
});

test('a store that cannot be used, or that belongs to another database, prevents the start', async (context) => {
  const server = await startS3(context);
  if (server === null) return;
  const settings = s3Settings(server, 'mine');
  const refusals: [Record<string, string>, RegExp][] = [
    [{ AWS_SECRET_ACCESS_KEY: 'wrong-secret' }, /refuses its credentials/],
    [{ STORE_URL: 's3://missing-bucket/mine' }, /does not exist/],
  ];
  for (const [wrong, reason] of refusals)
    await assert.rejects(startTestService({ settings: { ...settings, ...wrong } }), (error: Error) => {
      assert.match(error.message, reason);
      assert.ok(!/wrong-secret|S3RVER/.test(error.message), error.message);
      return true;
    });
  const service = await startTestService({ settings });
  await service.ended(await submitJob(service, { file: 'a' }));
  await service[Symbol.asyncDispose]();
  await assert.rejects(startTestService({ settings }), { code: 'SERVICE_DATABASE_EMPTY' });
});

test('a service with a data directory loads no code of other stores or databases', () => {
  const workspace = makeWorkspace();
  const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const program = `import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { startService } = await import(${source('service.ts')});
    const { readConfig } = await import(${source('settings/config.ts')});
    const service = await startService(readConfig(process.env));
    await service.stop();
    console.log(JSON.stringify(loaded));`;
  try {
    const text = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      env: { PORT: '0', DATA_DIR: workspace.path, LOG_LEVEL: 'silent', RUNNERS: '1' },
      encoding: 'utf8',
    });
    const loaded = JSON.parse(text) as string[];
    assert.ok(!loaded.some((url) => /\/tracing\/(?:recorder|otlp-exporter)\.ts$/.test(url)), 'no traces');
    assert.ok(loaded.some((url) => url.endsWith('/storage/local-store.ts')));
    assert.deepEqual(
      loaded.filter((url) =>
        /aws4fetch|node_modules\/pg|\/postgres-|postgres\/database|\/storage\/(?:s3-|segments|shared-directory)/.test(
          url,
        ),
      ),
      [],
    );
  } finally {
    workspace[Symbol.dispose]();
  }
});
