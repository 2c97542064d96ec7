/** GDAL reads the topologies that geomill writes, and geomill reads topologies as GDAL does. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { gdalFacts, withoutGdal } from './gdal-facts.ts';

const skip = withoutGdal;

/** Neighbouring squares, the second with a hole, and the lines and points that GDAL's driver reads. */
const FEATURES: readonly (readonly [geometry: object | null, wkt: string | null])[] = [
  [{ type: 'Polygon', coordinates: [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]] }, 'POLYGON ((2 2,2 0,0 0,0 2,2 2))'],
  [
    { type: 'Polygon', coordinates: [[[2, 0], [6, 0], [6, 2], [2, 2], [2, 0]], [[3, 0.5], [3, 1], [4, 1], [3, 0.5]]] },
    'POLYGON ((2 0,2 2,6 2,6 0,2 0),(3 0.5,4 1,3 1,3 0.5))',
  ],
  [{ type: 'LineString', coordinates: [[6, 0], [6, 2], [7, 7]] }, 'LINESTRING (6 0,6 2,7 7)'],
  [{ type: 'MultiLineString', coordinates: [[[6, 2], [6, 0]], [[8, 8], [9, 9]]] }, 'MULTILINESTRING ((6 2,6 0),(8 8,9 9))'],
  [{ type: 'Point', coordinates: [1.5, -2.5] }, 'POINT (1.5 -2.5)'],
  [{ type: 'MultiPoint', coordinates: [[1, 2], [3, 4]] }, 'MULTIPOINT (1 2,3 4)'],
  [
    { type: 'MultiPolygon', coordinates: [[[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]], [[[9, 9], [10, 9], [10, 10], [9, 9]]]] },
    'MULTIPOLYGON (((2 2,2 0,0 0,0 2,2 2)),((9 9,10 10,10 9,9 9)))',
  ],
]; // biome-ignore format: a table

test('GDAL reads the geometries and values of a topology', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'all.geojson');
  const features = FEATURES.map(([geometry], n) => ({
    type: 'Feature',
    id: `f${n}`,
    properties: { n, text: `ä"${n}`, size: n / 2 },
    geometry,
  }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath } = await convertFile(path, workspace.path, { from: 'geojson', to: 'topojson' });
  const { layers, warnings } = await gdalFacts(outputPath);
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    layers.map(({ name }) => name),
    ['all'],
  );
  const [{ fields, rows }] = layers;
  assert.deepEqual(
    fields.map(({ name }) => name),
    ['id', 'n', 'text', 'size'],
  );
  assert.deepEqual(
    // GDAL writes some integers with ".0", and each point of a multipoint in brackets.
    rows.map(({ geometry, values }) => [
      geometry?.replaceAll('((1 2),(3 4))', '(1 2,3 4)').replaceAll('.0 ', ' '),
      values,
    ]),
    FEATURES.map(([, wkt], n) => [wkt, [`f${n}`, String(n), `ä"${n}`, n / 2]]),
  );
});

test('GDAL reads a quantized topology as geomill does', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'all.geojson');
  const features = FEATURES.map(([geometry], n) => ({ type: 'Feature', properties: { n }, geometry }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'topojson',
    writeOptions: { quantization: 1000 },
  });
  const { outputPath: back } = await convertFile(outputPath, join(workspace.path, 'back'), {
    from: 'topojson',
    to: 'gpkg',
  });
  const own = (await gdalFacts(back)).layers[0].rows;
  const theirs = (await gdalFacts(outputPath)).layers[0].rows;
  assert.deepEqual(
    theirs.map(({ geometry }) => geometry),
    own.map(({ geometry }) => geometry),
  );
});
