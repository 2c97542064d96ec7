/** Specification, "Readers: format rules" and the CSV rules. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import { convert, type File, failedError, refusal } from '../../../../../test/support/spec/client.ts';
import {
  csvFile,
  dxfFile,
  dxfPoint,
  type GeojsonFeature,
  geojsonFile,
  gpkgFile,
  point,
  shpFile,
  UTM32_ESRI,
} from '../../../../../test/support/spec/inputs.ts';
import { extentOf, featuresOf } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();

async function read(input: object, file: File): Promise<readonly GeojsonFeature[]> {
  return featuresOf((await convert(server, { input, output: { format: 'geojson' } }, file)).text);
}

function fails(input: object, file: File): Promise<string> {
  return failedError(server, { input, output: { format: 'geojson' } }, file);
}

const readCsv = (...lines: readonly string[]) => read({ format: 'csv', epsg: 4326 }, csvFile(...lines));

test('Readers | geojson | always EPSG:4326', async () => {
  const [{ geometry }] = await read({ format: 'geojson' }, geojsonFile(point(9, 50)));
  assert.deepEqual(geometry?.coordinates, [9, 50]);
});

test('Readers | shp | CRS from .prj', async () => {
  const [first] = await read({ format: 'shp' }, await shpFile({ prj: UTM32_ESRI, rows: [['a', '1']] }));
  const [x, y] = extentOf(first);
  assert.ok(x > 4.511 && x < 4.512 && y > 0 && y < 0.0001, `${x} ${y}`);
});

test('Readers | shp | without .prj the job fails with a message that names input.epsg; with input.epsg it is read', async () => {
  const file = await shpFile({ prj: null });
  assert.match(await fails({ format: 'shp' }, file), /prj.*'input\.epsg'/);
  assert.equal((await read({ format: 'shp', epsg: 4326 }, file)).length, 2);
});

test('Readers | shp | an invalid .prj fails with its reason', async () => {
  assert.match(
    await fails({ format: 'shp' }, await shpFile({ prj: 'PROJCS["nowhere"' })),
    /nowhere.*'input\.epsg'/,
  );
});

test('Readers | dxf | input.epsg required; the response body has a detail that says so', async () => {
  const config = { input: { format: 'dxf' }, output: { format: 'geojson' } };
  const detail = await refusal(server, config, dxfFile(dxfPoint(9, 50)));
  assert.equal(
    detail,
    "field 'input.epsg' is required for dxf: DXF does not store its CRS (EPSG:4326 for longitude and latitude)",
  );
});

test('Readers | gpkg | CRS from the file', async () => {
  const sql = `INSERT INTO gpkg_spatial_ref_sys VALUES ('UTM 32', 25832, 'EPSG', 25832, '${UTM32_ESRI}', NULL);
    UPDATE gpkg_geometry_columns SET srs_id = 25832; UPDATE gpkg_contents SET srs_id = 25832`;
  const [{ geometry }] = await read({ format: 'gpkg' }, await gpkgFile([[500000, 0, 'a', 1]], sql));
  assert.deepEqual(geometry?.coordinates, [9, 0]);
});

test('Readers | gpkg | without a CRS the job fails with a message that names input.epsg', async () => {
  const sql = 'UPDATE gpkg_geometry_columns SET srs_id = -1; UPDATE gpkg_contents SET srs_id = -1';
  const file = await gpkgFile([[9, 50, 'a', 1]], sql);
  assert.match(await fails({ format: 'gpkg' }, file), /'input\.epsg'/);
  assert.equal((await read({ format: 'gpkg', epsg: 4326 }, file)).length, 1);
});

test('Readers | gpkg | an input.epsg that contradicts the file is rejected', async () => {
  assert.match(await fails({ format: 'gpkg', epsg: 25832 }, await gpkgFile()), /25832.*WGS 84/);
});

test('Readers | csv | input_epsg or input.epsg is required', async () => {
  const config = { input: { format: 'csv' }, output: { format: 'geojson' } };
  const file = csvFile('geom_wkt', 'POINT (9 50)');
  assert.equal(
    await refusal(server, config, file),
    "field 'input.epsg' is required for csv: CSV does not store its CRS (EPSG:4326 for longitude and latitude)",
  );
  assert.equal((await read({ format: 'csv', epsg: 4326 }, file)).length, 1);
  const flat = { input_format: 'csv', input_epsg: 4326, output_format: 'geojson' };
  assert.equal(featuresOf((await convert(server, flat, file)).text).length, 1);
});

test('Readers | csv | the declared EPSG applies to all WKT coordinates', async () => {
  const file = csvFile('geom_wkt,n', 'POINT (500000 0),1', 'POINT (500000 0),2');
  for (const { geometry } of await read({ format: 'csv', epsg: 25832 }, file))
    assert.deepEqual(geometry?.coordinates, [9, 0]);
});

test('Readers | csv | an SRID in the WKT is accepted if it is the same CRS, and rejected otherwise', async () => {
  const file = csvFile('geom_wkt,n', 'SRID=25832;POINT (500000 0),1');
  const [{ geometry }] = await read({ format: 'csv', epsg: 25832 }, file);
  assert.deepEqual(geometry?.coordinates, [9, 0]);
  assert.match(await fails({ format: 'csv', epsg: 4326 }, file), /4326.*25832/);
});

test('CSV rules | 1 | a header row is required', async () => {
  const error = await fails({ format: 'csv', epsg: 4326 }, csvFile('POINT (9 50),first'));
  assert.match(error, /the first line has a position \('POINT \(9 50\)'\) instead of names/);
});

test('CSV rules | 2 | the delimiter is a comma', async () => {
  const [{ properties }] = await readCsv('a,b,geom_wkt', '1;2,x,POINT (9 50)');
  assert.deepEqual(properties, { a: '1;2', b: 'x' });
});

test('CSV rules | 3 | the geometry column is named geom_wkt, case-sensitive, and contains WKT', async () => {
  assert.equal((await readCsv('geom_wkt,GEOM_WKT', 'POINT (9 50),x'))[0].properties.GEOM_WKT, 'x');
  const error = await fails({ format: 'csv', epsg: 4326 }, csvFile('GEOM_WKT', 'somewhere'));
  assert.match(error, /geom_wkt.*GEOM_WKT/);
});

test('CSV rules | 4 | POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON', async () => {
  const geometries = [
    ['POINT (1 2)', 'Point'],
    ['LINESTRING (1 2,3 4)', 'LineString'],
    ['POLYGON ((0 0,4 0,4 4,0 0),(1 0.5,2 1,2 0.5,1 0.5))', 'Polygon'],
    ['MULTIPOINT ((1 2),(3 4))', 'MultiPoint'],
    ['MULTILINESTRING ((1 2,3 4),(5 6,7 8))', 'MultiLineString'],
    ['MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))', 'MultiPolygon'],
  ];
  const features = await readCsv('geom_wkt,n', ...geometries.map(([wkt], i) => `"${wkt}",${i}`));
  assert.deepEqual(
    features.map(({ geometry }) => geometry?.type),
    geometries.map(([, type]) => type),
  );
});

test('CSV rules | 5 | Z values are read, and kept if the output format supports them', async () => {
  const [{ geometry }] = await readCsv('geom_wkt,n', 'POINT Z (1 2 3),1');
  assert.deepEqual(geometry?.coordinates, [1, 2, 3]);
});

test('CSV rules | 6 | other columns are attributes', async () => {
  const [{ properties }] = await readCsv('name,geom_wkt,number,open', 'Südkai,POINT (9 50),7,true');
  assert.deepEqual(properties, { name: 'Südkai', number: 7, open: true });
});

test('CSV rules | 7 | transformations behave as for other inputs', async () => {
  const transformations = [{ type: 'buffer', params: { distance: 10, units: 'meters' } }];
  const output = { format: 'csv', epsg: 25832 };
  const config = { input: { format: 'csv', epsg: 4326 }, transformations, output };
  const csv = await convert(server, config, csvFile('geom_wkt', 'POINT (9 50)'));
  const geojson = await convert(
    server,
    { ...config, input: { format: 'geojson' } },
    geojsonFile(point(9, 50)),
  );
  assert.equal(csv.text, geojson.text);
});

test('CSV rules | on_error | skip drops bad rows and counts them', async () => {
  const input = { format: 'csv', epsg: 4326, csv_options: { on_error: 'skip' } };
  const file = csvFile('geom_wkt,n', 'POINT (1 2),1', 'POINT (nowhere),2', 'POINT (3 4),3');
  assert.deepEqual(
    (await read(input, file)).map(({ properties }) => properties.n),
    [1, 3],
  );
});
