/** A layer of an ArcGIS server as the input of a job, from the request to the output. With the real runners. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LAYER_PATH, POINTS, startArcgis } from '../../../../test/support/arcgis-server.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { postForm, postJson, startTestService } from '../../../../test/support/service.ts';

const layer = await startArcgis({ layer: { hasZ: true }, page: { hasZ: true } });
const wrong = await startArcgis({ count: (count) => count + 1 });
const service = await startTestService({
  runner: null,
  settings: {
    RUNNERS: '1',
    INPUT_URL_HOSTS: `127.0.0.1:${layer.port}, 127.0.0.1:${wrong.port}`,
    INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8',
  },
});
test.after(async () => {
  await service[Symbol.asyncDispose]();
  await layer[Symbol.asyncDispose]();
  await wrong[Symbol.asyncDispose]();
});

const url = `${layer.url}${LAYER_PATH}`;
const send = (config: object, path = '/v1/transform/esrijson'): Promise<Response> =>
  postJson(service, path, config, { prefer: 'wait=60' });

interface Output {
  readonly features: readonly {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly geometry: { readonly coordinates: readonly number[] };
  }[];
}

async function outputOf(response: Response): Promise<Output> {
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return JSON.parse(text) as Output;
}

async function newestJob(): Promise<string> {
  const { jobs } = (await (await fetch(`${service.url}/v1/jobs?limit=1`)).json()) as {
    jobs: readonly { job_id: string }[];
  };
  return jobs[0].job_id;
}

test('all pages of a layer are converted, and the report says how many features', async () => {
  const answer = await send({
    input_url: `${url}?token=hidden-token&resultOffset=5`,
    output_format: 'geojson',
  });
  assert.match(answer.headers.get('content-disposition') ?? '', /Main roads\.geojson/);
  const { features } = await outputOf(answer);
  assert.deepEqual(
    features.map(({ properties: { name, kind } }) => [name, kind]),
    POINTS.map(({ attributes: { name, kind } }) => [name, kind]),
  );
  const [longitude, latitude] = features[0].geometry.coordinates;
  assert.ok(Math.abs(longitude - 3 / 111_319.490793) < 1e-7 && latitude < 0, 'from EPSG:3857 to degrees');
  const id = await newestJob();
  const job = await (await fetch(`${service.url}/v1/jobs/${id}`)).text();
  assert.doesNotMatch(job, /hidden-token/);
  assert.match(job, /layer 'Main roads' of '127\.0\.0\.1:\d+' was read completely: 7 features, as many as/);
  assert.match(job, /LAYER_PARAMETERS_IGNORED.*resultOffset/s);
  const rerun = await send({ input_url: url }, `/v1/jobs/${id}/rerun`);
  assert.equal((await outputOf(rerun)).features.length, 7);
});

test('a filter in the URL and the names of coded values', async () => {
  const answer = await send({
    input_url: `${url}/query?where=kind%20=%201&outFields=kind`,
    input_coded_values: 'names',
    output_format: 'geojson',
  });
  const { features } = await outputOf(answer);
  assert.deepEqual(
    features.map(({ properties }) => properties.kind),
    ['odd', 'odd', 'odd'],
  );
});

test('a layer is inspected, and is the source of a step', async () => {
  const inspected = await send({ input: { format: 'esrijson', url } }, '/v1/inspect');
  const text = await inspected.text();
  assert.equal(inspected.status, 200, text.slice(0, 500));
  assert.match(text, /Main roads/);
  const collection = {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: { id: 13 }, geometry: null }],
  };
  const step = { type: 'join', source_url: url, key: ['id'], key_of_source: ['OBJECTID'], fields: ['name'] };
  const joined = await send(
    { input_geojson: collection, output_format: 'geojson', transformations: [step] },
    '/v1/transform/geojson',
  );
  assert.deepEqual((await outputOf(joined)).features[0].properties, { id: 13, name: 'n"13' });
});

test('a layer that cannot be read completely fails the job with both numbers', async () => {
  const answer = await send({ input_url: `${wrong.url}${LAYER_PATH}`, output_format: 'geojson' });
  assert.equal(answer.status, 400);
  const { detail } = (await answer.json()) as { detail: string };
  assert.match(detail, /counts 8 features, lists 7 object ids/);
});

test('parameters with which no features are returned are refused at once', async () => {
  const answer = await send({ input_url: `${url}?returnIdsOnly=true`, output_format: 'geojson' });
  assert.equal(answer.status, 400);
  assert.match(
    ((await answer.json()) as { detail: string }).detail,
    /'input_url'.*'returnIdsOnly'.*remove it/,
  );
});

test('the URL of a query is that of a file in other formats', async () => {
  const answer = await postForm(service, '/v1/transform/geojson', {
    parts: [],
    config: { input_url: `${url}/query?f=geojson`, output_format: 'geojson' },
    headers: { prefer: 'wait=60' },
  });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /GeoJSON/);
});
