/** Layers that are added to an existing GeoPackage, and names of layers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test from 'node:test';
import { type Feature, pointAt, writeGeojson } from '../../../test/support/combine.ts';
import { convertFile, makeWorkspace, requestFor } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { contentOf, requireSound, writeRichGeopackage } from '../../../test/support/rich-gpkg.ts';
import { runConversion } from '../src/run.ts';

async function update(
  workspace: string,
  existing: string,
  features: readonly Feature[],
  { mode, layerName, toCrs }: { mode: 'add' | 'replace'; layerName?: string; toCrs?: string },
): Promise<{ path: string; codes: readonly string[] }> {
  const input = writeGeojson(join(workspace, 'new.geojson'), features);
  const scratchDirectory = join(workspace, 'scratch');
  mkdirSync(scratchDirectory, { recursive: true });
  const path = join(workspace, 'updated.gpkg');
  const request = requestFor({ from: 'geojson', to: 'gpkg', toCrs });
  const report = await runConversion(
    {
      ...request,
      output: { ...request.output, existing: mode, ...(layerName === undefined ? {} : { layerName }) },
    },
    {
      inputs: [{ path: input, name: basename(input) }],
      existing: { path: existing, name: 'master.gpkg' },
      outputPath: path,
      scratchDirectory,
      gridDirectory: null,
      threads: 1,
      limits: DEFAULT_INPUT_LIMITS,
    },
    { signal: new AbortController().signal, onProgress: () => {} },
  );
  return { path, codes: report.warnings.map(({ code }) => code) };
}

const features = [pointAt([9, 50], { a: 1, b: { c: 2 } }), pointAt([10, 51], { a: 2 })];
const tableNames = (content: object): string[] => Object.keys(content);

test('adds a layer to an existing GeoPackage and keeps every row that is in it', async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const before = contentOf(master);
  const { path, codes } = await update(workspace.path, master, features, {
    mode: 'add',
    layerName: 'shops',
    toCrs: 'EPSG:3857',
  });
  assert.deepEqual(codes, []);
  const after = contentOf(path);
  requireSound(path, ['roads', 'shops']);
  for (const [table, rows] of Object.entries(before))
    if (table !== 'sqlite_sequence')
      assert.deepEqual(
        rows.filter((row) => !after[table].includes(row)),
        [],
        table,
      );
  assert.equal(after.shops.length, 2);
  assert.ok(tableNames(after).includes('gpkg_data_columns'), 'for the JSON column');
  assert.ok(after.gpkg_spatial_ref_sys.some((row) => row.includes('"srs_id":"3857"')));
  const added = after.gpkg_contents
    .filter((row) => !before.gpkg_contents.includes(row))
    .map((row) => JSON.parse(row));
  assert.deepEqual(
    added.map((row) => [row.table_name, row.data_type, row.srs_id]),
    [['shops', 'features', '3857']],
  );
});

test('a layer that is replaced keeps the letter case of its name', async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const { path } = await update(workspace.path, master, features, { mode: 'replace', layerName: 'ROADS' });
  const tables = tableNames(contentOf(path));
  assert.ok(tables.includes('roads') && !tables.includes('ROADS'));
  requireSound(path, ['roads']);
});

test('a name that is taken is an error; with replace only that layer is replaced', async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const [bytes, before] = [readFileSync(master), contentOf(master)];
  await assert.rejects(update(workspace.path, master, features, { mode: 'add', layerName: 'ROADS' }), {
    code: 'LAYER_EXISTS',
  });
  for (const mode of ['add', 'replace'] as const)
    await assert.rejects(update(workspace.path, master, features, { mode, layerName: 'lookup' }), {
      code: 'LAYER_NAME_TAKEN',
    });
  assert.deepEqual(readFileSync(master), bytes);
  const { path } = await update(workspace.path, master, features, { mode: 'replace', layerName: 'roads' });
  requireSound(path, ['roads']);
  const after = contentOf(path);
  assert.equal(after.roads.length, 2);
  for (const table of [
    'lookup',
    'photo',
    'layer_styles',
    'gpkg_metadata',
    'gpkg_metadata_reference',
    'zones',
    'log',
  ])
    assert.deepEqual(after[table], before[table], table);
  assert.deepEqual(after.gpkg_contents.length, before.gpkg_contents.length);
  assert.deepEqual(after.gpkg_ogr_contents, ['{"table_name":"roads","feature_count":"2"}']);
});

test('names the layer of an output, and refuses one name for several layers', async () => {
  using workspace = makeWorkspace();
  const input = writeGeojson(join(workspace.path, 'in.geojson'), features);
  const request = { from: 'geojson', to: 'gpkg', layerName: 'shops' };
  assert.ok(
    tableNames(contentOf((await convertFile(input, workspace.path, request)).outputPath)).includes('shops'),
  );
  const joined = await convertFile(input, join(workspace.path, 'j'), { ...request, to: 'geojson' });
  assert.match(readFileSync(joined.outputPath, 'utf8'), /"name":\s*"shops"/);
  const many = await writeRichGeopackage(workspace.path);
  await assert.rejects(convertFile(many, join(workspace.path, 'm'), { ...request, from: 'gpkg' }), {
    code: 'LAYER_NAME_AMBIGUOUS',
  });
});

test('GDAL reads the added layer, and ogr2ogr -update gives the same layers', {
  skip: spawnSync('ogr2ogr', ['--version']).status === 0 ? false : 'GDAL is not installed',
}, async () => {
  using workspace = makeWorkspace();
  const master = await writeRichGeopackage(workspace.path);
  const plain = features.map(
    ({ geometry }, i) => ({ type: 'Feature', properties: { a: i }, geometry }) as const,
  );
  const { path } = await update(workspace.path, master, plain, { mode: 'add', layerName: 'shops' });
  const peer = join(workspace.path, 'peer.gpkg');
  copyFileSync(master, peer);
  const made = spawnSync('ogr2ogr', ['-update', '-nln', 'shops', peer, join(workspace.path, 'new.geojson')]);
  assert.equal(made.status, 0, String(made.stderr));
  const facts = (file: string): string =>
    spawnSync('ogrinfo', ['-al', file, 'shops'], { encoding: 'utf8' }).stdout.replace(
      /^.*(?:INFO|using driver|Data axis|DBF_DATE).*\n/gm,
      '',
    );
  assert.equal(/POINT \(9 50\)/.test(facts(path)), true);
  assert.equal(facts(path).replace(/a: Integer.*/, ''), facts(peer).replace(/a: Integer.*/, ''));
});
