/** Formats, transformations and coordinate reference systems as the catalogue tells them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formats } from '../../../../packages/formats/src/registry.ts';
import { transformations } from '../../../../packages/operations/src/registry.ts';
import { parseSteps } from '../../../../packages/operations/src/requested-steps.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService } from '../../../../test/support/service.ts';

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
  for (const { input, links } of list.formats) {
    if (!input) {
      assert.equal(links, null);
      continue;
    }
    for (const path of Object.values(links as Record<string, string>)) {
      const response = await fetch(service.url + path);
      assert.equal(response.status, 405, path);
      assert.equal(response.headers.get('allow'), 'POST', path);
    }
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

test('a box and a unit narrow a search, or list what fits the box best', async () => {
  const find = async (query: string) =>
    (await get<{ crs: { code: string; unit: string }[] }>(`/v1/crs?${query}`)).crs;
  const swiss = await find('bbox=6,45.9,10.4,47.7&unit=metre&limit=3');
  assert.ok(
    swiss.some(({ code }) => code === 'EPSG:2056'),
    JSON.stringify(swiss),
  );
  assert.equal((await find('bbox=6,45.9,10.4,47.7&q=lv95'))[0].code, 'EPSG:2056');
  // One degree to the west is outside.
  assert.deepEqual(await find('bbox=4,45.9,10.4,47.7&q=lv95'), []);
  for (const { unit } of await find('q=california&unit=foot')) assert.match(unit, /foot/);
  for (const { unit } of await find('q=california&unit=degree')) assert.equal(unit, 'degree');
  const across = await find('bbox=178,-18,-179,-17&limit=5');
  assert.ok(
    across.some(({ code }) => code === 'EPSG:3460'),
    JSON.stringify(across),
  );
});

async function suggest(question: unknown, status = 200): Promise<unknown> {
  const response = await fetch(`${service.url}/v1/crs/suggest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof question === 'string' ? question : JSON.stringify(question),
  });
  assert.equal(response.status, status);
  return response.json();
}

test('systems are suggested for an extent in unknown coordinates', async () => {
  const { crs, may_be_local } = (await suggest({
    extent: [530_000, 180_000, 531_000, 181_000],
    near: [-0.1, 51.5],
    unit: 'metre',
    limit: 3,
  })) as {
    crs: {
      code: string;
      swapped: boolean;
      extent: { west: number; south: number; east: number; north: number };
    }[];
    may_be_local: boolean;
  };
  const [{ code, swapped, extent }] = crs;
  assert.deepEqual([code, swapped, may_be_local, crs.length <= 3], ['EPSG:27700', false, false, true]);
  assert.ok(extent.west > -0.14 && extent.east < -0.1 && extent.south > 51.5 && extent.north < 51.52);
  assert.deepEqual(await suggest({ extent: [9e9, 9e9, 9e9, 9e9] }), { crs: [], may_be_local: false });
});

test('a question that cannot be meant is refused with its member', async () => {
  const extent = [530_000, 180_000, 531_000, 181_000];
  const rows: [unknown, number, RegExp][] = [
    [{}, 400, /'extent' in the body is required/],
    [[], 400, /'body' in the body must be object/],
    ['{"extent": [1,2,3', 400, /line 1/],
    [{ extent: [1, 2, 3] }, 400, /'extent' in the body must NOT have fewer than 4 items/],
    [{ extent: [1, 2, 3, 'a'] }, 400, /'extent\[3\]' in the body must be number/],
    ['{"extent": [1, 2, 3, 1e999]}', 400, /'extent\[3\]'/],
    [{ extent: [2, 0, 1, 1] }, 400, /the smallest x and y, then the largest/],
    [{ extent, near: [200, 0] }, 400, /'near' in the body must be longitude and latitude/],
    [{ extent, bbox: [0, 10, 20, 5] }, 400, /'bbox' in the body must be west/],
    [{ extent, unit: 'parsec' }, 400, /'unit' in the body is the unit of no system/],
    [{ extent, limit: 101 }, 400, /'limit'/],
    [{ extent, file: 'x' }, 400, /'file' in the body is unknown/],
    [{ extent, q: 'x'.repeat(5000) }, 413, /4096 bytes/],
  ];
  for (const [question, status, wanted] of rows) {
    const { detail } = (await suggest(question, status)) as { detail: string };
    assert.match(detail, wanted);
  }
  const form = await fetch(`${service.url}/v1/crs/suggest`, { method: 'POST', body: new FormData() });
  assert.equal(form.status, 415);
  await form.body?.cancel();
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
    ['?bbox=1,2,3', /'bbox' must be west, south, east and north/],
    ['?bbox=0,10,20,5', /'bbox' must be west, south, east and north/],
    ['?unit=metre', /'q' is required, unless 'near' or 'bbox'/],
    ['?q=utm&unit=parsec', /'unit' is the unit of no system; known units: .*metre/],
    ['?q=utm&limit=0', /'limit'/],
    ['?q=utm&limit=101', /'limit'/],
    ['?q=utm&limit=many', /'limit'/],
    ['?q=utm&lang=de', /'lang' is unknown; known parameters: q, near, bbox, unit, limit/],
  ];
  for (const [query, wanted] of rows) {
    const { detail } = await get<{ detail: string }>(`/v1/crs${query}`, 400);
    assert.match(detail, wanted, query);
  }
});
