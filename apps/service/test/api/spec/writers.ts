/** Specification, "Writers: format rules": geojson, shp, gpkg, csv. What is judged are the bytes, and GDAL's opinion. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { outputFormats } from '../../../../../packages/formats/src/registry.ts';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import { type Converted, convert, refusal, warningsOf } from '../../../../../test/support/spec/client.ts';
import { feature, geojsonFile, MIXED, point } from '../../../../../test/support/spec/inputs.ts';
import {
  askGeopackage,
  blobPosition,
  csvRows,
  dbfTable,
  extentOf,
  featuresOf,
  noGdal,
  ogrinfo,
  shpRecords,
  wktNumbers,
  zipMembers,
} from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const dots = geojsonFile(
  point(9, 0, { name: 'Südkai', number: 7, share: 0.5, open: true, empty: null }),
  point(9, 0, { name: null, number: -1, share: 2, open: false, empty: null }),
);

function write(output: object, file = dots): Promise<Converted> {
  return convert(server, { input: { format: 'geojson' }, output }, file);
}

test('Writers | geojson | a .geojson in UTF-8', async () => {
  const { bytes, fileName, mediaType } = await write({ format: 'geojson' });
  assert.deepEqual([fileName, mediaType], ['roads.geojson', 'application/geo+json']);
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  assert.deepEqual(featuresOf(text)[0].properties, {
    name: 'Südkai',
    number: 7,
    share: 0.5,
    open: true,
    empty: null,
  });
});

test('Writers | geojson | a file if to_file is true, which is the default', async () => {
  for (const output of [{ format: 'geojson' }, { format: 'geojson', to_file: true }])
    assert.equal((await write(output)).fileName, 'roads.geojson');
});

test('Writers | geojson | inline JSON if to_file is false', async () => {
  const { fileName, mediaType, text } = await write({ format: 'geojson', to_file: false });
  assert.deepEqual([fileName, mediaType], [null, 'application/json']);
  assert.equal(featuresOf(text).length, 2);
});

test('Writers | geojson | inline is allowed only for geojson', async () => {
  for (const { id: format } of outputFormats.filter(({ jsonSchema }) => jsonSchema === null)) {
    const config = { input: { format: 'geojson' }, output: { format, to_file: false } };
    assert.match(await refusal(server, config, dots), /to_file/, format);
  }
});

test('Writers | geojson | always EPSG:4326, with a warning if another CRS is requested', async () => {
  const { text, jobId } = await write({ format: 'geojson', epsg: 25832 });
  assert.deepEqual(featuresOf(text)[0].geometry?.coordinates, [9, 0]);
  assert.ok(!('crs' in JSON.parse(text)));
  const codes = [...(await warningsOf(server, jobId)).keys()];
  assert.ok(
    codes.some((code) => /CRS/.test(code)),
    codes.join(),
  );
});

test('Writers | geojson | geojson_crs: "requested" writes the requested CRS with a crs member', async () => {
  const { text } = await write({ format: 'geojson', epsg: 25832, geojson_crs: 'requested' });
  const [x, y] = extentOf(featuresOf(text)[0]);
  assert.ok(Math.abs(x - 500000) < 1e-3 && Math.abs(y) < 1e-3, `${x} ${y}`);
  assert.match(JSON.stringify(JSON.parse(text).crs), /EPSG:+25832/);
});

test('Writers | shp | always a .zip with .shp, .shx, .dbf, .prj', async () => {
  const { bytes, mediaType } = await write({ format: 'shp' });
  const endings = [...(await zipMembers(bytes)).keys()].map((name) => name.replace(/^roads/, ''));
  assert.equal(mediaType, 'application/zip');
  for (const ending of ['.shp', '.shx', '.dbf', '.prj']) assert.ok(endings.includes(ending), ending);
});

test('Writers | shp | the .prj reflects output.epsg, and so do the coordinates', async () => {
  const members = await zipMembers((await write({ format: 'shp', epsg: 25832 })).bytes);
  assert.match(String(members.get('roads.prj')), /^PROJCS\["[^"]*UTM[^"]*32N"/i);
  const [{ type, content }] = shpRecords(members.get('roads.shp')!);
  assert.equal(type, 1);
  assert.ok(Math.abs(content.readDoubleLE(4) - 500000) < 1e-3);
});

test('Writers | shp | input attributes are kept in .dbf', async () => {
  const members = await zipMembers((await write({ format: 'shp' })).bytes);
  const { fields, rows } = dbfTable(members.get('roads.dbf')!);
  assert.deepEqual(
    fields.slice(0, 4).map(({ name, type }) => `${name} ${type}`),
    ['name C', 'number N', 'share N', 'open L'],
  );
  assert.deepEqual(
    [rows[0].name, rows[0].number, Number(rows[0].share), rows[0].open],
    ['Südkai', '7', 0.5, 'T'],
  );
});

test('Writers | shp | mixed geometries become one shapefile for each kind, in one zip', async () => {
  const members = [
    ...(await zipMembers((await write({ format: 'shp' }, geojsonFile(...MIXED))).bytes)).keys(),
  ];
  assert.deepEqual(members.filter((name) => name.endsWith('.shp')).sort(), [
    'roads_lines.shp',
    'roads_points.shp',
    'roads_polygons.shp',
  ]);
});

test('Writers | shp | GDAL reads the CRS, the fields and the features', { skip: noGdal }, async () => {
  const text = ogrinfo((await write({ format: 'shp', epsg: 25832 })).bytes, 'roads.zip', '/vsizip/');
  assert.match(text, /Geometry: Point\nFeature Count: 2\n/);
  assert.match(text, /PROJCRS\["ETRS89 \/ UTM zone 32N"/);
  assert.match(text, /name \(String\) = Südkai\n {2}number \(Integer\) = 7\n/);
});

test('Writers | gpkg | always a .gpkg file', async () => {
  const { bytes, fileName, mediaType } = await write({ format: 'gpkg' });
  assert.deepEqual([fileName, mediaType], ['roads.gpkg', 'application/geopackage+sqlite']);
  assert.equal(bytes.readUInt32BE(68), 0x47504b47, 'the application id says GPKG');
  const [[{ integrity_check }]] = askGeopackage(bytes, 'PRAGMA integrity_check');
  assert.equal(integrity_check, 'ok');
});

test('Writers | gpkg | CRS is output.epsg', async () => {
  const { bytes } = await write({ format: 'gpkg', epsg: 25832 });
  const [columns, crs, rows] = askGeopackage(
    bytes,
    'SELECT table_name, srs_id FROM gpkg_geometry_columns',
    'SELECT organization, organization_coordsys_id AS code FROM gpkg_spatial_ref_sys WHERE srs_id = 25832',
    'SELECT geom FROM roads',
  );
  assert.deepEqual({ ...columns[0] }, { table_name: 'roads', srs_id: 25832 });
  assert.deepEqual({ ...crs[0] }, { organization: 'EPSG', code: 25832 });
  const [x, y] = blobPosition(rows[0].geom);
  assert.ok(Math.abs(x - 500000) < 1e-3 && Math.abs(y) < 1e-3, `${x} ${y}`);
});

test('Writers | gpkg | input attributes are kept', async () => {
  const { bytes } = await write({ format: 'gpkg' });
  const [rows] = askGeopackage(bytes, 'SELECT name, number, share, open FROM roads ORDER BY rowid');
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { name: 'Südkai', number: 7, share: 0.5, open: 1 },
      { name: null, number: -1, share: 2, open: 0 },
    ],
  );
});

test('Writers | gpkg | GDAL reads the CRS, the fields and the features', { skip: noGdal }, async () => {
  const text = ogrinfo((await write({ format: 'gpkg', epsg: 25832 })).bytes, 'roads.gpkg');
  assert.match(text, /Feature Count: 2\n/);
  assert.match(text, /PROJCRS\["ETRS89 \/ UTM zone 32N"/);
  assert.match(text, /name \(String\) = Südkai\n {2}number \(Integer\) = 7\n/);
});

test('Writers | csv | a single .csv', async () => {
  const { fileName, headers, text } = await write({ format: 'csv' }, geojsonFile(...MIXED));
  assert.deepEqual(
    [fileName, headers.get('content-type')],
    ['roads.csv', 'text/csv; charset=utf-8; header=present'],
  );
  assert.equal(csvRows(text).length, 3);
});

test('Writers | csv | geometries are reprojected to output.epsg', async () => {
  const [row] = csvRows((await write({ format: 'csv', epsg: 25832 })).text);
  const [x, y] = wktNumbers(row.geom_wkt);
  assert.ok(Math.abs(x - 500000) < 1e-3 && Math.abs(y) < 1e-3, row.geom_wkt);
});

test('Writers | csv | geometries are WKT in a column named geom_wkt', async () => {
  const line = feature('LineString', [
    [1, 2],
    [3, 4.5],
  ]);
  const [row] = csvRows((await write({ format: 'csv' }, geojsonFile(line))).text);
  assert.match(row.geom_wkt, /^LINESTRING \(1 2, ?3 4\.5\)$/);
});

test('Writers | csv | attributes are plain text or numeric columns', async () => {
  const [first, second] = csvRows((await write({ format: 'csv' })).text);
  assert.deepEqual([first.name, first.number, Number(first.share)], ['Südkai', '7', 0.5]);
  assert.deepEqual([second.name, second.number, Number(second.share)], ['', '-1', 2]);
});
