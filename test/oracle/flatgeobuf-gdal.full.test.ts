/** GDAL reads from the files that geomill writes all that is in them, also what GDAL would not write. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { gdalFacts, withoutGdal } from './gdal-facts.ts';

const skip = withoutGdal;

/** Each with the WKT that GDAL reads: all have Z, as GDAL needs it. An empty part of GDAL's has no number of dimensions. */
const GEOMETRIES: readonly (readonly [geometry: object | null, wkt: string | null])[] = [
  [{ type: 'Point', coordinates: [1, 2, 3] }, 'POINT Z (1 2 3)'],
  [null, null],
  [{ type: 'Point', coordinates: [] }, 'POINT Z EMPTY'],
  [{ type: 'LineString', coordinates: [] }, 'LINESTRING Z EMPTY'],
  [{ type: 'MultiPoint', coordinates: [] }, 'MULTIPOINT EMPTY'],
  [{ type: 'MultiLineString', coordinates: [] }, 'MULTILINESTRING EMPTY'],
  [{ type: 'MultiPolygon', coordinates: [] }, 'MULTIPOLYGON EMPTY'],
  [{ type: 'GeometryCollection', geometries: [] }, 'GEOMETRYCOLLECTION EMPTY'],
  [{ type: 'LineString', coordinates: [[1, 2], [3, 4]] }, 'LINESTRING Z (1 2 nan,3 4 nan)'],
  [{ type: 'MultiLineString', coordinates: [[[1, 2, 0], [3, 4, 0]]] }, 'MULTILINESTRING Z ((1 2 0,3 4 0))'],
  [{ type: 'MultiPoint', coordinates: [[1, 2, 0], [3, 4, 0]] }, 'MULTIPOINT Z ((1 2 0),(3 4 0))'],
  [
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [5, 6, 0] },
        { type: 'MultiPolygon', coordinates: [[[[0, 0, 0], [9, 0, 0], [9, 9, 0], [0, 0, 0]], [[5, 2, 0], [6, 2, 0], [6, 3, 0], [5, 2, 0]]]] },
        { type: 'MultiLineString', coordinates: [[[1, 1, 0], [2, 2, 0]]] },
      ],
    },
    'GEOMETRYCOLLECTION Z (POINT Z (5 6 0),MULTIPOLYGON Z (((0 0 0,9 0 0,9 9 0,0 0 0),(5 2 0,6 2 0,6 3 0,5 2 0))),MULTILINESTRING Z ((1 1 0,2 2 0)))',
  ],
]; // biome-ignore format: a table

for (const hasIndex of [false, true])
  test(`GDAL reads all geometries of a file ${hasIndex ? 'with' : 'without'} index`, { skip }, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'in.geojson');
    const features = GEOMETRIES.map(([geometry], n) => ({ type: 'Feature', properties: { n }, geometry }));
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
    const { outputPath } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to: 'flatgeobuf',
      writeOptions: { spatial_index: hasIndex },
    });
    const { layers, warnings } = await gdalFacts(outputPath);
    assert.deepEqual(warnings, []);
    const rows = new Map(layers[0].rows.map(({ geometry, values }) => [String(values[0]), geometry]));
    assert.deepEqual(
      GEOMETRIES.map((_, n) => rows.get(String(n))),
      GEOMETRIES.map(([, wkt]) => wkt),
    );
  });

test('GDAL reads a CRS of an authority other than EPSG, and one without authority', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[9,51]}}');
  const custom = '+proj=tmerc +lat_0=0 +lon_0=9.5 +k=1 +x_0=500000 +ellps=bessel +units=m +type=crs';
  for (const toCrs of ['ESRI:102100', custom, 'EPSG:31467']) {
    const { outputPath } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to: 'flatgeobuf',
      toCrs,
    });
    const { layers, warnings } = await gdalFacts(outputPath);
    assert.deepEqual(warnings, []);
    assert.equal(layers[0].rows.length, 1);
    const back = await convertFile(outputPath, workspace.path, { from: 'flatgeobuf', to: 'csv', toCrs });
    assert.equal(back.report.reprojections.length, 0, toCrs);
  }
});
