/** Specification, "Versioned API": its flat config, /v1/transform/{format}, and what the design decides about it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  type Converted,
  convert,
  convertJson,
  convertVersioned,
  type File,
  type FormPart,
  get,
  postForm,
  postJson,
  problemOf,
  refusalVersioned,
  warningsOf,
} from '../../../../../test/support/spec/client.ts';
import {
  collection,
  csvFile,
  dxfFile,
  dxfPoint,
  geojsonFile,
  gpkgFile,
  MIXED,
  point,
  shpFile,
} from '../../../../../test/support/spec/inputs.ts';
import { csvRows, featuresOf, wktNumbers, zipMembers } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const roads = geojsonFile(...MIXED);

function parts(config: unknown, { name, content }: File): FormPart[] {
  return [
    ['file', content, name],
    ['config', JSON.stringify(config)],
  ];
}

function transform(format: string, config: unknown, file: File): Promise<Converted> {
  return convertVersioned(server, `/v1/transform/${format}`, parts(config, file));
}

function refused(format: string, config: unknown, file: File): Promise<string> {
  return refusalVersioned(server, `/v1/transform/${format}`, parts(config, file));
}

test('Config, versioned API | output_format | geojson, dxf, shp, gpkg', async () => {
  const types: Readonly<Record<string, string>> = {
    geojson: 'application/geo+json',
    dxf: 'image/vnd.dxf',
    shp: 'application/zip',
    gpkg: 'application/geopackage+sqlite',
  };
  for (const [output_format, mediaType] of Object.entries(types))
    assert.equal((await transform('geojson', { output_format }, roads)).mediaType, mediaType);
});

test('Config, versioned API | output_format | geopackage means gpkg', async () => {
  const { bytes, mediaType } = await transform('shp', { output_format: 'geopackage' }, await shpFile());
  assert.equal(mediaType, 'application/geopackage+sqlite');
  assert.equal(bytes.toString('latin1', 0, 15), 'SQLite format 3');
});

test('Config, versioned API | output_format | csv too, and any letter case', async () => {
  assert.equal((await transform('geojson', { output_format: 'csv' }, roads)).mediaType, 'text/csv');
  for (const output_format of ['GeoJSON', 'GEOJSON'])
    assert.equal((await transform('geojson', { output_format }, roads)).mediaType, 'application/geo+json');
});

test('Config, versioned API | output_format | required, and an unknown one is rejected with the supported ones', async () => {
  assert.match(await refused('geojson', {}, roads), /'output_format' is required/);
  assert.match(
    await refused('geojson', { output_format: 'gml' }, roads),
    /'output_format': unknown format 'gml'.*gpkg/,
  );
});

test('Config, versioned API | output_crs | EPSG:<code>', async () => {
  const config = { output_format: 'csv', output_crs: 'EPSG:25832' };
  const [{ geom_wkt }] = csvRows((await transform('geojson', config, geojsonFile(point(9, 0)))).text);
  assert.ok(Math.abs(wktNumbers(geom_wkt)[0] - 500000) < 1e-3, geom_wkt);
});

test('Config, versioned API | output_crs | any valid EPSG code; anything else is rejected', async () => {
  for (const output_crs of ['EPSG:2056', 'EPSG:28350', 'EPSG:3857', 'EPSG:4326'])
    assert.equal((await transform('geojson', { output_format: 'csv', output_crs }, roads)).status, 200);
  assert.match(
    await refused('geojson', { output_format: 'csv', output_crs: 'mercator' }, roads),
    /'output_crs'/,
  );
});

test('Config, versioned API | transformations | the same as in the job API', async () => {
  const transformations = [{ type: 'buffer', params: { distance: 10, units: 'feet' } }, { type: 'union' }];
  const versioned = await transform('geojson', { output_format: 'csv', transformations }, roads);
  const config = { input: { format: 'geojson' }, transformations, output: { format: 'csv' } };
  assert.equal(versioned.text, (await convert(server, config, roads)).text);
});

test('Config, versioned API | input_crs | CRS of a file that does not define one; required for dxf and csv', async () => {
  const drawing = dxfFile(dxfPoint(500000, 0));
  const config = { output_format: 'geojson' };
  assert.equal(
    await refused('dxf', config, drawing),
    "field 'input_crs' is required for dxf: DXF does not store its CRS (EPSG:4326 for longitude and latitude)",
  );
  assert.equal(
    await refused('csv', config, csvFile('geom_wkt', 'POINT (1 2)')),
    "field 'input_crs' is required for csv: CSV does not store its CRS (EPSG:4326 for longitude and latitude)",
  );
  const [{ geometry }] = featuresOf(
    (await transform('dxf', { ...config, input_crs: 'EPSG:25832' }, drawing)).text,
  );
  assert.deepEqual(geometry?.coordinates, [9, 0]);
});

test('Config, versioned API | input_crs | a conflict with the file is rejected', async () => {
  const config = { output_format: 'geojson', input_crs: 'EPSG:25832' };
  const answer = await postForm(server, '/v1/transform/gpkg', parts(config, await gpkgFile()));
  assert.match(String(problemOf(answer, 400).detail), /'input_crs' is EPSG:25832.*WGS 84/);
});

test('Config, versioned API | append_crs_mapping | only in append; elsewhere an unknown key, which is reported', async () => {
  const config = { output_format: 'geojson', append_crs_mapping: 'EPSG:25832' };
  const { jobId } = await transform('geojson', config, roads);
  assert.match(JSON.stringify((await warningsOf(server, jobId)).get('UNKNOWN_KEY')), /append_crs_mapping/);
});

test('Config, versioned API | input_crs_mapping | only in merge; elsewhere an unknown key, which is reported', async () => {
  const config = { output_format: 'geojson', input_crs_mapping: 'EPSG:25832' };
  const { jobId } = await transform('geojson', config, roads);
  assert.match(JSON.stringify((await warningsOf(server, jobId)).get('UNKNOWN_KEY')), /input_crs_mapping/);
});

test('POST /v1/transform/shp | payload | part file, a zip of the components, and part config', async () => {
  const { text } = await transform('shp', { output_format: 'geojson' }, await shpFile());
  assert.deepEqual(
    featuresOf(text).map(({ properties }) => properties.name),
    ['first', 'second'],
  );
  const [, config] = parts({ output_format: 'geojson' }, roads);
  assert.match(await refusalVersioned(server, '/v1/transform/shp', [config]), /part 'file' is missing/);
});

test('POST /v1/transform/shp | response | for dxf, shp and gpkg the file as binary', async () => {
  for (const [output_format, start] of [
    ['dxf', /^ *(999|0)\r?\n/],
    ['shp', /^PK/],
    ['gpkg', /^SQLite format 3/],
  ] as const) {
    const { bytes, headers } = await transform('shp', { output_format }, await shpFile());
    assert.match(bytes.toString('latin1', 0, 100), start);
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="roads\./);
  }
});

test('POST /v1/transform/shp | response | for geojson the GeoJSON in the body', async () => {
  const { mediaType, text } = await transform('shp', { output_format: 'geojson' }, await shpFile());
  assert.equal(mediaType, 'application/geo+json');
  assert.equal(featuresOf(text).length, 2);
});

test('POST /v1/transform/{format} | {format} | geojson, shp, dxf, gpkg, and csv by the same naming', async () => {
  const files: Readonly<Record<string, File>> = {
    geojson: geojsonFile(point(0, 1)),
    shp: await shpFile({ rows: [['first', '1']] }),
    dxf: dxfFile(dxfPoint(0, 1)),
    gpkg: await gpkgFile([[0, 1, 'first', 1]]),
    csv: csvFile('geom_wkt,n', 'POINT (0 1),1'),
  };
  for (const [format, file] of Object.entries(files)) {
    const crs = format === 'dxf' || format === 'csv' ? { input_crs: 'EPSG:4326' } : {};
    const { text } = await transform(format, { output_format: 'geojson', ...crs }, file);
    assert.deepEqual(featuresOf(text)[0].geometry, { type: 'Point', coordinates: [0, 1] }, format);
  }
});

test('POST /v1/transform/{format} | {format} | an unknown one is 404 with the supported ones', async () => {
  const answer = await postForm(server, '/v1/transform/gml', parts({ output_format: 'geojson' }, roads));
  assert.match(String(problemOf(answer, 404).detail), /gml.*geojson/);
});

test('POST /v1/transform/{format} | {format} | a file of another format is rejected with the format that it looks like', async () => {
  assert.match(
    await refused('gpkg', { output_format: 'geojson' }, await shpFile()),
    /roads\.zip is not .*looks like/,
  );
});

test('POST /v1/transform/{format} | {format} | an input_format that contradicts the path is rejected', async () => {
  assert.match(
    await refused('geojson', { input_format: 'shp', output_format: 'csv' }, roads),
    /'input_format' says shp, but the path of the request says geojson/,
  );
});

test('POST /v1/transform/geojson | request body | JSON: input_geojson next to the keys of the config', async () => {
  const body = { input_geojson: collection(...MIXED), output_format: 'csv', output_crs: 'EPSG:3857' };
  const { text } = await convertJson(server, '/v1/transform/geojson', body);
  assert.equal(
    text,
    (await transform('geojson', { output_format: 'csv', output_crs: 'EPSG:3857' }, roads)).text,
  );
});

test('POST /v1/transform/geojson | request body | multipart with file and config is accepted too', async () => {
  assert.equal(featuresOf((await transform('geojson', { output_format: 'geojson' }, roads)).text).length, 3);
});

test('POST /v1/transform/geojson | request body | to_file false: inline application/json', async () => {
  const body = { input_geojson: collection(...MIXED), output_format: 'geojson', to_file: false };
  const { mediaType, headers } = await convertJson(server, '/v1/transform/geojson', body);
  assert.deepEqual([mediaType, headers.get('content-disposition')], ['application/json', null]);
});

test('POST /v1/transform/geojson | request body | 400 with the reason if input_geojson is missing or truncated', async () => {
  const missing = await postJson(server, '/v1/transform/geojson', { output_format: 'csv' });
  assert.match(String(problemOf(missing, 400).detail), /'input_geojson' in the body is required/);
  const cut = await postJson(
    server,
    '/v1/transform/geojson',
    '{"output_format":"csv","input_geojson":{"type":',
  );
  assert.match(String(problemOf(cut, 400).detail), /input_geojson/);
});

test('POST /v1/transform/{format} | response headers | Metadata-*: formats, transformations, sizes', async () => {
  const transformations = [{ type: 'buffer', distance: 1, units: 'meters' }, { type: 'union' }];
  const { headers, bytes } = await transform('geojson', { output_format: 'shp', transformations }, roads);
  assert.equal(headers.get('metadata-input-format'), 'geojson');
  assert.equal(headers.get('metadata-output-format'), 'shp');
  assert.match(headers.get('metadata-transformations') ?? '', /^buffer, ?union$/);
  assert.equal(headers.get('metadata-request-size'), String(Buffer.byteLength(roads.content)));
  assert.equal(headers.get('metadata-response-size'), String(bytes.length));
  assert.ok((await zipMembers(bytes)).size > 0);
});

test('POST /v1/transform/{format} | response headers | a Link to the report', async () => {
  const { jobId } = await transform('geojson', { output_format: 'shp', note: 1 }, roads);
  assert.ok((await warningsOf(server, jobId)).has('UNKNOWN_KEY'));
  assert.equal((await get(server, `/result/status/${jobId}`)).json().status, 'SUCCESS');
});
