/** Specification, "Resources and their fields": the job and its config on the job API. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { outputFormats } from '../../../../../packages/formats/src/registry.ts';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  convert,
  type File,
  failedError,
  get,
  jobParts,
  pollToEnd,
  postForm,
  refusal,
  submitJob,
} from '../../../../../test/support/spec/client.ts';
import {
  csvFile,
  dxfFile,
  dxfPoint,
  geojsonFile,
  gpkgFile,
  MIXED,
  point,
  shpFile,
  square,
} from '../../../../../test/support/spec/inputs.ts';
import { extentOf, featuresOf } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const TO_GEOJSON = { input: { format: 'geojson' }, output: { format: 'geojson' } };
const roads = geojsonFile(point(8, 50, { name: 'first', number: 1 }));
const broken: File = { name: 'broken.geojson', content: '{"type":"FeatureCollection","features":[{' };

test('Job | job_id | returned on submission, used in the paths of status and output', async () => {
  const id = await submitJob(server, TO_GEOJSON, roads);
  assert.equal(typeof id, 'string');
  assert.equal((await pollToEnd(server, id))[0].job_id, id);
  assert.equal((await get(server, `/result/output/${id}`)).status, 200);
});

test('Job | status | QUEUED, RUNNING, SUCCESS or FAILED', async () => {
  for (const file of [roads, broken]) {
    const id = await submitJob(server, TO_GEOJSON, file);
    for (const { status } of await pollToEnd(server, id))
      assert.match(String(status), /^(QUEUED|RUNNING|SUCCESS|FAILED)$/);
  }
});

test('Job | output_url | only when status is SUCCESS, has the form {base_url}/result/output/{job_id}', async () => {
  const id = await submitJob(server, TO_GEOJSON, roads);
  const documents = await pollToEnd(server, id);
  for (const document of documents)
    assert.equal('output_url' in document, String(document.status) === 'SUCCESS');
  assert.equal(documents.at(-1)?.output_url, `${server.url}/result/output/${id}`);
});

test('Job | error | present when status is FAILED, one sentence for a person', async () => {
  assert.match(await failedError(server, TO_GEOJSON, broken), /^GeoJSON byte \d+: .{10}/);
});

test('Config, job API | input.format | geojson, shp, dxf, gpkg and csv each select their reader', async () => {
  const files: Readonly<Record<string, File>> = {
    geojson: geojsonFile(point(0, 1)),
    shp: await shpFile({ rows: [['first', '1']] }),
    dxf: dxfFile(dxfPoint(0, 1)),
    gpkg: await gpkgFile([[0, 1, 'first', 1]]),
    csv: csvFile('geom_wkt,name', 'POINT (0 1),first'),
  };
  for (const [format, file] of Object.entries(files)) {
    const input = format === 'dxf' || format === 'csv' ? { format, epsg: 4326 } : { format };
    const { text } = await convert(server, { input, output: { format: 'geojson' } }, file);
    const [{ geometry }] = featuresOf(text);
    assert.deepEqual(geometry, { type: 'Point', coordinates: [0, 1] }, format);
  }
});

test('Config, job API | input.format | required', async () => {
  assert.match(
    await refusal(server, { output: { format: 'geojson' } }, roads),
    /'input\.format' is required/,
  );
});

test('Config, job API | input.epsg | an integer EPSG code', async () => {
  const config = { input: { format: 'dxf', epsg: 25832 }, output: { format: 'geojson' } };
  const [{ geometry }] = featuresOf((await convert(server, config, dxfFile(dxfPoint(500000, 0)))).text);
  assert.deepEqual(geometry?.coordinates, [9, 0]);
});

test('Config, job API | input.epsg | 28350, "28350" and "EPSG:28350" mean the same', async () => {
  const file = dxfFile(dxfPoint(400000, 6000000));
  const outputs: string[] = [];
  for (const epsg of [28350, '28350', 'EPSG:28350'])
    outputs.push(
      (await convert(server, { input: { format: 'dxf', epsg }, output: { format: 'csv', epsg } }, file)).text,
    );
  assert.match(outputs[0], /POINT \(400000 6000000\)/);
  assert.deepEqual(new Set(outputs).size, 1);
});

test('Config, job API | input.epsg | required when input.format is dxf', async () => {
  const config = { input: { format: 'dxf' }, output: { format: 'geojson' } };
  assert.equal(
    await refusal(server, config, dxfFile(dxfPoint(0, 1))),
    "field 'input.epsg' is required for dxf: DXF does not store its CRS (EPSG:4326 for longitude and latitude)",
  );
});

test('Config, job API | transformations | applied in order', async () => {
  const ring = square(8, 50, 1).geometry;
  const buffer = { type: 'buffer', params: { distance: 10, units: 'kilometers' } };
  const clip = { type: 'clip', params: { clipping_geojson: ring } };
  const file = geojsonFile(point(8.001, 50.001));
  const width = async (transformations: readonly object[]): Promise<number> => {
    const { text } = await convert(server, { ...TO_GEOJSON, transformations }, file);
    return 8 - extentOf(featuresOf(text)[0])[0];
  };
  assert.ok((await width([clip, buffer])) > 0.1, 'clipped first, the circle reaches outside');
  assert.ok(Math.abs(await width([buffer, clip])) < 1e-9, 'buffered first, it is cut at the edge');
});

test('Config, job API | transformations | may be empty or absent', async () => {
  const without = (await convert(server, TO_GEOJSON, roads)).text;
  assert.equal((await convert(server, { ...TO_GEOJSON, transformations: [] }, roads)).text, without);
});

test('Config, job API | transformations | may be chained, buffer then union', async () => {
  const transformations = [
    { type: 'buffer', params: { distance: 1000, units: 'meters' } },
    { type: 'union' },
  ];
  const file = geojsonFile(point(8, 50), point(8.01, 50), point(9, 50));
  const features = featuresOf((await convert(server, { ...TO_GEOJSON, transformations }, file)).text);
  assert.deepEqual(
    features.map(({ geometry }) => geometry?.type),
    ['Polygon', 'Polygon'],
  );
});

test('Config, job API | output.format | geojson, shp, dxf, gpkg and csv each select their writer', async () => {
  const starts: Readonly<Record<string, RegExp>> = {
    geojson: /^\{"type":\s*"FeatureCollection"/,
    shp: /^PK/,
    dxf: /^ *(999|0)\r?\n/,
    gpkg: /^SQLite format 3/,
    csv: /^name,number,geom_wkt\n/,
  };
  for (const [format, start] of Object.entries(starts)) {
    const { bytes } = await convert(server, { ...TO_GEOJSON, output: { format } }, roads);
    assert.match(bytes.toString('latin1'), start, format);
  }
});

test('Config, job API | output.format | required', async () => {
  assert.match(
    await refusal(server, { input: { format: 'geojson' } }, roads),
    /'output\.format' is required/,
  );
});

test('Config, job API | output.epsg | an integer EPSG code', async () => {
  const config = { ...TO_GEOJSON, output: { format: 'csv', epsg: 3857 } };
  const { text } = await convert(server, config, geojsonFile(point(180, 0)));
  assert.match(text, /POINT \(20037508\.34\d* -?[\d.e-]+\)/);
});

test('Config, job API | output.epsg | default 4326', async () => {
  const config = { input: { format: 'dxf', epsg: 25832 }, output: { format: 'csv' } };
  const { text } = await convert(server, config, dxfFile(dxfPoint(500000, 0)));
  assert.match(text, /POINT \(9 0\)/);
});

test('Config, job API | output.to_file | default true', async () => {
  const outputs = [];
  for (const output of [{ format: 'geojson' }, { format: 'geojson', to_file: true }])
    outputs.push(await convert(server, { ...TO_GEOJSON, output }, geojsonFile(...MIXED)));
  assert.equal(outputs[0].fileName, 'roads.geojson');
  assert.equal(outputs[1].fileName, outputs[0].fileName);
  assert.equal(outputs[1].text, outputs[0].text);
});

test('Config, job API | output.to_file | false is allowed only with output.format geojson', async () => {
  for (const { id: format } of outputFormats.filter(({ jsonSchema }) => jsonSchema === null)) {
    const detail = await refusal(server, { ...TO_GEOJSON, output: { format, to_file: false } }, roads);
    assert.match(detail, /'output\.to_file' can be false only for the output format GeoJSON/, format);
  }
});

test('Config, job API | unknown keys | cause a warning and not an error', async () => {
  const parts = jobParts({ ...TO_GEOJSON, crs_policy: 'strict' }, roads);
  const answer = await postForm(server, '/transform', [...parts, ['note', 'hello']], { prefer: 'wait=60' });
  assert.equal(answer.status, 200, answer.text);
  const id = /[0-9a-f-]{36}/.exec(answer.headers.get('location') ?? '')?.[0];
  const { warnings } = (await get(server, `/v1/jobs/${id}`)).json();
  const codes = (warnings as unknown as { code: string }[]).map(({ code }) => code);
  assert.deepEqual(codes.sort(), ['UNKNOWN_KEY', 'UNKNOWN_PART']);
});
