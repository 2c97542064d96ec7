/** Specification, "CSV input request shape": flat keys, in the parts `payload` and `file`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { outputFormats } from '../../../../../packages/formats/src/registry.ts';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  type Converted,
  convert,
  type File,
  postForm,
  problemOf,
} from '../../../../../test/support/spec/client.ts';
import { csvFile, geojsonFile, point } from '../../../../../test/support/spec/inputs.ts';
import { featuresOf } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const roads = csvFile('name,geom_wkt', 'first,POINT (9 50)');
const FLAT = {
  input_format: 'csv',
  input_epsg: 'EPSG:4326',
  output_format: 'geojson',
  output_crs: 'EPSG:4326',
};

function upload(payload: object, { name, content }: File = roads) {
  const parts = [
    ['file', content, name, 'text/csv'],
    ['payload', JSON.stringify(payload)],
  ] as const;
  return postForm(server, '/transform', parts, { prefer: 'wait=60' });
}

async function converted(payload: object, file: File = roads): Promise<ReturnType<typeof featuresOf>> {
  const answer = await upload({ ...FLAT, ...payload }, file);
  assert.equal(answer.status, 200, answer.text);
  return featuresOf(answer.text);
}

async function refused(payload: object): Promise<string> {
  return String(problemOf(await upload(payload), 400).detail);
}

test('CSV request | upload | the CSV as part file, the JSON as part payload, posted to the path of the job API', async () => {
  assert.deepEqual(
    (await converted({})).map(({ properties }) => properties),
    [{ name: 'first' }],
  );
});

test('CSV request | upload | the response is 202 with the job_id', async () => {
  const parts = [
    ['file', roads.content, roads.name, 'text/csv'],
    ['payload', JSON.stringify(FLAT)],
  ] as const;
  const answer = await postForm(server, '/transform', parts);
  assert.deepEqual([answer.status, typeof answer.json().job_id], [202, 'string']);
});

test('CSV request | upload | the nested and the flat form work for every format, with the same result', async () => {
  const file = geojsonFile(point(9, 50, { name: 'first' }));
  const parts = [
    ['file', file.content, file.name],
    ['payload', JSON.stringify({ input_format: 'geojson', output_format: 'csv', output_crs: 'EPSG:25832' })],
  ] as const;
  const flat = await postForm(server, '/transform', parts, { prefer: 'wait=60' });
  const nested: Converted = await convert(
    server,
    { input: { format: 'geojson' }, output: { format: 'csv', epsg: 25832 } },
    file,
  );
  assert.equal(flat.text, nested.text);
});

test('CSV request | input_format | csv', async () => {
  assert.equal((await converted({ input_format: 'csv' })).length, 1);
});

test('CSV request | input_epsg | EPSG:<code>, the CRS of the WKT', async () => {
  const [{ geometry }] = await converted(
    { input_epsg: 'EPSG:25832' },
    csvFile('geom_wkt,name', 'POINT (500000 0),a'),
  );
  assert.deepEqual(geometry?.coordinates, [9, 0]);
});

test('CSV request | input_epsg | required', async () => {
  assert.match(
    await refused({ ...FLAT, input_epsg: undefined }),
    /^field 'input_epsg' is required for csv: CSV does not store its CRS/,
  );
});

test('CSV request | input_url | rejected with a reason if the operator allows no hosts', async () => {
  assert.match(
    await refused({ ...FLAT, input_url: 'https://example.org/roads.csv' }),
    /'input_url' is not enabled|'input\.url' is not enabled/,
  );
});

test('CSV request | output_format | any output format', async () => {
  for (const { id: output_format } of outputFormats)
    assert.equal((await upload({ ...FLAT, output_format })).status, 200, output_format);
});

test('CSV request | output_crs | EPSG:<code>, the target CRS', async () => {
  const answer = await upload(
    { ...FLAT, output_format: 'csv', output_crs: 'EPSG:25832' },
    csvFile('geom_wkt,name', 'POINT (9 0),a'),
  );
  assert.match(answer.text, /POINT \(500000 [-0-9.e]+\)/);
});

test('CSV request | csv_options.geometry_column | default geom_wkt', async () => {
  const [{ geometry }] = await converted({ csv_options: {} });
  assert.deepEqual(geometry?.coordinates, [9, 50]);
});

test('CSV request | csv_options.geometry_column | names another column', async () => {
  const file = csvFile('name,shape', 'first,POINT (1 2)');
  const [{ geometry, properties }] = await converted({ csv_options: { geometry_column: 'shape' } }, file);
  assert.deepEqual([geometry?.coordinates, properties], [[1, 2], { name: 'first' }]);
});

test('CSV request | csv_options.delimiter | comma by default', async () => {
  assert.equal((await converted({}, csvFile('name,geom_wkt', 'a;b,POINT (1 2)')))[0].properties.name, 'a;b');
});

test('CSV request | csv_options.delimiter | another one if it is named', async () => {
  const file = csvFile('name;geom_wkt', 'a,b;POINT (1 2)');
  assert.equal((await converted({ csv_options: { delimiter: ';' } }, file))[0].properties.name, 'a,b');
});

test('CSV request | csv_options.has_header | true if the first row is a header', async () => {
  assert.equal((await converted({ csv_options: { has_header: true } })).length, 1);
});

test('CSV request | csv_options.has_header | false: the geometry column is given by its number', async () => {
  const csv_options = { has_header: false, geometry_column: 2 };
  const features = await converted({ csv_options }, csvFile('first,POINT (9 50)', 'second,POINT (9 51)'));
  assert.deepEqual(
    features.map(({ properties }) => Object.values(properties)),
    [['first'], ['second']],
  );
});

test('CSV request | csv_options.encoding | UTF-8 by default', async () => {
  const [{ properties }] = await converted({}, csvFile('name,geom_wkt', 'Südkai,POINT (9 50)'));
  assert.equal(properties.name, 'Südkai');
});

test('CSV request | csv_options.encoding | another one if it is named', async () => {
  const content = Buffer.from('name,geom_wkt\nSüdkai,POINT (9 50)\n', 'latin1');
  const file = { name: 'roads.csv', content };
  const [{ properties }] = await converted({ csv_options: { encoding: 'windows-1252' } }, file);
  assert.equal(properties.name, 'Südkai');
});

test('CSV request | transformations | the same as for other inputs', async () => {
  const transformations = [{ type: 'buffer', distance: 500, units: 'meters' }, { type: 'union' }];
  const [{ geometry }] = await converted({ transformations });
  assert.equal(geometry?.type, 'Polygon');
});
