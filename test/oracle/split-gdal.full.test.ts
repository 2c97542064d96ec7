/** The parts of split outputs are the features that GDAL selects by the same values, of samples and of real files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { IS_EXHAUSTIVE } from '../support/exhaustive.ts';

const PYTHON = '/usr/bin/python3';
const skip =
  spawnSync(PYTHON, ['-c', 'import osgeo.ogr']).status === 0 ? false : 'python3 with GDAL is not installed';
const ORACLE = join(import.meta.dirname, 'split_gdal.py');
const SAMPLES = join(import.meta.dirname, '../../samples');
const CORPUS = join(import.meta.dirname, '../../../shared/corpus');

interface Source {
  readonly path: string;
  readonly format: string;
  readonly layer: string;
  readonly fields: readonly string[];
  /** Shapefile keeps its names and values. */
  readonly fitsShapefile?: true;
}

const SOURCES: readonly Source[] = [
  {
    path: join(SAMPLES, 'harbour.gpkg'),
    format: 'gpkg',
    layer: 'harbour',
    fields: ['kind', 'built', 'depth_m', 'open'],
  },
  {
    path: join(CORPUS, 'gpkg/gpkg-rd/dutch_addresses_28992.gpkg'),
    format: 'gpkg',
    layer: 'OGRGeoJSON',
    fields: IS_EXHAUSTIVE ? ['woonplaats', 'toevoeging'] : ['toevoeging'],
    fitsShapefile: true,
  },
];

interface Verdict {
  readonly different: readonly unknown[];
  readonly total: number;
  readonly source: number;
}

for (const { path, format, layer, fields, fitsShapefile } of SOURCES)
  for (const to of fitsShapefile ? (IS_EXHAUSTIVE ? ['gpkg', 'shp'] : ['shp']) : ['gpkg'])
    test(`the parts of ${layer} as ${to} are those that GDAL selects`, {
      skip: skip || (existsSync(path) ? false : `${path} is not there`),
    }, async () => {
      const cases: object[] = [];
      using workspaces = new DisposableStack();
      for (const field of fields) {
        const workspace = workspaces.use(makeWorkspace());
        const { report, outputPath } = await convertFile(path, workspace.path, {
          from: format,
          to,
          toCrs: 'source',
          writeOptions: to === 'gpkg' ? { promote: false } : {},
          split: { field, into: to === 'gpkg' ? 'layers' : 'files' },
        });
        const parts = (report.output.layers ?? []).map(({ name, value }) => ({
          value,
          path: to === 'gpkg' ? outputPath : `/vsizip/${outputPath}/${name}.shp`,
          layer: name,
        }));
        assert.ok(parts.length > 1);
        cases.push({ source: path, layer, field, parts });
      }
      const done = spawnSync(PYTHON, [ORACLE], { input: JSON.stringify(cases), encoding: 'utf8' });
      assert.equal(done.status, 0, done.stderr);
      for (const { different, total, source } of JSON.parse(done.stdout) as Verdict[]) {
        assert.deepEqual(different, []);
        assert.equal(total, source);
      }
    });

test('the layers of a drawing are the values, as ogr2ogr reads them', { skip }, async () => {
  using workspace = makeWorkspace();
  const { report, outputPath } = await convertFile(join(SAMPLES, 'harbour.gpkg'), workspace.path, {
    from: 'gpkg',
    to: 'dxf',
    toCrs: 'source',
    writeOptions: { hatch: false },
    split: { field: 'kind', into: 'layers' },
  });
  const table = join(workspace.path, 'entities.csv');
  const sql = 'SELECT Layer, COUNT(*) AS n FROM entities GROUP BY Layer ORDER BY Layer';
  const argv = ['-f', 'CSV', table, outputPath, '-dialect', 'SQLite', '-sql', sql];
  const done = spawnSync('ogr2ogr', argv, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const layers = report.output.layers ?? [];
  const found = readFileSync(table, 'utf8').trim().split('\n').slice(1).map((line) => line.split(',')[0]); // biome-ignore format: one line
  assert.deepEqual(found, layers.map(({ name }) => name).toSorted());
  assert.equal(
    layers.reduce((sum, { features }) => sum + features, 0),
    10,
  );
});
