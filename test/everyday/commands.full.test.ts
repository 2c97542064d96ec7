/** Everyday work with several files, existing files, documents and questions about files. GDAL reads the outputs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ENTRANCE } from '../support/program.ts';
import { assertClose, cli, geomill, type Layer, type Oracle, refusal, skip, startOracle } from './job.ts';

const oracle = skip === false ? await startOracle() : (null as unknown as Oracle);
test.after(() => oracle?.close());

const countsOf = (layers: readonly Layer[]): Record<string, number> =>
  Object.fromEntries(layers.map(({ name, features }) => [name, features.length]));

test('43: files that a pattern matches are converted to a directory', { skip }, async () => {
  const { status, err } = await cli("convert 'obs_0*.zip' wells.gpkg --out-dir converted --to geojson");
  assert.equal(status, 0, err);
  assert.match(err, /obs_01\.zip -> converted\/obs_01\.geojson: 3 features/);
  assert.match(err, /4 files converted/);
  const names = readdirSync('converted').sort();
  assert.deepEqual(names, ['obs_01.geojson', 'obs_02.geojson', 'obs_03.geojson', 'wells.geojson']);
  for (const name of names) {
    const [layer] = await oracle.read(join('converted', name));
    const input = name.startsWith('obs') ? `/vsizip/${name.replace('geojson', 'zip')}` : 'wells.gpkg';
    const [expected] = await oracle.ogr2ogr(`gdal-${name}`, input, '-t_srs', 'EPSG:4326');
    assert.deepEqual([layer.epsg, layer.features.length], ['4326', expected.features.length]);
    assert.deepEqual(
      layer.features.map(({ values }) => Object.values(values).filter((value) => value !== null)),
      expected.features.map(({ values }) => Object.values(values).filter((value) => value !== null)),
    );
  }
});

test('43: a file that cannot be read does not stop the others', { skip }, async () => {
  mkdirSync('mixed');
  copyFileSync('wells.gpkg', 'mixed/a.gpkg');
  writeFileSync('mixed/b.gpkg', 'SQLite format 3, but broken');
  copyFileSync('roads.gpkg', 'mixed/c.gpkg');
  const { status, err } = await cli("convert 'mixed/*.gpkg' --out-dir mixed --to shp");
  assert.equal(status, 1);
  assert.match(err, /mixed\/b\.gpkg: .*\n(?:.*\n)*2 files converted, 1 failed/);
  assert.deepEqual(countsOf(await oracle.read('/vsizip/mixed/a.zip')), { a: 2 });
  assert.deepEqual(countsOf(await oracle.read('/vsizip/mixed/c.zip')), { c: 16 });
});

test('42: a document with input, steps and outputs is run', { skip }, async () => {
  const document = {
    inputs: [{ path: 'city.gpkg', layer: 'roads' }],
    steps: [
      { type: 'filter', where: "class IN ('A', 'L')" },
      { type: 'buffer', distance: 25, units: 'meters' },
      { type: 'clip', mask: 'municipalities.gpkg' },
    ],
    outputs: [{ path: 'near.gpkg', epsg: 25832 }, { path: 'near.geojsonl.gz' }],
  };
  writeFileSync('job.json', JSON.stringify(document));
  const { status, err } = await cli('run job.json');
  assert.equal(status, 0, err);
  const [near] = await oracle.read('near.gpkg');
  const expected = await oracle.rows(
    'roads.gpkg',
    `SELECT rid, ST_Area(ST_Intersection(ST_Buffer(geom, 25, 16), (SELECT ST_Union(geom) FROM 'municipalities.gpkg'.municipalities)))
     FROM roads WHERE class IN ('A', 'L') ORDER BY rid`,
  );
  assert.deepEqual([near.epsg, near.features.length], ['25832', expected.length]);
  for (const [i, { values, area }] of near.features.entries()) {
    assert.equal(values.rid, expected[i][0]);
    assertClose(area ?? 0, expected[i][1] as number, 1e-3);
  }
  const [lines] = await oracle.read('/vsigzip/near.geojsonl.gz');
  assert.deepEqual([lines.epsg, lines.features.length], ['4326', expected.length]);
});

test('21, 27: a layer with a chosen name is added to a GeoPackage, and replaced', { skip }, async () => {
  copyFileSync('city.gpkg', 'town.gpkg');
  assert.match(await refusal('convert wells.gpkg town.gpkg'), /--overwrite/);
  await geomill('convert wells.gpkg town.gpkg --update --layer-name boreholes');
  const before = { roads: 16, municipalities: 2, parcels: 12 };
  assert.deepEqual(countsOf(await oracle.read('town.gpkg')), { ...before, boreholes: 2 });
  assert.match(
    await refusal('convert wells.gpkg town.gpkg --update --layer-name boreholes'),
    /add --overwrite/,
  );
  await geomill(
    `convert wells.gpkg town.gpkg --update --layer-name boreholes --overwrite --filter 'depth > 10'`,
  );
  const layers = await oracle.read('town.gpkg');
  assert.deepEqual(countsOf(layers), { ...before, boreholes: 1 });
  const [roads] = await oracle.read('roads.gpkg');
  assert.deepEqual(layers.find(({ name }) => name === 'roads')?.features, roads.features);
});

test('20: points of a CSV in degrees are appended to a GeoPackage in its own CRS', { skip }, async () => {
  copyFileSync('wells.gpkg', 'all-wells.gpkg');
  await geomill('convert roads.gpkg all-wells.gpkg --update');
  writeFileSync('new.csv', 'name,depth,lon,lat\nW3,7.5,8.5625,53.55\n');
  assert.match(await refusal('append all-wells.gpkg new.csv'), /--out all-wells\.gpkg --overwrite/);
  await geomill('append all-wells.gpkg new.csv --layer wells --out all-wells.gpkg --overwrite');
  const layers = await oracle.read('all-wells.gpkg');
  assert.deepEqual(countsOf(layers), { wells: 3, roads: 16 });
  const added = layers[0].features[2];
  assert.deepEqual([layers[0].epsg, added.values], ['25832', { name: 'W3', depth: 7.5 }]);
  writeFileSync('new.geojson', '{"type":"Point","coordinates":[8.5625,53.55]}');
  const [expected] = await oracle.ogr2ogr('gdal-new.gpkg', 'new.geojson', '-t_srs', 'EPSG:25832');
  const [x, y] = pointOf(added.wkt);
  const [expectedX, expectedY] = pointOf(expected.features[0].wkt);
  assertClose(Math.hypot(x - expectedX, y - expectedY), 0, 1e-6);
});

const pointOf = (wkt = ''): number[] => wkt.match(/-?[\d.]+/g)?.map(Number) ?? [];

test('16: parcels that share borders with a mask are cut as by ogr2ogr -clipsrc', { skip }, async () => {
  await geomill('convert cadastre.gpkg inside.gpkg --clip mask.gpkg');
  await geomill('convert cadastre.gpkg outside.gpkg --erase mask.gpkg');
  const [inside] = await oracle.read('inside.gpkg');
  const [outside] = await oracle.read('outside.gpkg');
  const [expected] = await oracle.ogr2ogr(
    'inside-gdal.gpkg', 'cadastre.gpkg', '-clipsrc', 'mask.gpkg', '-nlt', 'PROMOTE_TO_MULTI',
  ); // biome-ignore format: options
  // ogr2ogr keeps the slivers of parcels that only touch the mask, if there are any.
  const areas = new Map(expected.features.map(({ values, area = 0 }) => [values.nr, area]));
  assert.deepEqual([inside.features.length, outside.features.length], [60, 40]);
  for (const { values, area = 0, valid } of inside.features) {
    assertClose(area, areas.get(values.nr) ?? 0, 1e-6);
    assert.ok(valid && area > 1);
  }
  const whole = await oracle.read('cadastre.gpkg');
  const sum = ({ features }: Layer): number => features.reduce((total, { area = 0 }) => total + area, 0);
  assertClose(sum(inside) + sum(outside), sum(whole[0]), 1e-6);
});

test('25: fields are renamed and dropped without a list of all', { skip }, async () => {
  await geomill('convert roads.gpkg renamed.gpkg --rename name=street --drop opened,lanes');
  assert.deepEqual((await oracle.read('renamed.gpkg'))[0].fields, { rid: 'Integer', class: 'String', street: 'String' }); // biome-ignore format: one line
});

test('29: a file is described as ogrinfo describes it', { skip }, async () => {
  const { status, out } = await cli('info city.gpkg --json');
  assert.equal(status, 0);
  const { layers } = JSON.parse(out) as {
    layers: {
      name: string;
      features: number;
      crs: { authority: { code: string } };
      fields: { name: string }[];
    }[];
  };
  const expected = await oracle.read('city.gpkg');
  assert.deepEqual(
    layers.map(({ name, features, crs, fields }) => [name, features, String(crs.authority.code), fields.map((one) => one.name)]),
    expected.map(({ name, features, epsg, fields }) => [name, features.length, epsg, Object.keys(fields)]),
  ); // biome-ignore format: pairs
  assert.match((await cli('info city.gpkg roads')).err, /--layer NAME/);
  assert.match((await cli('ogrinfo city.gpkg')).err, /did you mean 'info'\?/);
});

test('30: systems that fit a file without a CRS are listed', { skip }, async () => {
  const { out } = await cli('info no-crs.zip');
  assert.match(out, /not stated; the coordinates fit .*EPSG:27700/);
  assert.match((await cli('crs --extent-of no-crs.zip')).out, /^EPSG:27700 .*British National Grid/m);
  assert.match((await cli('crs no-crs.zip')).err, /--extent-of no-crs\.zip/);
});

test('47: systems are found by name and by place', { skip }, async () => {
  for (const [query, first] of [
    ['mga zone 50', 'EPSG:28350'],
    ["'gauss krüger 3'", 'EPSG:31467'],
    ['utm 32 --near 8.5,53.5', 'EPSG:32632'],
    ['dutch', 'EPSG:28992'],
    ['croatia', 'EPSG:3765'],
    ['lambert 93', 'EPSG:2154'],
  ]) {
    const { out } = await cli(`crs ${query}`);
    assert.ok(out.startsWith(`${first} `), `${query}: ${out}`);
  }
  const { status, err } = await cli('crs hrvatska');
  assert.equal(status, 1);
  assert.match(err, /countries have English names; --near LON,LAT/);
});

test('44: a conversion reads standard input and writes standard output', { skip }, async () => {
  await geomill('convert roads.gpkg roads.geojson --to-crs 4326');
  const { out, status } = await piped('convert - - --from geojson --to geojsonl --quiet', 'roads.geojson');
  assert.equal(status, 0);
  writeFileSync('piped.geojsonl', out);
  const [piped_] = await oracle.read('piped.geojsonl');
  const [whole] = await oracle.read('roads.geojson');
  assert.deepEqual(
    piped_.features.map(({ values, wkt }) => [values.rid, wkt]),
    whole.features.map(({ values, wkt }) => [values.rid, wkt]),
  );
});

test('45: an interrupted conversion leaves nothing', { skip }, async () => {
  const feature =
    '{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[8.5,53.5]}}\n';
  writeFileSync('large.geojsonl', feature.repeat(200_000));
  mkdirSync('interrupted');
  const child = start('convert large.geojsonl interrupted/large.gpkg --threads 1');
  // The output is written to a temporary file beside it.
  while (readdirSync('interrupted').length === 0) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGINT');
  const [status] = (await once(child, 'close')) as [number];
  assert.equal(status, 130);
  assert.deepEqual(readdirSync('interrupted'), []);
  const whole = await cli('convert large.geojsonl large.gpkg');
  assert.equal(whole.status, 0, whole.err);
  const [[count]] = await oracle.rows('large.gpkg', 'SELECT count(*) FROM large');
  assert.equal(count, 200_000);
});

test('a conversion that would lose values fails if that is asked for', { skip }, async () => {
  assert.match(
    await refusal('convert swapped.gpkg strict.csv --accept-impossible-coordinates --fail-on lost'),
    /--fail-on/,
  );
  assert.equal(existsSync('strict.csv'), false);
  await geomill('convert wells.gpkg kept.gpkg --fail-on lost');
  assert.equal((await oracle.read('kept.gpkg'))[0].features.length, 2);
});

function start(command: string) {
  return spawn(process.execPath, [ENTRANCE, ...command.split(' ')], { stdio: ['pipe', 'pipe', 'ignore'] });
}

async function piped(command: string, inputPath: string): Promise<{ out: string; status: number }> {
  const child = start(command);
  child.stdin.end(readFileSync(inputPath));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [status] = (await once(child, 'close')) as [number];
  return { out, status };
}

test('19: monthly shapefiles are merged with the fields of all', { skip }, async () => {
  const files = readdirSync('.').filter((name) => /^obs_\d\d\.zip$/.test(name)).sort(); // biome-ignore format: one line
  await geomill(`merge ${files.join(' ')} --out year.gpkg --attributes union --source-field month`);
  const [year] = await oracle.read('year.gpkg');
  const names = new Set<string>();
  let row = 0;
  for (const file of files) {
    const [month] = await oracle.read(`/vsizip/${file}`);
    for (const name of Object.keys(month.fields)) names.add(name.toLowerCase());
    for (const { values, wkt } of month.features) {
      const own = year.features[row++];
      assert.equal(own.values.month, file);
      assert.equal(own.wkt, wkt);
      for (const [name, value] of Object.entries(values)) {
        const found = Object.entries(own.values).find(
          ([other]) => other.toLowerCase() === name.toLowerCase(),
        );
        assert.equal(String(found?.[1]), String(value), name);
      }
    }
  }
  assert.equal(year.features.length, row);
  assert.deepEqual(
    Object.keys(year.fields)
      .map((name) => name.toLowerCase())
      .sort(),
    [...names, 'month'].sort(),
  );
});

test('19: a shapefile, a GeoPackage and a CSV are merged with the fields of all', { skip }, async () => {
  await oracle.ogr2ogr('month-2.gpkg', '/vsizip/obs_02.zip', '-nln', 'month-2');
  await oracle.ogr2ogr('month-3.csv', '/vsizip/obs_03.zip', '-lco', 'GEOMETRY=AS_WKT');
  const files = ['obs_01.zip', 'month-2.gpkg', 'month-3.csv'];
  const command = `merge ${files.join(' ')} --attributes union --source-field file`;
  assert.match(await refusal(`${command} --out mixed.gpkg`), /'month-3.csv'.* --from-crs/);
  await geomill(`${command} --out mixed.gpkg --from-crs EPSG:4326 --threads 2`);
  const [mixed] = await oracle.read('mixed.gpkg');
  const months = await Promise.all(
    ['/vsizip/obs_01.zip', 'month-2.gpkg', 'month-3.csv'].map((path) => oracle.read(path)),
  );
  assert.deepEqual(
    mixed.features.map(({ values, wkt }) => [values.file, Number(values.ID), String(values.VALUE), wkt]),
    months.flatMap(([{ features }], month) =>
      features.map(({ values, wkt }) => [files[month], Number(values.ID), String(values.VALUE), wkt]),
    ),
  );
  assert.equal(mixed.features.filter(({ values }) => values.STATION === null).length, 3);
});

test('the three longest roads, of one layer of several', { skip }, async () => {
  await geomill(
    'convert city.gpkg longest.gpkg --sort "length() desc" --on-layer roads --limit 3 --on-layer roads',
  );
  const counts = countsOf(await oracle.read('longest.gpkg'));
  const expected = countsOf(await oracle.read('city.gpkg'));
  assert.deepEqual(counts, { ...expected, roads: 3 });
  const sql = 'SELECT ST_Length(geom) FROM roads ORDER BY 1 DESC LIMIT 3';
  const found = await oracle.rows('longest.gpkg', 'SELECT ST_Length(geom) FROM roads');
  for (const [i, [length]] of (await oracle.rows('city.gpkg', sql)).entries())
    assertClose(found[i][0] as number, length as number, 1e-9);
});
