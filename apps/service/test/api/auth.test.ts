/** Who gets in: open and required services, the job API apart, revocation, addresses, what is refused before what. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { promisify } from 'node:util';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { apiKey, bearer, TestCredentials } from '../../../../test/support/credentials.ts';
import { ENTRANCE } from '../../../../test/support/program.ts';
import { exchange } from '../../../../test/support/raw-http.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService, submit, type TestService } from '../../../../test/support/service.ts';
import { accountsPath } from '../../src/jobs/data-directory.ts';

const run = promisify(execFile);

async function idOf(response: Response): Promise<string> {
  assert.equal(response.status, 202);
  return ((await response.json()) as { job_id: string }).job_id;
}

async function statusOf(
  service: TestService,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(service.url + path, { headers });
  await response.body?.cancel();
  return response.status;
}

test('a service of this machine alone asks nobody, and opens no accounts until it has to', async () => {
  await using service = await startTestService();
  const id = await idOf(await submit(service));
  await service.ended(id);
  for (const path of [`/result/status/${id}`, `/v1/jobs/${id}`, '/v1/jobs', '/metrics'])
    assert.equal(await statusOf(service, path), 200, path);
  assert.equal(existsSync(accountsPath(service.config.dataDirectory)), false);
  assert.equal(await statusOf(service, '/v1/jobs', apiKey('gm_wrong')), 401);
  assert.equal(existsSync(accountsPath(service.config.dataDirectory)), true);
});

test('an open service checks a credential that is shown, and keeps the jobs of its owner apart', async () => {
  await using service = await startTestService();
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const alice = apiKey((await credentials.key('alice')).secret);
  const theirs = await idOf(await submit(service, { headers: alice }));
  const nobodys = await idOf(await submit(service));
  assert.equal(await statusOf(service, `/v1/jobs/${theirs}`, alice), 200);
  assert.equal(await statusOf(service, `/v1/jobs/${theirs}`), 404);
  assert.equal(await statusOf(service, `/v1/jobs/${nobodys}`, alice), 404);
  for (const wrong of [
    apiKey(await credentials.revokedKey('alice')),
    bearer(await credentials.forgedToken('alice')),
  ])
    assert.equal((await submit(service, { headers: wrong })).status, 401);
  const readOnly = apiKey((await credentials.key('alice', ['jobs:read'])).secret);
  assert.equal((await submit(service, { headers: readOnly })).status, 403);
  // The password of a proxy before us, which passes it on.
  assert.equal(await statusOf(service, '/v1/jobs', { authorization: `Basic ${btoa('a:b')}` }), 200);
});

test('an open service that other machines can reach keeps its figures for administrators', async () => {
  const settings = { HOST: '0.0.0.0', AUTH: 'open' };
  await assert.rejects(startTestService({ settings }), { code: 'SETTING_INVALID' });
  await using service = await startTestService({ settings, start: { insecureOpen: true } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  assert.equal(await statusOf(service, '/v1/jobs'), 200);
  assert.equal(await statusOf(service, '/metrics'), 401);
  assert.equal(await statusOf(service, '/metrics', apiKey((await credentials.key('alice')).secret)), 403);
  assert.equal(
    await statusOf(service, '/metrics', apiKey((await credentials.key('root', ['admin'])).secret)),
    200,
  );
});

test('the job API can be open while the rest is not', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required', AUTH_JOB_SURFACE: 'open' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const id = await idOf(await submit(service));
  await service.ended(id);
  assert.equal(await statusOf(service, `/result/status/${id}`), 200);
  assert.equal(await statusOf(service, `/result/output/${id}`), 200);
  for (const path of [`/v1/jobs/${id}`, '/v1/jobs', '/metrics'])
    assert.equal(await statusOf(service, path), 401, path);
  const alice = apiKey((await credentials.key('alice')).secret);
  const theirs = await idOf(await submit(service, { headers: alice }));
  assert.equal(await statusOf(service, `/result/status/${theirs}`), 404);
  assert.equal(await statusOf(service, `/result/status/${theirs}`, alice), 200);
});

test('the job API can ask for credentials while the rest is open', async () => {
  await using service = await startTestService({ settings: { AUTH_JOB_SURFACE: 'required' } });
  assert.equal((await submit(service)).status, 401);
  assert.equal(await statusOf(service, '/result/status/x'), 401);
  assert.equal(await statusOf(service, '/v1/jobs'), 200);
});

test('a key that is revoked elsewhere is refused at the next request, on every connection', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const { credential, secret } = await credentials.key('alice');
  const ask = () => statusOf(service, '/v1/jobs', apiKey(secret));
  // Several at once, so that several connections are open.
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [200, 200, 200]);
  await credentials.accounts.credentials.revoke(credential.id, 'test');
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [401, 401, 401]);
});

test('a key that the command line makes works at once, and is refused as soon as the command line revokes it', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  const { dataDirectory } = service.config;
  const keys = async (...argv: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDirectory };
    const { stdout } = await run(process.execPath, [ENTRANCE, 'keys', ...argv], { env });
    return stdout.trim();
  };
  const key = await keys('create', '--owner', 'ci', '--name', 'robot');
  assert.equal(await statusOf(service, '/v1/jobs', apiKey(key)), 200);
  await keys('revoke', key.slice(0, 'gm_'.length + 8));
  assert.equal(await statusOf(service, '/v1/jobs', apiKey(key)), 401);
});

test('an account that is disabled is refused at the next request', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const { secret } = await credentials.key('alice');
  const token = await credentials.token('alice');
  await credentials.accounts.states.change('alice', { isDisabled: true }, 'test');
  assert.equal(await statusOf(service, '/v1/jobs', apiKey(secret)), 401);
  assert.equal(await statusOf(service, '/v1/jobs', bearer(token)), 401);
  await credentials.accounts.states.change('alice', { isDisabled: false }, 'test');
  assert.equal(await statusOf(service, '/v1/jobs', apiKey(secret)), 200);
});

test('who may not is refused before "100 Continue", so before a byte of the body', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const { host } = new URL(service.url);
  const ask = (more: string) =>
    exchange(
      service.url,
      `POST /transform HTTP/1.1\r\nHost: ${host}\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
        `Content-Length: 1000\r\nExpect: 100-continue\r\n${more}\r\n`,
      /\r\n\r\n/,
    );
  assert.match(await ask(''), /^HTTP\/1.1 401 /);
  assert.match(await ask(`apiKey: ${credentials.unknownKey()}\r\n`), /^HTTP\/1.1 401 /);
  assert.match(await ask(`APIKEY: ${(await credentials.key('alice')).secret}\r\n`), /^HTTP\/1.1 100 /);
});

test('every refused credential is answered with the same words', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const shown = [
    apiKey('nonsense'),
    apiKey(credentials.unknownKey()),
    apiKey(await credentials.wrongKey('alice')),
    apiKey(await credentials.expiredKey('alice')),
    apiKey(await credentials.revokedKey('alice')),
    apiKey(await credentials.disabledKey()),
    bearer('nonsense'),
    bearer(await credentials.forgedToken('alice')),
    bearer(await credentials.expiredToken('alice')),
    bearer(await credentials.revokedToken('alice')),
  ];
  const answers = await Promise.all(
    shown.map(async (headers) => {
      const response = await fetch(`${service.url}/v1/jobs`, { headers });
      return [response.status, response.headers.get('www-authenticate'), await response.text()].join('\n');
    }),
  );
  assert.equal(new Set(answers).size, 1, answers.join('\n'));
  assert.match(answers[0], /^401\nBearer realm="geomill", error="invalid_token", ApiKey realm="geomill"\n/);
});

test('an address of which too many wrong keys come is told to slow down; a right key from there gets in', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const wrong = apiKey(credentials.unknownKey());
  for (let i = 0; i < 50; i++) assert.equal(await statusOf(service, '/v1/jobs', wrong), 401);
  // Nobody is believed who says to come from elsewhere, unless it is a proxy that the operator named.
  const elsewhere = { ...wrong, 'x-forwarded-for': '192.0.2.1' };
  const response = await fetch(`${service.url}/v1/jobs`, { headers: elsewhere });
  assert.equal(response.status, 429);
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(await statusOf(service, '/v1/jobs', apiKey((await credentials.key('alice')).secret)), 200);
  const noted = (await credentials.accounts.audit.list({ event: 'credential.refused', limit: 1000 })).events;
  assert.equal(noted.length, 50, 'who is told to slow down fills no audit log');
});

test('every answer tells browsers to keep their hands off', async () => {
  await using service = await startTestService({ settings: { BASE_URL: 'https://mill.example.org' } });
  for (const path of ['/healthz', '/v1/jobs/none', '/nothing', '/docs', '/metrics']) {
    const { headers } = await fetch(service.url + path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(
      headers.get('content-security-policy') ?? '',
      /default-src 'none'.*frame-ancestors 'none'/,
      path,
    );
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path);
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', path);
    assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/, path);
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', path);
  }
  await using plain = await startTestService();
  assert.equal((await fetch(`${plain.url}/healthz`)).headers.get('strict-transport-security'), null);
});

test('what is refused before there is a route is a problem with the same headers, and repeats nothing', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  for (const line of [
    'GET /v1/jobs/%zz%3Cscript%3E HTTP/1.1',
    'GET /account/%zz%3Cscript%3E HTTP/1.1',
    `GET /v1/jobs/script${'a'.repeat(300)} HTTP/1.1`,
    'GET /healthz HTTP/1.1\r\nscript',
  ]) {
    const shown = await exchange(
      service.url,
      `${line}\r\nHost: mill\r\nConnection: close\r\n\r\n`,
      /\r\n\r\n.*\}/s,
    );
    assert.match(shown, /^HTTP\/1.1 400 .*content-type: application\/problem\+json/is, line);
    assert.match(shown, /\r\nx-content-type-options: nosniff\r\n/, line);
    assert.match(shown, /\r\ncontent-security-policy: default-src 'none'/, line);
    assert.doesNotMatch(shown, /script/, line);
  }
});

test('the files of a service are for its user alone, also in a directory that others may read', async () => {
  using workspace = makeWorkspace();
  chmodSync(workspace.path, 0o755);
  const child = spawn(process.execPath, [ENTRANCE, 'serve'], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: workspace.path, RUNNERS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    // The greeting comes once everything is there; log lines come before it.
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('listens on')) break;
    const names = readdirSync(workspace.path, { recursive: true, encoding: 'utf8' });
    assert.ok(names.includes('jobs.sqlite') && names.includes('outputs'), names.join());
    for (const name of names) {
      const facts = lstatSync(join(workspace.path, name), { throwIfNoEntry: false });
      // Where runners are users of their own they pass through directories that they cannot list.
      const forbidden = facts?.isDirectory() ? 0o066 : 0o077;
      assert.equal((facts?.mode ?? 0) & forbidden, 0, name);
    }
  } finally {
    child.kill();
    await once(child, 'close');
  }
});

test('a web page of another origin cannot use an open service, by its own name neither', async () => {
  await using service = await startTestService({ settings: { CORS_ORIGINS: 'https://maps.example.org' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const { host, port } = new URL(service.url);
  const from = (headers: Record<string, string>): Promise<number> =>
    submit(service, { headers }).then(({ status }) => status);
  for (const origin of [
    'https://evil.example.org',
    'null',
    `http://evil.example.org:${port}`,
    'http://127.0.0.1:1',
  ])
    assert.equal(await from({ origin }), 403, origin);
  for (const origin of ['https://maps.example.org', service.url])
    assert.equal(await from({ origin }), 202, origin);
  const { secret } = await credentials.key('alice');
  assert.equal(
    await from({ origin: 'https://evil.example.org', ...apiKey(secret) }),
    202,
    'who has a key may',
  );
  // A name of theirs that has come to mean this machine: to the browser it is the same origin.
  const called = (name: string, more = '', path = '/v1/jobs'): Promise<string> =>
    exchange(
      service.url,
      `GET ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n${more}\r\n`,
      /\r\n\r\n/,
    );
  for (const name of [
    `evil.example.org:${port}`,
    'EVIL.example.org.',
    '127.0.0.1.evil.example.org',
    'localhost.evil.org',
  ])
    for (const path of ['/v1/jobs', '/metrics'])
      assert.match(await called(name, '', path), /^HTTP\/1.1 403 /, `${path} of ${name}`);
  for (const name of [host, `localhost:${port}`, `[::1]:${port}`, 'mill', `mill.localhost:${port}`])
    assert.match(await called(name), /^HTTP\/1.1 200 /, name);
  assert.match(await called('evil.example.org', `apiKey: ${secret}\r\n`), /^HTTP\/1.1 200 /);
  await using named = await startTestService({ settings: { BASE_URL: 'http://mill.example.org' } });
  const shown = await exchange(
    named.url,
    'GET /v1/jobs HTTP/1.1\r\nHost: mill.example.org\r\n\r\n',
    /\r\n\r\n/,
  );
  assert.match(shown, /^HTTP\/1.1 200 /);
});
