/** Approximated operations: as close to PROJ as promised, the same for each position whatever comes with it, and only where they may be. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { allSystems, compareBothWays, seeded } from '../../../../test/accuracy/compare.ts';
import { convertFile, makeWorkspace } from '../../../../test/support/convert.ts';
import { plainTransformer } from '../src/plain-transformer.ts';
import { Proj, type Transformer } from '../src/proj.ts';

const proj = await Proj.load({ gridDirectory: null });
/** Enough for every pair. */
const LARGE = Number.MAX_SAFE_INTEGER;

/** As in a worker thread. */
function transformerOf(from: string, to: string): Transformer {
  const { recipe } = proj.transformer(from, to);
  return plainTransformer(recipe) ?? proj.transformerOf(recipe);
}

function approximated(transformer: Transformer, source: readonly number[], dimensions: 'XY' | 'XYM' = 'XY') {
  const coordinates = Float64Array.from(source);
  const approximation = transformer.approximation(LARGE);
  const outcome = transformer.transform(coordinates, dimensions, undefined, undefined, approximation);
  return { coordinates, outcome };
}

/** Random positions in a box of longitudes and latitudes. */
function positionsIn(west: number, south: number, east: number, north: number, count: number): number[] {
  const random = seeded(count);
  return Array.from({ length: count }, () => [
    west + random() * (east - west),
    south + random() * (north - south),
  ]).flat();
}

// `npm run test:accuracy` does this for all systems with more positions.
test('approximated positions are within a micrometre of PROJ in areas of use of EPSG systems', () => {
  const random = seeded(17);
  const systems = allSystems();
  let count = 0;
  for (let i = 0; i < 8; i++) {
    const system = systems[Math.floor(random() * systems.length)];
    for (const comparison of compareBothWays(proj, 'EPSG:4326', system, 2000, random) ?? []) {
      assert.ok(comparison.errorMeters <= 1e-6, JSON.stringify(comparison));
      count += comparison.approximated;
    }
  }
  assert.ok(count > 20_000, `only ${count} of 32,000 positions were approximated`);
});

test('the boundaries between operations are PROJ’s', () => {
  // DHDN has an operation for each of several parts of Germany; positions all over it are close to one of their boundaries.
  for (const [from, to] of [
    ['EPSG:4326', 'EPSG:31467'],
    ['EPSG:31467', 'EPSG:25832'],
    ['EPSG:4326', 'EPSG:28992'],
    ['EPSG:4277', 'EPSG:4326'],
  ]) {
    const degrees = positionsIn(
      ...((from === 'EPSG:4277' ? [-6, 50, 1, 56] : [4, 48, 12, 53.5]) as [number, number, number, number]),
      20_000,
    );
    const source = Float64Array.from(degrees);
    if (from === 'EPSG:31467') proj.transformer('EPSG:4326', from).transform(source, 'XY');
    const exact = source.slice();
    transformerOf(from, to).transform(exact, 'XY');
    const { coordinates, outcome } = approximated(transformerOf(from, to), [...source]);
    const scale = to === 'EPSG:4326' ? 111_320 : 1;
    for (let i = 0; i < exact.length; i++)
      assert.ok(
        Math.abs(coordinates[i] - exact[i]) * scale <= 1e-6,
        `${from} to ${to}: ${degrees.slice(i & ~1, (i & ~1) + 2)}`,
      );
    const { positions, exactPositions } = outcome.approximated!;
    assert.equal(positions + exactPositions, 20_000);
    assert.ok(positions > 2000, `${from} to ${to}: ${positions} positions were approximated`);
  }
});

test('the result of a position does not depend on the others, their order or their measures', () => {
  const transformer = transformerOf('EPSG:4326', 'EPSG:2154');
  // Beyond the area of use, too.
  const position = fc.tuple(
    fc.double({ min: -15, max: 15, noNaN: true }),
    fc.double({ min: 37, max: 56, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(position, { minLength: 1, maxLength: 40 }), fc.nat(39), (positions, cut) => {
      const whole = approximated(transformer, positions.flat()).coordinates;
      const parts = [positions.slice(0, cut), positions.slice(cut)].map(
        (part) => approximated(transformer, part.flat()).coordinates,
      );
      assert.deepEqual(
        parts.flatMap((part) => [...part]),
        [...whole],
      );
      const reversed = approximated(transformer, positions.toReversed().flat()).coordinates;
      assert.deepEqual(
        [...reversed],
        [...whole].reverse().flatMap((_, i, all) => (i % 2 === 0 ? [all[i + 1], all[i]] : [])),
      );
      const measured = approximated(
        transformer,
        positions.flatMap(([x, y], i) => [x, y, i]),
        'XYM',
      ).coordinates;
      assert.deepEqual(
        [...measured],
        positions.flatMap((_, i) => [whole[2 * i], whole[2 * i + 1], i]),
      );
    }),
    { numRuns: 50 },
  );
});

test('positions that PROJ rejects are named, and empty ones stay empty', () => {
  const source = [9, 50, Number.NaN, Number.NaN, 9.1, 50, 9, 95, 9.2, 50, 8, -91];
  for (const to of ['EPSG:25832', 'EPSG:3035']) {
    const { coordinates, outcome } = approximated(transformerOf('EPSG:4326', to), source);
    assert.deepEqual(
      [outcome.failedPosition, outcome.failedCount, outcome.failedX, outcome.failedY],
      [3, 2, 9, 95],
    );
    assert.match(outcome.reason, /Invalid latitude/);
    assert.deepEqual([...coordinates.subarray(2, 4)], [Number.NaN, Number.NaN]);
    const { positions, exactPositions } = outcome.approximated!;
    assert.deepEqual([positions, exactPositions], [3, 2]);
  }
});

test('small inputs, heights, fast and iterated projections are not approximated', () => {
  const utm = transformerOf('EPSG:4326', 'EPSG:25832');
  assert.equal(utm.approximation(4_000_000), null);
  assert.ok(utm.approximation(5_000_000) !== null);
  // An area of less than 64 square degrees.
  const luxembourg = transformerOf('EPSG:4326', 'EPSG:2169');
  assert.equal(luxembourg.approximation((1 << 20) - 1), null);
  assert.ok(luxembourg.approximation(1 << 20) !== null);
  assert.equal(transformerOf('EPSG:4326', 'EPSG:3857').approximation(LARGE), null);
  assert.equal(transformerOf('EPSG:3377', 'EPSG:4326').approximation(LARGE), null);
  assert.ok(transformerOf('EPSG:4326', 'EPSG:3377').approximation(LARGE) !== null);
  const heights = Float64Array.of(9, 50, 100);
  const outcome = utm.transform(heights, 'XYZ', undefined, undefined, utm.approximation(LARGE));
  assert.equal(outcome.approximated, null);
});

const GRIDS = '/usr/share/proj';
const skip = existsSync(join(GRIDS, 'BETA2007.gsb')) ? false : `${GRIDS} has no BETA2007.gsb (proj-data)`;

test('operations with grids are not approximated', { skip }, async () => {
  const withGrids = await Proj.load({ gridDirectory: GRIDS });
  const { recipe } = withGrids.transformer('EPSG:31467', 'EPSG:25832');
  const inGermany = Array.from({ length: 400 }, (_, i) => [3_400_000 + i * 500, 5_300_000 + i * 1000]).flat();
  const { coordinates, outcome } = approximated(withGrids.transformerOf(recipe), inGermany);
  assert.deepEqual(outcome.operations[0].gridsUsed, ['de_adv_BETA2007.tif']);
  assert.equal(outcome.approximated!.positions, 0);
  const exact = Float64Array.from(inGermany);
  withGrids.transformerOf(recipe).transform(exact, 'XY');
  assert.deepEqual(coordinates, exact);
});

test('positions far from the area of use are transformed by PROJ', () => {
  const transformer = transformerOf('EPSG:4326', 'EPSG:25832');
  const { coordinates, outcome } = approximated(transformer, [20.5, 50, 9, 87.5, -3, 50]);
  assert.deepEqual(outcome.approximated, { positions: 0, exactPositions: 3, largestDifferenceMeters: 0 });
  const exact = Float64Array.of(20.5, 50, 9, 87.5, -3, 50);
  transformer.transform(exact, 'XY');
  assert.deepEqual(coordinates, exact);
});

test('a conversion of a large file has the same bytes with any number of threads, and the report says how', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.geojson');
  const random = seeded(3);
  const features = Array.from({ length: 12_000 }, () => {
    const position = [5.8 + random() * 0.6, 49.5 + random() * 0.6];
    return JSON.stringify({
      type: 'Feature',
      properties: { a: 'b' },
      geometry: { type: 'Point', coordinates: position },
    });
  });
  writeFileSync(path, `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`);
  const convert = async (options: { threads: number; exact?: boolean }) => {
    const { outputPath, report } = await convertFile(path, workspace.path, {
      from: 'geojson',
      to: 'csv',
      toCrs: 'EPSG:2169',
      ...options,
    });
    return { text: readFileSync(outputPath, 'utf8'), approximated: report.reprojections[0].approximated };
  };
  const one = await convert({ threads: 1 });
  const two = await convert({ threads: 2 });
  assert.equal(one.text, two.text);
  assert.deepEqual(one.approximated, two.approximated);
  const { positions = 0, exactPositions = 0, largestDifferenceMeters = 1 } = one.approximated ?? {};
  assert.equal(positions + exactPositions, 12_000);
  assert.ok(positions > 8000);
  assert.ok(largestDifferenceMeters > 0 && largestDifferenceMeters <= 1e-7);
  const exact = await convert({ threads: 2, exact: true });
  assert.equal(exact.approximated, undefined);
  assert.notEqual(exact.text, one.text);
});
