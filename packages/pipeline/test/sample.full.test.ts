/** Which features a sample has: as many as requested, evenly spread, unchanged, in order, the same every time. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { batchRows } from '../../../test/support/rows.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { transformations } from '../../operations/src/registry.ts';
import { parseSteps } from '../../operations/src/requested-steps.ts';
import { sampler as sampling } from '../../operations/src/sample/code.ts';
import type { ConversionReport } from '../src/report.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
/** More than four partitions of the size that is usual with steps. */
const MANY = 20_000;

interface Feature {
  readonly id?: number;
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

const stepsOf = (...steps: readonly object[]) => parseSteps(steps, 'transformations', transformations);

/** The numbers of the features, from 1, that a sample takes from batches of these sizes. */
function sampled(sizes: readonly number[], count: number): number[] {
  const sampler = sampling({ count, row_field: 'row' }, { path: 'sample' });
  let before = 0;
  for (const size of sizes) {
    const batch = batchOfWkt(Array.from({ length: size }, (_, i) => `POINT (${before + i} 1)`));
    sampler.add(
      batch,
      new Findings(),
      BigInt64Array.from({ length: size }, (_, i) => BigInt(before + i + 1)),
    );
    before += size;
  }
  const rows = [...(sampler.finish(new Findings()) as Iterable<FeatureBatch>)].flatMap(batchRows);
  for (const { geometry, properties } of rows)
    assert.equal(geometry, `POINT (${Number(properties.row) - 1} 1)`);
  return rows.map(({ properties }) => Number(properties.row));
}

test('a sample has the requested number of features at even intervals, however they arrive', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 12 }), fc.integer({ min: 1, max: 90 }), (sizes, count) => {
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const numbers = sampled(sizes, count);
      assert.equal(numbers.length, Math.min(count, total));
      assert.deepEqual(sampled([total], count), numbers, 'batches make no difference');
      if (numbers.length === 0) return;
      assert.equal(numbers[0], 1);
      const gaps = numbers.slice(1).map((number, i) => number - numbers[i]);
      assert.ok(gaps.every((gap) => gap > 0));
      if (gaps.length > 0) assert.ok(Math.max(...gaps) <= 2 * Math.min(...gaps), `${gaps}`);
      const largest = Math.max(1, ...gaps);
      assert.ok(total - (numbers.at(-1) as number) < 2 * Math.max(largest, total / count));
    }),
    { numRuns: 300 },
  );
});

function points(count: number): string {
  const features = Array.from(
    { length: count },
    (_, i) =>
      `{"type":"Feature","id":${i},"properties":{"n":${i},"pad":"${'x'.repeat(i % 50)}"},"geometry":{"type":"Point","coordinates":[${i / 1000},50]}}`,
  );
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`;
}

async function convert(path: string, options: Partial<ConvertOptions> & Pick<ConvertOptions, 'from'>) {
  using workspace = makeWorkspace();
  const { report, outputPath } = await convertFile(path, workspace.path, { to: 'geojson', ...options });
  const output = readFileSync(outputPath, 'utf8');
  return { report, output, features: (JSON.parse(output) as { features: Feature[] }).features };
}

function checkSums({ features, steps = [] }: ConversionReport): void {
  assert.equal(features.read, features.written + features.dropped);
  let current = features.read;
  for (const { featuresIn, featuresOut, dropped } of steps) {
    assert.equal(featuresIn, current);
    assert.equal(featuresIn, featuresOut + dropped.reduce((sum, entry) => sum + entry.features, 0));
    current = featuresOut;
  }
  assert.equal(current, features.written);
}

test('threads make no difference, and the number of each feature in the file is right', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(MANY));
  const transformations = stepsOf(
    { type: 'filter', where: 'n >= 5000' },
    { type: 'sample', count: 700, row_field: '_row' },
  );
  const [one, two] = [
    await convert(path, { from: 'geojson', transformations, threads: 1 }),
    await convert(path, { from: 'geojson', transformations, threads: 2 }),
  ];
  assert.equal(one.output, two.output);
  assert.equal(one.features.length, 700);
  assert.equal(one.features[0].properties.n, 5000);
  for (const { id, properties, geometry } of one.features) {
    assert.equal(properties._row, Number(properties.n) + 1);
    assert.equal(id, properties.n);
    assert.deepEqual(geometry, { type: 'Point', coordinates: [Number(properties.n) / 1000, 50] });
  }
  checkSums(one.report);
  const [, step] = one.report.steps ?? [];
  assert.deepEqual(
    [step.featuresIn, step.featuresOut, step.dropped],
    [15_000, 700, [{ reason: 'FILTERED', features: 14_300 }]],
  );
});

const INPUTS = [
  ['harbour.geojson', 'geojson', {}],
  ['harbour.gpkg', 'gpkg', {}],
  ['harbour.zip', 'shp', {}],
  ['harbour.dxf', 'dxf', {}],
  ['harbour.csv', 'csv', { fromCrs: 'EPSG:4326' }],
] as const;

for (const [file, from, options] of INPUTS)
  test(`features of a sample of ${from} are those of the file, and their numbers its rows`, async () => {
    const path = join(SAMPLES, file);
    const all = await convert(path, { from, ...options });
    const { features, report } = await convert(path, {
      from,
      ...options,
      transformations: stepsOf({ type: 'sample', count: 7, row_field: '_row' }),
    });
    checkSums(report);
    assert.ok(all.features.length > 0);
    for (const layer of report.output.layers ?? []) assert.ok(layer.features <= 7);
    if (report.input.layers.length > 1) return;
    assert.equal(features.length, Math.min(7, all.features.length));
    for (const feature of features) {
      const { _row: row, ...properties } = feature.properties;
      assert.deepEqual({ ...feature, properties }, all.features[Number(row) - 1]);
    }
  });

for (const to of ['geojson', 'gpkg', 'shp', 'csv'])
  test(`a sample of a layer without features is written as ${to}`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'in.geojson');
    writeFileSync(path, points(0));
    const { report } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to,
      transformations: stepsOf({ type: 'sample', count: 3, row_field: '_row' }),
    });
    assert.equal(report.features.written, 0);
  });

test('steps after a sample get its features only', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(1000));
  const { features, report } = await convert(path, {
    from: 'geojson',
    transformations: stepsOf(
      { type: 'sample', count: 10 },
      { type: 'buffer', distance: 1, units: 'meters' },
      { type: 'sample', count: 4 },
    ),
  });
  checkSums(report);
  assert.deepEqual(
    features.map(({ id }) => id),
    [0, 192, 512, 704],
  );
  assert.deepEqual(
    report.steps?.map(({ featuresIn }) => featuresIn),
    [1000, 10, 10],
  );
});

function refusal(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof GeomillError && error.code === 'TRANSFORMATION_INVALID' && message.test(error.message);
}

test('numbers of features are refused where features are no longer those of the file', () => {
  assert.throws(
    () => stepsOf({ type: 'explode' }, { type: 'sample', count: 5, row_field: 'r' }),
    refusal(/'transformations\[1\]\.row_field' needs features as they are in the input, but explode/),
  );
  assert.throws(() => stepsOf({ type: 'sample', count: 0 }), refusal(/count/));
  assert.throws(() => stepsOf({ type: 'sample', count: 1_000_001 }), refusal(/count/));
});

test('a field with the name of the row field is not replaced', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeFileSync(path, points(5));
  await assert.rejects(
    convert(path, {
      from: 'geojson',
      transformations: stepsOf({ type: 'sample', count: 5, row_field: 'n' }),
    }),
    refusal(/'transformations\[0\]\.row_field' is 'n', but the layer already has/),
  );
});

const OGR = spawnSync('ogr2ogr', ['--version']).status === 0;

test('GDAL finds each feature of a sample in the file', {
  skip: OGR ? false : 'ogr2ogr is not installed',
}, async () => {
  using workspace = makeWorkspace();
  const path = join(SAMPLES, 'harbour.gpkg');
  const { outputPath, report } = await convertFile(path, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    toCrs: 'source',
    writeOptions: { promote: false },
    transformations: stepsOf({ type: 'sample', count: 5 }),
  });
  const linesOf = (file: string, layer: string): string[] => {
    const args = [
      '-f',
      'GeoJSONSeq',
      '/vsistdout/',
      file,
      layer,
      '-preserve_fid',
      '-lco',
      'COORDINATE_PRECISION=15',
    ];
    const { status, stdout, stderr } = spawnSync('ogr2ogr', args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout.split('\n').filter((line) => line !== '');
  };
  for (const { name, features } of report.output.layers ?? []) {
    const all = linesOf(path, name);
    const kept = linesOf(outputPath, name);
    assert.equal(kept.length, features);
    assert.equal(kept.length, Math.min(5, all.length));
    const places = kept.map((line) => all.indexOf(line));
    assert.deepEqual(places, [...places].sort((a, b) => a - b)); // biome-ignore format: one line
    assert.ok(places.every((place) => place >= 0));
  }
});
