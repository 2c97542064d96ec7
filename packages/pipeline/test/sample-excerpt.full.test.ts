/** Samples of files that are so large that only parts of them are read: the same laws, and no wrong number in the report. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { type ConvertOptions, convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import {
  MANY,
  PAD,
  positionOf,
  writeGeojson,
  writeLines,
  writeShapefile,
} from '../../../test/support/large-files.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import type { SourceLayer } from '../../formats/src/reader.ts';
import { transformations } from '../../operations/src/registry.ts';
import { parseSteps } from '../../operations/src/requested-steps.ts';
import { type ExcerptPlan, excerptsOf, isExcerpt } from '../src/excerpt.ts';

const PART_BYTES = 16 << 10;
interface Feature {
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

const stepsOf = (...steps: readonly object[]) => parseSteps(steps, 'transformations', transformations);
const sampleOf = (count: number) => stepsOf({ type: 'sample', count, row_field: '_row' });

async function convert(path: string, options: Partial<ConvertOptions> & Pick<ConvertOptions, 'from'>) {
  using workspace = makeWorkspace();
  const { report, outputPath } = await convertFile(path, workspace.path, { to: 'geojson', ...options });
  const output = readFileSync(outputPath, 'utf8');
  return { report, output, features: (JSON.parse(output) as { features: Feature[] }).features };
}

type Result = Awaited<ReturnType<typeof convert>>;

/** Checks the features by their field `n`, their numbers in the file where they are known, and the counts. */
function check({ features, report }: Result, count: number): void {
  assert.equal(features.length, count);
  let before = -1;
  for (const { geometry, properties } of features) {
    const n = Number(properties.n);
    assert.ok(n > before, 'the order is that of the file');
    before = n;
    assert.deepEqual(geometry, { type: 'Point', coordinates: positionOf(n) });
    if (properties._row !== null) assert.equal(properties._row, n + 1);
  }
  const { read, written, dropped } = report.features;
  assert.deepEqual([written, read], [count, written + dropped]);
  const [step] = report.steps ?? [];
  assert.deepEqual([step.featuresIn, step.featuresOut], [read, count]);
  assert.deepEqual(step.dropped, [{ reason: 'FILTERED', features: read - count }]);
}

/** The features that were read, and what the report says about all of them. */
function excerptIn({ report }: Result) {
  const [{ features, featureTotal }] = report.input.layers;
  const found = report.warnings.find(({ code }) => code === 'SAMPLED_FROM_PARTS');
  return { features, featureTotal, params: found?.params };
}

test('only parts of a large GeoJSON file are read, and the report says so', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeGeojson(path);
  const one = await convert(path, { from: 'geojson', transformations: sampleOf(2000), threads: 1 });
  const two = await convert(path, { from: 'geojson', transformations: sampleOf(2000), threads: 2 });
  assert.equal(one.output, two.output);
  check(one, 2000);
  const { features, featureTotal, params } = excerptIn(one);
  assert.ok(features < MANY / 2, `${features} were read`);
  assert.equal(featureTotal, null);
  assert.deepEqual(params, {
    layer: 'in',
    read: features,
    parts: params?.parts,
    total: 'how many it has is not known',
    where: 'of the file',
  });
  const numbers = one.features.map(({ properties }) => Number(properties.n));
  const gaps = numbers.map((n, i) => (numbers[i + 1] ?? MANY) - n);
  assert.ok(Math.max(...gaps) < 8 * (MANY / 2000), `the largest gap is ${Math.max(...gaps)}`);
  assert.ok(
    one.features.some(({ properties }) => properties._row === null),
    'rows after a gap are not known',
  );

  const more = await convert(path, { from: 'geojson', transformations: sampleOf(60_000) });
  check(more, 60_000);
  assert.deepEqual(excerptIn(more), { features: MANY, featureTotal: undefined, params: undefined });
  assert.ok(more.features.every(({ properties }) => properties._row !== null));
});

test('a part that begins in a nested list of features is noticed', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  const nested = '{"type":"Feature","properties":{"n":-1},"geometry":null}';
  writeGeojson(path, () => `,"list":[${nested},${nested},${nested}]`);
  const result = await convert(path, { from: 'geojson', transformations: sampleOf(500) });
  check(result, 500);
  assert.equal(excerptIn(result).params, undefined, 'the whole file was read');
});

test('an error in a part has its place in the whole file', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeGeojson(path, (i) => (i > MANY / 2 && i % 3 === 0 ? ',oops' : ''));
  const record = Math.ceil((MANY / 2 + 1) / 3) * 3 + 1;
  await assert.rejects(
    convert(path, { from: 'geojson', transformations: sampleOf(500) }),
    (error) => error instanceof GeomillError && error.location?.record === record,
  );
});

for (const cell of ['plain', '"two\nlines, and a ""quote"""', '"1,2\n3,4,five\n6,7,eight\n"'])
  test(`a large CSV with cells like ${JSON.stringify(cell)} gives its own rows only`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'in.csv');
    const line = (i: number): string => `${i},${positionOf(i).join()},${PAD},${cell}`;
    writeLines(path, 'n,lon,lat,pad,note\n', line, '\n', '\n');
    const result = await convert(path, { from: 'csv', fromCrs: 'EPSG:4326', transformations: sampleOf(900) });
    check(result, 900);
  });

test('a large GeoPackage and Shapefile are sampled from parts; a GeoPackage knows all numbers', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  writeGeojson(path);
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'gpkg',
    outputName: 'in',
  });
  const gpkg = await convert(outputPath, { from: 'gpkg', transformations: sampleOf(2000) });
  check(gpkg, 2000);
  const { features, featureTotal, params } = excerptIn(gpkg);
  assert.ok(features < MANY / 2);
  assert.deepEqual([featureTotal, params?.total], [MANY, `it has ${MANY}`]);
  assert.ok(gpkg.features.every(({ properties }) => properties._row !== null));

  const { outputPath: zip } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'shp',
    outputName: 'in',
    transformations: stepsOf({ type: 'select', fields: ['n'] }),
  });
  // Packed, it is small, so it is read whole.
  const shp = await convert(zip, { from: 'shp', transformations: sampleOf(2000) });
  check(shp, 2000);
  assert.deepEqual(excerptIn(shp), { features: MANY, featureTotal: undefined, params: undefined });
});

test('deleted rows of a large shapefile have no numbers, also where they are not read', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.shp');
  const count = 2_600_000;
  writeShapefile(path, count);
  const result = await convert(path, { from: 'shp', fromCrs: 'EPSG:4326', transformations: sampleOf(3000) });
  assert.equal(result.features.length, 3000);
  const deletedBefore = (record: number): number => Math.floor((record + 3) / 7);
  for (const { geometry, properties } of result.features) {
    const n = Number(properties.n);
    assert.notEqual(n % 7, 3);
    assert.equal(properties._row, n + 1 - deletedBefore(n));
    assert.deepEqual(geometry, { type: 'Point', coordinates: [n % 100, 1] });
  }
  const { features, featureTotal } = excerptIn(result);
  assert.ok(features < count / 2);
  assert.equal(featureTotal, count - deletedBefore(count));
  for (const { places } of result.report.warnings.filter(({ code }) => code === 'RECORD_DELETED'))
    assert.ok(
      places.every(({ record = 4 }) => record % 7 === 4),
      'no wrong record is named',
    );
});

const known: ExcerptPlan = {
  rules: { boundaries: 'known', countFeatures: (_layer, { start, end }) => (end - start) * 10 },
  partitionBytes: PART_BYTES,
  isSampled: true,
  mayHaveBox: false,
  selects: false,
};

test('parts of an excerpt do not overlap, are evenly spaced, and know the features before them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.nat(4), (size, attempt) => {
      const partitions = Array.from({ length: size }, (_, i) => ({ start: i, end: i + 1 }));
      const layer = { name: '', partitions } as unknown as SourceLayer;
      const [{ layers }] = excerptsOf([{ name: '', path: '', skipped: [], ignoredCrs: null, layers: [layer] }], known, attempt); // biome-ignore format: one line
      const parts = layers[0].partitions;
      assert.equal(parts[0].start, 0);
      assert.ok(parts.every(({ start, end }, i) => start < end && end <= (parts[i + 1]?.start ?? size)));
      if (!isExcerpt(layers[0])) {
        assert.equal(parts.at(-1)?.end, size);
        assert.ok(parts.every(({ end }, i) => end === (parts[i + 1]?.start ?? size)));
        return;
      }
      for (const { start, featuresBefore } of parts) assert.equal(featuresBefore, start * 10);
      const starts = parts.map(({ start }, i) => (parts[i + 1]?.start ?? size) - start);
      assert.ok(Math.max(...starts) - Math.min(...starts) <= 1);
    }),
    { numRuns: IS_EXHAUSTIVE ? 60 : 25 },
  );
});
