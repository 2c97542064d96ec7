/** simplify: fewer positions within a tolerance, valid results, exact positions. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '../../../bench/data.ts';
import { geometryText } from '../../../test/support/rows.ts';
import { areValid, idsOf, METRIC_CRS, runStep, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../../../test/support/wkt-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { GeometryBuilder } from '../../core/src/geometry/geometry-column.ts';
import type { GeosGeometry } from '../../engines/geos/src/geometry.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { simplify } from '../src/simplify/record.ts';

const DEGREES = settingIn(WGS84_DESCRIPTION);
const METER = { tolerance: 1, units: 'meters' };

test('positions within the tolerance go, the others keep their bits and their heights', async () => {
  const run = await runStep(
    simplify,
    METER,
    batchOfWkt(['LINESTRING Z (0.1 0 1, 5 0.5 2, 10.7 0 3)', 'LINESTRING (0 0, 5 3, 10 0)'], 'XYZ'),
  );
  assert.deepEqual(run.texts, ['LINESTRING Z (0.1 0 1, 10.7 0 3)', 'LINESTRING (0 0, 5 3, 10 0)']);
  assert.deepEqual(run.findings, []);
});

test('units are converted to the unit of the axes', async () => {
  const feet = settingIn({ ...METRIC_CRS, unitFactor: 0.3048 });
  const batch = batchOfWkt(['LINESTRING (0 0, 5 3, 10 0)']);
  const run = await runStep(simplify, METER, batch, feet);
  assert.deepEqual(run.texts, ['LINESTRING (0 0, 10 0)'], '1 m are 3.28 ft');
});

test('points, null and empty geometries and what has nothing to leave out are the same bytes, with M', async () => {
  const texts = [
    'POINT M (1 1 5)',
    null,
    'LINESTRING EMPTY',
    'MULTIPOINT M (0 0 1, 0.1 0 2)',
    'LINESTRING M (0 0 1, 0 9 2)',
  ];
  const batch = batchOfWkt(texts, 'XYM');
  const run = await runStep(simplify, METER, batch);
  assert.deepEqual(run.batch.geometry, batch.geometry);
  assert.deepEqual(run.findings, []);
});

test('measures end where positions went, and that is told', async () => {
  const run = await runStep(simplify, METER, batchOfWkt(['LINESTRING M (0 0 1, 5 0 2, 10 0 3)'], 'XYM'));
  assert.deepEqual(run.texts, ['LINESTRING (0 0, 10 0)']);
  assert.deepEqual(run.counts, { M_DROPPED: 1 });
});

test('small polygons and holes stay with their topology, and go without', async () => {
  const small = 'POLYGON ((0 0, 0.2 0, 0.2 0.2, 0 0.2, 0 0))';
  const kept = await runStep(simplify, METER, batchOfWkt([small, 'POINT (0 0)']));
  assert.deepEqual(idsOf(kept), [1, 2]);
  assert.ok(await areValid(kept.batch));
  const without = await runStep(
    simplify,
    { ...METER, preserve_topology: false },
    batchOfWkt([small, 'POINT (0 0)']),
  );
  assert.deepEqual(idsOf(without), [2]);
  assert.deepEqual(without.counts, { GEOMETRY_DROPPED: 1 });
});

test('an invalid polygon is repaired and counted, whatever the method', async () => {
  const bowTie = 'POLYGON ((0 0, 20 20, 20 0, 0 20, 0 10, 0 0))';
  const finger = 'POLYGON ((0 0, 10 0, 10 10, 5.5 10, 5.5 -0.4, 5 -0.4, 5 10, 0 10, 0 0))';
  const run = await runStep(simplify, METER, batchOfWkt([bowTie, finger]));
  assert.ok(await areValid(run.batch));
  assert.deepEqual(run.counts, { GEOMETRY_REPAIRED: 2 });
  const plain = await runStep(simplify, { ...METER, preserve_topology: false }, batchOfWkt([bowTie, finger]));
  assert.ok(await areValid(plain.batch));
});

test('in degrees nothing moves farther than the tolerance, and positions keep their bits at any latitude', async () => {
  // A kink of 0.0001 degrees: 11.1 m north and south anywhere, 11.1 m east and west at the equator, 1.9 m at 80 degrees.
  const kinks = (latitude: number): string[] => [
    `LINESTRING (7.1 ${latitude}, 7.2 ${latitude + 0.0001}, 7.3 ${latitude})`,
    `LINESTRING (7.1 ${latitude}, 7.1001 ${latitude + 0.05}, 7.1 ${latitude + 0.1})`,
  ];
  const texts = [...kinks(0.1), ...kinks(60.1), ...kinks(80.1)];
  const positions = async (meters: number): Promise<number[]> => {
    const run = await runStep(simplify, { tolerance: meters, units: 'meters' }, batchOfWkt(texts), DEGREES);
    run.texts.forEach((text, i) => {
      for (const position of String(text).match(/[\d.]+ [\d.]+/g) ?? [])
        assert.ok(texts[i].includes(position));
    });
    return run.texts.map((text) => String(text).split(',').length);
  };
  assert.deepEqual(await positions(1.8), [3, 3, 3, 3, 3, 3]);
  assert.deepEqual(await positions(4), [3, 3, 3, 3, 3, 2]);
  assert.deepEqual(await positions(12), [2, 2, 2, 2, 2, 2]);
});

function textOf(geometry: GeosGeometry): string | null {
  const builder = new GeometryBuilder('XY');
  geometry.appendTo(builder);
  return geometryText(builder.finish(), 0);
}

/** Rings, rings with holes, several polygons, lines; some invalid, some on a grid, where edges touch and run along each other. */
function seededShape(random: () => number): string {
  const grid = [0, 0.25, 1][Math.floor(random() * 3)];
  const snap = (value: number): number => (grid === 0 ? value : Math.round(value / grid) * grid);
  const ring = (x: number, y: number, least: number, most: number): string => {
    const count = 4 + Math.floor(random() * (random() < 0.1 ? 150 : 16));
    const corners = Array.from({ length: count }, (_, i) => {
      const reach = least + random() * (most - least);
      const angle = (i / count) * 2 * Math.PI;
      return `${snap(x + reach * Math.cos(angle))} ${snap(y + reach * Math.sin(angle))}`;
    });
    return `(${[...corners, corners[0]].join(', ')})`;
  };
  const around = (): number => (random() - 0.5) * 10;
  const several = <T>(make: () => T): T[] => Array.from({ length: 1 + Math.floor(random() * 3) }, make);
  switch (Math.floor(random() * 5)) {
    case 0:
      return `POLYGON (${ring(0, 0, 1, 8)})`;
    case 1:
      return `POLYGON (${[ring(0, 0, 6, 8), ...several(() => ring(around(), around(), 0.2, 1.5))].join(', ')})`;
    case 2:
      return `MULTIPOLYGON (${several(() => `(${ring(around(), around(), 1, 3)})`).join(', ')})`;
    case 3:
      return `LINESTRING ${ring(0, 0, 1, 8)}`;
    default:
      return `MULTILINESTRING (${several(() => ring(around(), around(), 1, 3)).join(', ')})`;
  }
}

test('gives what GEOS gives, bit by bit', async () => {
  const geos = await Geos.load();
  const random = seededRandom(17);
  const texts = Array.from({ length: 300 }, () => seededShape(random));
  for (const [tolerance, keepsTopology] of [
    [0.3, true],
    [2, true],
    [0.7, false],
  ] as const) {
    const params = { tolerance, units: 'meters', preserve_topology: keepsTopology };
    const run = await runStep(simplify, params, batchOfWkt(texts));
    assert.ok(await areValid(run.batch));
    const results = new Map(idsOf(run).map((id, i) => [id, run.texts[i]]));
    const column = columnOfWkt(texts);
    let compared = 0;
    texts.forEach((text, row) => {
      using geometry = geos.read(column, row);
      using expected = keepsTopology
        ? geometry.topologyPreserveSimplify(tolerance)
        : geometry.simplify(tolerance);
      // Others are repaired.
      if (!expected.isValid || expected.isEmpty || expected.positionCount === geometry.positionCount) return;
      assert.equal(results.get(row + 1), textOf(expected)?.replaceAll(',', ', '), text);
      compared++;
    });
    assert.ok(compared > 100, `${compared} features were simplified by both`);
  }
});

test('a line of 40,000 positions on a circle is simplified without deep recursion', async () => {
  const circle = Array.from(
    { length: 40_000 },
    (_, i) => `${1000 * Math.cos(i / 7000)} ${1000 * Math.sin(i / 7000)}`,
  );
  const run = await runStep(simplify, METER, batchOfWkt([`LINESTRING (${circle.join(', ')})`]));
  const left = String(run.texts[0]).split(',').length;
  assert.ok(left > 50 && left < 200, `${left} positions`);
});
