/** overlay: features are cut along the polygons of another source, with the attributes of both. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { errorLine } from '../../../apps/cli/src/wording.ts';
import { seededRandom } from '../../../bench/data.ts';
import { METRIC_CRS, settingIn } from '../../../test/support/run-step.ts';
import { collectionOf, runWithSource, type SecondSourceRun } from '../../../test/support/second-source.ts';
import { withSpool } from '../../../test/support/serial.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '../../core/src/geometry/geometry-column.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { field } from '../../core/src/messages/message.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { CoveringBuilder, CoveringStore } from '../src/overlay/covering.ts';
import { Remains } from '../src/overlay/remains.ts';
import { EdgeIndex, RELATION, RingCutter } from '../src/overlay/ring-cutter.ts';
import { Subtraction } from '../src/overlay/subtraction.ts';
import { emptyBounds, growByRow } from '../src/parts/row-bounds.ts';
import type { FeatureSource } from '../src/parts/source/feature-source.ts';
import { PlacedSource } from '../src/parts/source/placed-source.ts';

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

test('union adds what no feature covers of the source; symmetric_difference keeps what only one of both covers', async () => {
  const zones = layer([square(0, 0), square(1, 0), square(9, 9), null], 'zone');
  const parcels = layer([square(0.5, 0, 1), square(0, 0, 0.5), square(1.5, 0, 0.5), square(4, 4), null]);
  const union = await run('union', parcels, zones);
  const left = [[null, 0, 0.25], [null, 1, 0.25], [null, 2, 1], [null, 3, 0]]; // biome-ignore format: one line
  assert.deepEqual(factsOf(union), [
    [0, 0, 0.5], [0, 1, 0.5], [1, 0, 0.25], [2, 1, 0.25], [3, null, 1], [4, null, 0], ...left,
  ]); // biome-ignore format: one line
  assert.deepEqual(union.features.map(({ id }) => id), [1, undefined, 2, 3, 4, 5, undefined, undefined, undefined, undefined]); // biome-ignore format: one line
  assert.deepEqual(union.counts, { SOURCE_ROWS_UNMATCHED: 2 });
  const difference = await run('symmetric_difference', parcels, zones);
  assert.deepEqual(factsOf(difference), [[3, null, 1], [4, null, 0], ...left]); // biome-ignore format: one line
  assert.deepEqual(difference.counts, { OVERLAY_INSIDE: 3, SOURCE_ROWS_UNMATCHED: 2 });
});

test('of both sides, invalid polygons are repaired, lines and points cover nothing, and an empty layer leaves all', async () => {
  const bowtie = { type: 'Polygon', coordinates: [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]] }; // biome-ignore format: one line
  const left = await run('union', layer([bowtie]), layer([square(0, 0)], 'zone'));
  assert.deepEqual(factsOf(left), [[0, 0, 0.5], [null, 0, 0.5]]); // biome-ignore format: one line
  const right = await run('union', layer([square(5, 5)]), layer([bowtie], 'zone'));
  assert.deepEqual(factsOf(right), [[0, null, 1], [null, 0, 0.5]]); // biome-ignore format: one line
  assert.equal(right.counts.SOURCE_REPAIRED, 1);
  const line = { type: 'LineString', coordinates: [[0, 0.5], [1, 0.5]] }; // biome-ignore format: one line
  const over = await run('union', layer([line, { type: 'Point', coordinates: [0.5, 0.5] }]), layer([square(0, 0)], 'zone')); // biome-ignore format: one line
  assert.deepEqual(over.features.map(({ properties: { n, zone }, geometry }) => [n, zone, geometry?.type]), [[0, 0, 'LineString'], [1, 0, 'Point'], [null, 0, 'Polygon']]); // biome-ignore format: one line
  const raised = { type: 'Polygon', coordinates: [[[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 1]]] }; // biome-ignore format: one line
  const flat = await run('union', layer([square(5, 5)]), layer([raised, square(8, 8)], 'zone'));
  assert.equal(flat.counts.Z_DROPPED, 1);
  const none = await run('union', layer([]), layer([square(0, 0)], 'zone'));
  assert.deepEqual(none.features.map(({ properties }) => properties), [{ zone: 0 }]); // biome-ignore format: one line
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

test('law: union has the area of both without that of intersection, symmetric_difference that of what is in one', async () => {
  const shift = fc.integer({ min: 0, max: 10 }).map((n) => n / 8);
  const zone = fc.tuple(shift, shift, fc.constantFrom(0.5, 1, 1.25));
  const totalOf = ({ features }: SecondSourceRun): number =>
    features.reduce((sum, feature) => sum + areaOf(feature), 0);
  await fc.assert(
    fc.asyncProperty(
      fc.array(zone, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (zones, isSource) => {
        const grid = layer(Array.from({ length: 25 }, (_, i) => square(i % 5, Math.floor(i / 5))));
        const others = layer(zones.map(([x, y, size], i) => square((i % 4) * 2.5 + x, Math.floor(i / 4) * 2.5 + y, size))); // biome-ignore format: one line
        const [a, b] = isSource ? [grid, others] : [others, grid];
        const [intersection, union, difference] = await Promise.all(
          ['intersection', 'union', 'symmetric_difference'].map(async (how) => totalOf(await run(how, a, b))),
        );
        const both = zones.reduce((sum, [, , size]) => sum + size * size, 25);
        assert.ok(Math.abs(union - (both - intersection)) < 1e-9, `${union}, ${both}, ${intersection}`);
        assert.ok(Math.abs(difference - (union - intersection)) < 1e-9, `${difference}, ${union}`);
      },
    ),
    { numRuns: 6 },
  );
});

test('what is left of the source does not depend on the batches of the features or the number of threads', async () => {
  const geos = await Geos.load();
  const columnOf = (count: number, place: (i: number) => readonly [number, number], size: number) => {
    const builder = new GeometryBuilder('XY');
    for (let i = 0; i < count; i++) {
      const [x, y] = place(i);
      for (let corner = 0; corner <= 12; corner++) {
        const angle = ((corner % 12) * Math.PI) / 6;
        builder.position(x + size * Math.cos(angle), y + size * Math.sin(angle));
      }
      builder.endRing();
      builder.endPart(PART_KIND.polygon);
      builder.endFeature(GEOMETRY_TYPE.polygon);
    }
    return builder.finish();
  };
  const source: FeatureSource = {
    table: { rowCount: 2, fields: [], columns: [], file: 's' },
    geometry: columnOf(2, (i) => [i * 7, 0], 5),
    rowsWithZ: 0,
    rowsWithM: 0,
    flags: new Uint8Array(2),
  };
  const features = columnOf(300, (i) => [((i * 37) % 101) / 7 - 3, ((i * 53) % 89) / 9 - 5], 0.4);
  const setting = { ...settingIn(METRIC_CRS), file: { crs: METRIC_CRS, toData: null, toWgs84: () => {} } };
  using placed = new PlacedSource(geos, source, setting, 'cut');
  const { answer } = new Subtraction(geos, placed, source.flags, { tolerance: 1e-9, text: '' });
  let calls = 0;
  const leftAfter = (batchRows: number, width: number): Promise<FeatureBatch[]> =>
    withSpool(async (store) => {
      const covering = new CoveringStore(2, store, { chunk: 500, memory: 800 });
      const remains = new Remains(source, covering, setting);
      for (let start = 0; start < 300; start += batchRows) {
        const builder = new CoveringBuilder();
        for (let row = start; row < Math.min(300, start + batchRows); row++)
          builder.add(features, row, false, [0, 1]);
        remains.add(builder.finish());
      }
      const call = async (payload: unknown): Promise<unknown> => {
        calls++;
        return structuredClone(answer(structuredClone(payload)).result);
      };
      const left: FeatureBatch[] = [];
      for await (const batch of remains.finish([], new Findings(), { width, call })) left.push(batch);
      return left;
    });
  const whole = await leftAfter(300, 1);
  assert.deepEqual(
    whole.map(({ rowCount }) => rowCount),
    [1, 1],
  );
  assert.ok(whole[0].geometry.coordinates.length > 500);
  // Each polygon is covered by 3,900 positions, in chunks of 500 or, as memory is short, fewer.
  assert.ok(calls >= 16, `${calls}`);
  for (const batchRows of [1, 7, 64])
    for (const width of [1, 3]) assert.deepEqual(await leftAfter(batchRows, width), whole);
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

test('polygons that cross twice are cut as GEOS cuts them, and what is near is left to it', async () => {
  const geos = await Geos.load();
  const random = seededRandom(11);
  const star = (builder: GeometryBuilder, corners: number, size: number, isTurned: boolean): void => {
    const [x, y] = [500_000 + random() * 20, 5_600_000 + random() * 20];
    const radii = Array.from({ length: corners }, () => size * (0.3 + 0.7 * random()));
    const start = Math.floor(random() * corners);
    for (let i = 0; i <= corners; i++) {
      const corner = (start + (isTurned ? corners - i : i)) % corners;
      const angle = (2 * Math.PI * corner) / corners;
      builder.position(x + radii[corner] * Math.cos(angle), y + radii[corner] * Math.sin(angle));
    }
    builder.endRing();
  };
  const counts = [0, 0, 0, 0];
  const cutter = new RingCutter();
  for (let pair = 0; pair < 1500; pair++) {
    const builder = new GeometryBuilder('XY');
    star(builder, 3 + Math.floor(random() * 9), 2 + random() * 12, random() < 0.5);
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.polygon);
    star(builder, 3 + Math.floor(random() * 40), 2 + random() * 25, random() < 0.5);
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.polygon);
    const column = builder.finish();
    using own = geos.read(column, 0);
    using other = geos.read(column, 1);
    const bounds = emptyBounds();
    growByRow(bounds, column, 0);
    assert.ok(cutter.load(column, 0, bounds));
    const relation = cutter.relate(new EdgeIndex(column, 1));
    counts[relation]++;
    using shared = own.intersection(other);
    if (relation === RELATION.inside) assert.ok(other.covers(own));
    if (relation === RELATION.outside) assert.ok(!own.intersects(other));
    if (relation !== RELATION.cut) continue;
    const piece = new GeometryBuilder('XY');
    cutter.appendTo(piece);
    using cut = geos.read(piece.finish(), 0);
    assert.ok(cut.isValid, cut.validityReason);
    using differing = cut.symmetricDifference(shared);
    assert.ok(differing.area < 1e-6, `pair ${pair}: ${differing.area} of ${shared.area}`);
    assert.ok(Math.abs(cutter.width - (2 * cut.area) / cut.length) < 1e-9);
  }
  assert.ok(counts.every((count, relation) => count > (relation === RELATION.cut ? 400 : 30)), String(counts)); // biome-ignore format: one line
  // A common edge, a common corner, a corner on an edge, and a ring that is not simple.
  const columnOf = (...rings: Ring[]) => {
    const builder = new GeometryBuilder('XY');
    for (const ring of rings) {
      for (const [x, y] of ring) builder.position(x, y);
      builder.endRing();
      builder.endPart(PART_KIND.polygon);
      builder.endFeature(GEOMETRY_TYPE.polygon);
    }
    return builder.finish();
  };
  const [unit] = square(0, 0).coordinates;
  for (const [x, y] of [
    [1, 0],
    [1, 1],
    [0, 0],
    [0.5, 1],
    [-1, -1 - 1e-14],
  ] as const) {
    const column = columnOf(unit, square(x, y).coordinates[0]); // biome-ignore format: one line
    assert.ok(cutter.load(column, 0, [0, 0, 1, 1]));
    assert.equal(cutter.relate(new EdgeIndex(column, 1)), RELATION.unsure, `${x} ${y}`);
  }
  const bowtie = columnOf([[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]); // biome-ignore format: one line
  assert.equal(cutter.load(bowtie, 0, [0, 0, 1, 1]), false);
});

test('advice about the source names the parameters and flags of the source', async () => {
  const about = async (
    type: string,
    source: readonly [name: string, content: string],
    params: object,
  ): Promise<GeomillError> => {
    const failed = runWithSource(type, { ...params }, layer([square(0, 0)]), source);
    const error = await failed.then(
      () => assert.fail('it has to fail'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof GeomillError);
    return error;
  };
  const columns = await about('overlay', ['s.csv', 'a,lat\n1,2\n'], {});
  assert.match(columns.message, /'source_options\.x_column'/);
  assert.doesNotMatch(columns.message, /csv_options|input\./);
  const comma = await about('spatial_join', ['s.csv', 'x;y\n"1,234";"2,345"\n'], { source_options: { x_column: 'x', y_column: 'y', delimiter: ';' }, source_crs: 'EPSG:25832' }); // biome-ignore format: one line
  assert.match(comma.message, /set 'source_options\.decimal_comma' to true/);
  assert.deepEqual(comma.fixes[0], { path: 'step.source_options.decimal_comma', value: true });
  const onLine = Object.fromEntries(
    Object.entries(comma.params).map(([name, param]) => [
      name,
      name === 'inputOf' ? field('--spatial-join.source') : param,
    ]),
  );
  const line = errorLine(new GeomillError(comma.entry, onLine));
  assert.match(line, /add --source-options decimal_comma=true/);
});
