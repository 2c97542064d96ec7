/** Specification, "Endpoints", "Job API": the three paths, the files returned and the files accepted. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  convert,
  failedError,
  get,
  jobParts,
  pollToEnd,
  postForm,
  postJson,
  problemOf,
  refusal,
  send,
  submitJob,
} from '../../../../../test/support/spec/client.ts';
import {
  csvFile,
  dxfFile,
  dxfLine,
  dxfPoint,
  geojsonFile,
  gpkgFile,
  MIXED,
  point,
  shpFile,
  UTM32_ESRI,
} from '../../../../../test/support/spec/inputs.ts';
import { extentOf, featuresOf, zipMembers } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const TO_GEOJSON = { input: { format: 'geojson' }, output: { format: 'geojson' } };
const roads = geojsonFile(...MIXED);

test('POST /transform | payload | config is required', async () => {
  const [, file] = jobParts(TO_GEOJSON, roads);
  const problem = problemOf(await postForm(server, '/transform', [file]), 400);
  assert.match(String(problem.detail), /part 'config' is missing; the form has 'input_file'/);
});

test('POST /transform | payload | input_file is required', async () => {
  const [config] = jobParts(TO_GEOJSON, roads);
  const problem = problemOf(await postForm(server, '/transform', [config]), 400);
  assert.match(String(problem.detail), /part 'input_file' is missing; the form has 'config'/);
});

test('POST /transform | payload | config is a JSON string', async () => {
  const [, file] = jobParts(TO_GEOJSON, roads);
  const problem = problemOf(await postForm(server, '/transform', [['config', '{"input":'], file]), 400);
  assert.match(String(problem.detail), /part 'config' is not valid JSON/);
});

test('POST /transform | payload | parts in any order', async () => {
  const parts = jobParts(TO_GEOJSON, roads).reverse();
  assert.equal((await postForm(server, '/transform', parts)).status, 202);
});

test('POST /transform | payload | any other type than multipart/form-data is 415', async () => {
  const problem = problemOf(await postJson(server, '/transform', TO_GEOJSON), 415);
  assert.match(String(problem.detail), /multipart\/form-data/);
});

test('POST /transform | response | 202 with job_id, and a Location of the status', async () => {
  const answer = await postForm(server, '/transform', jobParts(TO_GEOJSON, roads));
  assert.equal(answer.status, 202);
  const { job_id } = answer.json();
  assert.equal(answer.headers.get('location'), `${server.url}/result/status/${job_id}`);
});

test('POST /transform | response | 200 with the output in the synchronous mode', async () => {
  const parts = jobParts(TO_GEOJSON, roads);
  const outputs = [
    await postForm(server, '/transform', parts, { prefer: 'wait=60' }),
    await postForm(server, '/transform?async=false', parts),
  ];
  for (const answer of outputs) {
    assert.equal(answer.status, 200, answer.text);
    assert.equal(featuresOf(answer.text).length, 3);
  }
});

test('POST /transform | response | the same Idempotency-Key gets the same job; with another body 422', async () => {
  const headers = { 'idempotency-key': 'morning-run' };
  const ids = [];
  for (let i = 0; i < 2; i++)
    ids.push((await postForm(server, '/transform', jobParts(TO_GEOJSON, roads), headers)).json().job_id);
  assert.equal(ids[0], ids[1]);
  const other = jobParts(TO_GEOJSON, geojsonFile(point(1, 2)));
  problemOf(await postForm(server, '/transform', other, headers), 422);
});

test('GET /result/status/{job_id} | response | the job object', async () => {
  const id = await submitJob(server, TO_GEOJSON, roads);
  const answer = await get(server, `/result/status/${id}`);
  assert.deepEqual([answer.status, answer.mediaType, answer.json().job_id], [200, 'application/json', id]);
});

test('GET /result/status/{job_id} | response | 404 for an unknown job', async () => {
  problemOf(await get(server, '/result/status/00000000-0000-4000-8000-000000000000'), 404);
  problemOf(await get(server, '/result/output/no-such-job'), 404);
});

test('GET /result/output/{job_id} | response | a file by default', async () => {
  const id = await submitJob(server, TO_GEOJSON, roads);
  await pollToEnd(server, id);
  const answer = await get(server, `/result/output/${id}`);
  assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="roads.geojson"');
  assert.equal(Number(answer.headers.get('content-length')), answer.bytes.length);
  assert.equal(featuresOf(answer.text).length, 3);
});

test('GET /result/output/{job_id} | response | inline JSON if to_file is false and the format is geojson', async () => {
  const id = await submitJob(server, { ...TO_GEOJSON, output: { format: 'geojson', to_file: false } }, roads);
  await pollToEnd(server, id);
  const answer = await get(server, `/result/output/${id}`);
  assert.deepEqual([answer.status, answer.mediaType], [200, 'application/json']);
});

test('GET /result/output/{job_id} | response | can be requested again, with HEAD, ranges and If-None-Match', async () => {
  const { jobId, text, bytes } = await convert(server, TO_GEOJSON, roads);
  const path = `/result/output/${jobId}`;
  const first = await get(server, path);
  assert.equal(first.text, text);
  const head = await send(server, path, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  const range = await send(server, path, { headers: { range: 'bytes=10-19' } });
  assert.deepEqual([range.status, range.text], [206, bytes.subarray(10, 20).toString()]);
  const etag = first.headers.get('etag') ?? '';
  assert.equal((await send(server, path, { headers: { 'if-none-match': etag } })).status, 304);
});

test('GET /result/output/{job_id} | response | 409 before SUCCESS, with the error of a failed job', async () => {
  const id = await submitJob(server, TO_GEOJSON, { name: 'a.geojson', content: 'no GeoJSON' });
  await pollToEnd(server, id);
  const { detail } = problemOf(await get(server, `/result/output/${id}`), 409);
  assert.match(String(detail), /FAILED.*GeoJSON/);
});

async function returned(format: string): Promise<[mediaType: string | null, fileName: string | null]> {
  const { headers, fileName } = await convert(server, { ...TO_GEOJSON, output: { format } }, roads);
  return [headers.get('content-type'), fileName];
}

test('Returned file | geojson | .geojson, application/geo+json', async () => {
  assert.deepEqual(await returned('geojson'), ['application/geo+json', 'roads.geojson']);
});

test('Returned file | shp | .zip archive, application/zip', async () => {
  assert.deepEqual(await returned('shp'), ['application/zip', 'roads.zip']);
});

test('Returned file | dxf | .dxf file, image/vnd.dxf', async () => {
  assert.deepEqual(await returned('dxf'), ['image/vnd.dxf', 'roads.dxf']);
});

test('Returned file | gpkg | .gpkg file, application/geopackage+sqlite', async () => {
  assert.deepEqual(await returned('gpkg'), ['application/geopackage+sqlite', 'roads.gpkg']);
});

test('Returned file | csv | a single .csv file, text/csv', async () => {
  assert.deepEqual(await returned('csv'), ['text/csv; charset=utf-8; header=present', 'roads.csv']);
});

test('Returned file | inline GeoJSON | a FeatureCollection, geometry and properties in each feature, no file', async () => {
  const output = { format: 'geojson', to_file: false };
  const answer = await convert(server, { ...TO_GEOJSON, output }, roads);
  assert.deepEqual([answer.mediaType, answer.headers.get('content-disposition')], ['application/json', null]);
  for (const { geometry, properties } of featuresOf(answer.text))
    assert.ok(typeof geometry === 'object' && typeof properties === 'object');
});

test('Accepted input_file | geojson | a .geojson file in UTF-8, always EPSG:4326', async () => {
  const text =
    '{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:25832"}},"features":[{"type":"Feature","properties":{"name":"Südkai"},"geometry":{"type":"Point","coordinates":[8,50]}}]}';
  const [{ geometry, properties }] = featuresOf(
    (await convert(server, TO_GEOJSON, { name: 'a.geojson', content: text })).text,
  );
  assert.deepEqual([geometry?.coordinates, properties.name], [[8, 50], 'Südkai']);
});

test('Accepted input_file | geojson | coordinates out of range with a crs member of another CRS: the job fails and names the feature', async () => {
  const document = { ...JSON.parse(String(geojsonFile(point(1, 1), point(500000, 5500000)).content)) };
  const crs = { type: 'name', properties: { name: 'EPSG:25832' } };
  const file = { name: 'a.geojson', content: JSON.stringify({ ...document, crs }) };
  assert.match(await failedError(server, TO_GEOJSON, file), /feature 2.*500000, 5500000.*input\.epsg/);
});

test('Accepted input_file | geojson | inline JSON bodies are not supported, a file is required', async () => {
  problemOf(
    await postJson(server, '/transform', { ...TO_GEOJSON, ...JSON.parse(String(roads.content)) }),
    415,
  );
});

test('Accepted input_file | shp | a .zip with .shp, .shx, .dbf, .prj', async () => {
  const { text } = await convert(server, { ...TO_GEOJSON, input: { format: 'shp' } }, await shpFile());
  assert.deepEqual(
    featuresOf(text).map(({ properties }) => properties),
    [
      { name: 'first', number: 1 },
      { name: 'second', number: 2 },
    ],
  );
});

test('Accepted input_file | shp | the CRS is read from .prj', async () => {
  const config = { input: { format: 'shp' }, output: { format: 'geojson' } };
  const file = await shpFile({ prj: UTM32_ESRI, rows: [['first', '1']] });
  const [first] = featuresOf((await convert(server, config, file)).text);
  const [x, y] = extentOf(first);
  assert.ok(Math.abs(x - 4.5113) < 0.001 && Math.abs(y) < 0.001, `${x} ${y}`);
});

test('Accepted input_file | dxf | a .dxf file', async () => {
  const config = { input: { format: 'dxf', epsg: 4326 }, output: { format: 'geojson' } };
  const file = dxfFile(dxfPoint(8, 50), dxfLine([8, 50], [9, 51]));
  const types = featuresOf((await convert(server, config, file)).text).map(({ geometry }) => geometry?.type);
  assert.deepEqual(types, ['Point', 'LineString']);
});

test('Accepted input_file | dxf | input.epsg is mandatory', async () => {
  const config = { input: { format: 'dxf' }, output: { format: 'csv' } };
  assert.match(
    await refusal(server, config, dxfFile(dxfPoint(8, 50))),
    /field 'input\.epsg' is required for dxf/,
  );
});

test('Accepted input_file | gpkg | can have several geometry types', async () => {
  const gpkg = await convert(server, { ...TO_GEOJSON, output: { format: 'gpkg' } }, roads);
  const config = { input: { format: 'gpkg' }, output: { format: 'geojson' } };
  const { text } = await convert(server, config, { name: 'mixed.gpkg', content: gpkg.bytes });
  const types = featuresOf(text).map(({ geometry }) => geometry?.type);
  assert.deepEqual(types, ['Point', 'LineString', 'Polygon']);
});

test('Accepted input_file | gpkg | the CRS is read from the file', async () => {
  const sql = `INSERT INTO gpkg_spatial_ref_sys VALUES ('UTM 32', 25832, 'EPSG', 25832, '${UTM32_ESRI}', NULL);
    UPDATE gpkg_contents SET srs_id = 25832; UPDATE gpkg_geometry_columns SET srs_id = 25832;`;
  const file = await gpkgFile([[500000, 0, 'first', 1]], sql);
  const config = { input: { format: 'gpkg' }, output: { format: 'geojson' } };
  const [{ geometry }] = featuresOf((await convert(server, config, file)).text);
  assert.deepEqual(geometry?.coordinates, [9, 0]);
});

test('Accepted input_file | csv | a .csv file', async () => {
  const config = { input: { format: 'csv', epsg: 4326 }, output: { format: 'geojson' } };
  const { text } = await convert(server, config, csvFile('name,geom_wkt', 'first,POINT (8 50)'));
  assert.deepEqual(featuresOf(text)[0].properties, { name: 'first' });
});

test('Accepted input_file | media types | all media types of the examples are accepted', async () => {
  const files = [
    ['geojson', roads, 'application/geo+json'],
    ['shp', await shpFile(), 'application/zip'],
    ['dxf', dxfFile(dxfPoint(8, 50)), 'application/dxf'],
    ['gpkg', await gpkgFile(), 'application/geopackage+sqlite'],
    ['csv', csvFile('geom_wkt', 'POINT (8 50)'), 'text/csv'],
  ] as const;
  for (const [format, { name, content }, mediaType] of files) {
    const epsg = format === 'dxf' || format === 'csv' ? { epsg: 4326 } : {};
    const config = JSON.stringify({ input: { format, ...epsg }, output: { format: 'shp' } });
    const parts = [
      ['config', config],
      ['input_file', content, name, mediaType],
    ] as const;
    const answer = await postForm(server, '/transform', parts, { prefer: 'wait=60' });
    assert.equal(answer.status, 200, answer.text);
    assert.ok((await zipMembers(answer.bytes)).size >= 4, format);
  }
});
