/** Layers of ArcGIS servers: read completely from servers of every kind, or errors with the numbers that differ. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import {
  type ArcgisOptions,
  FIELDS,
  IDS,
  LAYER_PATH,
  POINTS,
  startArcgis,
} from '../../../test/support/arcgis-server.ts';
import { startFileHost } from '../../../test/support/file-host.ts';
import { fetchLayer } from '../src/remote-input/arcgis/fetch-layer.ts';
import { REAL_OUTSIDE } from '../src/remote-input/connect.ts';
import type { FetchedFile, FetchLimits } from '../src/remote-input/fetch-messages.ts';
import { parseUrlPolicy } from '../src/remote-input/policy.ts';

const LIMITS: FetchLimits = { maxBytes: 1_000_000, totalMs: 20_000, headersMs: 10_000, stallMs: 10_000 };

interface FeatureSet {
  readonly objectIdFieldName?: string;
  readonly geometryType?: string;
  readonly spatialReference?: object;
  readonly hasZ?: boolean;
  readonly fields: readonly { readonly name: string; readonly domain?: object }[];
  readonly features: readonly { readonly attributes: Record<string, unknown>; readonly geometry?: object }[];
}

interface Fetched {
  readonly file: FetchedFile;
  readonly set: FeatureSet;
  readonly waits: readonly number[];
}

let count = 0;
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true }));

async function fetchFrom(url: string, limits: Partial<FetchLimits> = {}): Promise<Fetched> {
  const path = join(directory, String(count++));
  const waits: number[] = [];
  const file = await fetchLayer(
    {
      url,
      urlPath: 'input.url',
      path,
      policy: parseUrlPolicy(`*:${new URL(url).port}, 127.0.0.1:${new URL(url).port}`, '127.0.0.0/8'),
      limits: { ...LIMITS, ...limits },
      userAgent: 'geomill/test',
      service: 'arcgis',
    },
    { ...REAL_OUTSIDE, wait: async (ms) => void waits.push(ms) },
  );
  assert.equal(statSync(path).size, file.byteLength);
  const set = JSON.parse(readFileSync(path, 'utf8')) as FeatureSet;
  assert.equal(file.layer?.features, set.features.length);
  return { file, set, waits };
}

async function fetchLayerOf(options: ArcgisOptions, suffix = '', limits = {}): Promise<Fetched> {
  await using host = await startArcgis(options);
  return await fetchFrom(`${host.url}${LAYER_PATH}${suffix}`, limits);
}

async function failureOf(fetching: Promise<unknown>): Promise<GeomillError> {
  const thrown = await fetching.then(
    () => null,
    (error: unknown) => error as GeomillError,
  );
  assert.ok(thrown !== null, 'it did not fail');
  return thrown;
}

const idsOf = ({ set }: Fetched): unknown[] => set.features.map(({ attributes }) => attributes.OBJECTID);
const isPage = (query: URLSearchParams): boolean =>
  query.has('where') && !query.has('returnCountOnly') && !query.has('returnIdsOnly');
const windowOf = (query: URLSearchParams): number[] =>
  [...(query.get('where') ?? '').matchAll(/[<>]= (-?\d+)/g)].map(([, id]) => Number(id));

test('reads all pages by ranges of object ids into one FeatureSet', async () => {
  await using host = await startArcgis({ ids: (ids) => [...ids].reverse() });
  const fetched = await fetchFrom(`${host.url}${LAYER_PATH}?token=s3cret-token`);
  assert.deepEqual(fetched.set.features, POINTS);
  assert.equal(fetched.set.objectIdFieldName, 'OBJECTID');
  assert.equal(fetched.set.geometryType, 'esriGeometryPoint');
  assert.deepEqual(fetched.set.spatialReference, { wkid: 102100, latestWkid: 3857 });
  assert.deepEqual(fetched.set.fields, FIELDS);
  assert.deepEqual(fetched.file, {
    host: `127.0.0.1:${host.port}`,
    byteLength: fetched.file.byteLength,
    name: 'Main roads.esrijson',
    end: 'stated',
    layer: { name: 'Main roads', features: 7, requests: 7, ignoredParameters: '' },
  });
  const queries = host.requests.map(({ url = '' }) => new URL(url, host.url).searchParams);
  assert.ok(queries.every((query) => query.get('f') === 'json' && query.get('token') === 's3cret-token'));
  const pages = queries.filter(isPage);
  assert.deepEqual(pages.map(windowOf), [
    [3, 5],
    [8, 14],
    [40, 40],
  ]);
  for (const page of pages) {
    assert.equal(page.get('outFields'), '*');
    assert.equal(page.get('orderByFields'), 'OBJECTID');
    assert.equal(page.has('outSR') || page.has('resultOffset') || page.has('returnZ'), false);
  }
  assert.equal(new Set(host.requests.map(({ socket }) => socket)).size, 1);
});

test('keeps the filter of the URL, and reports the parameters that cut a page out', async () => {
  await using host = await startArcgis();
  const own =
    'where=kind+%3D+1&outFields=name,kind&outSR=4326&geometry=1,2,3,4&resultOffset=2&RESULTRECORDCOUNT=1&f=html';
  const fetched = await fetchFrom(`${host.url}${LAYER_PATH}/query?${own}`);
  assert.deepEqual(idsOf(fetched), [3, 5, 13]);
  assert.equal(fetched.file.layer?.ignoredParameters, 'resultOffset, RESULTRECORDCOUNT');
  const [document, ...queries] = host.requests.map(({ url = '' }) => new URL(url, host.url).searchParams);
  assert.deepEqual([...document.keys()], ['f']);
  assert.ok(queries.every((query) => query.get('geometry') === '1,2,3,4' && !query.has('resultOffset')));
  const page = queries.find(isPage);
  assert.equal(page?.get('where'), '(kind = 1) AND OBJECTID >= 3 AND OBJECTID <= 13');
  assert.equal(page?.get('outFields'), 'name,kind,OBJECTID');
  assert.equal(page?.get('outSR'), '4326');
  for (const [parameter, name] of [
    ['outStatistics=[{}]', 'outStatistics'],
    ['returncountonly=TRUE', 'returncountonly'],
    ['returnDistinctValues=true', 'returnDistinctValues'],
  ]) {
    const error = await failureOf(fetchFrom(`${host.url}${LAYER_PATH}/query?${parameter}`));
    assert.equal(error.code, 'URL_INVALID');
    assert.match(error.message, new RegExp(`'${name}'.*remove it`));
  }
  assert.equal(
    (await fetchFrom(`${host.url}${LAYER_PATH}/query?returnCountOnly=false`)).set.features.length,
    7,
  );
});

test('the URL of a service is that of its only layer, else an error lists the layers', async () => {
  await using host = await startArcgis();
  const service = `${host.url}${LAYER_PATH.slice(0, -2)}`;
  assert.equal((await fetchFrom(`${service}?token=x`)).set.features.length, 7);
  const layers = [
    { id: 0, name: 'Roads' },
    { id: 1, name: 'All', subLayerIds: [2] },
    { id: 2, name: 'Rivers' },
  ];
  const several = { service: { layers, tables: [{ id: 7, name: 'Owners' }] } };
  await using other = await startArcgis(several);
  const error = await failureOf(fetchFrom(`${other.url}${LAYER_PATH.slice(0, -2)}`));
  assert.equal(error.code, 'SERVICE_LAYERS');
  assert.match(error.message, /has 3 layers: 0 'Roads', 2 'Rivers', 7 'Owners'; add the number/);
});

test('asks for fewer ids when fewer features come than were asked for, said or not', async () => {
  for (const saysCut of [true, false]) {
    const fetched = await fetchLayerOf({ saysCut, layer: { maxRecordCount: 1000 } });
    assert.deepEqual(idsOf(fetched), IDS);
    assert.deepEqual(fetched.waits, []);
  }
});

test('a cut page whose features are all that were asked for is whole', async () => {
  const fetched = await fetchLayerOf({ page: { exceededTransferLimit: true } });
  assert.deepEqual(idsOf(fetched), IDS);
});

test('asks for fewer ids after failures, waits longer after each, and gives up after some', async () => {
  let failures = 0;
  const fail = (query: URLSearchParams): boolean =>
    isPage(query) && windowOf(query)[0] !== windowOf(query)[1];
  for (const error of [
    { code: 500, message: 'Error performing query' },
    { code: 400, message: 'Unable' },
  ]) {
    const fetched = await fetchLayerOf({ instead: (query) => (fail(query) ? { error } : undefined) });
    assert.deepEqual(idsOf(fetched), IDS);
    assert.deepEqual(fetched.waits, [500]);
  }
  const busy = await fetchLayerOf({
    respond: (_request, response, request) => {
      if (request % 2 === 0) return false;
      if (request > 1) response.writeHead(request === 3 ? 503 : 429).end('a secret of the host');
      return request > 1;
    },
  });
  assert.deepEqual(idsOf(busy), IDS);
  const error = await failureOf(
    fetchLayerOf({
      instead: (query) => {
        if (!isPage(query)) return undefined;
        failures++;
        return { error: { code: 504, message: 'Timeout' } };
      },
    }),
  );
  assert.equal(error.code, 'SERVICE_ERROR');
  assert.match(
    error.message,
    /answered the query for the features with object ids 3 to 3 \(where\) with error 504: Timeout\./,
  );
  assert.equal(failures, 6);
});

test('errors that servers send with status 200 are errors, without tokens and of limited length', async () => {
  const details = ['where is s3cret-token', 'x'.repeat(5000)];
  const instead = (): unknown => ({ error: { code: 498, message: 'Invalid s3cret-token.', details } });
  const error = await failureOf(fetchLayerOf({ instead }, '?token=s3cret-token'));
  assert.equal(error.code, 'SERVICE_ERROR');
  assert.match(error.message, /error 498: Invalid \.\.\.\. where is \.\.\. x+/);
  assert.doesNotMatch(error.message, /s3cret/);
  assert.ok(error.message.length < 500);
  for (const odd of [{ error: 'no' }, { error: {} }, { error: [1] }, { error: { code: 'x', message: 5 } }]) {
    const other = await failureOf(fetchLayerOf({ instead: () => odd }));
    assert.equal(other.code, 'SERVICE_ERROR');
  }
});

test('a server that ignores the filter, repeats features or invents them is refused', async () => {
  const ignoring = await failureOf(fetchLayerOf({ matches: () => POINTS }));
  assert.equal(ignoring.code, 'SERVICE_INCOMPLETE');
  assert.match(
    ignoring.message,
    /counts 7 features, lists 7 object ids, .*asked for the object ids 8 to 14, it returned 3/,
  );
  const repeating = await failureOf(fetchLayerOf({ matches: (found) => [found[0], ...found].slice(0, 3) }));
  assert.equal(repeating.code, 'SERVICE_INCOMPLETE');
  assert.match(repeating.message, /it returned object id 3, which it did not list, or listed less often/);
  const withholding = await failureOf(
    fetchLayerOf({ matches: (found) => found.filter(({ attributes }) => attributes.OBJECTID !== 8) }),
  );
  assert.equal(withholding.code, 'SERVICE_INCOMPLETE');
  assert.match(withholding.message, /counts 7 features, lists 7 object ids, and 3 were read/);
});

test('a server that counts wrong is refused with both numbers', async () => {
  const more = await failureOf(fetchLayerOf({ count: (found) => found + 1 }));
  assert.equal(more.code, 'SERVICE_INCOMPLETE');
  assert.match(more.message, /counts 8 features, lists 7 object ids, and 0 were read; these numbers differ/);
  const later = await failureOf(
    fetchLayerOf({ count: (found, request) => (request < 4 ? found : found - 2) }),
  );
  assert.match(later.message, /counts 5 features, lists 7 object ids, and 7 were read; its count changed/);
  const once = await fetchLayerOf({ count: (found, request) => (request === 2 ? found + 1 : found) });
  assert.deepEqual(idsOf(once), IDS);
});

test('ids that the server lists twice, and features that have them, are all read', async () => {
  const features = [POINTS[0], POINTS[1], POINTS[2], POINTS[2], POINTS[3]];
  const fetched = await fetchLayerOf({ features, maxRecordCount: 4 });
  assert.deepEqual(idsOf(fetched), [3, 4, 5, 5, 8]);
});

test('features that are deleted or added meanwhile are named', async () => {
  let features = [...POINTS];
  const change = (changed: typeof features) => (query: URLSearchParams) => {
    if (isPage(query) && windowOf(query)[0] === 3) features = changed;
    return undefined;
  };
  const extra = { attributes: { OBJECTID: 41, name: 'new', kind: 1 }, geometry: { x: 1, y: 1 } };
  for (const [changed, message] of [
    [POINTS.filter((_, i) => i !== 4), /had 7 features and now has 6, 1 deleted \(object ids 13\); try/],
    [[...POINTS, extra], /had 7 features and now has 8, 1 added \(object ids 41\)/],
    [[...POINTS.slice(0, 6), extra], /1 deleted \(object ids 40\), 1 added \(object ids 41\)/],
  ] as const) {
    features = [...POINTS];
    const options: ArcgisOptions = {
      instead: change([...changed]),
      get features() {
        return features;
      },
    };
    const error = await failureOf(fetchLayerOf(options));
    assert.equal(error.code, 'SERVICE_CHANGED');
    assert.match(error.message, message);
  }
});

test('an empty layer keeps its fields, a table has no geometry', async () => {
  const empty = await fetchLayerOf({ features: [] });
  assert.deepEqual(empty.set.features, []);
  assert.deepEqual(empty.set.fields, FIELDS);
  assert.equal(empty.set.geometryType, 'esriGeometryPoint');
  const rows = POINTS.map(({ attributes }) => ({ attributes }));
  const page = { geometryType: undefined, spatialReference: undefined };
  const layer = { type: 'Table', geometryType: undefined, extent: null };
  const table = await fetchLayerOf({ features: rows, layer, page });
  assert.deepEqual(table.set.features, rows);
  assert.equal('geometryType' in table.set || 'spatialReference' in table.set, false);
});

test('a layer without object ids is read in one page or not at all', async () => {
  const layer = { objectIdField: null, fields: FIELDS.slice(1) };
  const page = { objectIdFieldName: undefined };
  const whole = await fetchLayerOf({ layer, page, maxRecordCount: 10 });
  assert.equal(whole.set.features.length, 7);
  const error = await failureOf(fetchLayerOf({ layer, page }));
  assert.equal(error.code, 'SERVICE_INCOMPLETE');
  assert.match(
    error.message,
    /counts 7 features, lists no object ids, and 3 were read; a layer without object ids/,
  );
});

test('the object id field is found without objectIdField, and by the name in the list', async () => {
  const fetched = await fetchLayerOf({ layer: { objectIdField: undefined } });
  assert.deepEqual(idsOf(fetched), IDS);
  const missing = await failureOf(
    fetchLayerOf({
      features: [{ attributes: { OBJECTID: 3 } }],
      matches: () => [{ attributes: { name: 'x' } }],
    }),
  );
  assert.equal(missing.code, 'SERVICE_ANSWER_INVALID');
  assert.match(missing.message, /feature 1 of a page has no object id in 'OBJECTID'/);
});

test('asks for Z and M where the layer has them', async () => {
  const options = { layer: { hasZ: true, hasM: true }, page: { hasZ: true } };
  await using host = await startArcgis(options);
  const fetched = await fetchFrom(`${host.url}${LAYER_PATH}`);
  assert.equal(fetched.set.hasZ, true);
  const pages = host.requests
    .map(({ url = '' }) => new URL(url, host.url).searchParams)
    .filter((query) => query.has('outFields'));
  assert.ok(pages.every((query) => query.get('returnZ') === 'true' && query.get('returnM') === 'true'));
});

test('layers without features are named', async () => {
  for (const [layer, reason] of [
    [{ type: 'Group Layer' }, /it is a Group Layer/],
    [{ capabilities: 'Map' }, /does not allow queries \(it allows Map\)/],
  ] as const) {
    const error = await failureOf(fetchLayerOf({ layer }));
    assert.equal(error.code, 'SERVICE_NO_FEATURES');
    assert.match(error.message, reason);
  }
});

test('answers that are not those of an ArcGIS server are refused', async () => {
  for (const [text, reason] of [
    ['<html>sign in</html>', /not a JSON object, perhaps a page for browsers/],
    ['[]', /not a JSON object/],
    ['{"a":1', /its JSON is cut off/],
    ['{"a":1} {}', /text after its JSON object/],
    ['{"a":1,}', /at byte 7/],
    [`{"a":${'['.repeat(600)}`, /nested deeper/],
    ['{"name":"\u0000"}', /at byte 9/],
  ] as const) {
    const error = await failureOf(fetchLayerOf({ instead: () => text }));
    assert.equal(error.code, 'SERVICE_ANSWER_INVALID', text);
    assert.match(error.message, reason);
  }
  const marked = await fetchLayerOf({
    instead: (query) => (query.has('returnCountOnly') ? '\ufeff{"count":7}' : undefined),
  });
  assert.deepEqual(idsOf(marked), IDS);
  for (const [answer, reason] of [
    [{ count: -1 }, /no number of features/],
    [{ count: 'x' }, /no number of features/],
    [{}, /no number of features/],
  ] as const) {
    const instead = (query: URLSearchParams): unknown => (query.has('returnCountOnly') ? answer : undefined);
    assert.match((await failureOf(fetchLayerOf({ instead }))).message, reason);
  }
  for (const objectIds of [['x'], [1.5], [1e300], 'all', undefined]) {
    const instead = (query: URLSearchParams): unknown =>
      query.has('returnIdsOnly') ? { objectIds } : undefined;
    assert.equal((await failureOf(fetchLayerOf({ instead }))).code, 'SERVICE_ANSWER_INVALID');
  }
});

test('a page in another CRS than the first is refused', async () => {
  const options = {
    instead: (query: URLSearchParams) =>
      isPage(query) && windowOf(query)[0] === 40
        ? { spatialReference: { wkid: 4326 }, features: [POINTS[6]] }
        : undefined,
  };
  const error = await failureOf(fetchLayerOf(options));
  assert.equal(error.code, 'SERVICE_ANSWER_INVALID');
  assert.match(error.message, /'geometryType' is not the same in all of its pages/);
});

test('compressed answers are read, damaged and endless ones are not', async () => {
  assert.deepEqual(idsOf(await fetchLayerOf({ gzip: true })), IDS);
  const damaged = await failureOf(
    fetchLayerOf({
      respond: (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
        return true;
      },
    }),
  );
  assert.equal(damaged.code, 'SERVICE_ANSWER_INVALID');
  assert.match(damaged.message, /gzip data is damaged/);
  const bomb = await failureOf(
    fetchLayerOf({ gzip: true, instead: () => `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}` }),
  );
  assert.equal(bomb.code, 'LIMIT_EXCEEDED');
  assert.match(bomb.message, /an answer of .* is more than that; the limit is 16777216 bytes/);
  const brotli = await failureOf(
    fetchLayerOf({
      respond: (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'br' }).end('x');
        return true;
      },
    }),
  );
  assert.equal(brotli.code, 'URL_ENCODING');
});

test('a page that is too large is asked for in parts', async () => {
  const wide = { attributes: { name: 'x'.repeat(17 * 1024 * 1024) } };
  const features = [1, 2].map((OBJECTID) => ({ attributes: { ...wide.attributes, OBJECTID } }));
  const fetched = await fetchLayerOf({ features, gzip: true }, '', { maxBytes: 64 * 1024 * 1024 });
  assert.deepEqual(idsOf(fetched), [1, 2]);
  const error = await failureOf(fetchLayerOf({}, '', { maxBytes: 900 }));
  assert.equal(error.code, 'LIMIT_EXCEEDED');
  assert.match(error.message, /the limit is 900 bytes \(MAX_UPLOAD\)/);
});

test('a server that closes the connection in the middle, or is slow once, is asked again', async () => {
  const closing = await fetchLayerOf({
    respond: (_request, response, request) => {
      if (request % 3 !== 0) return false;
      response.writeHead(200, { 'content-length': 1000 }).write('{"features":[');
      setTimeout(() => response.destroy(), 5);
      return true;
    },
  });
  assert.deepEqual(idsOf(closing), IDS);
  const slow = await fetchLayerOf({ respond: (_request, _response, request) => request === 4 }, '', {
    stallMs: 1000,
  });
  assert.deepEqual(idsOf(slow), IDS);
  const endless = await failureOf(
    fetchLayerOf({ respond: (_request, _response, request) => request > 1 }, '', { totalMs: 1500 }),
  );
  assert.equal(endless.code, 'URL_TIMEOUT');
  assert.match(endless.message, /did not send the whole layer within 1.5 s \(INPUT_URL_TIMEOUT\)/);
});

test('a redirect to another host is not followed, one on the same host is', async () => {
  await using target = await startArcgis();
  await using elsewhere = await startFileHost({
    [LAYER_PATH]: (_request, response) =>
      void response.writeHead(302, { location: `${target.url}${LAYER_PATH}?f=json&token=s` }).end(),
  });
  const error = await failureOf(fetchFrom(`${elsewhere.url}${LAYER_PATH}?token=s`));
  assert.equal(error.code, 'URL_REDIRECT');
  assert.equal(target.requests.length, 0);
  const same = await fetchLayerOf({
    respond: (request, response) => {
      if (request.url?.includes('moved') === true) return false;
      response.writeHead(302, { location: `${request.url}&moved=1` }).end();
      return true;
    },
  });
  assert.deepEqual(idsOf(same), IDS);
});

test('the first request fails at once', async () => {
  const error = await failureOf(
    fetchLayerOf({
      respond: (_request, response) => {
        response.writeHead(503).end();
        return true;
      },
    }),
  );
  assert.equal(error.code, 'URL_STATUS');
  const closed = await startFileHost({});
  await closed[Symbol.asyncDispose]();
  assert.equal((await failureOf(fetchFrom(`${closed.url}${LAYER_PATH}`))).code, 'URL_UNREACHABLE');
});
