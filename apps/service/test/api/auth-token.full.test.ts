/** The token endpoint, as RFC 6749 has it, and what it issues. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { clientCredentials } from '../../../../packages/client/src/client-credentials.ts';
import { bearer, TestCredentials } from '../../../../test/support/credentials.ts';
import { exchange } from '../../../../test/support/raw-http.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService } from '../../../../test/support/service.ts';

const BASE_URL = 'https://mill.example.org';
const service = await startTestService({
  settings: { AUTH: 'required', BASE_URL, TRUSTED_PROXIES: '127.0.0.1' },
});
const credentials = new TestCredentials(service.config.dataDirectory);
test.after(async () => {
  await credentials[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const {
  credential: { id },
  secret,
} = await credentials.client('alice');
const ENDPOINT = `${service.url}/accounts/oauth/token`;

const post = (body: RequestInit['body'], headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(ENDPOINT, { method: 'POST', body, headers });
const postForm = (parameters: Readonly<Record<string, string>>, headers = {}): Promise<Response> =>
  post(new URLSearchParams(parameters), headers);
const postJson = (body: unknown, headers = {}): Promise<Response> =>
  post(JSON.stringify(body), { 'content-type': 'application/json', ...headers });
const basic = (user: string, password: string) => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` });

async function errorOf(response: Response): Promise<{ status: number; error: string; text: string }> {
  const text = await response.text();
  const { error } = JSON.parse(text) as { error: string };
  return { status: response.status, error, text };
}

test('a client gets a token by form, by JSON and by HTTP Basic', async () => {
  const grant = { grant_type: 'client_credentials' };
  const named = { client_id: id, client_secret: secret };
  const ways = [
    () => postForm({ ...grant, ...named }),
    () => postJson({ ...grant, ...named }),
    () => postForm(grant, basic(id, secret)),
    () => postJson(grant, basic(id, secret)),
    () => postForm({ ...grant, client_id: id }, basic(id, secret)),
    // As RFC 6749, 2.3.1 has it: both are encoded before they are joined.
    () => postForm(grant, basic(id.replace('_', '%5F'), secret.replaceAll('_', '%5f'))),
    // Clients of the reference service send no grant_type.
    () => postJson(named),
  ];
  for (const way of ways) {
    const response = await way();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const body = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'scope']);
    assert.deepEqual(
      { ...body, access_token: '' },
      { access_token: '', token_type: 'Bearer', expires_in: 300, scope: 'jobs:read jobs:write' },
    );
    const jobs = await fetch(`${service.url}/v1/jobs`, { headers: bearer(String(body.access_token)) });
    assert.equal(jobs.status, 200);
  }
});

test('a token is good for the scope that was asked for, and for no more', async () => {
  const response = await postForm({ client_id: id, client_secret: secret, scope: 'jobs:write' });
  const { access_token: token, scope } = (await response.json()) as { access_token: string; scope: string };
  assert.equal(scope, 'jobs:write');
  const jobs = await fetch(`${service.url}/v1/jobs`, { headers: bearer(token) });
  assert.equal(jobs.status, 403);
  assert.match(jobs.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="jobs:read"/);
  const more = await errorOf(
    await postForm({ client_id: id, client_secret: secret, scope: 'jobs:read admin' }),
  );
  assert.deepEqual([more.status, more.error], [400, 'invalid_scope']);
});

test('an unknown client and a wrong secret are answered alike', async () => {
  const other = await credentials.client('bob');
  const texts = [];
  for (const [clientId, clientSecret] of [
    ['gmc_00000000', secret],
    [id, other.secret],
    [id, `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`],
    [id, 'nonsense'],
    ['', ''],
    ['x', '%zz'],
  ]) {
    const response = await postForm({ grant_type: 'client_credentials' }, basic(clientId, clientSecret));
    assert.match(response.headers.get('www-authenticate') ?? '', /^Basic realm="geomill"/);
    const { status, error, text } = await errorOf(response);
    assert.deepEqual([status, error], [401, 'invalid_client']);
    texts.push(text);
  }
  assert.equal(new Set(texts).size, 1);
});

test('a revoked client gets no token, and its old ones are refused at once', async () => {
  const client = await credentials.client('alice');
  const named = { client_id: client.credential.id, client_secret: client.secret };
  const { access_token: token } = (await (await postForm(named)).json()) as { access_token: string };
  const ask = () => fetch(`${service.url}/v1/jobs`, { headers: bearer(token) });
  assert.equal((await ask()).status, 200);
  await credentials.accounts.credentials.revoke(client.credential.id, 'test');
  assert.equal((await ask()).status, 401);
  assert.equal((await errorOf(await postForm(named))).error, 'invalid_client');
});

test('a client cannot have tokens without end: they count as its other requests', async () => {
  await using slow = await startTestService({
    settings: { AUTH: 'required', RATE_LIMIT: '1', RATE_BURST: '3' },
  });
  await using own = new TestCredentials(slow.config.dataDirectory);
  const client = await own.client('bob');
  const body = { client_id: client.credential.id, client_secret: client.secret };
  const ask = () =>
    fetch(`${slow.url}/accounts/oauth/token`, { method: 'POST', body: new URLSearchParams(body) });
  for (let i = 0; i < 3; i++) assert.equal((await ask()).status, 200);
  const refused = await ask();
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
});

test('a request that is no token request is told so, without a word of what it said', async () => {
  const canary = 'gms_canary';
  const rows: [string, () => Promise<Response>][] = [
    ['unsupported_grant_type', () => postForm({ grant_type: 'password' })],
    ['unsupported_grant_type', () => postForm({ grant_type: '"\\\n' })],
    ['invalid_request', () => postJson([canary])],
    ['invalid_request', () => post(`{"client_secret":"${canary}"`, { 'content-type': 'application/json' })],
    ['invalid_request', () => postJson({ client_id: id, client_secret: [canary] })],
    ['invalid_request', () => post(new URLSearchParams('scope=a&scope=b'))],
    ['invalid_request', () => postForm({ client_id: id, client_secret: canary }, basic(id, secret))],
    ['invalid_request', () => postForm({ client_id: 'gmc_00000000' }, basic(id, secret))],
  ];
  for (const [expected, send] of rows) {
    const { status, error, text } = await errorOf(await send());
    assert.deepEqual([status, error], [400, expected]);
    assert.doesNotMatch(text, new RegExp(canary));
    const { error_description: description } = JSON.parse(text) as { error_description: string };
    assert.match(description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  }
  const missing = await errorOf(await postForm({ grant_type: 'client_credentials' }));
  assert.deepEqual([missing.status, missing.error], [401, 'invalid_client']);
});

test('a body that is too large, or of another kind, is a problem as everywhere', async () => {
  assert.equal((await postForm({ client_id: 'x'.repeat(20_000) })).status, 413);
  assert.equal((await post('grant_type', { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await fetch(ENDPOINT, { method: 'POST' })).status, 415);
  assert.equal((await fetch(ENDPOINT)).status, 405);
});

test('who fails too often has to wait, by address, and a right secret still gets in', async () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const fail = (address: string) =>
    postForm({ client_id: id, client_secret: 'wrong' }, from(address)).then((response) => response);
  let last = await fail('203.0.113.7');
  for (let i = 0; i < 50; i++) last = await fail('203.0.113.7');
  assert.equal(last.status, 429);
  assert.match(last.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await fail('203.0.113.8')).status, 401);
  const right = await postForm({ client_id: id, client_secret: secret }, from('203.0.113.7'));
  assert.equal(right.status, 200);
});

test('what was refused stands in the audit log, with the address and without the secret', async () => {
  const { secret: revoked, credential } = await credentials.client('mallory');
  await credentials.accounts.credentials.revoke(credential.id, 'test');
  await postForm({ client_id: credential.id, client_secret: revoked }, { 'x-forwarded-for': '203.0.113.9' });
  const [event] = (await credentials.accounts.audit.list({ event: 'credential.refused' })).events;
  assert.deepEqual(
    { actor: event.actor, subject: event.subject, detail: event.detail },
    {
      actor: 'address:203.0.113.9',
      subject: credential.id,
      detail: { reason: 'revoked', route: '/accounts/oauth/token' },
    },
  );
});

test('others can check tokens by the published key set', async () => {
  const metadata = (await (await fetch(`${service.url}/.well-known/oauth-authorization-server`)).json()) as {
    readonly issuer: string;
    readonly jwks_uri: string;
    readonly token_endpoint: string;
  };
  assert.equal(metadata.issuer, BASE_URL);
  assert.equal(metadata.token_endpoint, `${BASE_URL}/accounts/oauth/token`);
  const response = await fetch(metadata.jwks_uri.replace(BASE_URL, service.url));
  assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
  const keys = (await response.json()) as JSONWebKeySet;
  assert.ok(
    keys.keys.every((key) => !('d' in key)),
    'public halves only',
  );
  const answer = await postForm({ client_id: id, client_secret: secret });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    issuer: BASE_URL,
    audience: BASE_URL,
  });
  assert.equal(payload.sub, id);
});

test('two Authorization headers are refused, also where they are equal', async () => {
  const { host } = new URL(service.url);
  const answer = await postForm({ client_id: id, client_secret: secret });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const line = `Authorization: Bearer ${token}\r\n`;
  const head = `GET /v1/jobs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`;
  assert.match(await exchange(service.url, `${head}${line}\r\n`, /\r\n\r\n/), /^HTTP\/1.1 200 /);
  assert.match(await exchange(service.url, `${head}${line}${line}\r\n`, /\r\n\r\n/), /^HTTP\/1.1 400 /);
});

test('the client gets itself a token, and tells why where it gets none', async () => {
  const baseUrl = service.url;
  const token = await clientCredentials({ baseUrl, clientId: id, clientSecret: secret })();
  assert.equal((await fetch(`${service.url}/v1/jobs`, { headers: bearer(token) })).status, 200);
  await assert.rejects(clientCredentials({ baseUrl, clientId: id, clientSecret: 'wrong' }), {
    name: 'GeomillProblem',
    status: 401,
    code: 'CREDENTIALS_INVALID',
    detail: 'the client is not accepted; check its id and secret',
  });
});
