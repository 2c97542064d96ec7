/**
 * GDAL reads a fixture and the GeoPackage that geomill makes of it, and finds the same layers, fields, geometries and
 * values: neither reading nor writing can change what both would change alike.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { type GdalLayer, gdalFacts, withoutGdal } from './gdal-facts.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'gpkg');
const skip = withoutGdal;

/**
 * Empty geometries have no dimensions in geomill: POINT Z EMPTY is POINT EMPTY. And a JSON column holds JSON: what GDAL
 * left in it as a bare text is written as a JSON text.
 */
function comparable(layers: readonly GdalLayer[]): unknown {
  return layers.map(({ name, fields, epsg, rows }) => ({
    name,
    fields: fields.map((field) => `${field.name} ${field.type}`),
    epsg,
    rows: rows.map(({ geometry, values }) => [
      geometry?.replace(/ Z?M? ?EMPTY/, ' EMPTY') ?? null,
      ...values.map(jsonText),
    ]),
  }));
}

function jsonText(value: unknown): unknown {
  return value === 'plain' ? '"plain"' : value;
}

for (const name of ['geometries', 'fids', 'index', 'utf16', 'wal', 'old-1.0', 'old-1.2']) {
  test(`GDAL reads the same from a GeoPackage made of ${name}.gpkg as from the original`, {
    skip,
  }, async () => {
    using workspace = makeWorkspace();
    // A copy, for GDAL leaves files beside a database in WAL mode.
    const path = join(workspace.path, `${name}.gpkg`);
    copyFileSync(join(FOLDER, `${name}.gpkg`), path);
    const { outputPath } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'gpkg' });
    assert.deepEqual(
      comparable((await gdalFacts(outputPath)).layers),
      comparable((await gdalFacts(path)).layers),
    );
  });
}

test('GDAL reads layers of three systems in EPSG:32632 at the positions of ogr2ogr', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(FOLDER, 'crs-three.gpkg');
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    toCrs: 'EPSG:32632',
  });
  const peer = join(workspace.path, 'peer.gpkg');
  const made = spawnSync('ogr2ogr', ['-t_srs', 'EPSG:32632', peer, path], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const expected = (await gdalFacts(peer)).layers;
  for (const [i, { name, epsg, rows }] of (await gdalFacts(outputPath)).layers.entries()) {
    assert.deepEqual([name, epsg, rows.length], [expected[i].name, '32632', expected[i].rows.length]);
    for (const [k, { geometry }] of rows.entries()) {
      const numbers = (wkt: string | null): number[] => (wkt?.match(/-?\d[\d.]*/g) ?? []).map(Number);
      const wanted = numbers(expected[i].rows[k].geometry);
      for (const [n, value] of numbers(geometry).entries())
        assert.ok(Math.abs(value - wanted[n]) < 1e-4, name);
    }
  }
});

test('stores single polygons and lines as ogr2ogr does for a layer of a multi type', { skip }, async () => {
  using workspace = makeWorkspace();
  const square = (x: number): string => `[[[${x},0],[${x + 1},0],[${x + 1},1],[${x},0]]]`;
  const inputs = {
    polygons: [
      `{"type":"Polygon","coordinates":${square(0)}}`,
      `{"type":"MultiPolygon","coordinates":[${square(2)},${square(4)}]}`,
      'null',
    ],
    lines: [
      '{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[[2,2],[3,3]]]}',
      '{"type":"LineString","coordinates":[[5,5],[6,6]]}',
    ],
  };
  for (const [name, geometries] of Object.entries(inputs)) {
    const path = join(workspace.path, `${name}.geojson`);
    const features = geometries.map(
      (geometry) => `{"type":"Feature","properties":{"a":1},"geometry":${geometry}}`,
    );
    writeFileSync(path, `{"type":"FeatureCollection","features":[${features.join(',')}]}`);
    const { outputPath } = await convertFile(path, workspace.path, { from: 'geojson', to: 'gpkg' });
    const peer = join(workspace.path, `${name}-peer.gpkg`);
    const made = spawnSync(
      'ogr2ogr',
      ['-nlt', `MULTI${name.slice(0, -1).replace('line', 'linestring')}`, peer, path],
      { encoding: 'utf8' },
    );
    assert.equal(made.status, 0, made.stderr);
    const facts = async (file: string): Promise<unknown> => {
      const [{ rows }] = (await gdalFacts(file)).layers;
      const info = spawnSync('ogrinfo', ['-so', file, name], { encoding: 'utf8' }).stdout;
      return [/Geometry: (.*)/.exec(info)?.[1], rows.map(({ geometry }) => geometry)];
    };
    assert.deepEqual(await facts(outputPath), await facts(peer));
  }
});
