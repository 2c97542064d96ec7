/** overlay: features are cut along the polygons of another source, with the attributes of both. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { collectionOf, runWithSource, type SecondSourceRun } from '../support/second-source.ts';

type Ring = readonly (readonly number[])[];
const square = (x: number, y: number, size = 1): { type: string; coordinates: Ring[] } => ({
  type: 'Polygon',
  coordinates: [[[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]]], // biome-ignore format: one line
});
const layer = (shapes: readonly (object | null)[], field = 'n'): object =>
  collectionOf(
    shapes.map((_, i) => ({ [field]: i })),
    (i) => shapes[i],
  );
const run = (how: string, input: object, source: object): Promise<SecondSourceRun> =>
  runWithSource('overlay', { how }, input, ['s.geojson', JSON.stringify(source)]);

const areaOfRing = (ring: Ring): number =>
  Math.abs(
    ring.slice(1).reduce((sum, [x, y], i) => sum + (ring[i][0] - ring[0][0]) * (y - ring[0][1]) - (x - ring[0][0]) * (ring[i][1] - ring[0][1]), 0), // biome-ignore format: one line
  ) / 2;
const areaOfPolygon = ([shell, ...holes]: readonly Ring[]): number =>
  areaOfRing(shell) - holes.reduce((sum, hole) => sum + areaOfRing(hole), 0);
function areaOf({ geometry }: SecondSourceRun['features'][number]): number {
  if (geometry === null) return 0;
  const { type, coordinates } = geometry;
  const polygons = type === 'Polygon' ? [coordinates as Ring[]] : (coordinates as Ring[][]);
  return polygons.reduce((sum, polygon) => sum + areaOfPolygon(polygon), 0);
}
const factsOf = ({ features }: SecondSourceRun): unknown[] =>
  features.map((feature) => [
    feature.properties.n,
    feature.properties.zone,
    Number(areaOf(feature).toFixed(6)),
  ]);

const ZONES = layer([square(0, 0), square(1, 0), square(9, 9)], 'zone');

test('pieces have the attributes of both; what is outside is dropped, or kept by identity', async () => {
  const parcels = layer([square(0.5, 0, 1), square(0, 0, 0.5), square(1.5, 0, 1), square(4, 4), null]);
  const found = await run('intersection', parcels, ZONES);
  assert.deepEqual(factsOf(found), [[0, 0, 0.5], [0, 1, 0.5], [1, 0, 0.25], [2, 1, 0.5]]); // biome-ignore format: one line
  assert.deepEqual(found.features.map(({ id }) => id), [1, undefined, 2, 3]); // biome-ignore format: one line
  assert.deepEqual(found.counts, { OVERLAY_OUTSIDE: 2, SOURCE_ROWS_UNMATCHED: 1 });
  const all = await run('identity', parcels, ZONES);
  assert.deepEqual(factsOf(all), [
    [0, 0, 0.5], [0, 1, 0.5], [1, 0, 0.25], [2, 1, 0.5], [2, null, 0.5], [3, null, 1], [4, null, 0],
  ]); // biome-ignore format: one line
  assert.deepEqual(all.counts, { SOURCE_ROWS_UNMATCHED: 1 });
});

test('a feature inside of one polygon or of none keeps its bytes, and one that merely touches is outside', async () => {
  const inside = { type: 'Polygon', coordinates: [[[0.1, 0.1, 5], [0.3, 0.1, 6], [0.2, 0.3, 7], [0.1, 0.1, 5]]] }; // biome-ignore format: one line
  const { features } = await run('identity', layer([inside, square(0, 1)]), ZONES);
  assert.deepEqual(features.map(({ geometry }) => geometry?.coordinates), [inside.coordinates, square(0, 1).coordinates]); // biome-ignore format: one line
  assert.deepEqual(features.map(({ properties }) => properties.zone), [0, null]); // biome-ignore format: one line
});

test('lines and points get the polygon that they are in', async () => {
  const line = { type: 'LineString', coordinates: [[-1, 0.5], [3, 0.5]] }; // biome-ignore format: one line
  const points = { type: 'MultiPoint', coordinates: [[0.5, 0.5], [1.5, 0.5], [7, 7]] }; // biome-ignore format: one line
  const { features } = await run(
    'identity',
    layer([line, points, { type: 'Point', coordinates: [1, 1] }]),
    ZONES,
  );
  assert.deepEqual(
    features.map(({ properties: { n, zone }, geometry }) => [n, zone, geometry?.type]),
    [
      [0, 0, 'LineString'], [0, 1, 'LineString'], [0, null, 'MultiLineString'],
      [1, 0, 'Point'], [1, 1, 'Point'], [1, null, 'Point'],
      [2, 0, 'Point'], [2, 1, 'Point'],
    ], // biome-ignore format: one line
  );
});

test('invalid polygons of both sides are repaired and counted, other geometries refused with what to do', async () => {
  const bowtie = { type: 'Polygon', coordinates: [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]] }; // biome-ignore format: one line
  const left = await run('intersection', layer([bowtie]), ZONES);
  assert.deepEqual(factsOf(left), [[0, 0, 0.5]]);
  assert.equal(left.counts.GEOMETRY_REPAIRED, 1);
  const right = await run('identity', layer([square(0, 0)]), layer([bowtie], 'zone'));
  assert.deepEqual(factsOf(right), [[0, 0, 0.5], [0, null, 0.5]]); // biome-ignore format: one line
  assert.equal(right.counts.SOURCE_REPAIRED, 1);
  const line = { type: 'LineString', coordinates: [[0, 0], [1, 1]] }; // biome-ignore format: one line
  await assert.rejects(run('identity', layer([square(0, 0)]), layer([line])), /LineString/);
  const collection = { type: 'GeometryCollection', geometries: [line, square(0, 0)] };
  await assert.rejects(run('identity', layer([collection]), ZONES), /explode/);
});

test('law: with identity areas add up, and the pieces inside are those of intersection', async () => {
  const at = fc.integer({ min: 0, max: 24 }).map((n) => n / 4);
  const parcel = fc.tuple(at, at, fc.constantFrom(0.25, 1, 1.75, 3));
  await fc.assert(
    fc.asyncProperty(fc.array(parcel, { minLength: 1, maxLength: 20 }), async (parcels) => {
      const zones = layer(Array.from({ length: 16 }, (_, i) => square(i % 4, Math.floor(i / 4))), 'zone'); // biome-ignore format: one line
      const input = layer(parcels.map(([x, y, size]) => square(x, y, size)));
      const identity = await run('identity', input, zones);
      const intersection = await run('intersection', input, zones);
      for (const [n, [, , size]] of parcels.entries()) {
        const own = identity.features.filter(({ properties }) => properties.n === n);
        const total = own.reduce((sum, feature) => sum + areaOf(feature), 0);
        assert.ok(Math.abs(total - size * size) < 1e-9, `${total} of ${size * size}`);
      }
      assert.deepEqual(
        factsOf(intersection),
        factsOf(identity).filter((facts) => (facts as unknown[])[1] !== null),
      );
    }),
    { numRuns: 8 },
  );
});
