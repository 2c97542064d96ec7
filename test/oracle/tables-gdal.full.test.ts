/** Tables without geometries: GDAL reads those that geomill writes, with the same rows and no geometry, and geomill those of GDAL. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { formats } from '../../packages/formats/src/registry.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { gdalFacts, withoutGdal } from './gdal-facts.ts';

const TABLE = 'name,size,count\n"Äpfel, rot",1.5,7\nb,-2.25,8\nc,,9\n';
const ROWS = [
  ['Äpfel, rot', 1.5, 7],
  ['b', -2.25, 8],
  ['c', null, 9],
];
/** GDAL's drivers by format, and the name of a file that it writes. GDAL of Debian has none for Parquet. */
const DRIVERS: Readonly<Record<string, readonly [driver: string, file: string]>> = {
  csv: ['CSV', 'out.csv'],
  gpkg: ['GPKG', 'out.gpkg'],
  shp: ['ESRI Shapefile', 'out.dbf'],
  xlsx: ['XLSX', 'out.xlsx'],
};
const holding = formats.filter(({ id, holdsTables }) => holdsTables === true && id in DRIVERS);
const numberOr = (value: unknown): unknown =>
  value === '' ? null : typeof value === 'string' && /^-?\d/.test(value) ? Number(value) : value;

test('all formats that hold tables and that GDAL knows are compared', () => {
  assert.deepEqual(holding.map(({ id }) => id).sort(), Object.keys(DRIVERS));
});

for (const { id } of holding)
  test(`GDAL reads a table of ${id}, and geomill one of GDAL`, { skip: withoutGdal }, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.csv');
    writeFileSync(input, TABLE);
    const written = await convertFile(input, workspace.path, { from: 'csv', to: id, outputName: 'made' });
    const { layers, warnings } = await gdalFacts(written.outputPath);
    assert.deepEqual(warnings, []);
    assert.equal(layers.length, 1);
    assert.deepEqual(
      layers[0].rows.map(({ geometry, values }) => [geometry, ...values.slice(0, 3).map(numberOr)]),
      ROWS.map((row) => [null, ...row]),
    );
    const [driver, file] = DRIVERS[id];
    const path = join(workspace.path, file);
    const types = ['-oo', 'AUTODETECT_TYPE=YES', '-oo', 'EMPTY_STRING_AS_NULL=YES'];
    const done = spawnSync('ogr2ogr', ['-f', driver, path, input, ...types, '-lco', 'ENCODING=UTF-8'], {
      encoding: 'utf8',
    });
    assert.equal(done.status, 0, done.stderr);
    if (id === 'shp') assert.ok(!existsSync(join(workspace.path, 'out.shp')));
    const back = await convertFile(path, workspace.path, { from: id, to: 'csv', outputName: 'back' });
    assert.equal(readFileSync(back.outputPath, 'utf8'), TABLE);
  });

test('GDAL reads the rows of features that were written without geometries', {
  skip: withoutGdal,
}, async () => {
  using workspace = makeWorkspace();
  const input = join(import.meta.dirname, '..', '..', 'samples', 'harbour.geojson');
  const { features } = JSON.parse(readFileSync(input, 'utf8')) as { features: readonly unknown[] };
  for (const { id } of holding) {
    const { outputPath } = await convertFile(input, workspace.path, {
      from: 'geojson',
      to: id,
      outputName: `rows-${id}`,
      writeOptions: { geometry: 'none' },
    });
    const { layers } = await gdalFacts(outputPath);
    assert.equal(layers[0].rows.length, features.length, id);
    assert.ok(
      layers[0].rows.every(({ geometry }) => geometry === null),
      id,
    );
  }
});
