/** simplify: fewer positions within a tolerance, valid results, exact positions. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { WGS84_DESCRIPTION } from '../../src/crs/wgs84.ts';
import { simplify } from '../../src/transformations/simplify.ts';
import { areValid, idsOf, METRIC_CRS, runStep, settingIn } from '../support/run-step.ts';
import { batchOfWkt } from '../support/wkt-column.ts';

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
