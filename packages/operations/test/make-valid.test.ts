/** make_valid: what is valid stays as it is, what is not is repaired and counted. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { areValid, idsOf, runStep } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { makeValid } from '../src/make_valid/record.ts';

const BOW_TIE = 'POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))';
/** A shell that goes around the same square twice. */
const TWICE = 'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0, 4 0, 4 4, 0 4, 0 0))';

test('valid, null and empty geometries are the same bytes, with Z and M', async () => {
  const texts = [
    'POLYGON ZM ((0 0 1 5, 4 0 2 6, 4 4 3 7, 0 0 1 5))',
    null,
    'POLYGON EMPTY',
    'GEOMETRYCOLLECTION (MULTIPOINT (1 1, 2 2), LINESTRING (0 0, 1 1))',
  ];
  const batch = batchOfWkt(texts, 'XYZM');
  const run = await runStep(makeValid, {}, batch);
  assert.deepEqual(run.batch.geometry, batch.geometry);
  assert.deepEqual(run.findings, []);
});

test('invalid ones are repaired and counted', async () => {
  const run = await runStep(makeValid, {}, batchOfWkt([BOW_TIE, 'POINT (1 1)', TWICE]));
  assert.deepEqual(idsOf(run), [1, 2, 3]);
  assert.deepEqual(run.counts, { GEOMETRY_REPAIRED: 2 });
  assert.deepEqual(
    run.findings[0].places.map(({ record }) => record),
    [1, 3],
  );
  assert.match(String(run.texts[0]), /^MULTIPOLYGON/);
  assert.ok(await areValid(run.batch));
});

test('the methods differ where rings go around twice and where parts have no area', async () => {
  const spike = 'POLYGON ((0 0, 4 0, 8 0, 4 0, 4 4, 0 4, 0 0))';
  const structure = await runStep(makeValid, { method: 'structure' }, batchOfWkt([TWICE, spike]));
  const linework = await runStep(makeValid, { method: 'linework' }, batchOfWkt([TWICE, spike]));
  assert.match(String(structure.texts[1]), /^POLYGON/);
  assert.match(String(linework.texts[1]), /^GEOMETRYCOLLECTION.*LINESTRING/);
  assert.ok(await areValid(structure.batch));
  assert.ok(await areValid(linework.batch));
});

test('a feature of which nothing is left is left out and counted', async () => {
  const run = await runStep(makeValid, {}, batchOfWkt(['POLYGON ((0 0, 1 1, 2 2, 0 0))', 'POINT (1 1)']));
  assert.deepEqual(idsOf(run), [2]);
  assert.deepEqual(run.counts, { GEOMETRY_DROPPED: 1 });
});

test('measures end where a repair changes positions, and that is told', async () => {
  const bowTie = 'POLYGON M ((0 0 1, 2 2 1, 2 0 1, 0 2 1, 0 0 1))';
  const run = await runStep(makeValid, {}, batchOfWkt([bowTie, 'POINT M (1 1 7)'], 'XYM'));
  assert.deepEqual(run.counts, { GEOMETRY_REPAIRED: 1, M_DROPPED: 1 });
  assert.doesNotMatch(String(run.texts[0]), / M /);
  assert.equal(run.texts[1], 'POINT M (1 1 7)');
});
