/** The text of a .prj means the same system wherever it is given: in a zip, as the CRS of input or output, in a step. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import type { CrsText } from '../../core/src/crs/crs.ts';
import { CrsService } from '../src/crs-service.ts';
import { identified } from '../src/source-crs.ts';

const CODES = ['EPSG:25832', 'EPSG:28350', 'EPSG:3857', 'EPSG:4326', 'EPSG:2154', 'EPSG:2263'];
const crs = new CrsService(null);
await crs.prepare(CODES);

const esri = (code: CrsText): string => {
  const { wktEsri } = crs.describe(code, 'test');
  assert.ok(wktEsri !== null);
  return wktEsri;
};

test('WKT is known by its code, in the forms of ESRI, GDAL and ISO; other definitions stay as they are', () => {
  for (const code of CODES) {
    const { wktEsri, wkt1, wkt2 } = crs.describe(code, 'test');
    for (const text of [wktEsri, wkt1, wkt2, `\n  ${wktEsri}\n`]) {
      assert.ok(text !== null);
      assert.equal(identified(text, 'test', crs), code, text);
    }
  }
  for (const text of ['EPSG:25832', '+proj=utm +zone=32 +ellps=bessel +towgs84=598.1,73.7,418.2 +units=m'])
    assert.equal(identified(text, 'test', crs), text);
});

test('the same text as the CRS of the output, of the input, of a step and in a zip leads to the same system', async () => {
  using workspace = makeWorkspace();
  const text = esri('EPSG:25832');
  const points = join(workspace.path, 'p.csv');
  writeFileSync(points, 'geom_wkt,name\nPOINT (500000 5500000),a\n');
  const zipped = await convertFile(points, workspace.path, {
    from: 'csv',
    to: 'shp',
    fromCrs: 'EPSG:25832',
    toCrs: text,
    outputName: 'zipped',
  });
  assert.equal(zipped.report.output.crs, 'EPSG:25832');
  assert.deepEqual(zipped.report.reprojections, []);
  const stated = await convertFile(points, workspace.path, {
    from: 'csv',
    to: 'gpkg',
    fromCrs: text,
    toCrs: 'EPSG:4326',
    transformations: [
      { type: 'reproject', params: { crs: esri('EPSG:28350') } },
      { type: 'make_valid', params: {} },
    ],
    outputName: 'stated',
  });
  const inZip = await convertFile(zipped.outputPath, workspace.path, {
    from: 'shp',
    to: 'gpkg',
    fromCrs: null,
    toCrs: 'EPSG:4326',
    outputName: 'unzipped',
  });
  assert.equal(stated.report.input.layers[0].crs, 'EPSG:25832');
  assert.equal(inZip.report.input.layers[0].crs, 'EPSG:25832');
  assert.deepEqual(
    stated.report.reprojections.map(({ from, to }) => [from, to]),
    [
      ['EPSG:25832', 'EPSG:28350'],
      ['EPSG:28350', 'EPSG:4326'],
    ],
  );
  // The text agrees with the file, so that stating it is no conflict.
  const both = await convertFile(zipped.outputPath, workspace.path, {
    from: 'shp',
    to: 'gpkg',
    fromCrs: text,
    toCrs: 'EPSG:4326',
    outputName: 'both',
  });
  assert.equal(both.report.input.layers[0].crs, 'EPSG:25832');
});
