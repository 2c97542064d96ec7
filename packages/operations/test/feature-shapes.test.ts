/** The steps that give each feature one simpler shape: centroid, point on surface, envelope, convex hull. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { areValid, idsOf, runStep } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { centroid } from '../src/centroid/record.ts';
import { convexHull } from '../src/convex_hull/record.ts';
import { envelope } from '../src/envelope/record.ts';
import { pointOnSurface } from '../src/point_on_surface/record.ts';

const L_SHAPE = 'POLYGON ((0 0, 10 0, 10 1, 1 1, 1 10, 0 10, 0 0))';
const BOW_TIE = 'POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))';

test('null and empty geometries, attributes, ids and order stay in all of them', async () => {
  const texts = [null, 'POLYGON EMPTY', 'POINT (1 2)', 'GEOMETRYCOLLECTION EMPTY', 'LINESTRING (0 0, 2 2)'];
  for (const record of [centroid, pointOnSurface, envelope, convexHull]) {
    const run = await runStep(record, {}, batchOfWkt(texts));
    assert.deepEqual(idsOf(run), [1, 2, 3, 4, 5], record.id);
    assert.deepEqual(run.texts.slice(0, 4), texts.slice(0, 4), record.id);
    assert.deepEqual(run.findings, [], record.id);
  }
});

test('a centroid is the middle of the part with the highest dimension', async () => {
  const run = await runStep(
    centroid,
    {},
    batchOfWkt([
      'POLYGON ((0 0, 4 0, 4 2, 0 2, 0 0))',
      'GEOMETRYCOLLECTION (POINT (100 100), POLYGON ((0 0, 4 0, 4 2, 0 2, 0 0)))',
      'LINESTRING (0 0, 10 0)',
      'MULTIPOINT (0 0, 4 8)',
    ]),
  );
  assert.deepEqual(run.texts, ['POINT (2 1)', 'POINT (2 1)', 'POINT (5 0)', 'POINT (2 4)']);
});

test('a point on the surface lies in the feature, also where its centroid does not', async () => {
  const run = await runStep(pointOnSurface, {}, batchOfWkt([L_SHAPE, BOW_TIE, 'LINESTRING (0 0, 1 5, 9 9)']));
  assert.deepEqual(run.texts[0], 'POINT (0.5 5.5)');
  assert.match(String(run.texts[1]), /^POINT /);
  assert.equal(run.texts[2], 'POINT (1 5)');
});

test('an envelope has exactly the least and greatest ordinates, and as few dimensions as the feature', async () => {
  const run = await runStep(
    envelope,
    {},
    batchOfWkt([L_SHAPE, 'LINESTRING (3 1, 3 -7)', 'MULTIPOINT (0.1 0.2, 0.1 0.2)', 'LINESTRING (5 5, 1 2)']),
  );
  assert.deepEqual(run.texts, [
    'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))',
    'LINESTRING (3 -7, 3 1)',
    'POINT (0.1 0.2)',
    'POLYGON ((1 2, 5 2, 5 5, 1 5, 1 2))',
  ]);
  assert.ok(await areValid(run.batch));
});

test('a convex hull holds all positions and keeps their heights', async () => {
  const run = await runStep(
    convexHull,
    {},
    batchOfWkt(
      ['MULTIPOINT Z (0 0 1, 4 0 2, 4 4 3, 1 1 9)', 'MULTIPOINT Z (0 0 1, 1 1 2, 2 2 3)', 'POINT (7 7)'],
      'XYZ',
    ),
  );
  assert.equal(run.texts[0], 'POLYGON Z ((0 0 1, 4 4 3, 4 0 2, 0 0 1))');
  assert.equal(run.texts[1], 'LINESTRING Z (0 0 1, 2 2 3)');
  assert.equal(run.texts[2], 'POINT (7 7)');
});

test('heights and measures that end are told', async () => {
  const batch = batchOfWkt(['POINT ZM (1 2 3 4)', 'POINT (1 2)', 'POINT M (1 2 4)'], 'XYZM');
  for (const record of [centroid, pointOnSurface, envelope]) {
    const { texts, counts, findings } = await runStep(record, {}, batch);
    assert.deepEqual(texts, ['POINT (1 2)', 'POINT (1 2)', 'POINT (1 2)'], record.id);
    assert.deepEqual(counts, { Z_DROPPED: 1, M_DROPPED: 2 }, record.id);
    assert.equal(findings[0].params.format, record.id);
  }
  assert.deepEqual((await runStep(convexHull, {}, batch)).counts, { M_DROPPED: 2 });
});

test('a geometry without a single number leaves nothing, and that is told', async () => {
  const broken = batchOfWkt(['LINESTRING (0 0, 1 1)', 'POINT (3 3)']);
  broken.geometry.coordinates.fill(Number.NaN, 0, 4);
  for (const record of [centroid, pointOnSurface, envelope, convexHull]) {
    const run = await runStep(record, {}, broken);
    assert.deepEqual(idsOf(run), [2], record.id);
    assert.deepEqual(run.counts, { GEOMETRY_DROPPED: 1 }, record.id);
  }
});
