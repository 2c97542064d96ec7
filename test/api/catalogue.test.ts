/** Formats, transformations and coordinate reference systems as the catalogue tells them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formats } from '../../src/formats/registry.ts';
import { transformations } from '../../src/transformations/registry.ts';
import { parseSteps } from '../../src/transformations/requested-steps.ts';
import { checkedFetch as fetch } from '../support/response-check.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

type Item = Readonly<Record<string, unknown>>;

async function get<Body>(path: string, status = 200): Promise<Body> {
  const response = await fetch(service.url + path);
  assert.equal(response.status, status, path);
  return (await response.json()) as Body;
}

test('every format is listed with its options, where its CRS comes from, and paths that exist', async () => {
  const list = await get<{ formats: Item[] }>('/v1/formats');
  assert.deepEqual(list.formats.map(({ id }) => id), formats.map(({ id }) => id)); // biome-ignore format: one line
  const csv = list.formats.find(({ id }) => id === 'csv') as Item;
  assert.equal(csv.input_crs, 'request');
  assert.ok('geometry_column' in (csv.read_options as { properties: object }).properties);
  for (const { links } of list.formats)
    for (const path of Object.values(links as Record<string, string>)) {
      const response = await fetch(service.url + path);
      assert.equal(response.status, 405, path);
      assert.equal(response.headers.get('allow'), 'POST', path);
    }
});

test('every transformation is listed with an example that is accepted', async () => {
  const list = await get<{ transformations: Item[] }>('/v1/transformations');
  assert.deepEqual(list.transformations.map(({ id }) => id), transformations.map(({ id }) => id)); // biome-ignore format: one line
  const examples = list.transformations.map(({ example }) => example);
  assert.equal(parseSteps(examples, 'transformations', transformations).length, transformations.length);
});

test('lists are sent again only when they have changed', async () => {
  for (const path of ['/v1/formats', '/v1/transformations']) {
    const etag = (await fetch(service.url + path)).headers.get('etag') ?? '';
    const again = await fetch(service.url + path, { headers: { 'if-none-match': `W/${etag}` } });
    assert.equal(again.status, 304, path);
    assert.equal(await again.text(), '');
    const head = await fetch(service.url + path, { method: 'HEAD' });
    assert.equal(head.headers.get('etag'), etag);
  }
});

test('coordinate reference systems are found by code, by name and by place', async () => {
  const search = async (q: string, more = '') =>
    (await get<{ crs: { code: string }[] }>(`/v1/crs?q=${encodeURIComponent(q)}${more}`)).crs;
  assert.equal((await search('25832'))[0].code, 'EPSG:25832');
  assert.equal((await search('ETRS89 / UTM zone 32N'))[0].code, 'EPSG:25832');
  assert.ok((await search('netherlands')).some(({ code }) => code === 'EPSG:28992'));
  assert.equal((await search('utm')).length, 20);
  assert.equal((await search('utm', '&limit=3')).length, 3);
  assert.deepEqual(await search('there is no such thing'), []);
  const near = await get<{ crs: { code: string }[] }>('/v1/crs?near=7.4,46.9&limit=5');
  assert.ok(near.crs.some(({ code }) => code === 'EPSG:2056'));
  assert.deepEqual(
    (await search('utm', '&near=7.4,46.9&limit=100')).filter(({ code }) => code === 'EPSG:32633'),
    [],
  );
});

test('one coordinate reference system is told by its code', async () => {
  const { code, name } = await get<{ code: string; name: string }>('/v1/crs/EPSG:4326');
  assert.deepEqual([code, name], ['EPSG:4326', 'WGS 84']);
  const { detail } = await get<{ detail: string }>('/v1/crs/999999', 404);
  assert.match(detail, /'999999'.*\/v1\/crs\?q=/);
});

test('a search that cannot be meant is refused by name', async () => {
  const rows: [string, RegExp][] = [
    ['', /'q'/],
    ['?q=', /'q'/],
    [`?q=${'x'.repeat(201)}`, /'q'/],
    ['?near=200,0', /'near' must be longitude and latitude/],
    ['?q=utm&near=here', /'near' must be longitude and latitude/],
    ['?q=utm&limit=0', /'limit'/],
    ['?q=utm&limit=101', /'limit'/],
    ['?q=utm&limit=many', /'limit'/],
    ['?q=utm&lang=de', /'lang' is unknown; known parameters: q, near, limit/],
  ];
  for (const [query, wanted] of rows) {
    const { detail } = await get<{ detail: string }>(`/v1/crs${query}`, 400);
    assert.match(detail, wanted, query);
  }
});
