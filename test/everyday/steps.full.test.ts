/** Everyday geometry operations and queries, by the command that users try first. GDAL is asked for the same operation. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import test from 'node:test';
import { assertClose, geomill, type Layer, type Oracle, refusal, skip, startOracle } from './job.ts';

const oracle = skip === false ? await startOracle() : (null as unknown as Oracle);
test.after(() => oracle?.close());

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const areaOf = ({ features }: Layer): number => sum(features.map(({ area }) => area ?? 0));

test('16: roads are buffered by 25 m, dissolved by class and clipped by another GeoPackage', {
  skip,
}, async () => {
  await geomill('convert roads.gpkg zones.gpkg --buffer 25m --dissolve class --clip municipalities.gpkg');
  const [zones] = await oracle.read('zones.gpkg');
  const expected = await oracle.rows(
    'roads.gpkg',
    `SELECT class, ST_Area(ST_Intersection(ST_Union(ST_Buffer(geom, 25, 16)),
       (SELECT ST_Union(geom) FROM 'municipalities.gpkg'.municipalities))) FROM roads GROUP BY class ORDER BY class`,
  );
  const found = zones.features.map(({ values, area }) => [values.class, area] as const);
  assert.deepEqual(
    found.map(([name]) => name).sort(),
    expected.map(([name]) => name),
  );
  for (const [name, area] of expected)
    assertClose(found.find(([one]) => one === name)?.[1] ?? 0, area as number, 1e-3);
});

test('17: a mask is one municipality of a file', { skip }, async () => {
  await geomill(`convert roads.gpkg in-a.gpkg --clip municipalities.gpkg --mask-filter "name = 'Muni A'"`);
  const [clipped] = await oracle.read('in-a.gpkg');
  const [expected] = await oracle.ogr2ogr(
    'in-a-gdal.gpkg', 'roads.gpkg',
    '-clipsrc', 'municipalities.gpkg', '-clipsrcwhere', "name = 'Muni A'", '-nlt', 'PROMOTE_TO_MULTI',
  ); // biome-ignore format: options
  assert.equal(clipped.features.length, expected.features.length);
});

test('16: a layer of the mask file is named after a colon', { skip }, async () => {
  await geomill('convert roads.gpkg in-city.gpkg --clip city.gpkg:municipalities');
  assert.match(await refusal('convert roads.gpkg in-none.gpkg --clip city.gpkg'), /municipalities/);
  const [[length]] = await oracle.rows('in-city.gpkg', 'SELECT sum(ST_Length(geom)) FROM roads');
  const [[expected]] = await oracle.rows(
    'roads.gpkg',
    "SELECT sum(ST_Length(ST_Intersection(geom, (SELECT ST_Union(geom) FROM 'municipalities.gpkg'.municipalities)))) FROM roads",
  );
  assertClose(length as number, expected as number, 1e-6);
});

test('18: protected areas are erased from parcels', { skip }, async () => {
  await geomill('convert city.gpkg net.gpkg --layer parcels --erase protected.gpkg');
  const [net] = await oracle.read('net.gpkg');
  const [[expected]] = await oracle.rows(
    'city.gpkg',
    "SELECT sum(ST_Area(ST_Difference(geom, (SELECT ST_Union(geom) FROM 'protected.gpkg'.protected)))) FROM parcels",
  );
  assertClose(areaOf(net), expected as number, 1e-6);
  assert.ok(net.features.every(({ valid }) => valid));
});

test('18: the remaining area of each parcel is a column', { skip }, async () => {
  const command = 'convert city.gpkg net-area.gpkg --layer parcels --erase protected.gpkg';
  assert.match(await refusal(`${command} --area`), /--calculate FIELD=EXPRESSION/);
  await geomill(`${command} --calculate "net=area()" --calculate "net_grid=area_planar()"`);
  const [{ features }] = await oracle.read('net-area.gpkg');
  assert.equal(features.length, 12);
  for (const { values, area = 0 } of features) assertClose(Number(values.net_grid), area, 1e-6);
  // PROJ's equal-area projection of Europe: areas are those on the ellipsoid.
  const [equalArea] = await oracle.ogr2ogr('net-3035.gpkg', 'net-area.gpkg', '-t_srs', 'EPSG:3035');
  for (const { values, area = 0 } of equalArea.features) assertClose(Number(values.net), area, 1e-3);
});

test('28: counties are simplified without gaps and overlaps', { skip }, async () => {
  await geomill('convert counties.gpkg simple.gpkg --simplify-coverage 2km');
  const [[count, positions, area, united]] = await oracle.rows(
    'simple.gpkg',
    'SELECT count(*), sum(ST_NPoints(geom)), sum(ST_Area(geom)), ST_Area(ST_Union(geom)) FROM counties',
  );
  assert.equal(count, 9);
  assert.ok((positions as number) < 200);
  assertClose(area as number, united as number, 1e-3);
  const [[rings]] = await oracle.rows(
    'simple.gpkg',
    'SELECT ST_NumInteriorRing(ST_Union(geom)) FROM counties',
  );
  assert.equal(rings, 0);
});

test('22: filters with dates, lists, patterns, ranges and null find what SQL finds', { skip }, async () => {
  for (const [condition, sql = condition] of [
    ["opened >= '2020-01-01'"],
    ["class IN ('A', 'L')"],
    ["name LIKE 'Road 1%'"],
    ["name ILIKE 'kirch%'", "name LIKE 'kirch%'"],
    ['lanes BETWEEN 2 AND 3'],
    ['name IS NULL'],
    ["class = 'K' AND NOT (lanes = 1 OR name IS NULL)"],
  ]) {
    await geomill(`convert roads.gpkg found.csv --overwrite --filter "${condition}" --out-geometry wkt`);
    const [found] = await oracle.read('found.csv');
    const expected = await oracle.rows('roads.gpkg', `SELECT rid FROM roads WHERE ${sql} ORDER BY rid`);
    assert.deepEqual(
      found.features.map(({ values }) => Number(values.rid)),
      expected.map(([rid]) => rid),
      condition,
    );
  }
});

test('48: values of dissolved roads are summed, counted and listed', { skip }, async () => {
  await geomill(
    'convert roads.gpkg classes.gpkg --dissolve class --aggregate lanes=sum --aggregate rid=count --aggregate name=distinct',
  );
  const [{ features }] = await oracle.read('classes.gpkg');
  const expected = await oracle.rows('roads.gpkg', 'SELECT class, sum(lanes), count(rid) FROM roads GROUP BY class ORDER BY class'); // biome-ignore format: one line
  const found = features.map(({ values }) => [values.class, values.lanes, values.rid]);
  assert.deepEqual(
    found.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    expected,
  );
  assert.match(String(features.find(({ values }) => values.class === 'K')?.values.name), /Kirchweg/);
  assert.match(await refusal('convert roads.gpkg avg.gpkg --dissolve class --aggregate lanes=avg'), /mean/);
});

test('25: fields are chosen, dropped and renamed', { skip }, async () => {
  await geomill('convert roads.gpkg fields.gpkg --select rid,name --rename name=street');
  assert.deepEqual((await oracle.read('fields.gpkg'))[0].fields, { rid: 'Integer', street: 'String' });
});

test('a table gives roads the names of their classes, and says what matches nothing', { skip }, async () => {
  writeFileSync('classes.csv', 'code;label\nA;Autobahn\nB;Bundesstraße\nL;Landesstraße\nX;none\n');
  const warnings = await geomill('convert roads.gpkg labelled.gpkg --join classes.csv --key class=code');
  const [labelled] = await oracle.read('labelled.gpkg');
  const names: Readonly<Record<string, string>> = { A: 'Autobahn', B: 'Bundesstraße', L: 'Landesstraße' };
  assert.equal(labelled.features.length, 16);
  for (const { values } of labelled.features) assert.equal(values.label, names[String(values.class)] ?? null);
  assert.match(warnings, /features have no match in 'classes.csv'/);
  assert.match(warnings, /rows of 'classes.csv' were not used/);
});

test('roads are counted in each municipality, and cut along their borders', { skip }, async () => {
  await geomill(
    "convert municipalities.gpkg counted.gpkg --spatial-join roads.gpkg --count-field roads --source-fields ''",
  );
  const [counted] = await oracle.read('counted.gpkg');
  const expected = await oracle.rows(
    'municipalities.gpkg',
    `SELECT m.name, count(r.rid) FROM municipalities m LEFT JOIN 'roads.gpkg'.roads r ON ST_Intersects(m.geom, r.geom)
     GROUP BY m.name ORDER BY m.name`,
  );
  assert.deepEqual(counted.features.map(({ values }) => [values.name, values.roads]).toSorted(), expected);
  await geomill(
    'convert roads.gpkg pieces.gpkg --overlay municipalities.gpkg --prefix muni_ --calculate metres=length_planar()',
  );
  const [pieces] = await oracle.read('pieces.gpkg');
  const lengths = await oracle.rows(
    'roads.gpkg',
    `SELECT r.rid, m.name, ST_Length(ST_Intersection(r.geom, m.geom)) FROM roads r
     JOIN 'municipalities.gpkg'.municipalities m ON ST_Intersects(m.geom, r.geom)`,
  );
  assert.equal(pieces.features.length, lengths.length);
  for (const [rid, name, length] of lengths) {
    const piece = pieces.features.find(({ values }) => values.rid === rid && values.muni_name === name);
    assertClose(Number(piece?.values.metres), Number(length), 1e-6);
  }
});
