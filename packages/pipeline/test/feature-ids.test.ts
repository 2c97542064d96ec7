/** Ids that somebody gave features are data: formats without ids keep them as a field. Row numbers are no data. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { csvCells } from '../../../test/support/csv-cells.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { reader as shpReader } from '../../formats/src/shp/read.ts';
import type { ConversionReport } from '../src/report.ts';

type Given = readonly [id: unknown, properties: object];

function writeFeatures(path: string, features: readonly Given[]): string {
  const members = features.map(([id, properties], i) => ({
    type: 'Feature',
    ...(id === undefined ? {} : { id }),
    properties,
    geometry: { type: 'Point', coordinates: [i, 1] },
  }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: members }));
  return path;
}

async function shapefileOf(features: readonly Given[]) {
  using workspace = makeWorkspace();
  const path = writeFeatures(join(workspace.path, 'in.geojson'), features);
  const { report, outputPath } = await convertFile(path, workspace.path, { from: 'geojson', to: 'shp' });
  const { layers } = await readFileLayers(shpReader, outputPath);
  const [{ fields, rows }] = layers;
  return {
    report,
    fields: fields.map(({ name, type }) => `${name} ${type}`),
    rows: rows.map(({ properties }) => properties),
  };
}

const told = ({ warnings }: ConversionReport): unknown[] =>
  warnings
    .filter(({ code }) => code.startsWith('IDS_'))
    .map(({ code, count, params }) => [code, count, params.field]);

for (const [what, ids, type, expected] of [
  ['texts', ['AT', 'ÜX'], 'string', ['AT', 'ÜX']],
  ['numbers', [7, 5_000_000_000], 'int64', [7, 5_000_000_000]],
  ['numbers and texts', [7, 'AT'], 'string', ['7', 'AT']],
  ['texts of some features', ['AT', undefined], 'string', ['AT', null]],
] as const)
  test(`ids that are ${what} become the field id of a shapefile`, async () => {
    const { report, fields, rows } = await shapefileOf(ids.map((id, i) => [id, { name: `n${i}` }]));
    assert.deepEqual(fields, [`id ${type}`, 'name string']);
    assert.deepEqual(
      rows.map(({ id }) => id),
      expected,
    );
    assert.deepEqual(told(report), []);
  });

test('a field of that name stays what it is, and the ids are counted as dropped', async () => {
  const { report, fields, rows } = await shapefileOf([
    ['AT', {}],
    ['CH', { ID: 1 }],
  ]);
  assert.deepEqual(fields, ['ID int32']);
  assert.deepEqual(rows, [{ ID: null }, { ID: 1 }]);
  assert.deepEqual(told(report), [['IDS_WITHOUT_FIELD', 2, 'ID']]);
});

for (const [what, transformations] of [
  ['', []],
  [' behind a step', [{ type: 'buffer', params: { distance: 1, units: 'meters' } }]],
  [' behind a filter', [{ type: 'filter', params: { where: "name = 'a'" } }]],
] as const)
  test(`ids are the first column of a CSV${what}`, async () => {
    using workspace = makeWorkspace();
    const path = writeFeatures(join(workspace.path, 'in.geojson'), [['AT', { name: 'a' }]]);
    const { report, outputPath } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to: 'csv',
      transformations,
    });
    const [header, row] = csvCells(readFileSync(outputPath, 'utf8'));
    assert.deepEqual(header, ['id', 'name', 'geom_wkt']);
    assert.deepEqual(row.slice(0, 2), ['AT', 'a']);
    assert.deepEqual(told(report), []);
  });

test('ids survive a drawing, and come out of it as a field', async () => {
  using workspace = makeWorkspace();
  const path = writeFeatures(join(workspace.path, 'in.geojson'), [['AT', { name: 'a' }]]);
  const drawing = await convertFile(path, workspace.path, { from: 'geojson', to: 'dxf' });
  const { outputPath } = await convertFile(drawing.outputPath, workspace.path, {
    from: 'dxf',
    to: 'csv',
    fromCrs: 'EPSG:4326',
  });
  assert.match(readFileSync(outputPath, 'utf8'), /^id,name,geom_wkt\nAT,a,/);
});

const TWO_LAYERS = {
  sql: ['a', 'b']
    .map(
      (name) =>
        `CREATE TABLE ${name} (fid INTEGER PRIMARY KEY, geom POINT, v TEXT); INSERT INTO ${name} VALUES (1, ${pointBlob(1, 2)}, 'x');`,
    )
    .join(' '),
  layers: ['a', 'b'],
};

test('ids of joined layers are told apart by the names of the layers', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), TWO_LAYERS);
  const { outputPath } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'geojson' });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: { id: unknown }[] };
  assert.deepEqual(
    features.map(({ id }) => id),
    ['a.1', 'b.1'],
  );
  const one = await convertFile(path, workspace.path, {
    from: 'gpkg',
    to: 'geojson',
    layers: ['a'],
    outputName: 'one',
  });
  assert.match(readFileSync(one.outputPath, 'utf8'), /"id":1,/);
});

for (const to of ['shp', 'csv'])
  test(`the row numbers of a GeoPackage make no field, to ${to}`, async () => {
    using workspace = makeWorkspace();
    const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), TWO_LAYERS);
    const { report, outputPath } = await convertFile(path, workspace.path, {
      from: 'gpkg',
      to,
      layers: ['a'],
    });
    assert.deepEqual(
      told(report).map((entry) => (entry as unknown[])[0]),
      ['IDS_DROPPED'],
    );
    if (to === 'csv') assert.match(readFileSync(outputPath, 'utf8'), /^v,geom_wkt\n/);
    else
      assert.deepEqual((await readFileLayers(shpReader, outputPath)).layers[0].fields, [
        { name: 'v', type: 'string' },
      ]);
  });
