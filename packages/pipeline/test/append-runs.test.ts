/** How appending and merging run: cancelled, joined into one layer, with steps that need a field, with counts per file. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { type Feature, featuresIn, pointAt, writeFile, writeGeojson } from '../../../test/support/combine.ts';
import { combineFiles, makeWorkspace } from '../../../test/support/convert.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

function lineFrom(x: number, properties: object): Feature {
  const coordinates = [
    [x, 0],
    [x, 1],
  ];
  return { type: 'Feature', properties: { ...properties }, geometry: { type: 'LineString', coordinates } };
}

test('an append that is cancelled while it opens its files ends as cancelled, without an output', async () => {
  using workspace = makeWorkspace();
  const path = writeGeojson(join(workspace.path, 'a.geojson'), [pointAt([0, 0], {})]);
  const abort = new AbortController();
  const running = combineFiles([path, path, path], workspace.path, {
    operation: 'append',
    from: 'geojson',
    to: 'csv',
    signal: abort.signal,
    onProgress: () => abort.abort(),
  });
  await assert.rejects(running, (error) => error instanceof GeomillError && error.code === 'CANCELLED');
  assert.deepEqual(
    workspace.entries().filter((name) => name.startsWith('out/')),
    [],
  );
});

test('progress of many files never falls', async () => {
  using workspace = makeWorkspace();
  const paths = Array.from({ length: 20 }, (_, i) =>
    writeGeojson(join(workspace.path, `${i}.geojson`), [pointAt([i, 0], { i })]),
  );
  const told: number[] = [];
  await combineFiles(paths, workspace.path, {
    operation: 'append',
    from: 'geojson',
    to: 'shp',
    onProgress: ({ fraction }) => told.push(fraction),
  });
  assert.deepEqual(
    told,
    told.toSorted((a, b) => a - b),
  );
  assert.ok((told.at(-1) ?? 0) > 0.9);
});

test('layers of a target become one where the output holds one, and a field tells them apart', async () => {
  using workspace = makeWorkspace();
  const make = (name: string, x: number) =>
    writeFile(workspace.path, name, 'shp', [pointAt([x, 0], { n: x }), lineFrom(x, { n: x })]);
  const paths = [await make('town', 1), await make('TOWN', 2)];
  const { outputPath, report } = await combineFiles(paths, workspace.path, {
    operation: 'append',
    from: 'shp',
    to: 'geojson',
  });
  assert.deepEqual(
    featuresIn(outputPath).map(({ properties }) => [properties.layer, properties.n]),
    [
      ['town_lines', 1],
      ['town_lines', 2],
      ['town_points', 1],
      ['town_points', 2],
    ],
  );
  assert.deepEqual(
    report.input.files.map(({ name, features }) => [name, features]),
    [
      ['town.zip', 2],
      ['TOWN.zip', 2],
    ],
  );
});

test('a layer without a counterpart is an error that names it and its file', async () => {
  using workspace = makeWorkspace();
  const both = await writeFile(workspace.path, 'a', 'shp', [pointAt([1, 0], {}), lineFrom(1, {})]);
  const other = await writeFile(workspace.path, 'b', 'shp', [pointAt([1, 0], {})]);
  const running = combineFiles([both, other], workspace.path, {
    operation: 'append',
    from: 'shp',
    to: 'gpkg',
  });
  await assert.rejects(running, {
    code: 'LAYER_NOT_IN_TARGET',
    message: /^layer 'b' of 'b.zip' .* the target 'a.zip', which has 'a_lines', 'a_points';/,
  });
});

test('a step that names a field which the target has not fails before anything is written', async () => {
  using workspace = makeWorkspace();
  const paths = [
    writeGeojson(join(workspace.path, 'a.geojson'), [pointAt([0, 0], { n: 1 })]),
    writeGeojson(join(workspace.path, 'b.geojson'), [pointAt([0, 0], { n: 1, extra: 2 })]),
  ];
  const options = {
    from: 'geojson',
    to: 'geojson',
    transformations: [{ type: 'dissolve', params: { by: ['extra'] } }],
  } as const;
  for (const operation of ['append', 'merge'] as const)
    await assert.rejects(combineFiles(paths, workspace.path, { ...options, operation }), {
      code: 'FIELD_UNKNOWN',
    });
});

test('a union of a merge joins what overlaps across files', async () => {
  using workspace = makeWorkspace();
  const paths = [0, 1, 5].map((x) =>
    writeGeojson(join(workspace.path, `${x}.geojson`), [lineFrom(0, { x })]),
  );
  const { outputPath } = await combineFiles(paths, workspace.path, {
    operation: 'merge',
    from: 'geojson',
    to: 'geojson',
    transformations: [{ type: 'union', params: {} }],
  });
  assert.equal(featuresIn(outputPath).length, 1);
});

test('files of one name are told apart', async () => {
  using workspace = makeWorkspace();
  const paths = ['x', 'y', 'z'].map((directory, i) =>
    writeGeojson(join(workspace.path, directory, 'a.geojson'), [pointAt([i, 0], { n: 1 }, i)]),
  );
  const options = { operation: 'append', from: 'geojson', to: 'geojson' } as const;
  const { report } = await combineFiles(paths, workspace.path, options);
  const names = ['a.geojson', 'a.geojson (2)', 'a.geojson (3)'];
  assert.deepEqual(
    report.input.files.map(({ name }) => name),
    names,
  );
  assert.deepEqual(
    report.warnings.map(({ params }) => params.source),
    names.slice(1).map((name) => `'${name}'`),
  );
});
