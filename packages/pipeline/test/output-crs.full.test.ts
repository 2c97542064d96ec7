/** The CRS of an output that keeps the one of its input: in the pipeline, and as the default of the command line. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { run as append } from '../../../apps/cli/src/append.ts';
import { run as convert } from '../../../apps/cli/src/convert.ts';
import { run as merge } from '../../../apps/cli/src/merge.ts';
import { readConfig } from '../../../apps/service/src/settings/config.ts';
import { type Converted, combineFiles, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

const context = readConfig({});
const WITHOUT_GDAL =
  spawnSync('ogrinfo', ['--version']).status === 0 ? false : 'ogrinfo (GDAL) is not installed';

const SURVEY = 'n,geom_wkt\n1,POINT (450000.125 5400000.25)\n';
const LAMBERT = 'n,geom_wkt\n2,POINT (652000 6862000)\n';

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A GeoPackage with the layers survey (EPSG:25832) and paris (EPSG:2154), as GDAL writes it. */
function twoSystems(directory: string): string {
  const path = join(directory, 'two.gpkg');
  const add = (csv: string, crs: string, ...more: string[]): void => {
    const argv = ['-a_srs', crs, '-oo', 'GEOM_POSSIBLE_NAMES=geom_wkt', ...more, path, csv];
    const { status, stderr } = spawnSync('ogr2ogr', argv, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  add(write(join(directory, 'survey.csv'), SURVEY), 'EPSG:25832');
  add(write(join(directory, 'paris.csv'), LAMBERT), 'EPSG:2154', '-update');
  return path;
}

const codesOf = ({ report }: Converted): string[] => report.warnings.map(({ code }) => code);

const refusal = (code: string) => (error: unknown) => error instanceof GeomillError && error.code === code;

test('source keeps the CRS of the input, or that of the last reproject step', async () => {
  using workspace = makeWorkspace();
  const path = write(join(workspace.path, 'survey.csv'), SURVEY);
  const options = { from: 'csv', to: 'csv', fromCrs: 'EPSG:25832', toCrs: 'source' };
  const kept = await convertFile(path, workspace.path, options);
  assert.equal(readFileSync(kept.outputPath, 'utf8'), SURVEY);
  assert.deepEqual([kept.report.output.crs, kept.report.reprojections], ['EPSG:25832', []]);
  const moved = await convertFile(path, join(workspace.path, 'moved'), {
    ...options,
    transformations: [{ type: 'reproject', params: { epsg: 4326 } }],
  });
  assert.equal(moved.report.output.crs, 'EPSG:4326');
  assert.match(readFileSync(moved.outputPath, 'utf8'), /POINT \(8\.3\d+ 48\.7\d+\)/);
});

test('layers with different CRSs keep theirs where the output can hold them', {
  skip: WITHOUT_GDAL,
}, async () => {
  using workspace = makeWorkspace();
  const path = twoSystems(workspace.path);
  const options = { from: 'gpkg', toCrs: 'source' };
  const converted = await convertFile(path, workspace.path, { ...options, to: 'shp' });
  assert.ok(codesOf(converted).includes('CRS_PER_LAYER'));
  const facts = spawnSync('ogrinfo', ['-al', '-so', `/vsizip/${converted.outputPath}`], {
    encoding: 'utf8',
  }).stdout;
  for (const [layer, extent, code] of [
    ['survey', '(450000.125000, 5400000.250000)', 25832],
    ['paris', '(652000.000000, 6862000.000000)', 2154],
  ] as const) {
    const own = facts.slice(facts.indexOf(`Layer name: ${layer}`)).split('Layer name: ')[1];
    assert.ok(own.includes(`Extent: ${extent} - ${extent}`), own);
    assert.ok(own.includes(`ID["EPSG",${code}]`), own);
  }
  await assert.rejects(
    convertFile(path, join(workspace.path, 'csv'), { ...options, to: 'csv' }),
    refusal('CRS_DIFFERENT'),
  );
  const one = { ...options, to: 'csv', layers: ['paris'] };
  const { report } = await convertFile(path, join(workspace.path, 'one'), one);
  assert.equal(report.output.crs, 'EPSG:2154');
});

test('a merge of files with different CRSs is in that of the first and says so', async () => {
  using workspace = makeWorkspace();
  const paths = ['a.csv', 'b.csv'].map((name) => write(join(workspace.path, name), SURVEY));
  const options = { operation: 'merge', from: 'csv', to: 'gpkg', toCrs: 'source' } as const;
  const merged = await combineFiles(paths, workspace.path, {
    ...options,
    fileCrs: ['EPSG:25833', 'EPSG:25832'],
  });
  assert.equal(merged.report.output.crs, 'EPSG:25833');
  assert.ok(codesOf(merged).includes('CRS_OF_FIRST'));
});

test('GeoJSON in place of the CRS of the input is reported', async () => {
  using workspace = makeWorkspace();
  const path = write(join(workspace.path, 'survey.csv'), SURVEY);
  const options = { from: 'csv', to: 'geojson', fromCrs: 'EPSG:25832', toCrs: 'source' };
  assert.deepEqual(codesOf(await convertFile(path, workspace.path, options)), []);
  const stated = join(workspace.path, 'stated.geojson');
  const requested = ['--out-geojson-crs', 'requested'];
  for (const flags of [[], ['--to-crs', 'source'], requested]) {
    const argv = [path, stated, '--from-crs', 'EPSG:25832', '--quiet', '--overwrite', ...flags];
    assert.equal(await convert(argv, context), 0);
    assert.equal(/450000\.125/.test(readFileSync(stated, 'utf8')), flags === requested);
  }
});

test('a drawing in degrees is reported, one in metres is not', async () => {
  using workspace = makeWorkspace();
  const path = write(join(workspace.path, 'survey.csv'), SURVEY);
  const options = { from: 'csv', to: 'dxf', fromCrs: 'EPSG:25832' };
  const kept = await convertFile(path, workspace.path, { ...options, toCrs: 'source' });
  assert.deepEqual(codesOf(kept), []);
  const moved = await convertFile(path, join(workspace.path, 'degrees'), { ...options, toCrs: 'EPSG:4326' });
  assert.deepEqual(codesOf(moved), ['DRAWING_IN_DEGREES']);
});

test('on the command line an output has the CRS of its input, its target or its first file', async () => {
  using workspace = makeWorkspace();
  const [a, b] = ['a.csv', 'b.csv'].map((name) => write(join(workspace.path, name), SURVEY));
  const out = join(workspace.path, 'out.csv');
  const flags = ['--from-crs', 'EPSG:25832', '--quiet', '--overwrite'];
  const rows = (): string[] => readFileSync(out, 'utf8').trim().split('\n').slice(1);
  await convert([a, out, ...flags], context);
  assert.deepEqual(rows(), ['1,POINT (450000.125 5400000.25)']);
  await append([a, b, '--out', out, ...flags], context);
  assert.deepEqual(rows(), Array(2).fill('1,POINT (450000.125 5400000.25)'));
  await merge([a, b, '--out', out, ...flags], context);
  assert.deepEqual(rows(), Array(2).fill('POINT (450000.125 5400000.25),'));
  await convert([a, out, ...flags, '--to-crs', '4326'], context);
  assert.match(rows()[0], /^1,POINT \(8\.3/);
});
