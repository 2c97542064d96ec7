/** GDAL and geomill find the same in EsriJSON: GDAL in what geomill writes, geomill in what GDAL reads. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { reader } from '../../packages/formats/src/esrijson/read.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { readFileLayers } from '../support/read-layers.ts';
import { gdalFacts, withoutGdal } from './gdal-facts.ts';

const skip = withoutGdal;

type Case = readonly [type: string, coordinates: unknown, wkt: string];

/** One kind of geometry in each file. GDAL needs no flag for Z; M is in the fourth ordinate only. */
const LAYERS: Readonly<Record<string, readonly Case[]>> = {
  points: [
    ['Point', [1, 2], 'POINT (1 2)'],
    ['Point', [1.5, -2.25, 3], 'POINT Z (1.5 -2.25 3)'],
  ],
  multipoints: [
    ['MultiPoint', [[1, 2], [3, 4]], 'MULTIPOINT ((1 2),(3 4))'],
    ['Point', [5, 6], 'MULTIPOINT ((5 6))'],
    ['MultiPoint', [], 'MULTIPOINT EMPTY'],
  ],
  lines: [
    ['LineString', [[0, 0], [1, 1]], 'LINESTRING (0 0,1 1)'],
    ['LineString', [[0, 0, 5], [1, 1, 6]], 'LINESTRING Z (0 0 5,1 1 6)'],
    ['MultiLineString', [[[0, 0], [1, 1]], [[2, 2], [3, 3]]], 'MULTILINESTRING ((0 0,1 1),(2 2,3 3))'],
  ],
  polygons: [
    [
      'Polygon',
      [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]], [[2, 2], [2, 4], [4, 4], [4, 2], [2, 2]]],
      'POLYGON ((0 0,0 9,9 9,9 0,0 0),(2 2,4 2,4 4,2 4,2 2))',
    ],
    [
      'MultiPolygon',
      [[[[0, 0], [1, 0], [1, 1], [0, 0]]], [[[5, 5], [6, 5], [6, 6], [5, 5]]]],
      'MULTIPOLYGON (((0 0,1 1,1 0,0 0)),((5 5,6 6,6 5,5 5)))',
    ],
    ['Polygon', [], 'POLYGON EMPTY'],
  ],
}; // biome-ignore format: a table

for (const [name, cases] of Object.entries(LAYERS))
  test(`GDAL reads ${name} as geomill writes them`, { skip }, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'in.geojson');
    const features = cases.map(([type, coordinates], i) => ({
      type: 'Feature',
      properties: { text: 'ä"\n', whole: i, real: 0.1 },
      geometry: { type, coordinates },
    }));
    const none = { type: 'Feature', properties: {}, geometry: null };
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: [...features, none] }));
    const { outputPath } = await convertFile(path, workspace.path, { from: 'geojson', to: 'esrijson' });
    const { layers, warnings } = await gdalFacts(outputPath);
    assert.deepEqual(warnings, []);
    assert.equal(layers[0].epsg, '4326');
    assert.deepEqual(
      layers[0].fields.map((field) => [field.name, field.type, field.width]),
      [
        ['OBJECTID', 'Integer', 0],
        ['text', 'String', 4],
        ['whole', 'Integer', 0],
        ['real', 'Real', 0],
      ],
    );
    assert.deepEqual(
      layers[0].rows.map(({ geometry }) => geometry),
      [...cases.map(([, , wkt]) => wkt), null],
    );
    assert.deepEqual(
      layers[0].rows.map(({ values }) => values),
      [...cases.map((_, i) => [`${i + 1}`, 'ä"\n', `${i}`, 0.1]), [`${cases.length + 1}`, null, null, null]],
    );
  });

/** Geometry objects that both read, as GDAL reads them. */
const GEOMETRIES: readonly (readonly [geometry: object, wkt: string | null])[] = [
  [{ x: 1, y: 2 }, 'POINT (1 2)'],
  [{ x: 1, y: 2, z: 3 }, 'POINT Z (1 2 3)'],
  [{ points: [[1, 2, 3, 4]], hasZ: true, hasM: true }, 'MULTIPOINT ZM ((1 2 3 4))'],
  [{ hasM: true, points: [[1, 2, 3]] }, 'MULTIPOINT M ((1 2 3))'],
  [{ paths: [[[0, 0], [1, 1]]] }, 'LINESTRING (0 0,1 1)'],
  [{ paths: [[[0, 0], [1, 1]], [[2, 2], [3, 3]]] }, 'MULTILINESTRING ((0 0,1 1),(2 2,3 3))'],
  [
    { rings: [[[0, 0], [0, 9], [9, 9], [9, 0], [0, 0]], [[2, 2], [4, 2], [4, 4], [2, 4], [2, 2]]] },
    'POLYGON ((0 0,0 9,9 9,9 0,0 0),(2 2,4 2,4 4,2 4,2 2))',
  ],
  [
    { rings: [[[0, 0], [0, 1], [1, 1], [0, 0]], [[5, 5], [5, 6], [6, 6], [5, 5]]] },
    'MULTIPOLYGON (((0 0,0 1,1 1,0 0)),((5 5,5 6,6 6,5 5)))',
  ],
  [{ rings: [] }, 'POLYGON EMPTY'],
  [{ fake: true }, null],
]; // biome-ignore format: a table

test('geomill reads what GDAL reads', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.json');
  const fields = [
    { name: 'n', type: 'esriFieldTypeOID' },
    { name: 'a', type: 'esriFieldTypeDouble' },
    { name: 't', type: 'esriFieldTypeString', length: 7 },
  ];
  const features = GEOMETRIES.map(([geometry], n) => ({ attributes: { n, a: n / 4, t: `t${n}` }, geometry }));
  const head = { geometryType: 'esriGeometryPoint', spatialReference: { wkid: 102100, latestWkid: 3857 } };
  writeFileSync(path, JSON.stringify({ ...head, fields, features }));
  const { layers } = await gdalFacts(path);
  const [{ rows, source }] = (await readFileLayers(reader, path)).layers;
  assert.equal(source.crs, `EPSG:${layers[0].epsg}`);
  const wkts = GEOMETRIES.map(([, wkt]) => wkt);
  assert.deepEqual(
    layers[0].rows.map(({ geometry }) => geometry),
    wkts,
  );
  assert.deepEqual(
    rows.map(({ geometry }) => geometry),
    wkts,
  );
  assert.deepEqual(
    rows.map(({ properties: { n, a, t } }) => [String(n), a, t]),
    layers[0].rows.map(({ values }) => values),
  );
});
