/** What the client does when the way to the service is bad, with servers that answer what a test wants. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Answer,
  broken,
  json,
  problem,
  startScriptedServer,
} from '../../../test/support/scripted-server.ts';
import { clientCredentials, GeomillClient, GeomillProblem, sessionToken } from '../src/client.ts';
import { fileFrom } from '../src/node/files.ts';
import type { TransportOptions } from '../src/transport.ts';

const HASTY = { attempts: 4, maxDelaySeconds: 0.005 };
const accepted = json(202, { job_id: 'a', status: 'QUEUED' });
const request = {
  input: { name: 'a.geojson', data: '{}' },
  config: { input: { format: 'geojson' }, output: { format: 'csv' } },
} as const;

async function clientOf(answers: readonly Answer[], options: Partial<TransportOptions> = {}) {
  const server = await startScriptedServer(...answers);
  const client = new GeomillClient({ baseUrl: server.url, retry: HASTY, ...options });
  return { server, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('a submission is sent again, whole and with its key, when the service is busy or the connection breaks', async () => {
  const busy = problem(503, 'queue-full', { 'retry-after': '0' });
  await using at = await clientOf([busy, broken, problem(429, 'rate', {}), accepted]);
  const job = await at.client.submit(request);
  assert.equal(job.id, 'a');
  const keys = new Set(at.server.received.map(({ headers }) => headers['idempotency-key']));
  assert.equal(keys.size, 1);
  assert.match(String([...keys][0]), /^[0-9a-f]{32}$/);
  assert.equal(at.server.received.length, 4);
  for (const { body } of at.server.received) assert.match(body, /name="config".*filename="a.geojson".*\{\}/s);
});

test('the attempts are bounded, and the last problem is told', async () => {
  await using at = await clientOf([problem(503, 'shutting-down', { 'retry-after': '0' })]);
  await assert.rejects(at.client.submit(request), (error) => {
    assert.ok(error instanceof GeomillProblem);
    assert.deepEqual([error.status, error.code, error.retryAfterSeconds], [503, 'SHUTTING_DOWN', 0]);
    assert.equal(error.message, 'detail of shutting-down');
    return true;
  });
  assert.equal(at.server.received.length, HASTY.attempts);
});

test('a network that fails for good is reported as a TypeError, as fetch does, with the address and the reason', async () => {
  await using at = await clientOf([broken]);
  await assert.rejects(at.client.formats(), (error: Error) => {
    assert.ok(error instanceof TypeError && error.cause !== undefined);
    assert.match(error.message, /^no answer from http:\/\/127\.0\.0\.1:\d+: (?!fetch failed)\w/);
    return true;
  });
  assert.equal(at.server.received.length, HASTY.attempts);
});

test('a service that wants a longer pause than allowed is not waited for', async () => {
  await using at = await clientOf([problem(503, 'queue-full', { 'retry-after': '3600' }), accepted]);
  await assert.rejects(at.client.submit(request), { status: 503, retryAfterSeconds: 3600 });
  const soon = new Date(Date.now() + 1_800_000).toUTCString();
  await using other = await clientOf([problem(503, 'queue-full', { 'retry-after': soon })]);
  await assert.rejects(other.client.submit(request), (error: GeomillProblem) => {
    assert.ok(error.retryAfterSeconds! > 1700 && error.retryAfterSeconds! <= 1800);
    return true;
  });
});

test('what would do something twice is sent once: without a key, or from a stream that is used up', async () => {
  const stream = () => new Blob(['{}']).stream();
  for (const [input, idempotencyKey] of [
    [request.input, null],
    [stream(), undefined],
  ] as const) {
    await using at = await clientOf([problem(503, 'queue-full', { 'retry-after': '0' }), accepted]);
    await assert.rejects(at.client.submit({ ...request, input }, { idempotencyKey }), { status: 503 });
    assert.equal(at.server.received.length, 1);
    assert.equal(at.server.received[0].headers['idempotency-key'], undefined);
  }
  await using at = await clientOf([problem(503, 'queue-full', { 'retry-after': '0' }), accepted]);
  await at.client.submit({ ...request, input: { name: 'a', data: stream } });
  const [first, second] = at.server.received.map(({ body }) => body.replaceAll(/geomill-[0-9a-f]+/g, 'B'));
  assert.equal(first, second);
  assert.match(first, /filename="a"\r\n\r\n\{\}\r\n--B--\r\n$/);
});

test('a refusal is not argued with', async () => {
  await using at = await clientOf([problem(400, 'field-required'), accepted]);
  await assert.rejects(at.client.submit(request), { status: 400, code: 'FIELD_REQUIRED' });
  assert.equal(at.server.received.length, 1);
});

test('an abort ends the pause between two attempts', async () => {
  const retry = { attempts: 3, maxDelaySeconds: 3600 };
  const controller = new AbortController();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    setImmediate(() => controller.abort(new Error('enough')));
    return response;
  };
  await using at = await clientOf([problem(503, 'queue-full', { 'retry-after': '3000' })], { retry, fetch });
  await assert.rejects(at.client.submit(request, { signal: controller.signal }), /enough/);
});

test('what a proxy says is told, too', async () => {
  const page: Answer = (response) => void response.writeHead(403).end('<h1>Forbidden</h1>');
  await using at = await clientOf([page]);
  await assert.rejects(at.client.formats(), { status: 403, code: 'UNKNOWN', detail: /403: <h1>Forbidden/ });
});

test('a redirect is not followed: it could carry the key away', async () => {
  await using thief = await startScriptedServer(json(200, { formats: [] }));
  const away: Answer = (response) => void response.writeHead(302, { location: thief.url }).end();
  await using at = await clientOf([away], { apiKey: 'secret' });
  await assert.rejects(at.client.formats(), { status: 302, detail: new RegExp(`redirects to ${thief.url}`) });
  assert.deepEqual([at.server.received.length, thief.received.length], [1, 0]);
});

test('credentials go with every request, and a token may change', async () => {
  let asked = 0;
  const token = async () => `token-${++asked}`;
  await using at = await clientOf([json(200, { formats: [] })], { token });
  await at.client.formats();
  await at.client.formats();
  assert.deepEqual(
    at.server.received.map(({ headers }) => headers.authorization),
    ['Bearer token-1', 'Bearer token-2'],
  );
  await using other = await clientOf([json(200, { formats: [] })], { apiKey: 'key' });
  await other.client.formats();
  assert.equal(other.server.received[0].headers.apikey, 'key');
});

test('the base address may have a path and a slash at its end', async () => {
  await using server = await startScriptedServer(json(200, { formats: [] }));
  for (const baseUrl of [`${server.url}/geo`, `${server.url}/geo/`])
    await new GeomillClient({ baseUrl }).formats();
  assert.deepEqual(
    server.received.map(({ path }) => path),
    ['/geo/v1/formats', '/geo/v1/formats'],
  );
  assert.throws(() => new GeomillClient({ baseUrl: 'geo' }), TypeError);
});

test('a token of client credentials is fetched once while it holds', async () => {
  const grant = (expiresIn: number) =>
    json(200, { access_token: 't', token_type: 'Bearer', expires_in: expiresIn });
  await using at = await startScriptedServer(grant(300), grant(300));
  const token = clientCredentials({ baseUrl: at.url, clientId: 'id', clientSecret: 'a&b' });
  assert.deepEqual(await Promise.all([token(), token(), token()]), ['t', 't', 't']);
  assert.equal(at.received.length, 1);
  assert.equal(at.received[0].body, 'grant_type=client_credentials&client_id=id&client_secret=a%26b');
  await using short = await startScriptedServer(problem(401, 'credentials-invalid'), grant(0));
  const expiring = clientCredentials({ baseUrl: short.url, clientId: 'id', clientSecret: 's' });
  await assert.rejects(expiring(), { status: 401, code: 'CREDENTIALS_INVALID' });
  await expiring();
  await expiring();
  assert.equal(short.received.length, 3);
});

test('a rejected token is renewed once, by one fetch for all requests', async () => {
  const grant = (token: string) =>
    json(200, { access_token: token, token_type: 'Bearer', expires_in: 300, email: 'ada@example.org' });
  await using issuer = await startScriptedServer(grant('old'), grant('new'), grant('newest'));
  const token = sessionToken(issuer.url);
  let isEnded = false;
  const answer: Answer = (response, request) => {
    const isAccepted = !isEnded && request.headers.authorization === 'Bearer new';
    const reply = isAccepted
      ? json(202, { job_id: 'a', status: 'QUEUED' })
      : problem(401, 'credentials-invalid');
    reply(response, request);
  };
  await using at = await clientOf([answer], { token });
  const once = { idempotencyKey: null };
  await Promise.all([at.client.submit(request, once), at.client.submit(request, once)]);
  assert.equal(issuer.received.length, 2);
  assert.deepEqual(at.server.received.map(({ headers }) => headers.authorization).sort(), [
    'Bearer new',
    'Bearer new',
    'Bearer old',
    'Bearer old',
  ]);
  for (const { method, path, headers } of issuer.received)
    assert.deepEqual([method, path, headers['x-geomill-page']], ['POST', '/account/access-token', '1']);
  // A stream is sent only once, so its request is not repeated.
  isEnded = true;
  const sent = at.server.received.length;
  const stream = { name: 'a.geojson', data: new Blob(['{}']).stream() };
  await assert.rejects(at.client.submit({ ...request, input: stream }), { code: 'CREDENTIALS_INVALID' });
  assert.equal(at.server.received.length, sent + 1);
  await assert.rejects(at.client.submit(request), { code: 'CREDENTIALS_INVALID' });
  assert.deepEqual([at.server.received.length, issuer.received.length], [sent + 3, 3]);
});

test('a file that cannot be opened is named with the reason', async () => {
  await assert.rejects(
    fileFrom('nosuch.geojson'),
    /^Error: cannot open 'nosuch.geojson': there is no such file$/,
  );
  await assert.rejects(fileFrom('/'), /^Error: cannot open '\/': it is a directory$/);
});
