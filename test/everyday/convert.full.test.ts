/** Everyday conversions between formats, by the command that users try first. GDAL and ezdxf read the outputs. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { assertClose, geomill, type Layer, type Oracle, refusal, skip, startOracle } from './job.ts';

const oracle = skip === false ? await startOracle() : (null as unknown as Oracle);
test.after(() => oracle?.close());

const countsOf = (layers: readonly Layer[]): Record<string, number> =>
  Object.fromEntries(layers.map(({ name, features }) => [name, features.length]));

const ordinatesOf = (wkt: string): number[] => (wkt.match(/-?[\d.]+/g) ?? []).map(Number);

test('1: parcels of six national grids become drawings in their own grid', { skip }, async () => {
  for (const code of [28350, 25832, 2154, 27700, 3765, 31467]) {
    await geomill(`convert parcels-${code}.zip parcels-${code}.dxf`);
    const { errors, units, extent } = await oracle.drawing(`parcels-${code}.dxf`);
    assert.deepEqual({ errors, units }, { errors: 0, units: 6 }, `EPSG:${code}`);
    const [[west, south, east, north]] = await oracle.rows(
      `/vsizip/parcels-${code}.zip`,
      'SELECT min(ST_MinX(geometry)), min(ST_MinY(geometry)), max(ST_MaxX(geometry)), max(ST_MaxY(geometry)) FROM parcels',
    );
    for (const [i, edge] of [west, south, east, north].entries())
      assertClose(extent[i], edge as number, 1e-6);
  }
});

test('2: a drawing has a layer for each land use and the colours of a field', { skip }, async () => {
  await geomill(
    'convert parcels-25832.zip colours.dxf --out-layer-field landuse --out-color-field colour --out-hatch false',
  );
  const { errors, entities } = await oracle.drawing('colours.dxf');
  assert.equal(errors, 0);
  const colours = new Map(entities.map(({ layer, rgb, color }) => [layer, rgb?.join() ?? color]));
  assert.deepEqual(Object.fromEntries([...colours].sort()), {
    commercial: '0,255,0',
    park: '0,0,255',
    residential: '255,0,0',
    road: 3,
  });
});

test('3: a drawing of parcels has their land use as labels', { skip }, async () => {
  assert.match(await refusal('convert parcels-25832.zip labels.dxf --label landuse'), /--out-label-field/);
  await geomill('convert parcels-25832.zip labels.dxf --out-label-field landuse');
  const { errors, entities } = await oracle.drawing('labels.dxf');
  assert.equal(errors, 0);
  assert.equal(entities.filter(({ type }) => type === 'HATCH').length, 12);
  const parcels = await oracle.rows('/vsizip/parcels-25832.zip', 'SELECT landuse FROM parcels');
  const labels = entities.filter(({ type }) => type === 'TEXT');
  assert.deepEqual(
    labels.map(({ text }) => text),
    parcels.flat(),
  );
  for (const [i, { at = [0, 0] }] of labels.entries()) {
    const inside = `SELECT count(*) FROM parcels WHERE parcel_id = '${String(i).padStart(5, '0')}' AND
      ST_Contains(geometry, MakePoint(${at[0]}, ${at[1]}, 25832))`;
    assert.deepEqual(await oracle.rows('/vsizip/parcels-25832.zip', inside), [[1]]);
  }
});

test('4: a CSV with longitude and latitude is read without options', { skip }, async () => {
  writeFileSync('survey.csv', 'id,name,longitude,latitude\n1,P1,8.5,53.5\n2,P2,8.501,53.5005\n');
  await geomill('convert survey.csv survey.gpkg');
  const [layer] = await oracle.read('survey.gpkg');
  assert.equal(layer.epsg, '4326');
  assert.deepEqual(
    layer.features.map(({ wkt }) => wkt),
    ['POINT (8.5 53.5)', 'POINT (8.501 53.5005)'],
  );
  assert.deepEqual(layer.features[0].values, { id: 1, name: 'P1' });
});

test('5: a CSV of grid coordinates with semicolons and decimal commas needs its CRS', { skip }, async () => {
  const rows = 'P0;471000,000;5933000,000;4,00\nP1;471003,250;5933002,500;4,10\n';
  writeFileSync('grid.csv', `Punkt;Rechtswert;Hochwert;Hoehe\n${rows}`);
  assert.match(await refusal('convert grid.csv grid.gpkg'), /--from-crs/);
  assert.match(
    await geomill('convert grid.csv grid.gpkg --from-crs 25832'),
    /'Hoehe'.* add --in-decimal-comma true/,
  );
  await geomill('convert grid.csv grid.gpkg --from-crs 25832 --in-decimal-comma true --overwrite');
  const [layer] = await oracle.read('grid.gpkg');
  assert.equal(layer.epsg, '25832');
  assert.deepEqual(
    layer.features.map(({ wkt, values }) => [wkt, values.Punkt, values.Hoehe]),
    [
      ['POINT (471000 5933000)', 'P0', 4],
      ['POINT (471003.25 5933002.5)', 'P1', 4.1],
    ],
  );
});

test('6: a CSV in Windows-1252 with semicolons and a column WKT is read', { skip }, async () => {
  const text = 'Nr;Name;Fläche;WKT\n1;Straße 1;1234,5;"POLYGON ((471000 5933000,471010 5933000,471010 5933010,471000 5933000))"\n'; // biome-ignore format: one line
  writeFileSync('german.csv', Buffer.from(text, 'latin1'));
  assert.match(await refusal('convert german.csv german.gpkg --from-crs 25832'), /--in-encoding/);
  await geomill(
    'convert german.csv german.gpkg --from-crs 25832 --in-encoding windows-1252 --in-decimal-comma true',
  );
  const [{ features }] = await oracle.read('german.gpkg');
  assert.deepEqual(
    [features[0].values.Name, features[0].values.Fläche, features[0].area],
    ['Straße 1', 1234.5, 50],
  );
});

test('7, 8: columns that QGIS, ogr2ogr, PostGIS and BigQuery write are recognised', { skip }, async () => {
  const hex = '0101000020E610000000000000000021400000000000C04A40';
  const json = '{""type"":""Point"",""coordinates"":[8.5,53.5]}';
  for (const [column, value] of [
    ['WKT', 'POINT (8.5 53.5)'],
    ['wkt', 'POINT (8.5 53.5)'],
    ['geom', 'SRID=4326;POINT (8.5 53.5)'],
    ['geom', hex],
    ['geometry', json],
  ]) {
    writeFileSync('export.csv', `id,${column}\n1,"${value}"\n`);
    const crs = value.startsWith('POINT') ? '--from-crs 4326' : '';
    await geomill(`convert export.csv export.gpkg --overwrite ${crs}`);
    const [{ epsg, features }] = await oracle.read('export.gpkg');
    assert.deepEqual([epsg, features[0].wkt], ['4326', 'POINT (8.5 53.5)'], value);
  }
});

test('9: a GeoPackage with three layers becomes a zip with three shapefiles in its CRS', {
  skip,
}, async () => {
  await geomill('convert city.gpkg city.zip');
  const layers = await oracle.read('/vsizip/city.zip');
  assert.deepEqual(countsOf(layers), { roads: 16, municipalities: 2, parcels: 12 });
  assert.deepEqual(new Set(layers.map(({ epsg }) => epsg)), new Set(['25832']));
});

test('10: a GeoPackage with three layers becomes one GeoJSON that names the layer of each feature', {
  skip,
}, async () => {
  const warnings = await geomill('convert city.gpkg city.geojson');
  assert.match(warnings, /field 'layer'/);
  const [{ epsg, features }] = await oracle.read('city.geojson');
  assert.deepEqual([epsg, features.length], ['4326', 30]);
  assert.equal(features.filter(({ values }) => values.layer === 'roads').length, 16);
});

test('14: polygons with holes, parts and Z come back from a shapefile digit for digit', {
  skip,
}, async () => {
  const [before] = await oracle.read('solids.gpkg');
  await geomill('convert solids.gpkg solids.zip');
  await geomill('convert solids.zip solids-back.gpkg');
  const [after] = await oracle.read('solids-back.gpkg');
  assert.equal(after.features.length, before.features.length);
  const [[same]] = await oracle.rows(
    'solids-back.gpkg',
    "SELECT sum(ST_Area(ST_SymDifference(a.geom, b.geom)) = 0 OR ST_Equals(a.geom, b.geom)) FROM solids a JOIN 'solids.gpkg'.solids b ON a.nr = b.nr",
  );
  assert.equal(same, 2);
  const heights = (layer: Layer): string[] => layer.features.map(({ wkt }) => (wkt ?? '').match(/ \d+(?=[,)])/g)?.sort().join() ?? ''); // biome-ignore format: one line
  assert.deepEqual(heights(after), heights(before));
});

test('13: a drawing in feet is read in a CRS of feet, and a CRS of metres is questioned', {
  skip,
}, async () => {
  assert.match(await refusal('convert site-feet.dxf site.gpkg'), /--from-crs/);
  await geomill('convert site-feet.dxf site.gpkg --from-crs EPSG:2263');
  const layers = await oracle.read('site.gpkg');
  assert.deepEqual([layers[0].epsg, layers[0].features.length], ['2263', 2]);
  const warnings = await geomill('convert site-feet.dxf metres.gpkg --from-crs EPSG:32618');
  assert.match(warnings, /0\.3048 m/);
});

test('19: months in one zip become one layer with the fields of all', { skip }, async () => {
  await geomill('convert year.zip year.geojson');
  const [{ fields, features }] = await oracle.read('year.geojson');
  assert.deepEqual(Object.keys(fields).sort(), ['ID', 'STATION', 'VALUE', 'layer']);
  assert.equal(features.length, 9);
  assert.deepEqual(
    features.map(({ values }) => values.VALUE),
    ['1.5', '2.0', '3.0', '3.0', '2.0', '3.0', '1.5', 'n/a', '3'],
  );
});

test('19: values that fit no field of the target of an append are counted', { skip }, async () => {
  const warnings = await geomill('append obs_01.zip obs_02.zip obs_03.zip --out obs.zip');
  assert.match(warnings, /'STATION'/);
  assert.match(warnings, /'VALUE'/);
  const [{ features }] = await oracle.read('/vsizip/obs.zip');
  assert.equal(features.length, 9);
  assert.equal(features.filter(({ values }) => values.VALUE === null).length, 1);
});

test('20: append in place keeps the CRS of the target', { skip }, async () => {
  copyFileSync('wells.gpkg', 'master.gpkg');
  await geomill('append master.gpkg wells.gpkg --out master.gpkg --overwrite');
  const [{ epsg, features }] = await oracle.read('master.gpkg');
  assert.deepEqual([epsg, features.length], ['25832', 4]);
});

test('44: roads go through a gzipped sequence to a gzipped CSV', { skip }, async () => {
  await geomill('convert city.gpkg roads.geojsonl.gz --layer roads');
  await geomill('convert roads.geojsonl.gz roads.csv.gz --to-crs 4326');
  const [csv] = await oracle.read('/vsigzip/roads.csv.gz');
  assert.equal(csv.features.length, 16);
});

test('31: swapped coordinates of a GeoPackage are reported, and refused by --strict', { skip }, async () => {
  assert.match(await refusal('convert swapped.gpkg swapped.zip'), /look swapped/);
  const warnings = await geomill('convert swapped.gpkg swapped.zip --accept-impossible-coordinates');
  assert.match(warnings, /look swapped/);
  assert.match(warnings, /latitudes beyond 90/);
  assert.match(await refusal('convert swapped.gpkg strict.zip --strict'), /look swapped/);
});

test('31: swapped coordinates are exchanged, and then fit', { skip }, async () => {
  assert.match(await refusal('convert swapped.gpkg swapped.dxf'), /--swap-xy/);
  assert.equal(await geomill('convert swapped.gpkg right.gpkg --swap-xy --strict'), '');
  const [right] = await oracle.read('right.gpkg');
  assert.deepEqual(
    right.features.map(({ values, wkt = '' }) => [values.name, ...ordinatesOf(wkt)]),
    await oracle.rows('swapped.gpkg', 'SELECT name, ST_Y(geom), ST_X(geom) FROM cities'),
  );
  assert.match(await refusal('convert right.gpkg wrong.gpkg --swap-xy'), /latitudes beyond 90/);
  await geomill('convert swapped.gpkg exchanged-metres.gpkg --swap-xy --to-crs 3857');
  const [metres] = await oracle.read('exchanged-metres.gpkg');
  const [expected] = await oracle.ogr2ogr('exchanged-metres-gdal.gpkg', 'right.gpkg', '-t_srs', 'EPSG:3857');
  assert.equal(metres.features.length, 2);
  for (const [i, { wkt = '' }] of metres.features.entries())
    for (const [at, ordinate] of ordinatesOf(wkt).entries())
      assertClose(ordinate, ordinatesOf(expected.features[i].wkt ?? '')[at], 1e-6);
});

test('15: Z is dropped from solids', { skip }, async () => {
  for (const wrong of ['--drop-z', '--force-2d', '-dim XY'])
    assert.match(await refusal(`convert solids.gpkg flat.gpkg ${wrong}`), /--dimensions/);
  await geomill('convert solids.gpkg flat.gpkg --dimensions XY');
  const [flat] = await oracle.read('flat.gpkg');
  const [expected] = await oracle.ogr2ogr('flat-gdal.gpkg', 'solids.gpkg', '-dim', 'XY');
  assert.equal(flat.kind, 'Multi Polygon');
  assert.deepEqual(flat.features, expected.features);
});

test('26: fields get other types', { skip }, async () => {
  assert.match(
    await refusal('convert parcels-25832.zip types.gpkg --type parcel_id=int'),
    /--cast FIELD=TYPE/,
  );
  assert.match(await refusal('convert parcels-25832.zip types.gpkg --cast parcel_id=int'), /"integer"/);
  await geomill('convert parcels-25832.zip types.gpkg --cast parcel_id=integer --cast surveyed=date');
  const [types] = await oracle.read('types.gpkg');
  assert.deepEqual([types.fields.parcel_id, types.fields.surveyed], ['Integer64', 'Date']);
  const expected = await oracle.rows(
    '/vsizip/parcels-25832.zip',
    "SELECT CAST(parcel_id AS INTEGER), strftime('%Y/%m/%d', surveyed) FROM parcels",
  );
  assert.deepEqual(
    types.features.map(({ values }) => [values.parcel_id, values.surveyed]),
    expected,
  );
  const warnings = await geomill('convert parcels-25832.zip owners.gpkg --cast owner=number');
  assert.match(warnings, /'owner'/);
});

test('30: a file without a CRS gets systems that fit its coordinates', { skip }, async () => {
  assert.match(await refusal('convert no-crs.zip sites.geojson'), /--from-crs EPSG:27700 +\S/);
  await geomill('convert no-crs.zip sites.geojson --from-crs EPSG:27700');
  const { features } = JSON.parse(readFileSync('sites.geojson', 'utf8'));
  assertClose(features[0].geometry.coordinates[1], 51.504, 0.01);
});
