/** spatial_join: attributes of another source by location. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { collectionOf, runWithSource, type SecondSourceRun } from '../../../test/support/second-source.ts';

const square = (x: number, y: number, size = 1): object => ({
  type: 'Polygon',
  coordinates: [[[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]]], // biome-ignore format: one line
});
const point = (x: number, y: number): object => ({ type: 'Point', coordinates: [x, y] });
const layer = (shapes: readonly (object | null)[], field = 'n'): object =>
  collectionOf(
    shapes.map((_, i) => ({ [field]: i })),
    (i) => shapes[i],
  );
const run = (params: object, input: object, source: object): Promise<SecondSourceRun> =>
  runWithSource('spatial_join', { ...params }, input, ['s.geojson', JSON.stringify(source)]);
const column = ({ features }: SecondSourceRun, name: string): unknown[] =>
  features.map(({ properties }) => properties[name]);

const ZONES = layer([square(0, 0), square(1, 0), null], 'zone');
const POINTS = layer([point(0.5, 0.5), point(1, 0.5), point(5, 5), null, point(1.5, 0.5)]);

test('points get the fields of the polygon that they are in; those on a border of both get the first', async () => {
  const found = await run({}, POINTS, ZONES);
  assert.deepEqual(column(found, 'zone'), [0, 0, null, null, 1]);
  assert.deepEqual(found.counts, { JOIN_UNMATCHED: 2, JOIN_FURTHER_MATCHES: 1, SOURCE_ROWS_UNMATCHED: 1 });
  assert.deepEqual(column(await run({ predicate: 'within' }, POINTS, ZONES), 'zone'), [
    0,
    null,
    null,
    null,
    1,
  ]);
  assert.deepEqual(column(await run({ matches: 'all', how: 'inner' }, POINTS, ZONES), 'zone'), [0, 0, 1, 1]);
});

test('polygons count the points in them and sum up their values', async () => {
  const params = { predicate: 'contains', aggregate: { n: 'sum' }, count_field: 'count' };
  const { features, counts } = await run(params, ZONES, POINTS);
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [
      { zone: 0, n: 0, count: 1 },
      { zone: 1, n: 4, count: 1 },
      { zone: 2, n: null, count: 0 },
    ],
  );
  assert.deepEqual(counts, { JOIN_UNMATCHED: 1, SOURCE_ROWS_UNMATCHED: 3 });
  const counted = await run({ predicate: 'intersects', fields: [], count_field: 'count' }, ZONES, POINTS);
  assert.deepEqual(column(counted, 'count'), [2, 2, 0]);
  assert.deepEqual(counted.counts, { JOIN_UNMATCHED: 1, SOURCE_ROWS_UNMATCHED: 2 });
});

test('geometries stay as they are, with Z, also invalid ones, which are tested as repaired', async () => {
  const bowtie = {
    type: 'Polygon',
    coordinates: [[[0, 0, 1], [2, 2, 2], [2, 0, 3], [0, 2, 4], [0, 0, 1]]], // biome-ignore format: one line
  };
  const { features, counts } = await run(
    { matches: 'all' },
    layer([bowtie]),
    layer([square(0.1, 0.9, 0.1)], 'm'),
  );
  assert.deepEqual(features[0].geometry?.coordinates, bowtie.coordinates);
  assert.equal(counts.TESTED_AS_REPAIRED, 1);
  const repaired = await run({}, layer([point(1.5, 1), point(1, 0.2)]), layer([bowtie], 'm'));
  assert.deepEqual(column(repaired, 'm'), [0, null]);
  assert.equal(repaired.counts.SOURCE_REPAIRED, 1);
});

test('a source in another CRS is transformed, and one across 180 degrees is cut there', async () => {
  const csv = `zone;wkt\nA;"POLYGON ((400000 5600000, 600000 5600000, 600000 5800000, 400000 5800000, 400000 5600000))"\n`;
  const crs = { source_crs: 'EPSG:25832', source_options: { geometry_column: 'wkt' } };
  const points = layer([point(9, 51), point(20, 51)]);
  const { features } = await runWithSource('spatial_join', crs, points, ['zones.csv', csv]);
  assert.deepEqual(features.map(({ properties }) => properties.zone), ['A', null]); // biome-ignore format: one line
  const across = layer([square(179, 0, 2)], 'zone');
  const found = await run({}, layer([point(-179.5, 1), point(179.5, 1), point(0, 1)]), across);
  assert.deepEqual(column(found, 'zone'), [0, 0, null]);
});

test('nearest measures in a projected CRS alone, and says so', async () => {
  await assert.rejects(run({ predicate: 'nearest' }, POINTS, ZONES), (error: Error) =>
    /reproject/.test(error.message),
  );
  await assert.rejects(run({ max_distance: 3 }, POINTS, ZONES), { code: 'TRANSFORMATION_INVALID' });
  await assert.rejects(run({ predicate: 'nearest', max_distance: 3 }, POINTS, ZONES), {
    code: 'TRANSFORMATION_INVALID',
  });
});

test('an empty source matches nothing', async () => {
  const { features, counts } = await run({}, POINTS, layer([]));
  assert.equal(features.length, 5);
  assert.deepEqual(counts, { JOIN_UNMATCHED: 5 });
});

test('law: points in a grid of squares are found by their coordinates, whatever the side that is held', async () => {
  const at = fc.integer({ min: 0, max: 39 }).map((n) => n / 4);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(at, at), { minLength: 1, maxLength: 80 }), async (places) => {
      const squares = layer(Array.from({ length: 100 }, (_, i) => square(i % 10, Math.floor(i / 10))), 'm'); // biome-ignore format: one line
      const points = layer(places.map(([x, y]) => point(x, y)));
      const params = { matches: 'all', how: 'inner' };
      const expected = places.flatMap(([x, y], n) =>
        Array.from({ length: 100 }, (_, m) => m)
          .filter((m) => Math.abs(x - (m % 10) - 0.5) <= 0.5 && Math.abs(y - Math.floor(m / 10) - 0.5) <= 0.5)
          .map((m) => `${n} ${m}`),
      );
      const text = ({ features }: SecondSourceRun): string[] =>
        features.map(({ properties: { n, m } }) => `${n} ${m}`).sort();
      assert.deepEqual(text(await run(params, points, squares)), expected.toSorted());
      assert.deepEqual(text(await run(params, squares, points)), expected.toSorted());
    }),
    { numRuns: 8 },
  );
});
