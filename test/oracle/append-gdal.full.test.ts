/**
 * Compares appended files with GDAL: `ogr2ogr -append` of the same files gives the same fields, values and positions,
 * each file in its own CRS; GDAL reads the same geometries from a merge as from the files.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { SOURCE_CRS } from '../../packages/core/src/crs/crs.ts';
import { type Feature, pointAt, writeFile, writeGeojson } from '../support/combine.ts';
import { combineFiles, makeWorkspace } from '../support/convert.ts';
import { contentOf, writeRichGeopackage } from '../support/rich-gpkg.ts';
import { type GdalLayer, gdalFacts, withoutGdal } from './gdal-facts.ts';

const skip =
  withoutGdal || (spawnSync('ogr2ogr', ['--version']).status === 0 ? false : 'GDAL is not installed');

const CRSS = ['EPSG:32631', 'EPSG:3857', 'EPSG:4326'] as const;

async function gdalLayer(path: string): Promise<GdalLayer> {
  const { layers } = await gdalFacts(path);
  assert.equal(layers.length, 1);
  return layers[0];
}

function ogr2ogr(...argv: readonly string[]): void {
  const done = spawnSync('ogr2ogr', argv, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
}

const positionsOf = (wkt: string | null): number[] => (wkt?.match(/-?\d[\d.e+-]*/g) ?? []).map(Number);

function assertNear(actual: GdalLayer, expected: GdalLayer, tolerance: number): void {
  assert.equal(actual.rows.length, expected.rows.length);
  actual.rows.forEach(({ geometry }, row) => {
    const other = positionsOf(expected.rows[row].geometry);
    const own = positionsOf(geometry);
    assert.equal(own.length, other.length);
    for (const [i, value] of own.entries()) assert.ok(Math.abs(value - other[i]) <= tolerance, `row ${row}`);
  });
}

/** Fields of the target in each file, some values missing, and one field that the target does not have. */
function featuresOf(file: number): Feature[] {
  return Array.from({ length: 50 }, (_, i) =>
    pointAt([3 + file / 10 + i / 1000, 45 + i / 100], {
      count: i * (file + 1),
      share: i % 7 === 0 ? null : i / 3,
      name: `feature ${i} of ${file}`,
      ...(file === 0 ? {} : { extra: i }),
    }),
  );
}

for (const format of ['gpkg', 'shp'] as const) {
  test(`appends ${format} files with the same result as ogr2ogr -append`, { skip }, async () => {
    using workspace = makeWorkspace();
    const paths = [];
    for (const [file, crs] of CRSS.entries())
      paths.push(await writeFile(workspace.path, 'abc'[file], format, featuresOf(file), crs));
    const { outputPath, report } = await combineFiles(paths, workspace.path, {
      operation: 'append',
      from: format,
      to: 'gpkg',
      toCrs: CRSS[0],
    });
    assert.deepEqual([report.features.appended, report.features.written], [100, 150]);
    const expectedPath = join(workspace.path, 'expected.gpkg');
    for (const [file, path] of paths.entries()) {
      const source = path.endsWith('.zip') ? `/vsizip/${path}` : path;
      const how = file === 0 ? [] : ['-append', '-t_srs', CRSS[0]];
      ogr2ogr(...how, '-nln', 'all', '-unsetFid', expectedPath, source);
    }
    const actual = await gdalLayer(outputPath);
    const expected = await gdalLayer(expectedPath);
    assert.deepEqual(
      actual.fields.map(({ name }) => name),
      expected.fields.map(({ name }) => name),
    );
    assert.deepEqual(
      actual.rows.map(({ values }) => values.map(asNumber)),
      expected.rows.map(({ values }) => values.map(asNumber)),
    );
    assert.equal(actual.epsg, '32631');
    assertNear(actual, expected, 1e-3);
  });
}

/** GDAL reads integers of a shapefile as reals, depending on their width. */
function asNumber(value: unknown): unknown {
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

test('GDAL reads the geometries of all files and no field from a merge', { skip }, async () => {
  using workspace = makeWorkspace();
  const paths = [0, 1, 2].map((file) => writeFile(workspace.path, 'abc'[file], 'gpkg', featuresOf(file)));
  const options = { operation: 'merge', from: 'gpkg', to: 'gpkg', outputName: 'merged' } as const;
  const { outputPath } = await combineFiles(await Promise.all(paths), workspace.path, options);
  const merged = await gdalLayer(outputPath);
  assert.deepEqual(merged.fields, []);
  const parts = await Promise.all((await Promise.all(paths)).map(gdalLayer));
  const all = parts.flatMap(({ rows }) => rows);
  assertNear(merged, { ...merged, rows: all }, 0);
});

test('appends to a GeoPackage with the same result as ogr2ogr -append, in every table', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const path = await writeRichGeopackage(workspace.path);
  const expectedPath = join(workspace.path, 'expected.gpkg');
  copyFileSync(path, expectedPath);
  const features = featuresOf(1).map((feature, i) => ({
    ...feature,
    properties: { name: `new ${i}`, n: i, extra: 1 },
  }));
  const added = writeGeojson(join(workspace.path, 'new.geojson'), features);
  const options = { operation: 'append', from: 'geojson', targetFormat: 'gpkg', to: 'gpkg' } as const;
  const { outputPath } = await combineFiles([path, added], workspace.path, {
    ...options,
    toCrs: SOURCE_CRS,
    layers: ['roads'],
  });
  ogr2ogr('-append', '-t_srs', 'EPSG:25832', expectedPath, added, '-nln', 'roads');
  const [own, expected] = [contentOf(outputPath), contentOf(expectedPath)];
  // Coordinates differ in their last digits, and with them the nodes of the index; last_change is the time.
  const exact = Object.keys(expected).filter(
    (table) => !/^(?:roads|rtree_roads_geom_node|gpkg_contents)$/.test(table),
  );
  // GDAL drops the triggers that count, and creates them again at the end.
  for (const table of exact) assert.deepEqual(own[table].toSorted(), expected[table].toSorted(), table);
  const attributes = (content: typeof own) =>
    content.roads.map((row) => ({ ...JSON.parse(row), geom: null }));
  assert.deepEqual(attributes(own), attributes(expected));
  const roads = async (file: string): Promise<GdalLayer> =>
    (await gdalFacts(file)).layers.find(({ name }) => name === 'roads') as GdalLayer;
  assertNear(await roads(outputPath), await roads(expectedPath), 1e-5);
  const contents = (content: typeof own) => content.gpkg_contents.map((row) => JSON.parse(row));
  for (const [i, row] of contents(expected).entries())
    for (const [column, value] of Object.entries(row))
      if (typeof value === 'number') assert.ok(Math.abs(contents(own)[i][column] - value) < 1e-5, column);
      else if (column !== 'last_change') assert.equal(contents(own)[i][column], value, column);
  const info = spawnSync('ogrinfo', ['-so', '-al', outputPath], { encoding: 'utf8' });
  assert.deepEqual([info.status, info.stderr.includes('ERROR')], [0, false]);
});
