/** The report names everything that a target cannot store, with count and location. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Finding } from '../../packages/core/src/messages/findings.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0;

const feature = (geometry: unknown, properties: unknown): string =>
  JSON.stringify({ type: 'Feature', properties, geometry });

const DIFFICULT = `{"type":"FeatureCollection","features":[
${feature({ type: 'Point', coordinates: [1, 2, 3] }, { a_name_too_long: 1, text: '', date: '2024-02-29', m: 1 })},
${feature(
  {
    type: 'MultiPoint',
    coordinates: [
      [1, 2],
      [3, 4, 5],
    ],
  },
  { text: ' x', when: '2024-02-29T10:00:00+02:00', m: '1' },
)},
${feature({ type: 'Point', coordinates: [] }, { nested: { a: [1, 'ü'] }, m: true })},
${feature({ type: 'Point', coordinates: [5, 6] }, { text: 'ü'.repeat(200) })},
${feature(null, { text: 'none' })}
]}`;

function tally(warnings: readonly Finding[]): string[] {
  return warnings.map(({ code, count, params }) =>
    [code, count, params.field ?? params.from ?? ''].join(' ').trim(),
  );
}

async function convertDifficult(to: string, workspace: string) {
  const path = join(workspace, 'difficult.geojson');
  writeFileSync(path, DIFFICULT);
  return convertFile(path, workspace, { from: 'geojson', to });
}

test('reports each loss of a shapefile', async () => {
  using workspace = makeWorkspace();
  const { report } = await convertDifficult('shp', workspace.path);
  assert.deepEqual(tally(report.warnings).sort(), [
    'BLANKS_NOT_KEPT 2 text',
    'EMPTY_TO_NULL 1',
    'FIELD_RENAMED 1 a_name_too_long',
    'FIELD_RETYPED 1 m',
    'FIELD_RETYPED 1 nested',
    'FIELD_RETYPED 1 when',
    'ORDINATE_FILLED 2',
    'TEXT_CUT 1 text',
  ]);
  const blanks = report.warnings.find(({ code }) => code === 'BLANKS_NOT_KEPT');
  assert.deepEqual(blanks?.places, [{ layer: 'difficult', record: 1, field: 'text' }]);
});

test('reports each loss of a drawing', async () => {
  using workspace = makeWorkspace();
  const { report } = await convertDifficult('dxf', workspace.path);
  assert.deepEqual(tally(report.warnings).sort(), [
    'DRAWING_IN_DEGREES 1',
    'GEOMETRY_NOT_DRAWN 2',
    'ORDINATE_FILLED 1',
  ]);
  const { read, written, dropped } = report.features;
  assert.deepEqual({ read, written, dropped }, { read: 5, written: 3, dropped: 2 });
});

test('writes a Z missing at some positions of a geometry as 0 to a CSV, and reports it', async () => {
  using workspace = makeWorkspace();
  const { report, outputPath } = await convertDifficult('csv', workspace.path);
  assert.deepEqual(tally(report.warnings), ['ORDINATE_FILLED 1']);
  const wkt = readFileSync(outputPath, 'utf8').match(/(MULTI)?POINT.*\)/g);
  assert.deepEqual(wkt, ['POINT Z (1 2 3)', 'MULTIPOINT Z ((1 2 0),(3 4 5))', 'POINT (5 6)']);
});

test('GDAL reads every geometry of that CSV', {
  skip: hasGdal ? false : 'gdal-bin is not installed',
}, async () => {
  using workspace = makeWorkspace();
  const { outputPath } = await convertDifficult('csv', workspace.path);
  const { stdout } = spawnSync('ogrinfo', ['-ro', '-al', '-oo', 'GEOM_POSSIBLE_NAMES=geom_wkt', outputPath], {
    encoding: 'utf8',
  });
  const found = stdout.split('\n').filter((line) => /^ {2}\w*POINT/.test(line));
  assert.deepEqual(
    found.map((line) => line.trim()),
    ['POINT Z (1 2 3)', 'MULTIPOINT Z ((1 2 0),(3 4 5))', 'POINT EMPTY', 'POINT (5 6)'],
  );
});

test('GeoJSON to GeoJSON loses nothing', async () => {
  using workspace = makeWorkspace();
  const { report, outputPath } = await convertDifficult('geojson', workspace.path);
  assert.deepEqual(report.warnings, []);
  const given = JSON.parse(DIFFICULT) as { features: { geometry: unknown; properties: object }[] };
  const found = JSON.parse(readFileSync(outputPath, 'utf8')) as typeof given;
  for (const [i, { geometry, properties }] of found.features.entries()) {
    assert.deepEqual(geometry, given.features[i].geometry);
    const set = Object.entries(properties).filter(([, value]) => value !== null);
    assert.deepEqual(Object.fromEntries(set), given.features[i].properties);
  }
});
