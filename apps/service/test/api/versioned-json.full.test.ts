/** JSON bodies with GeoJSON on the versioned API, with the fake runner: its output shows what each file held. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { postJson, startTestService } from '../../../../test/support/service.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  postJson(service, `/v1/transform/geojson${path}`, body, headers);

async function jobOf(response: Response): Promise<Awaited<ReturnType<typeof service.ended>>> {
  const id = /\/v1\/jobs\/([\w-]+)>/.exec(String(response.headers.get('link')))?.[1];
  return service.ended(String(id));
}

const one = { type: 'FeatureCollection', features: [] };
const two = { type: 'Feature', properties: { text: '}]"\\' }, geometry: null };
const three = { type: 'Point', coordinates: [1, 2] };
const text = (...documents: object[]) => documents.map((document) => JSON.stringify(document)).join('+');

test('a document is converted as if it had come as a file', async () => {
  const response = await post('', {
    output_crs: 'EPSG:3857',
    input_geojson: one,
    transformations: [{ type: 'union' }],
    output_format: 'shp',
  });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.equal(await response.text(), outputOf(text(one)));
  const { request, inputs } = await jobOf(response);
  assert.equal(request.output?.crs, 'EPSG:3857');
  assert.deepEqual(
    request.transformations.map(({ type }) => type),
    ['union'],
  );
  assert.deepEqual(
    inputs.map(({ name, fileIndex }) => [name, fileIndex]),
    [['input_geojson', 0]],
  );
});

test('an output is called output, unless it is inline', async () => {
  const asFile = await post('', { input_geojson: one, output_format: 'geojson' });
  assert.equal(asFile.headers.get('content-type'), 'application/geo+json');
  assert.equal(asFile.headers.get('content-disposition'), 'attachment; filename="output.geojson"');
  const inline = await post('', { input_geojson: one, output_format: 'geojson', to_file: false });
  assert.equal(inline.headers.get('content-type'), 'application/json; charset=utf-8');
  const appended = await post('/append', {
    target_geojson: one,
    append_geojson_list: [two],
    output_format: 'csv',
  });
  assert.equal(appended.headers.get('content-disposition'), 'attachment; filename="output.csv"');
});

test('the target of an append comes first, wherever it stands in the body', async () => {
  const response = await post('/append', {
    append_geojson_list: [two, three],
    append_crs_mapping: [null, 'EPSG:28350'],
    output_format: 'csv',
    target_geojson: one,
  });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(await response.text(), outputOf(text(one, two, three)));
  const { request, inputs } = await jobOf(response);
  assert.deepEqual(
    inputs.map(({ name }) => name),
    ['target_geojson', 'append_geojson_list[0]', 'append_geojson_list[1]'],
  );
  assert.deepEqual(
    request.input.files.map(({ crs }) => crs),
    [null, null, 'EPSG:28350'],
  );
});

test('a merge takes a list, and a target as one more before it', async () => {
  const list = await post('/merge', { input_geojson_list: [one, two], output_format: 'csv' });
  assert.equal(await list.text(), outputOf(text(one, two)));
  const withTarget = await post('/merge', {
    input_geojson_list: [two, three],
    target_geojson: one,
    output_format: 'csv',
  });
  assert.equal(await withTarget.text(), outputOf(text(one, two, three)));
  const without = await post('/merge', {
    input_geojson_list: [two],
    target_geojson: null,
    output_format: 'csv',
  });
  assert.equal(await without.text(), outputOf(text(two)), 'null says nothing');
});

test('what else stands in the body is config; what is not known there is a warning', async () => {
  const response = await post('', {
    input_geojson: one,
    output: { format: 'geojson', precision: 9 },
    colour: 'red',
  });
  assert.equal(response.headers.get('geomill-warnings'), '1;info=1;changed=0;lost=0');
  const job = await jobOf(response);
  assert.deepEqual(job.request.output?.options, { precision: 9 });
  assert.deepEqual(
    job.report?.warnings.map(({ message }) => message),
    ["'colour' is an unknown key and was ignored"],
  );
});

test('a JSON body becomes a task like a form does', async () => {
  const response = await post('/merge?async=true', { input_geojson_list: [one], output_format: 'csv' });
  assert.equal(response.status, 202);
  const { task_id: id } = (await response.json()) as { task_id: string };
  assert.equal((await service.ended(id)).state, 'SUCCESS');
});

test('an Idempotency-Key covers documents and config of a body', async () => {
  const headers = { 'idempotency-key': 'j1' };
  const body = { input_geojson_list: [one, two], output_format: 'csv' };
  const first = await jobOf(await post('/merge', body, headers));
  assert.equal((await jobOf(await post('/merge', body, headers))).id, first.id);
  for (const other of [
    { ...body, input_geojson_list: [two, one] },
    { ...body, output_format: 'shp' },
    { ...body, target_geojson: one },
  ])
    assert.equal((await post('/merge', other, headers)).status, 422);
});

test('bytes of a document reach the runner as they came', async () => {
  const document = `{ "type" : "Point",\n "coordinates":[1.10, 2e0 ], "ü":"\\u00fc" }`;
  const response = await post('', `{"input_geojson":  ${document} ,"output_format":"csv"}`);
  assert.equal(await response.text(), outputOf(document));
});

test('a media type may have parameters', async () => {
  const response = await post(
    '',
    { input_geojson: one, output_format: 'csv' },
    { 'content-type': 'application/json; charset=utf-8' },
  );
  assert.equal(response.status, 200);
});
