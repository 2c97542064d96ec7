/** Limits on connections: slow bodies, odd HTTP, requests that stay open, and a stop that unread downloads do not hold up. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Fastify from 'fastify';
import { ManualTimers } from '../../../../test/support/manual-timers.ts';
import { exchange, trickle } from '../../../../test/support/raw-http.ts';
import { FAKE_RUNNER, startTestService, submitJob } from '../../../../test/support/service.ts';
import { until } from '../../../../test/support/until.ts';
import { keepPace } from '../../src/http/body-pace.ts';

const SECURITY = /x-content-type-options: nosniff/i;

test('a request without Host, with an unknown expectation, or CONNECT is answered as a problem with our headers', async () => {
  await using service = await startTestService();
  const cases: [request: string, status: RegExp][] = [
    ['GET /healthz HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 .*Host header is missing/s],
    ['GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n', /^HTTP\/1.1 417 .*200-ok/s],
    ['CONNECT example.org:80 HTTP/1.1\r\nHost: example.org\r\n\r\n', /^HTTP\/1.1 400 .*not a proxy/s],
  ];
  for (const [request, status] of cases) {
    const answer = await exchange(service.url, request, /\}$/);
    assert.match(answer, status);
    assert.match(answer, SECURITY);
    assert.match(answer, /application\/problem\+json/);
  }
});

test('a body that arrives a byte at a time is ended with 408, of a job and of a token request', async () => {
  const timers = new ManualTimers();
  await using service = await startTestService({
    settings: { UPLOAD_TIMEOUT: '1' },
    start: { runner: FAKE_RUNNER, timers },
  });
  const form =
    'POST /transform HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n' +
    '--b\r\nContent-Disposition: form-data; name="input_file"; filename="a"\r\n\r\n';
  const token =
    'POST /accounts/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\n';
  for (const head of [form, token]) {
    const answer = await trickle(service.url, head, async () => {
      timers.pass(100);
      await setImmediate();
    });
    assert.match(answer, /^HTTP\/1.1 408 .*MIN_UPLOAD_RATE/s);
    assert.match(answer, SECURITY);
  }
});

test('a body that is slower than the minimum rate is ended, one that is faster is not, however long it takes', async () => {
  for (const { rate, expected } of [
    { rate: 1000, expected: /^HTTP\/1.1 408 /m },
    { rate: 2, expected: /^HTTP\/1.1 200 OK/m },
  ]) {
    const app = Fastify();
    app.addContentTypeParser('*', (_request, body, done) => {
      let length = 0;
      body.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      body.on('end', () => done(null, length));
    });
    const timers = new ManualTimers();
    keepPace(app, { minBytesPerSecond: rate, maxSeconds: 60, windowMs: 200, timers }, {});
    const sockets: Socket[] = [];
    app.server.on('connection', (socket) => sockets.push(socket));
    app.post('/', async (request) => ({ length: request.body }));
    const url = await app.listen({ port: 0 });
    const answer = await trickle(
      url,
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\nContent-Length: 10\r\nConnection: close\r\n\r\n',
      async (sent) => {
        await until('the byte has arrived', () =>
          sockets.some((one) => one.destroyed || one.bytesRead >= sent),
        );
        timers.pass(100);
      },
    );
    await app.close();
    assert.match(answer, expected);
  }
});

test('an account holds no more open requests than its limit; a waiting request beyond it gets 202', async () => {
  await using service = await startTestService({ settings: { MAX_OWNER_REQUESTS: '2' } });
  const id = await submitJob(service, { file: 'hang' });
  const streams = [new AbortController(), new AbortController()];
  const responses = await Promise.all(
    streams.map(({ signal }) => fetch(`${service.url}/v1/jobs/${id}/events`, { signal })),
  );
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200],
  );
  const refused = await fetch(`${service.url}/v1/jobs/${id}/events`);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.match(await refused.text(), /2 open event streams.*limit 2/);
  const form = new FormData();
  form.append('config', JSON.stringify({ output_format: 'geojson' }));
  form.append('file', new Blob(['some input']), 'a.geojson');
  const accepted = await fetch(`${service.url}/v1/transform/geojson`, { method: 'POST', body: form });
  assert.equal(accepted.status, 202);
  // Used until here: a response that nothing refers to is cancelled when its memory is collected.
  assert.equal(responses.length, streams.length);
  streams[0].abort();
  for (;;) {
    const again = new AbortController();
    const response = await fetch(`${service.url}/v1/jobs/${id}/events`, { signal: again.signal });
    again.abort();
    if (response.status === 200) break;
    assert.equal(response.status, 429);
  }
  streams[1].abort();
});

test('a download that is not read does not hold up the stop of the service', async () => {
  const service = await startTestService({ runner: null, settings: { SHUTDOWN_GRACE: '1' } });
  let socket: Socket | null = null;
  try {
    const features = Array.from({ length: 60_000 }, (_, i) => ({
      type: 'Feature',
      properties: { text: 'x'.repeat(100) },
      geometry: { type: 'Point', coordinates: [i / 1000, 1] },
    }));
    const id = await submitJob(service, { file: JSON.stringify({ type: 'FeatureCollection', features }) });
    assert.equal((await service.ended(id)).state, 'SUCCESS');
    const { port, hostname } = new URL(service.url);
    socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(`GET /result/output/${id} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'readable');
  } finally {
    // Without the bound this never resolves, and the test times out.
    await service[Symbol.asyncDispose]();
    socket?.destroy();
  }
});
