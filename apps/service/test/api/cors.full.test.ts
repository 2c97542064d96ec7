/** Which web pages may call the service, by the setting CORS_ORIGINS. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService, submitJob } from '../../../../test/support/service.ts';

const MAP = 'https://maps.example.org';
const PREFLIGHT = {
  origin: MAP,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'apikey,content-type,prefer',
};

test('without the setting nothing is allowed, and nothing of CORS is sent', async () => {
  await using service = await startTestService();
  const preflight = await fetch(`${service.url}/v1/transform/shp`, { method: 'OPTIONS', headers: PREFLIGHT });
  assert.equal(preflight.status, 405);
  const response = await fetch(`${service.url}/healthz`, { headers: { origin: MAP } });
  for (const headers of [preflight.headers, response.headers])
    assert.deepEqual([...headers.keys()].filter((name) => name.startsWith('access-control')), []); // biome-ignore format: one line
});

test('pages of the listed origins may call, and see the headers that mean something', async () => {
  await using service = await startTestService({
    settings: { CORS_ORIGINS: `${MAP}, http://localhost:5173` },
  });
  for (const path of ['/transform', '/v1/transform/shp/merge', '/v1/jobs/x', '/nowhere']) {
    const { status, headers } = await fetch(service.url + path, { method: 'OPTIONS', headers: PREFLIGHT });
    assert.equal(status, 204, path);
    assert.equal(headers.get('access-control-allow-origin'), MAP);
    assert.equal(headers.get('access-control-allow-credentials'), null);
    assert.equal(headers.get('access-control-max-age'), '7200');
    assert.match(String(headers.get('access-control-allow-methods')), /POST.*DELETE/);
    const allowed = String(headers.get('access-control-allow-headers')).toLowerCase();
    for (const name of [
      'apikey',
      'authorization',
      'content-type',
      'prefer',
      'idempotency-key',
      'range',
      'if-none-match',
    ])
      assert.ok(allowed.split(/,\s*/).includes(name), name);
  }
  const id = await submitJob(service);
  await service.ended(id);
  const output = await fetch(`${service.url}/result/output/${id}`, { headers: { origin: MAP } });
  assert.equal(output.headers.get('access-control-allow-origin'), MAP);
  assert.match(String(output.headers.get('vary')), /origin/i);
  const exposed = String(output.headers.get('access-control-expose-headers')).toLowerCase().split(/,\s*/);
  const sent = [...output.headers.keys()].filter((name) =>
    /^(?:metadata-|geomill-|etag|location|link|content-disposition|content-location|accept-ranges)/.test(
      name,
    ),
  );
  assert.ok(sent.length > 5);
  for (const name of [...sent, 'retry-after', 'preference-applied', 'content-range', 'location'])
    assert.ok(exposed.includes(name), name);
  const refused = await fetch(`${service.url}/transform`, {
    method: 'POST',
    body: 'x',
    headers: { origin: 'http://localhost:5173' },
  });
  assert.equal(refused.status, 415);
  assert.equal(refused.headers.get('access-control-allow-origin'), 'http://localhost:5173');
});

test('pages of other origins may not', async () => {
  await using service = await startTestService({ settings: { CORS_ORIGINS: MAP } });
  for (const origin of ['https://evil.example.org', `${MAP}.evil.org`, 'null']) {
    const response = await fetch(`${service.url}/healthz`, { headers: { origin } });
    assert.equal(response.headers.get('access-control-allow-origin'), null, origin);
  }
});

test('an asterisk allows every page', async () => {
  await using service = await startTestService({ settings: { CORS_ORIGINS: '*' } });
  const response = await fetch(`${service.url}/healthz`, { headers: { origin: MAP } });
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
});

test('a preflight is answered while the service stops', async () => {
  await using service = await startTestService({ settings: { CORS_ORIGINS: '*' } });
  await service.service.stop();
  const preflight = await fetch(`${service.url}/v1/transform/shp`, { method: 'OPTIONS', headers: PREFLIGHT });
  assert.equal(preflight.status, 204);
});
