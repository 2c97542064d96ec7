/** `layer` on a step: the step works on these layers alone, and the others are as if it were not there. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';

const stepsOf = (...steps: readonly object[]) => parseSteps(steps, 'transformations', transformations);

const directory = makeWorkspace();
after(() => directory[Symbol.dispose]());

/** A GeoPackage with three layers of ten features. */
async function threeLayers(): Promise<string> {
  const path = join(directory.path, 'in.geojson');
  const square = (x: number) => [
    [x, 50],
    [x + 0.01, 50],
    [x + 0.01, 50.02],
    [x, 50],
  ];
  const features = Array.from({ length: 30 }, (_, i) => ({
    type: 'Feature',
    properties: { part: ['roads', 'rivers', 'parks'][i % 3], n: (i * 7) % 30 },
    geometry: { type: 'Polygon', coordinates: [square(i / 50)] },
  }));
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const split = { field: 'part', into: 'layers' } as const;
  const { outputPath } = await convertFile(path, directory.path, { from: 'geojson', to: 'gpkg', split });
  return outputPath;
}

const LAYERS = await threeLayers();

interface Feature {
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The features of each layer in the GeoJSON output, which joins them. */
async function layersOf(options: Partial<ConvertOptions>): Promise<ReadonlyMap<string, readonly Feature[]>> {
  using workspace = makeWorkspace();
  const { outputPath } = await convertFile(LAYERS, workspace.path, {
    from: 'gpkg',
    to: 'geojson',
    ...options,
  });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: readonly Feature[] };
  return Map.groupBy(features, ({ properties }) => String(properties.layer));
}

const before = await layersOf({});
const [first, second, ...others] = before.keys();

test('a step with a layer changes that layer alone', async () => {
  assert.equal(others.length, 1);
  for (const step of [
    { type: 'envelope' },
    { type: 'limit', count: 1 },
    { type: 'sort', by: ['n desc'] },
    { type: 'dissolve' },
    { type: 'filter', where: '1 = 2' },
  ]) {
    const changed = await layersOf({ transformations: stepsOf({ ...step, layer: first }) });
    const alone = await layersOf({ transformations: stepsOf(step), layers: [first, second] });
    const named = (map: typeof before, name: string) =>
      map.get(name)?.map(({ geometry, properties: { layer: _, ...rest } }) => ({
        geometry,
        // Joined layers have the fields of all.
        properties: Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
      }));
    assert.deepEqual(named(changed, first), named(alone, first), step.type);
    for (const name of [second, ...others])
      assert.deepEqual(named(changed, name), named(before, name), step.type);
  }
});

test('a list of layers, under params too', async () => {
  const params = { layer: [first, second], count: 1 };
  const changed = await layersOf({ transformations: stepsOf({ type: 'limit', params }) });
  assert.deepEqual(
    [first, second].map((name) => changed.get(name)?.length),
    [1, 1],
  );
  assert.deepEqual(changed.get(others[0])?.length, before.get(others[0])?.length);
});

test('steps on some layers may name fields that only these have', async () => {
  const drop = { type: 'drop', fields: ['n'], layer: first };
  const byN = { type: 'sort', by: ['n desc'] };
  await assert.rejects(layersOf({ transformations: stepsOf(drop, byN) }), {
    code: 'FIELD_UNKNOWN',
    message: new RegExp(`layer '${first}' at transformations\\[1\\]`),
  });
  const layer = [second, ...others];
  const result = await layersOf({ transformations: stepsOf(drop, { ...byN, layer }) });
  const numbers = result.get(second)?.map(({ properties: { n } }) => Number(n)) ?? [];
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => b - a),
  );
  assert.equal(result.get(first)?.length, 10);
});

test('one layer can be reprojected, and a step after it works in that CRS', async () => {
  using workspace = makeWorkspace();
  const { report } = await convertFile(LAYERS, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    toCrs: 'source',
    transformations: stepsOf(
      { type: 'reproject', crs: 'EPSG:3857', layer: first },
      { type: 'buffer', distance: 1, units: 'meters' },
    ),
  });
  const [, step] = report.steps ?? [];
  assert.ok(step.crs.includes('EPSG:3857'));
  assert.equal(step.crs.length, 2);
});

test('an unknown layer is an error that lists the layers', async () => {
  await assert.rejects(layersOf({ transformations: stepsOf({ type: 'envelope', layer: `${first}x` }) }), {
    code: 'STEP_LAYER_UNKNOWN',
    message: new RegExp(
      `'transformations\\[0\\]\\.layer' .*'${first}x'.*did you mean '${first}'.*'${second}'`,
    ),
  });
  await assert.rejects(
    layersOf({ layers: [second], transformations: stepsOf({ type: 'envelope', layer: first }) }),
    { code: 'STEP_LAYER_UNKNOWN' },
  );
  for (const layer of ['', [], [''], 3, [first, first]])
    assert.throws(() => stepsOf({ type: 'envelope', layer }), { code: 'TRANSFORMATION_INVALID' });
});

test('a layer that gets another name in the output is named as in the input', async () => {
  using workspace = makeWorkspace();
  const { report } = await convertFile(LAYERS, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    layers: [first],
    layerName: 'renamed',
    transformations: stepsOf({ type: 'limit', count: 1, layer: first }),
  });
  assert.equal(report.features.written, 1);
});

test('on the command line, --on-layer comes after a step', async () => {
  using workspace = makeWorkspace();
  const out = join(workspace.path, 'out.geojson');
  const flags = ['--limit', '1', '--on-layer', first, '--on-layer', second, '--quiet'];
  const done = await runCli(['convert', LAYERS, out, ...flags], {});
  assert.equal(done.status, 0, done.err);
  const { features } = JSON.parse(readFileSync(out, 'utf8')) as { features: readonly Feature[] };
  assert.equal(features.filter(({ properties }) => properties.layer === first).length, 1);
  const wrong = await runCli(['convert', LAYERS, join(workspace.path, 'b.geojson'), '--on-layer', first], {});
  assert.equal(wrong.status, 2);
  assert.match(wrong.err, /--on-layer is an option of a transformation/);
});

test('the report counts the features of the layers that a step works on', async () => {
  using workspace = makeWorkspace();
  const { report } = await convertFile(LAYERS, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    transformations: stepsOf(
      { type: 'filter', params: { where: 'n < 15', layer: first } },
      { type: 'dissolve', params: { layer: second } },
      { type: 'centroid' },
    ),
  });
  const [filtered, dissolved, all] = report.steps ?? [];
  const kept = before.get(first)?.filter(({ properties }) => Number(properties.n) < 15).length ?? 0;
  assert.deepEqual([filtered.featuresIn, filtered.featuresOut], [10, kept]);
  assert.deepEqual(filtered.dropped, [{ reason: 'FILTERED', features: 10 - kept }]);
  assert.deepEqual([dissolved.featuresIn, dissolved.featuresOut, dissolved.merged], [10, 1, 9]);
  assert.deepEqual([all.featuresIn, all.featuresOut], [kept + 1 + 10, kept + 1 + 10]);
});
