/** The places of warnings over HTTP: as the command line writes them, owned, counted and removed with the output. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillClient } from '../../../../packages/client/src/client.ts';
import { TestCredentials } from '../../../../test/support/credentials.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService, submitJob, type TestService } from '../../../../test/support/service.ts';

interface Places {
  readonly type: string;
  readonly totals: Readonly<Record<string, { readonly count: number; readonly listed: number }>>;
  readonly features: readonly { readonly properties: { readonly code: string; readonly row: number } }[];
}

/** A collection of open rings, which are closed, and of points, which are fine. */
function rings(open: number, fine = 1): string {
  const ring = [
    [7, 50],
    [8, 50],
    [8, 51],
    [7, 51],
  ];
  const polygon = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
  const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } };
  const features = [...new Array(open).fill(polygon), ...new Array(fine).fill(point)];
  return JSON.stringify({ type: 'FeatureCollection', features });
}

const url = (service: TestService, id: string): string => `${service.url}/v1/jobs/${id}/findings`;

async function convert(service: TestService, file: string, headers = {}): Promise<string> {
  const id = await submitJob(service, { file, headers });
  assert.equal((await service.ended(id)).state, 'SUCCESS');
  return id;
}

test('answers the places with an entity tag, ranges and the output unchanged', async () => {
  await using service = await startTestService({ runner: null });
  const id = await convert(service, rings(3));
  const response = await fetch(url(service, id));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/geo+json');
  const etag = response.headers.get('etag') ?? '';
  const text = await response.text();
  const { totals, features } = JSON.parse(text) as Places;
  assert.deepEqual(totals, { RING_CLOSED: { count: 3, listed: 3 } });
  assert.deepEqual(
    features.map(({ properties }) => properties.row),
    [1, 2, 3],
  );
  const again = await fetch(url(service, id), { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  const part = await fetch(url(service, id), { headers: { range: 'bytes=10-29' } });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), text.slice(10, 30));
  const head = await fetch(url(service, id), { method: 'HEAD' });
  assert.equal(Number(head.headers.get('content-length')), Buffer.byteLength(text));
  const output = await fetch(`${service.url}/result/output/${id}`);
  const { features: written } = (await output.json()) as Places;
  assert.equal(written.length, 4);
  const job = await service.service.jobsOf('local').get(id);
  assert.equal(Number(output.headers.get('content-length')), job?.output?.byteLength);
});

test('a job without findings has an empty collection', async () => {
  await using service = await startTestService({ runner: null });
  const id = await convert(service, rings(0));
  assert.deepEqual(await (await fetch(url(service, id))).json(), {
    type: 'FeatureCollection',
    totals: {},
    features: [],
  });
});

test('before the end, and of a failed job, the places are 409', async () => {
  await using service = await startTestService();
  const failed = await submitJob(service, { file: 'refuse' });
  await service.ended(failed);
  assert.equal((await fetch(url(service, failed))).status, 409);
  const running = await submitJob(service, { file: 'wait 1000000' });
  assert.equal((await fetch(url(service, running))).status, 409);
  await fetch(`${service.url}/v1/jobs/${running}`, { method: 'DELETE' });
});

test('jobs of others have no places, and places count in the storage of their owner', async () => {
  await using service = await startTestService({ runner: null, settings: { AUTH: 'required' } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const ann = { apikey: (await credentials.key('ann')).secret };
  const bob = { apikey: (await credentials.key('bob')).secret };
  const id = await convert(service, rings(200), ann);
  const own = await fetch(url(service, id), { headers: ann });
  const bytes = (await own.text()).length;
  assert.equal((await fetch(url(service, id), { headers: bob })).status, 404);
  assert.equal((await fetch(url(service, id))).status, 401);
  const job = await service.service.jobsOf('ann').get(id);
  const outputBytes = job?.output?.byteLength ?? 0;
  const stored = (await service.service.holding('ann')).storedBytes;
  assert.ok(stored >= outputBytes + bytes, `${stored} < ${outputBytes} + ${bytes}`);
  await fetch(`${service.url}/v1/jobs/${id}`, { method: 'DELETE', headers: ann });
  assert.equal((await service.service.holding('ann')).storedBytes, 0);
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'outputs')), []);
  assert.equal((await fetch(url(service, id), { headers: ann })).status, 404);
});

test('expired places are 410', async () => {
  await using service = await startTestService({ runner: null, settings: { OUTPUT_RETENTION: '1 s' } });
  const id = await convert(service, rings(2));
  let status = 0;
  while (status !== 410) {
    status = (await fetch(url(service, id))).status;
    assert.ok(status === 200 || status === 410);
  }
});

test('the client reads them', async () => {
  await using service = await startTestService({ runner: null });
  const id = await convert(service, rings(2));
  const client = new GeomillClient({ baseUrl: service.url });
  const places = await client.job(id).findings();
  assert.deepEqual(places.totals, { RING_CLOSED: { count: 2, listed: 2 } });
  assert.equal(places.features[0]?.properties.code, 'RING_CLOSED');
});
