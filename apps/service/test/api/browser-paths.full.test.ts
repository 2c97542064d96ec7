/** Addresses that people and browsers try by themselves, and the entry point of the API. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test from 'node:test';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { startTestService } from '../../../../test/support/service.ts';

const service = await startTestService({ settings: { AUTH: 'required' } });
test.after(() => service[Symbol.asyncDispose]());

test('/docs/ redirects to the documentation, and / without pages', async () => {
  await using off = await startTestService({ settings: { WEB: 'off' } });
  for (const [url, path] of [
    [service.url, '/docs/'],
    [off.url, '/docs/'],
    [off.url, '/'],
    [off.url, '/?from=a-bookmark'],
  ]) {
    const response = await fetch(url + path, { redirect: 'manual' });
    assert.equal(response.status, 302, path);
    assert.equal(response.headers.get('location'), `${url}/docs`);
  }
  assert.equal((await fetch(`${off.url}/jobs/x`)).status, 404);
  assert.equal((await fetch(`${off.url}/account/style.css`)).status, 200);
});

test('/ answers programs that ask for JSON with the entry point', async () => {
  const headers = { accept: 'application/json' };
  const response = await fetch(`${service.url}/`, { headers, redirect: 'manual' });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('vary'), 'accept');
  assert.deepEqual(await response.json(), await (await fetch(`${service.url}/v1`)).json());
  const browser = { accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8' };
  const page = await fetch(`${service.url}/`, { headers: browser, redirect: 'manual' });
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('vary'), 'accept');
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
});

test('a Host header that is no host is not in links', async () => {
  const { hostname, port } = new URL(service.url);
  for (const host of ['a:b', '::::', '[[', 'a:99999']) {
    const socket = connect(Number(port), hostname);
    socket.write(`GET /v1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const answer = (await socket.toArray()).join('');
    assert.match(answer, /^HTTP\/1\.1 (?:200|4\d\d) /, host);
    assert.ok(!answer.includes(`http://${host}`), host);
  }
});

test('/favicon.ico is a small icon that browsers may keep', async () => {
  const response = await fetch(`${service.url}/favicon.ico`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/svg+xml');
  assert.match(response.headers.get('cache-control') ?? '', /max-age/);
  const icon = await response.text();
  assert.match(icon, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.ok(icon.length < 1000);
  const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
  assert.equal((await fetch(`${service.url}/favicon.ico`, { headers })).status, 304);
});

test('/v1 links to resources that exist', async () => {
  const response = await checkedFetch(`${service.url}/v1`);
  assert.equal(response.status, 200);
  const index = (await response.json()) as { version: string; links: Record<string, string> };
  assert.match(index.version, /^\d+\.\d+\.\d+/);
  for (const [name, address] of Object.entries(index.links))
    assert.equal((await fetch(address)).status, name === 'jobs' ? 401 : 200, name);
});

test('/v1 states limits, retention and map tiles by the settings', async () => {
  await using set = await startTestService({
    settings: {
      MAX_UPLOAD: '3 MiB',
      MAX_FILES: '7',
      OUTPUT_RETENTION: '2h',
      RECORD_RETENTION: '3d',
      UPLOAD_RETENTION: '5m',
      MAP_TILES_URL: 'https://tiles.example.org/{z}/{x}/{y}.png',
      MAP_TILES_ATTRIBUTION: '© Example',
    },
  });
  const found = (await (await checkedFetch(`${set.url}/v1`)).json()) as Record<string, unknown>;
  assert.deepEqual(found.limits, {
    max_upload_bytes: 3 * 1024 ** 2,
    max_files: 7,
    output_retention_seconds: 7200,
    record_retention_seconds: 3 * 86_400,
    upload_retention_seconds: 300,
  });
  const url = 'https://tiles.example.org/{z}/{x}/{y}.png';
  assert.deepEqual([found.auth, found.map_tiles], ['open', { url, attribution: '© Example' }]);
  const index = (await (await checkedFetch(`${service.url}/v1`)).json()) as Record<string, unknown>;
  assert.deepEqual([index.auth, index.map_tiles], ['required', null]);
});

test('other methods and unknown addresses are still errors', async () => {
  assert.equal((await fetch(`${service.url}/`, { method: 'PUT' })).status, 404);
  assert.equal((await checkedFetch(`${service.url}/v1`, { method: 'POST' })).status, 405);
  assert.equal((await fetch(`${service.url}/v1/nothing`)).status, 404);
});
