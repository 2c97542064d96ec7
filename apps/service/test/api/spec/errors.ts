/** Specification, "Errors": each condition of the table, and the codes and bodies that it leaves open. */
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
  problemOf,
  send,
  submitJob,
  warningsOf,
} from '../../../../../test/support/spec/client.ts';
import {
  csvFile,
  dxfFile,
  dxfPoint,
  geojsonFile,
  gpkgFile,
  point,
  shpFile,
} from '../../../../../test/support/spec/inputs.ts';
import { featuresOf } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const output = { format: 'geojson' };
const CSV = { input: { format: 'csv', epsg: 4326 }, output };
const drawing = dxfFile(dxfPoint(9, 50));

test('Errors | DXF without input.epsg | the body is an object with a detail that says it is required', async () => {
  const answer = await postForm(
    server,
    '/transform',
    jobParts({ input: { format: 'dxf' }, output }, drawing),
  );
  assert.equal(
    problemOf(answer, 400).detail,
    "field 'input.epsg' is required for dxf: DXF does not store its CRS (EPSG:4326 for longitude and latitude)",
  );
});

test('Errors | DXF without a CRS | the versioned API does the same, with its own field name', async () => {
  const answer = await postForm(server, '/v1/transform/dxf', [
    ['file', drawing.content, drawing.name],
    ['config', '{"output_format":"geojson"}'],
  ]);
  assert.equal(
    problemOf(answer, 400).detail,
    "field 'input_crs' is required for dxf: DXF does not store its CRS (EPSG:4326 for longitude and latitude)",
  );
});

test('Errors | Job fails | status FAILED and an error string with details', async () => {
  const file = { name: 'a.geojson', content: '{"type":"FeatureCollection","features":[{"type":"Feature"' };
  const id = await submitJob(server, { input: { format: 'geojson' }, output }, file);
  const { status, error } = (await pollToEnd(server, id)).at(-1) ?? {};
  assert.equal(status, 'FAILED');
  assert.match(String(error), /byte \d+/);
});

test('Errors | CSV without the geometry column | fails with a reason and never with a 5xx', async () => {
  const file = csvFile('name,geom', 'first,round');
  assert.match(await failedError(server, CSV, file), /geom_wkt.*name.*geom/);
  const waited = await postForm(server, '/transform', jobParts(CSV, file), { prefer: 'wait=60' });
  problemOf(waited, 400);
});

test('Errors | CSV with invalid WKT in a row | fails with line, column and value, and never with a 5xx', async () => {
  const file = csvFile('name,geom_wkt', 'first,POINT (9 50)', 'second,POINT (9 north)');
  assert.match(await failedError(server, CSV, file), /line 3.*column.*POINT \(9 north\)/s);
  problemOf(await postForm(server, '/transform', jobParts(CSV, file), { prefer: 'wait=60' }), 400);
});

test('Errors | Shapefile with missing or invalid .prj | the job fails and says what to do', async () => {
  const config = { input: { format: 'shp' }, output };
  const reasons = [
    [null, /prj/],
    ['', /prj/],
    ['UNKNOWN["nothing"]', /it states UNKNOWN\["nothing"\], which cannot be used/],
  ] as const;
  for (const [prj, reason] of reasons) {
    const error = await failedError(server, config, await shpFile({ prj }));
    assert.match(error, reason);
    assert.match(error, /'input\.epsg'/);
  }
});

test('Errors | GeoPackage with missing or invalid CRS | the job fails and says what to do', async () => {
  const config = { input: { format: 'gpkg' }, output };
  for (const srsId of [-1, 0, 77]) {
    const sql = `UPDATE gpkg_geometry_columns SET srs_id = ${srsId}; UPDATE gpkg_contents SET srs_id = ${srsId}`;
    assert.match(
      await failedError(server, config, await gpkgFile(undefined, sql)),
      /input\.epsg/,
      String(srsId),
    );
  }
});

test('Errors | CSV delimiter mismatch | is detected in the header and reported, or fails; columns are never misaligned', async () => {
  const { text, jobId } = await convert(server, CSV, csvFile('name;geom_wkt', 'first;POINT (9 50)'));
  assert.deepEqual(featuresOf(text)[0].properties, { name: 'first' });
  assert.ok((await warningsOf(server, jobId)).size > 0);
  const options = { ...CSV, input: { ...CSV.input, csv_options: { delimiter: '|' } } };
  assert.match(
    await failedError(server, options, csvFile('name,geom_wkt', 'first,POINT (9 50)')),
    /geom_wkt/,
  );
});

test('Errors | CSV header mismatch | a row with more or fewer cells than the header fails with its line', async () => {
  const error = await failedError(server, CSV, csvFile('name,geom_wkt', 'a,POINT (1 2)', 'b,POINT (1 2),c'));
  assert.match(error, /line 3/);
});

test('Errors | CSV with the wrong EPSG | features are in a wrong location if the coordinates are valid in that CRS', async () => {
  const config = { input: { format: 'csv', epsg: 25833 }, output };
  const [{ geometry }] = featuresOf(
    (await convert(server, config, csvFile('geom_wkt', 'POINT (500000 0)'))).text,
  );
  assert.deepEqual(geometry?.coordinates, [15, 0]);
});

test('Errors | body shape | RFC 9457: type, title, status, detail, and errors with the path', async () => {
  const config = { input: { format: 'geojson' }, output: { format: 'pdf' } };
  const answer = await postForm(server, '/transform', jobParts(config, geojsonFile(point(1, 2))));
  const { type, title, status, detail, errors } = problemOf(answer, 400);
  assert.match(String(type), /^urn:geomill:error:[a-z-]+$/);
  assert.ok(String(title).length > 0);
  assert.equal(status, 400);
  assert.match(String(detail), /'pdf'/);
  assert.deepEqual(errors, [{ path: 'output.format', message: detail }]);
});

test('Errors | status codes | 404 for unknown paths and jobs, 405 with Allow for other methods', async () => {
  problemOf(await get(server, '/nothing'), 404);
  problemOf(await get(server, '/v1/jobs/unknown'), 404);
  const answer = await send(server, '/transform', { method: 'PUT', body: 'x' });
  problemOf(answer, 405);
  assert.equal(answer.headers.get('allow'), 'POST');
});

test('Errors | status codes | 415 for a body of another type', async () => {
  const init = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } };
  for (const path of ['/transform', '/v1/transform/shp', '/v1/transform/geojson'])
    problemOf(await send(server, path, init), 415);
});

test('Errors | status codes | a file of another format than the config states fails with the format that it looks like', async () => {
  const config = { input: { format: 'gpkg' }, output };
  assert.match(
    await failedError(server, config, geojsonFile(point(1, 2))),
    /roads\.geojson is not .*looks like/,
  );
});
