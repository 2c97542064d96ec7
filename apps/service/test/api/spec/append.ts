/** Specification, "Append" and its rules. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import {
  type Converted,
  convertJson,
  convertVersioned,
  type File,
  type FormPart,
  type Json,
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
  point,
  shpFile,
  square,
  UTM32_ESRI,
} from '../../../../../test/support/spec/inputs.ts';
import {
  askGeopackage,
  csvRows,
  dbfTable,
  extentOf,
  featuresOf,
  MEDIA_TYPES,
  zipMembers,
} from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();

function parts(config: unknown, target: File | null, ...files: readonly File[]): FormPart[] {
  return [
    ...(target === null ? [] : [['file', target.content, target.name] as const]),
    ...files.map(({ name, content }) => ['files', content, name] as const),
    ['config', JSON.stringify(config)],
  ];
}

function append(
  format: string,
  config: unknown,
  target: File,
  ...files: readonly File[]
): Promise<Converted> {
  return convertVersioned(server, `/v1/transform/${format}/append`, parts(config, target, ...files));
}

const TO_GEOJSON = { output_format: 'geojson' };

test('Append | response | the appended output in the requested output format', async () => {
  for (const [output_format, mediaType] of Object.entries(MEDIA_TYPES)) {
    const answer = await append('shp', { output_format }, await shpFile(), await shpFile());
    assert.equal(answer.mediaType, mediaType);
    if (output_format === 'csv') assert.equal(csvRows(answer.text).length, 4);
    if (output_format === 'gpkg')
      assert.equal(askGeopackage(answer.bytes, 'SELECT name FROM roads')[0].length, 4);
    if (output_format !== 'shp') continue;
    const dbf = (await zipMembers(answer.bytes)).get('roads.dbf');
    assert.equal(dbfTable(dbf!).rows.length, 4);
  }
});

test('Append | files | all have one format; a file of another format is rejected and named', async () => {
  const answer = await postForm(
    server,
    '/v1/transform/shp/append',
    parts(TO_GEOJSON, await shpFile(), { ...geojsonFile(point(1, 2)), name: 'stranger.geojson' }),
  );
  assert.match(String(problemOf(answer, 400).detail), /stranger\.geojson/);
});

test('Append, GeoJSON body | append_geojson_list | an array of FeatureCollections to add', async () => {
  const body = {
    ...TO_GEOJSON,
    target_geojson: collection(point(1, 1, { name: 'a' })),
    append_geojson_list: [collection(point(2, 2, { name: 'b' })), collection(point(3, 3, { name: 'c' }))],
  };
  const { text } = await convertJson(server, '/v1/transform/geojson/append', body);
  assert.deepEqual(
    featuresOf(text).map(({ properties }) => properties.name),
    ['a', 'b', 'c'],
  );
});

test('Append, GeoJSON body | append_geojson_list | 400 with the reason if it is missing or empty', async () => {
  const target_geojson = collection(point(1, 1));
  for (const more of [{}, { append_geojson_list: [] }]) {
    const answer = await postJson(server, '/v1/transform/geojson/append', {
      ...TO_GEOJSON,
      target_geojson,
      ...more,
    });
    assert.match(
      String(problemOf(answer, 400).detail),
      /'append_geojson_list' in the body is (required|empty)/,
    );
  }
});

test('Append, GeoJSON body | target_geojson | the existing dataset; it is first, and required', async () => {
  const append_geojson_list = [collection(point(2, 2, { name: 'b' }))];
  const target_geojson = collection(point(1, 1, { name: 'a' }));
  const body = { append_geojson_list, target_geojson, ...TO_GEOJSON };
  const [first] = featuresOf((await convertJson(server, '/v1/transform/geojson/append', body)).text);
  assert.equal(first.properties.name, 'a');
  const answer = await postJson(server, '/v1/transform/geojson/append', {
    append_geojson_list,
    ...TO_GEOJSON,
  });
  assert.match(String(problemOf(answer, 400).detail), /'target_geojson' in the body is required/);
});

test('Append, GeoJSON body | output_format and output_crs | as in the other operations', async () => {
  const body = {
    target_geojson: collection(point(9, 0)),
    append_geojson_list: [collection(point(9, 0))],
    output_format: 'csv',
    output_crs: 'EPSG:25832',
  };
  const rows = csvRows((await convertJson(server, '/v1/transform/geojson/append', body)).text);
  assert.equal(rows.length, 2);
  for (const { geom_wkt } of rows) assert.match(geom_wkt, /^POINT \(500000(\.0\d*)? /);
});

test('Append, form | file | the target; missing: 400', async () => {
  const form = parts(TO_GEOJSON, null, await gpkgFile());
  assert.match(await refusalVersioned(server, '/v1/transform/gpkg/append', form), /part 'file' is missing/);
});

test('Append, form | files | one or more, as repeated parts; missing: 400', async () => {
  const target = await gpkgFile([[0, 0, 'target', 0]]);
  const more = await Promise.all([1, 2, 3].map((n) => gpkgFile([[n, n, `more ${n}`, n]])));
  const { text } = await append('gpkg', TO_GEOJSON, target, ...more);
  assert.deepEqual(
    featuresOf(text).map(({ properties }) => properties.name),
    ['target', 'more 1', 'more 2', 'more 3'],
  );
  assert.match(
    await refusalVersioned(server, '/v1/transform/gpkg/append', parts(TO_GEOJSON, target)),
    /part 'files' is missing/,
  );
});

test('Append, form | config | transformations are applied to target and appended features together', async () => {
  const transformations = [{ type: 'union' }];
  const file = geojsonFile(square(0, 0, 1));
  const { text } = await append(
    'geojson',
    { ...TO_GEOJSON, transformations },
    file,
    geojsonFile(square(1, 0, 1)),
  );
  assert.deepEqual(featuresOf(text).map(extentOf), [[0, 0, 2, 1]]);
});

test('Append, form | shp | the uploaded files are zip archives', async () => {
  const target = await shpFile({ rows: [['a', '1']] });
  const { text } = await append('shp', TO_GEOJSON, target, await shpFile({ rows: [['b', '2']] }));
  assert.deepEqual(
    featuresOf(text).map(({ properties }) => properties),
    [
      { name: 'a', number: 1 },
      { name: 'b', number: 2 },
    ],
  );
});

test('Append rules | 1 | fields with the same name are appended to that field, in the type of the target', async () => {
  const target = await gpkgFile([[0, 0, 'a', 1]]);
  const more = await gpkgFile([[1, 1, 'b', 2]]);
  const { bytes } = await append('gpkg', { output_format: 'gpkg' }, target, more);
  const [rows] = askGeopackage(bytes, 'SELECT name, number FROM roads ORDER BY fid');
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { name: 'a', number: 1 },
      { name: 'b', number: 2 },
    ],
  );
});

test('Append rules | 1 | a value that the type of the target cannot store becomes null and is counted in a warning', async () => {
  const more = geojsonFile(point(2, 2, { number: 'many' }), point(3, 3, { number: '7' }));
  const { text, jobId } = await append('geojson', TO_GEOJSON, geojsonFile(point(1, 1, { number: 1 })), more);
  assert.deepEqual(
    featuresOf(text).map(({ properties }) => properties.number),
    [1, null, 7],
  );
  const { count, params } = (await warningsOf(server, jobId)).get('VALUE_NOT_APPENDED') as Json;
  assert.deepEqual([count, params.field], [1, 'number']);
});

test('Append rules | 1 | names are compared exactly, then without letter case', async () => {
  const { text } = await append(
    'geojson',
    TO_GEOJSON,
    geojsonFile(point(1, 1, { Name: 'a' })),
    geojsonFile(point(2, 2, { NAME: 'b' })),
  );
  assert.deepEqual(
    featuresOf(text).map(({ properties }) => properties),
    [{ Name: 'a' }, { Name: 'b' }],
  );
});

test('Append rules | 2 | fields whose names do not match the target are dropped, and named in a warning', async () => {
  const { text, jobId } = await append(
    'geojson',
    TO_GEOJSON,
    geojsonFile(point(1, 1, { name: 'a' })),
    geojsonFile(point(2, 2, { name: 'b', depth: 3 })),
  );
  assert.deepEqual(featuresOf(text)[1].properties, { name: 'b' });
  assert.match(JSON.stringify([...(await warningsOf(server, jobId)).values()]), /depth/);
});

test('Append rules | 3 | input_crs is the CRS of the target for formats without one; required for dxf', async () => {
  const target = dxfFile(dxfPoint(500000, 0));
  const more = dxfFile(dxfPoint(9, 1));
  const config = { ...TO_GEOJSON, append_crs_mapping: 'EPSG:4326' };
  assert.match(
    await refusalVersioned(server, '/v1/transform/dxf/append', parts(config, target, more)),
    /field 'input_crs' is required for dxf/,
  );
  const { text } = await append('dxf', { ...config, input_crs: 'EPSG:25832' }, target, more);
  assert.deepEqual(
    featuresOf(text).map((feature) =>
      extentOf(feature)
        .slice(0, 2)
        .map((x) => Math.round(x * 1e9) / 1e9),
    ),
    [
      [9, 0],
      [9, 1],
    ],
  );
});

test('Append rules | 3 | append_crs_mapping: one CRS for all append files', async () => {
  const config = { output_format: 'csv', input_crs: 'EPSG:4326', append_crs_mapping: 'EPSG:25832' };
  const inUtm = dxfFile(dxfPoint(500000, 0));
  const { text } = await append('dxf', config, dxfFile(dxfPoint(9, 0)), inUtm, inUtm);
  assert.deepEqual(new Set(csvRows(text).map(({ geom_wkt }) => geom_wkt)), new Set(['POINT (9 0)']));
});

test('Append rules | 3 | append_crs_mapping: a list in the order of the files', async () => {
  const config = {
    output_format: 'csv',
    input_crs: 'EPSG:4326',
    append_crs_mapping: ['EPSG:25832', 'EPSG:25833'],
  };
  const file = dxfFile(dxfPoint(500000, 0));
  const { text } = await append('dxf', config, dxfFile(dxfPoint(1, 0)), file, file);
  assert.deepEqual(
    csvRows(text).map(({ geom_wkt }) => geom_wkt),
    ['POINT (1 0)', 'POINT (9 0)', 'POINT (15 0)'],
  );
});

test('Append rules | 3 | append_crs_mapping: required for dxf and csv', async () => {
  const config = { ...TO_GEOJSON, input_crs: 'EPSG:4326' };
  const file = dxfFile(dxfPoint(9, 0));
  assert.match(
    await refusalVersioned(server, '/v1/transform/dxf/append', parts(config, file, file)),
    /field 'append_crs_mapping' is required for dxf/,
  );
  const csv = csvFile('geom_wkt', 'POINT (9 0)');
  assert.match(
    await refusalVersioned(server, '/v1/transform/csv/append', parts(config, csv, csv)),
    /field 'append_crs_mapping' is required for csv/,
  );
});

test('Append rules | 3 | append_crs_mapping: a list of another length is rejected with both numbers', async () => {
  const file = dxfFile(dxfPoint(9, 0));
  const config = {
    ...TO_GEOJSON,
    input_crs: 'EPSG:4326',
    append_crs_mapping: ['EPSG:4326', 'EPSG:4326', 'EPSG:4326'],
  };
  assert.match(
    await refusalVersioned(server, '/v1/transform/dxf/append', parts(config, file, file, file)),
    /'append_crs_mapping' lists 3 CRS for 2 files/,
  );
});

test('Append rules | CRS | files that define their CRS are reprojected to the CRS of the target', async () => {
  const target = await shpFile({ rows: [['a', '1']] });
  const inUtm = await shpFile({ rows: [['b', '2']], prj: UTM32_ESRI });
  const [first, second] = featuresOf((await append('shp', TO_GEOJSON, target, inUtm)).text);
  assert.deepEqual(extentOf(first).slice(0, 2), [0, 1]);
  assert.ok(Math.abs(extentOf(second)[0] - 4.5113) < 0.001, JSON.stringify(second));
});
