/** ArcGIS servers that do not answer each kind of query: layers are read whole by another one, or the request that failed is named. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
import { fetchLayer } from '../src/remote-input/arcgis/fetch-layer.ts';
import { REAL_OUTSIDE } from '../src/remote-input/connect.ts';
import { parseUrlPolicy } from '../src/remote-input/policy.ts';

const LIMITS = { maxBytes: 1_000_000, totalMs: 20_000, headersMs: 10_000, stallMs: 10_000 };
const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true }));
let files = 0;

/** Object ids of the features that were read, and the queries for them. */
async function read(options: ArcgisOptions): Promise<unknown[]> {
  await using host = await startArcgis(options);
  const path = join(directory, String(files++));
  const url = `${host.url}${LAYER_PATH}`;
  const { port } = new URL(url);
  const policy = parseUrlPolicy(`*:${port}, 127.0.0.1:${port}`, '127.0.0.0/8');
  const task = { url, urlPath: 'input.url', path, policy, limits: LIMITS, userAgent: 'geomill/test', service: 'arcgis' } as const; // biome-ignore format: one line
  await fetchLayer(task, { ...REAL_OUTSIDE, wait: async () => {} });
  const set = JSON.parse(readFileSync(path, 'utf8')) as { features: { attributes: { OBJECTID: number } }[] };
  return set.features.map(({ attributes }) => attributes.OBJECTID);
}

async function failureOf(options: ArcgisOptions): Promise<GeomillError> {
  return read(options).then(
    (ids) => assert.fail(`it did not fail, but read ${ids.join()}`),
    (error: GeomillError) => error,
  );
}

type Answer = 'allows' | 'refuses' | 'ignores';
interface Abilities {
  readonly count: Answer;
  readonly where: Answer;
  readonly objectIds: Answer;
  readonly offset: Answer;
}

const WHOLE: Abilities = { count: 'allows', where: 'allows', objectIds: 'allows', offset: 'allows' };
const REFUSAL = { error: { code: 400, message: 'Cannot perform query. Invalid query parameters.' } };

/** A server with three features a page that answers some queries alone. */
function serverWith(abilities: Partial<Abilities>): ArcgisOptions {
  const can = { ...WHOLE, ...abilities };
  const pageOf = (features: typeof POINTS): object => ({ objectIdFieldName: 'OBJECTID', geometryType: 'esriGeometryPoint', spatialReference: { wkid: 3857 }, fields: FIELDS, features: features.slice(0, 3), ...(features.length > 3 ? { exceededTransferLimit: true } : {}) }); // biome-ignore format: one line
  return {
    instead(query) {
      if (query.get('f') !== 'json' || !query.has('where')) return undefined;
      if (query.has('returnIdsOnly')) return undefined;
      if (query.has('returnCountOnly')) {
        if (can.count === 'refuses') return REFUSAL;
        return can.count === 'ignores' ? pageOf(POINTS) : undefined;
      }
      let found = POINTS;
      const range = / >= (\d+) AND OBJECTID <= (\d+)/.exec(query.get('where') ?? '');
      if (range !== null && can.where === 'refuses') return REFUSAL;
      if (range !== null && can.where === 'allows')
        found = found.filter(({ attributes: { OBJECTID: id } }) => Number(id) >= Number(range[1]) && Number(id) <= Number(range[2])); // biome-ignore format: one line
      const listed = query.get('objectIds')?.split(',').map(Number);
      if (listed !== undefined && can.objectIds === 'refuses') return REFUSAL;
      if (listed !== undefined && can.objectIds === 'allows')
        found = found.filter(({ attributes }) => listed.includes(Number(attributes.OBJECTID)));
      const offset = query.get('resultOffset');
      if (offset !== null && can.offset === 'refuses') return REFUSAL;
      if (offset !== null && can.offset === 'allows') found = found.slice(Number(offset));
      return pageOf(found);
    },
  };
}

const ANSWERS = ['allows', 'refuses', 'ignores'] as const;
for (const count of ANSWERS)
  for (const where of ANSWERS)
    for (const objectIds of ANSWERS)
      for (const offset of ANSWERS) {
        const isReadable = [where, objectIds, offset].includes('allows');
        const abilities = { count, where, objectIds, offset };
        test(`a server that ${Object.entries(abilities)
          .map(([what, how]) => `${how} ${what}`)
          .join(', ')}`, async () => {
          // biome-ignore format: one line
          if (isReadable) return assert.deepEqual(await read(serverWith(abilities)), IDS);
          const { code, message } = await failureOf(serverWith(abilities));
          assert.match(code, /^SERVICE_(?:INCOMPLETE|ERROR)$/);
          if (code === 'SERVICE_ERROR')
            assert.match(message, /answered the query for the features with object ids/);
        });
      }

test('a layer without a number and without object ids is read if its page is not full', async () => {
  const layer = { objectIdField: null, fields: FIELDS.slice(1) };
  const refusesCount: ArcgisOptions['instead'] = (query) =>
    query.has('returnCountOnly') ? REFUSAL : undefined;
  const options = { layer, page: { objectIdFieldName: undefined }, instead: refusesCount };
  assert.deepEqual(await read({ ...options, maxRecordCount: 8 }), IDS);
  for (const [maxRecordCount, saysCut] of [
    [7, true],
    [3, false],
    [3, true],
  ] as const) {
    const { code, message } = await failureOf({ ...options, maxRecordCount, saysCut });
    assert.equal(code, 'SERVICE_INCOMPLETE');
    assert.match(message, /counts no features, lists no object ids/);
  }
});

test('a feature that is added while a layer without a number is read is named', async () => {
  const ids: ArcgisOptions['ids'] = (found, request) => (request < 6 ? found : [...found, 99]);
  const { code, message } = await failureOf({ ...serverWith({ count: 'refuses' }), ids });
  assert.equal(code, 'SERVICE_CHANGED');
  assert.match(message, /1 added \(object ids 99\)/);
});

test('errors name the request that failed', async () => {
  for (const [parameter, name] of [
    ['returnIdsOnly', /the query for the object ids \(returnIdsOnly\)/],
    ['outFields', /the query for the features with object ids 3 to \d+ \(where\)/],
  ] as const) {
    const denied = { error: { code: 403, message: 'Denied' } };
    const told = await failureOf({ instead: (query) => (query.has(parameter) ? denied : undefined) });
    assert.match(told.message, name);
    const status = await failureOf({
      respond(request, response) {
        if (!request.url?.includes(parameter)) return false;
        response.writeHead(403).end();
        return true;
      },
    });
    assert.equal(status.code, 'URL_STATUS');
    assert.match(status.message, name);
    const odd = await failureOf({ instead: (query) => (query.has(parameter) ? '<html>' : undefined) });
    assert.match(odd.message, name);
  }
  const described = await failureOf({ instead: () => ({ error: { code: 498, message: 'Invalid token' } }) });
  assert.match(described.message, /the request for the description of the layer/);
});
