/** Specification, "Merge" and its rules. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  type Converted,
  convertJson,
  convertVersioned,
  type File,
  type FormPart,
  postForm,
  postJson,
  problemOf,
  refusalVersioned,
} from '../../../../../test/support/spec/client.ts';
import {
  collection,
  dxfFile,
  dxfPoint,
  geojsonFile,
  gpkgFile,
  MIXED,
  point,
  shpFile,
  square,
} from '../../../../../test/support/spec/inputs.ts';
import {
  askGeopackage,
  csvRows,
  dbfTable,
  extentOf,
  featuresOf,
  MEDIA_TYPES,
  shpRecords,
  zipMembers,
} from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const TO_GEOJSON = { output_format: 'geojson' };

function parts(config: unknown, ...files: readonly File[]): FormPart[] {
  return [
    ['config', JSON.stringify(config)],
    ...files.map(({ name, content }) => ['files', content, name] as const),
  ];
}

function merge(format: string, config: unknown, ...files: readonly File[]): Promise<Converted> {
  return convertVersioned(server, `/v1/transform/${format}/merge`, parts(config, ...files));
}

function refused(format: string, config: unknown, ...files: readonly File[]): Promise<string> {
  return refusalVersioned(server, `/v1/transform/${format}/merge`, parts(config, ...files));
}

test('Merge | response | the merged output in the requested output format', async () => {
  for (const [output_format, mediaType] of Object.entries(MEDIA_TYPES)) {
    const { mediaType: found } = await merge('gpkg', { output_format }, await gpkgFile(), await gpkgFile());
    assert.equal(found, mediaType);
  }
});

test('Merge | files | all have one format; a file of another format is rejected and named', async () => {
  const stranger = { ...geojsonFile(point(1, 2)), name: 'stranger.geojson' };
  const answer = await postForm(
    server,
    '/v1/transform/shp/merge',
    parts(TO_GEOJSON, await shpFile(), stranger),
  );
  assert.match(String(problemOf(answer, 400).detail), /stranger\.geojson/);
});

test('Merge | output | geometry only, no attribute data', async () => {
  const { text } = await merge('shp', TO_GEOJSON, await shpFile(), await shpFile());
  const features = featuresOf(text);
  assert.equal(features.length, 4);
  for (const { properties } of features) assert.deepEqual(properties ?? {}, {});
  const { bytes } = await merge('gpkg', { output_format: 'gpkg' }, await gpkgFile(), await gpkgFile());
  const [[{ table_name }]] = askGeopackage(bytes, 'SELECT table_name FROM gpkg_contents');
  const [columns] = askGeopackage(bytes, `SELECT name FROM pragma_table_info('${table_name}')`);
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['fid', 'geom'],
  );
});

test('Merge, GeoJSON body | input_geojson_list | an array of FeatureCollections', async () => {
  const body = {
    ...TO_GEOJSON,
    input_geojson_list: [collection(point(1, 1)), collection(point(2, 2), point(3, 3))],
  };
  const { text } = await convertJson(server, '/v1/transform/geojson/merge', body);
  assert.deepEqual(
    featuresOf(text).map((feature) => extentOf(feature)[0]),
    [1, 2, 3],
  );
});

test('Merge, GeoJSON body | input_geojson_list | 400 with the reason if it is missing', async () => {
  const answer = await postJson(server, '/v1/transform/geojson/merge', TO_GEOJSON);
  assert.match(String(problemOf(answer, 400).detail), /'input_geojson_list' in the body is required/);
});

test('Merge, GeoJSON body | target_geojson | an additional input, and the first one', async () => {
  const body = {
    ...TO_GEOJSON,
    input_geojson_list: [collection(point(2, 2))],
    target_geojson: collection(point(1, 1)),
  };
  const { text } = await convertJson(server, '/v1/transform/geojson/merge', body);
  assert.deepEqual(
    featuresOf(text).map((feature) => extentOf(feature)[0]),
    [1, 2],
  );
});

test('Merge, GeoJSON body | output_format and output_crs | as in the other operations', async () => {
  const input_geojson_list = [collection(point(9, 0)), collection(point(9, 0))];
  const body = { input_geojson_list, output_format: 'csv', output_crs: 'EPSG:25832' };
  const rows = csvRows((await convertJson(server, '/v1/transform/geojson/merge', body)).text);
  assert.equal(rows.length, 2);
  for (const { geom_wkt } of rows) assert.match(geom_wkt, /^POINT \(500000(\.0\d*)? /);
});

test('Merge, form | files | one or more, as repeated parts; missing: 400', async () => {
  const files = [1, 2, 3].map((n) => geojsonFile(point(n, n)));
  assert.equal(featuresOf((await merge('geojson', TO_GEOJSON, ...files)).text).length, 3);
  assert.match(await refused('geojson', TO_GEOJSON), /part 'files' is missing/);
});

test('Merge, form | config | transformations are applied after the merge', async () => {
  const config = { ...TO_GEOJSON, transformations: [{ type: 'union' }] };
  const { text } = await merge('geojson', config, geojsonFile(square(0, 0, 1)), geojsonFile(square(1, 0, 1)));
  assert.deepEqual(featuresOf(text).map(extentOf), [[0, 0, 2, 1]]);
});

test('Merge, form | input_crs_mapping | required for dxf', async () => {
  const file = dxfFile(dxfPoint(9, 0));
  assert.match(await refused('dxf', TO_GEOJSON, file, file), /field 'input_crs_mapping' is required for dxf/);
});

test('Merge, form | input_crs_mapping | one CRS for all files', async () => {
  const file = dxfFile(dxfPoint(500000, 0));
  const config = { output_format: 'csv', input_crs_mapping: 'EPSG:25832' };
  assert.deepEqual(
    csvRows((await merge('dxf', config, file, file)).text).map(({ geom_wkt }) => geom_wkt),
    ['POINT (9 0)', 'POINT (9 0)'],
  );
});

test('Merge, form | input_crs_mapping | a list in the order of the files', async () => {
  const file = dxfFile(dxfPoint(500000, 0));
  const config = { output_format: 'csv', input_crs_mapping: ['EPSG:25832', 'EPSG:25833'] };
  const eastings = csvRows((await merge('dxf', config, file, file)).text).map(({ geom_wkt }) => geom_wkt);
  assert.equal(eastings[0], 'POINT (9 0)');
  assert.match(eastings[1], /^POINT \((15|15\.0{6}\d*|14\.9{6}\d*) /);
});

test('Merge, form | input_crs_mapping | a list of another length is rejected with both numbers', async () => {
  const file = dxfFile(dxfPoint(9, 0));
  const config = { ...TO_GEOJSON, input_crs_mapping: ['EPSG:4326'] };
  assert.match(await refused('dxf', config, file, file, file), /'input_crs_mapping' lists 1 CRS for 3 files/);
});

test('Merge rules | 1 | mixed geometry types in the input are supported', async () => {
  const files = MIXED.map((feature) => geojsonFile(feature));
  const types = featuresOf((await merge('geojson', TO_GEOJSON, ...files)).text).map(
    ({ geometry }) => geometry?.type,
  );
  assert.deepEqual(types, ['Point', 'LineString', 'Polygon']);
});

test('Merge rules | 2 | shp output has one shapefile for each kind: points, lines, polygons', async () => {
  const { bytes } = await merge(
    'geojson',
    { output_format: 'shp' },
    ...MIXED.map((feature) => geojsonFile(feature)),
  );
  const members = [...(await zipMembers(bytes))].filter(([name]) => name.endsWith('.shp'));
  const types = members.map(([name, shp]) => [/_(\w+)\.shp$/.exec(name)?.[1], shpRecords(shp)[0].type]);
  assert.deepEqual(types.sort(), [
    ['lines', 3],
    ['points', 1],
    ['polygons', 5],
  ]);
});

test('Merge rules | 3 | several output files are packaged in one zip', async () => {
  const answer = await merge(
    'geojson',
    { output_format: 'shp' },
    ...MIXED.map((feature) => geojsonFile(feature)),
  );
  assert.equal(answer.mediaType, 'application/zip');
  const members = await zipMembers(answer.bytes);
  for (const kind of ['points', 'lines', 'polygons'])
    for (const ending of ['shp', 'shx', 'dbf', 'prj'])
      assert.ok(
        [...members.keys()].some((name) => name.endsWith(`_${kind}.${ending}`)),
        `${kind}.${ending}`,
      );
  const [, dbf] = [...members].find(([name]) => name.endsWith('_points.dbf'))!;
  assert.equal(dbfTable(dbf).rows.length, 1);
});
