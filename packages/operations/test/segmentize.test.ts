/** segmentize: no segment longer than asked for, nothing moved, nothing lost. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { METRIC_CRS, runStep, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { segmentize } from '../src/segmentize/record.ts';

const DEGREES = settingIn(WGS84_DESCRIPTION);

test('long segments are cut into equal pieces, with Z and M interpolated', async () => {
  const batch = batchOfWkt(['LINESTRING ZM (0 0 0 10, 4 0 8 20, 4 1 8 20)', 'POINT ZM (1 1 1 1)'], 'XYZM');
  const run = await runStep(segmentize, { max_length: 2, units: 'meters' }, batch);
  assert.deepEqual(run.texts, [
    'LINESTRING ZM (0 0 0 10, 2 0 4 15, 4 0 8 20, 4 1 8 20)',
    'POINT ZM (1 1 1 1)',
  ]);
});

test('rings, members and holes are cut, points stay', async () => {
  const text = 'GEOMETRYCOLLECTION (MULTIPOINT (0 0, 90 0), POLYGON ((0 0, 4 0, 4 2, 0 2, 0 0)))';
  const run = await runStep(segmentize, { max_length: 2, units: 'meters' }, batchOfWkt([text]));
  assert.deepEqual(run.texts, [
    'GEOMETRYCOLLECTION (MULTIPOINT ((0 0), (90 0)), POLYGON ((0 0, 2 0, 4 0, 4 2, 2 2, 0 2, 0 0)))',
  ]);
});

test('the batch itself is the result where nothing is too long', async () => {
  const batch = batchOfWkt(['LINESTRING (0 0, 1 1)', null, 'POLYGON EMPTY']);
  assert.equal((await runStep(segmentize, { max_length: 1, units: 'miles' }, batch)).batch, batch);
});

test('segments beyond the poles have no length on the ellipsoid and stay', async () => {
  const batch = batchOfWkt(['LINESTRING (471589 5933397, 471600 5933500)', 'LINESTRING (0 89, 0 91)']);
  assert.equal((await runStep(segmentize, { max_length: 1, units: 'meters' }, batch, DEGREES)).batch, batch);
  const pole = await runStep(
    segmentize,
    { max_length: 60, units: 'kilometers' },
    batchOfWkt(['LINESTRING (0 89, 0 90)']),
    DEGREES,
  );
  assert.deepEqual(pole.texts, ['LINESTRING (0 89, 0 89.5, 0 90)']);
});

test('units are converted to the unit of the axes', async () => {
  const feet = settingIn({ ...METRIC_CRS, unitFactor: 0.3048 });
  const batch = batchOfWkt(['LINESTRING (0 0, 1000 0)']);
  const run = await runStep(segmentize, { max_length: 0.1524, units: 'kilometers' }, batch, feet);
  assert.deepEqual(run.texts, ['LINESTRING (0 0, 500 0, 1000 0)']);
});

test('degrees are measured on the ellipsoid at their latitude', async () => {
  const pieces = async (text: string): Promise<number> => {
    const run = await runStep(
      segmentize,
      { max_length: 50, units: 'kilometers' },
      batchOfWkt([text]),
      DEGREES,
    );
    return run.batch.geometry.coordinates.length / 2 - 1;
  };
  assert.equal(await pieces('LINESTRING (0 0, 1 0)'), 3, '111.3 km');
  assert.equal(await pieces('LINESTRING (0 60, 1 60)'), 2, '55.8 km');
  assert.equal(await pieces('LINESTRING (0 80, 1 80)'), 1, '19.4 km');
  assert.equal(await pieces('LINESTRING (0 88, 0 89)'), 3, '111.7 km');
});

test('asks whether a segment may be cut before it makes room for its positions', async () => {
  const batch = batchOfWkt(['POINT (0 0)', 'LINESTRING (0 0, 10 0, 1e15 0)']);
  const asked: number[] = [];
  const checkPositions = (count: number): void => {
    asked.push(count);
    if (count > 100) throw new Error('too many');
  };
  const setting = { ...settingIn(METRIC_CRS), checkPositions };
  await assert.rejects(runStep(segmentize, { max_length: 1, units: 'meters' }, batch, setting), /too many/);
  assert.deepEqual(asked, [11, 11 + 1e15 - 10]);
});

test('every segment is short enough and every position of the input is there', async () => {
  const ordinate = fc.integer({ min: -1000, max: 1000 });
  const line = fc.array(fc.tuple(ordinate, ordinate), { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(line, fc.integer({ min: 5, max: 500 }), async (positions, max) => {
      const text = `LINESTRING (${positions.map((xy) => xy.join(' ')).join(', ')})`;
      const { batch } = await runStep(segmentize, { max_length: max, units: 'meters' }, batchOfWkt([text]));
      const { coordinates } = batch.geometry;
      let found = 0;
      for (let at = 0; at < coordinates.length; at += 2) {
        const isNext =
          found < positions.length &&
          coordinates[at] === positions[found][0] &&
          coordinates[at + 1] === positions[found][1];
        if (isNext) found++;
        if (at === 0) continue;
        const length = Math.hypot(
          coordinates[at] - coordinates[at - 2],
          coordinates[at + 1] - coordinates[at - 1],
        );
        assert.ok(length <= max * (1 + 1e-12));
      }
      assert.equal(found, positions.length);
    }),
    { numRuns: 50 },
  );
});
