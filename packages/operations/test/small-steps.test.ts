/** Steps that change fields or positions one feature at a time: cast, rename, drop, swap_xy, affine, dimensions, promote, vertices, polygons_to_lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { batchOf } from '../../../test/support/expression-batches.ts';
import { runStep } from '../../../test/support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../../../test/support/wkt-column.ts';
import { type AttributeColumn, valueAt } from '../../core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { affine } from '../src/affine/record.ts';
import { cast } from '../src/cast/record.ts';
import { dimensions } from '../src/dimensions/record.ts';
import { drop } from '../src/drop/record.ts';
import { explode } from '../src/explode/record.ts';
import { polygonsToLines } from '../src/polygons_to_lines/record.ts';
import { promote } from '../src/promote/record.ts';
import { rename } from '../src/rename/record.ts';
import { swapXy } from '../src/swap_xy/record.ts';
import { vertices } from '../src/vertices/record.ts';

const texts = [
  'POINT (1 2)',
  'LINESTRING (0 0, 3 4)',
  'POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))',
  'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))',
  'GEOMETRYCOLLECTION (POINT (7 8), LINESTRING (0 0, 1 1))',
  'POLYGON EMPTY',
  null,
];

function valuesOf(batch: FeatureBatch, name: string): unknown[] {
  const column = batch.columns[batch.fields.findIndex((field) => field.name === name)] as AttributeColumn;
  return Array.from({ length: batch.rowCount }, (_, row) => valueAt(column, row));
}

test('cast converts exactly, and counts what it cannot', async () => {
  const batch = batchOf({
    t: ['string', ['12', '12.5', 'x', '', null]],
    n: ['float64', [1, 2.5, 1e30, 0, null]],
  });
  const done = await runStep(cast, { fields: { t: 'integer', n: 'text' } }, batch);
  assert.deepEqual(done.batch.fields, [
    { name: 't', type: 'int64' },
    { name: 'n', type: 'string' },
  ]);
  assert.deepEqual(valuesOf(done.batch, 't'), [12n, null, null, null, null]);
  assert.deepEqual(valuesOf(done.batch, 'n'), ['1', '2.5', '1e+30', '0', null]);
  assert.deepEqual(done.counts, { VALUE_NOT_CAST: 2 });
  const many = batchOf({ t: ['string', Array(20).fill('x')] });
  assert.deepEqual((await runStep(cast, { fields: { t: 'number' } }, many)).counts, { VALUE_NOT_CAST: 20 });
  await assert.rejects(runStep(cast, { fields: { nope: 'text' } }, batch), { code: 'FIELD_UNKNOWN' });
  await assert.rejects(runStep(cast, { fields: { t: 'float' } }, batch), { code: 'TRANSFORMATION_INVALID' });
});

test('rename and drop are select with one parameter', async () => {
  const batch = batchOf({ a: ['int32', [1]], b: ['int32', [2]], c: ['int32', [3]] });
  const renamed = await runStep(rename, { fields: { a: 'b', b: 'a' } }, batch);
  assert.deepEqual(
    renamed.batch.fields.map(({ name }) => name),
    ['b', 'a', 'c'],
  );
  assert.deepEqual(valuesOf(renamed.batch, 'b'), [1]);
  const left = await runStep(drop, { fields: ['b'] }, batch);
  assert.deepEqual(
    left.batch.fields.map(({ name }) => name),
    ['a', 'c'],
  );
  await assert.rejects(runStep(rename, { fields: { a: 'c' } }, batch), { code: 'FIELD_NAME_TAKEN' });
  await assert.rejects(runStep(rename, { fields: { a: 'x', b: 'x' } }, batch), {
    code: 'TRANSFORMATION_INVALID',
  });
  await assert.rejects(runStep(drop, { fields: ['nope'] }, batch), { code: 'FIELD_UNKNOWN' });
});

test('x and y change places, and come back', async () => {
  const swapped = await runStep(swapXy, {}, batchOfWkt(texts));
  assert.equal(swapped.texts[0], 'POINT (2 1)');
  assert.equal(swapped.texts[1], 'LINESTRING (0 0, 4 3)');
  assert.deepEqual((await runStep(swapXy, {}, swapped.batch)).batch.geometry, batchOfWkt(texts).geometry);
  const withZ = await runStep(swapXy, {}, batchOfWkt(['POINT Z (1 2 3)'], 'XYZ'));
  assert.deepEqual(withZ.texts, ['POINT Z (2 1 3)']);
});

test('affine scales, rotates about the origin, then shifts', async () => {
  const move = async (parameters: object) =>
    (await runStep(affine, parameters as Record<string, unknown>, batchOfWkt(['POINT (3 1)']))).texts[0];
  assert.equal(await move({}), 'POINT (3 1)');
  assert.equal(await move({ scale: 2 }), 'POINT (6 2)');
  assert.equal(await move({ scale: [2, 3], origin: [1, 1] }), 'POINT (5 1)');
  assert.equal(await move({ rotate: 90 }), 'POINT (-1 3)');
  assert.equal(await move({ rotate: -90, origin: [1, 1] }), 'POINT (1 -1)');
  assert.equal(await move({ rotate: 180, shift: [10, 20] }), 'POINT (7 19)');
  assert.equal(await move({ scale: 0.001, rotate: 450, shift: [500_000, 1] }), 'POINT (499999.999 1.003)');
  await assert.rejects(move({ scale: [1, 0] }), { code: 'TRANSFORMATION_INVALID' });
  assert.deepEqual(
    affine.commandLine?.parameters('scale=2,3; rotate=45;shift=1,-2', () => false),
    { scale: [2, 3], rotate: 45, shift: [1, -2] },
  );
  for (const value of ['', 'scale', 'scale=1,2,3', 'rotate=x', 'skew=1'])
    assert.throws(() => affine.commandLine?.parameters(value, () => false), { code: 'USAGE' });
});

test('an affine step and its inverse give the positions back', async () => {
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  await fc.assert(
    fc.asyncProperty(
      number,
      number,
      fc.double({ min: -720, max: 720, noNaN: true }),
      number,
      number,
      async (x, y, rotate, dx, dy) => {
        const there = await runStep(
          affine,
          { rotate, shift: [dx, dy], scale: 2 },
          batchOfWkt([`POINT (${x} ${y})`]),
        );
        const shifted = await runStep(affine, { shift: [-dx, -dy] }, there.batch);
        const back = await runStep(affine, { rotate: -rotate, scale: 0.5 }, shifted.batch);
        const [backX, backY] = back.batch.geometry.coordinates;
        assert.ok(Math.hypot(backX - x, backY - y) < 1e-8, `${backX} ${backY}`);
      },
    ),
    { numRuns: 100 },
  );
});

test('dimensions are dropped and added', async () => {
  const withZ = batchOfWkt(['LINESTRING Z (0 0 1, 1 1 NaN)', 'POINT (5 5)'], 'XYZ');
  assert.deepEqual((await runStep(dimensions, { to: 'XY' }, withZ)).texts, [
    'LINESTRING (0 0, 1 1)',
    'POINT (5 5)',
  ]);
  assert.deepEqual((await runStep(dimensions, { to: 'XYZ', z: 9 }, withZ)).texts, [
    'LINESTRING Z (0 0 1, 1 1 9)',
    'POINT Z (5 5 9)',
  ]);
  assert.deepEqual((await runStep(dimensions, { to: 'XYZ', z: 9, replace: true }, withZ)).texts, [
    'LINESTRING Z (0 0 9, 1 1 9)',
    'POINT Z (5 5 9)',
  ]);
  assert.deepEqual((await runStep(dimensions, { to: 'XYZM', m: 2 }, withZ)).texts, [
    'LINESTRING ZM (0 0 1 2, 1 1 0 2)',
    'POINT ZM (5 5 0 2)',
  ]);
  const heights = {
    ...batchOf({ h: ['float64', [1.5, null]] }),
    geometry: columnOfWkt(['POINT (1 2)', 'POINT (3 4)']),
  };
  const lifted = await runStep(dimensions, { to: 'XYZ', z: 'h * 2' }, heights);
  assert.deepEqual(lifted.texts, ['POINT Z (1 2 3)', 'POINT (3 4)']);
  await assert.rejects(runStep(dimensions, { to: 'XYZ', z: "'a'" }, heights), /must be a number, not a text/);
  await assert.rejects(runStep(dimensions, { to: 'XY', z: 5 }, heights), { code: 'TRANSFORMATION_INVALID' });
});

test('promoted geometries are multi geometries, and explode gives them back', async () => {
  const singles = texts.slice(0, 3);
  const promoted = await runStep(promote, {}, batchOfWkt(texts));
  assert.equal(promoted.texts[0], 'MULTIPOINT ((1 2))');
  assert.equal(promoted.texts[3], texts[3]);
  assert.equal(promoted.texts[4], texts[4]);
  assert.deepEqual(promoted.texts.slice(5), ['MULTIPOLYGON EMPTY', null]);
  assert.deepEqual(
    (await runStep(explode, {}, (await runStep(promote, {}, batchOfWkt(singles))).batch)).texts,
    singles,
  );
});

test('rings become lines of the same length', async () => {
  const lines = await runStep(polygonsToLines, {}, batchOfWkt([...texts, 'MULTIPOLYGON EMPTY']));
  assert.deepEqual(lines.texts, [
    'POINT (1 2)',
    'LINESTRING (0 0, 3 4)',
    'MULTILINESTRING ((0 0, 4 0, 4 3, 0 3, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))',
    'MULTILINESTRING ((0 0, 1 0, 1 1, 0 0), (5 5, 6 5, 6 6, 5 5))',
    'GEOMETRYCOLLECTION (POINT (7 8), LINESTRING (0 0, 1 1))',
    'LINESTRING EMPTY',
    null,
    'MULTILINESTRING EMPTY',
  ]);
  assert.deepEqual(
    (await runStep(polygonsToLines, {}, batchOfWkt(['POLYGON ((0 0, 1 0, 1 1, 0 0))']))).texts,
    ['LINESTRING (0 0, 1 0, 1 1, 0 0)'],
  );
});

test('positions become points, numbered in their feature, and only the first keeps the id', async () => {
  const done = await runStep(vertices, { index_field: 'i' }, batchOfWkt(texts));
  assert.equal(done.batch.rowCount, 1 + 2 + 8 + 6 + 3);
  assert.deepEqual(done.texts.slice(0, 5), [
    'POINT (1 2)',
    'POINT (0 0)',
    'POINT (3 4)',
    'POINT (0 0)',
    'POINT (4 0)',
  ]);
  assert.deepEqual(valuesOf(done.batch, 'i').slice(0, 12), [1, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 1]);
  assert.deepEqual(done.counts, { GEOMETRY_DROPPED: 2 });
  await assert.rejects(runStep(vertices, { index_field: 'n' }, batchOfWkt(texts)), {
    code: 'FIELD_NAME_TAKEN',
  });
});
