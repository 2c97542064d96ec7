/** CSV with coordinates, WKB and GeoJSON: ogr2ogr reads the same geometries and attributes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const hasGdal = spawnSync('ogr2ogr', ['--version']).status === 0;
const skip = hasGdal ? false : 'ogr2ogr is not installed';
const FIXTURES = join(import.meta.dirname, '../fixtures/csv');

interface Feature {
  readonly properties: Record<string, unknown>;
  readonly geometry: unknown;
}

/** Without null values, which GDAL leaves out, and with six decimals of positions. */
function featuresOf(path: string): Feature[] {
  const { features } = JSON.parse(readFileSync(path, 'utf8')) as { features: Feature[] };
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toFixed(6)) : value;
  return features.map(({ properties, geometry }) => ({
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)),
    geometry: JSON.parse(JSON.stringify(geometry, rounded)),
  }));
}

function ogrFeatures(path: string, directory: string, openOptions: readonly string[]): Feature[] {
  const target = join(directory, `ogr-${basename(path)}.geojson`);
  const options = ['AUTODETECT_TYPE=YES', 'EMPTY_STRING_AS_NULL=YES', 'KEEP_GEOM_COLUMNS=NO', ...openOptions];
  const done = spawnSync(
    'ogr2ogr',
    [
      ...options.flatMap((option) => ['-oo', option]),
      '-lco',
      'COORDINATE_PRECISION=15',
      '-f',
      'GeoJSON',
      target,
      path,
    ],
    { encoding: 'utf8' },
  );
  assert.equal(done.status, 0, done.stderr);
  return featuresOf(target);
}

async function ownFeatures(path: string, directory: string): Promise<Feature[]> {
  const { outputPath } = await convertFile(path, directory, {
    from: 'csv',
    to: 'geojson',
    fromCrs: 'EPSG:4326',
  });
  return featuresOf(outputPath);
}

test('ogr2ogr reads the same points from columns of coordinates', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'places.csv');
  const rows = Array.from(
    { length: 50 },
    (_, i) => `${i},n${i},${(i * 7.123456789) % 180},${(-i * 1.7) % 90},${i / 4}`,
  );
  for (const [x, y] of [
    ['lon', 'lat'],
    ['Easting', 'Northing'],
    ['POINT_X', 'POINT_Y'],
  ]) {
    writeFileSync(path, `id,name,${x},${y},height\n${rows.join('\n')}\n50,none,,,\n`);
    const options = [`X_POSSIBLE_NAMES=${x}`, `Y_POSSIBLE_NAMES=${y}`];
    assert.deepEqual(await ownFeatures(path, workspace.path), ogrFeatures(path, workspace.path, options), x);
  }
});

test('ogr2ogr reads the same geometries from WKB and GeoJSON', { skip }, async () => {
  using workspace = makeWorkspace();
  for (const [name, column] of [
    ['ewkb-hex.csv', 'wkb_geometry'],
    ['geojson-column.csv', 'geojson'],
  ]) {
    const path = join(FIXTURES, name);
    const ogr = ogrFeatures(path, workspace.path, [`GEOM_POSSIBLE_NAMES=${column}`]);
    const own = await ownFeatures(path, workspace.path);
    // GDAL keeps rings open.
    const comparable = (features: Feature[]): Feature[] =>
      features.filter(({ properties }) => properties.kind !== 'open ring');
    assert.deepEqual(comparable(own), comparable(ogr), name);
  }
});

test('ogr2ogr reads columns of coordinates that geomill writes', { skip }, async () => {
  using workspace = makeWorkspace();
  const source = join(FIXTURES, 'lon-lat.csv');
  for (const [toCrs, x, y] of [
    ['EPSG:4326', 'lon', 'lat'],
    ['EPSG:3857', 'x', 'y'],
  ]) {
    const { outputPath } = await convertFile(source, workspace.path, {
      from: 'csv',
      to: 'csv',
      fromCrs: 'EPSG:4326',
      toCrs,
      writeOptions: { geometry: 'xy' },
    });
    const features = ogrFeatures(outputPath, workspace.path, [
      `X_POSSIBLE_NAMES=${x}`,
      `Y_POSSIBLE_NAMES=${y}`,
    ]);
    const { outputPath: again } = await convertFile(outputPath, workspace.path, {
      from: 'csv',
      to: 'geojson',
      fromCrs: toCrs,
      toCrs,
      writeOptions: { geojson_crs: 'requested' },
    });
    assert.deepEqual(featuresOf(again), features, toCrs);
  }
});
