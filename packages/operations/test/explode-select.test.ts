/** Parts as features; fields chosen, ordered and renamed. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { geometriesArbitrary, geometryColumn } from '../../../test/support/geometry-arbitrary.ts';
import { batchRows, geometryText } from '../../../test/support/rows.ts';
import { batchOfWkt, columnOfWkt } from '../../../test/support/wkt-column.ts';
import { GEOMETRY_TYPE } from '../../core/src/geometry/geometry-column.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { explodeBatch } from '../src/explode/code.ts';
import { selecting } from '../src/parts/choose-fields.ts';
import { takeGeometry } from '../src/parts/take-geometry.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';
import type { StepSetting } from '../src/transformation.ts';

const selectCode = selecting((parameters) => parameters);

test('parts become features with the attributes of the whole; the first keeps the id', () => {
  const findings = new Findings();
  const batch = batchOfWkt([
    'MULTIPOINT (1 1,2 2)',
    null,
    'GEOMETRYCOLLECTION (MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5))),POINT EMPTY,LINESTRING (0 0,1 1))',
    'POLYGON ((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1))',
    'MULTILINESTRING EMPTY',
    'GEOMETRYCOLLECTION EMPTY',
    'MULTIPOINT (3 3)',
  ]);
  const rows = batchRows(explodeBatch(batch, findings));
  assert.deepEqual(
    rows.map(({ id, geometry, properties }) => [id, geometry, properties.n]),
    [
      [1, 'POINT (1 1)', 1],
      [null, 'POINT (2 2)', 1],
      [2, null, 2],
      [3, 'POLYGON ((0 0,1 0,1 1,0 0))', 3],
      [null, 'POLYGON ((5 5,6 5,6 6,5 5))', 3],
      [null, 'LINESTRING (0 0,1 1)', 3],
      [4, 'POLYGON ((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1))', 4],
      [5, 'LINESTRING EMPTY', 5],
      [6, 'GEOMETRYCOLLECTION EMPTY', 6],
      [7, 'POINT (3 3)', 7],
    ],
  );
  const [found] = findings.list();
  assert.deepEqual([found.code, found.count, found.places], ['PARTS_SEPARATED', 2, [{ record: 1 }, { record: 3 }]]); // biome-ignore format: one line
});

test('single parts pass as they are, and nothing is noted', () => {
  const findings = new Findings();
  const batch = batchOfWkt(['POINT (1 1)', 'LINESTRING (0 0,1 1)', null]);
  assert.equal(explodeBatch(batch, findings), batch);
  const multi = batchOfWkt(['MULTIPOINT (1 1)', 'LINESTRING (0 0,1 1)']);
  const result = explodeBatch(multi, findings);
  assert.deepEqual([...result.geometry.types], [GEOMETRY_TYPE.point, GEOMETRY_TYPE.lineString]);
  assert.equal(result.ids, multi.ids);
  assert.deepEqual(findings.list(), []);
});

test('exploding keeps every position, and doing it twice changes nothing more', () => {
  fc.assert(
    fc.property(geometriesArbitrary, (geometries) => {
      const geometry = geometryColumn(geometries);
      const whole = batchOfWkt(geometries.map(() => 'POINT (0 0)'));
      const once = explodeBatch({ ...whole, geometry }, new Findings());
      assert.deepEqual(once.geometry.coordinates, geometry.coordinates);
      const twice = explodeBatch(once, new Findings());
      assert.deepEqual(batchRows(twice), batchRows(once));
    }),
    { numRuns: 200 },
  );
});

test('rows of geometries are taken in any order, also repeated', () => {
  fc.assert(
    fc.property(geometriesArbitrary, fc.array(fc.nat(1000), { maxLength: 20 }), (geometries, picks) => {
      const column = geometryColumn(geometries);
      const rows = Uint32Array.from(geometries.length === 0 ? [] : picks, (pick) => pick % geometries.length);
      const taken = takeGeometry(column, rows);
      assert.equal(taken.types.length, rows.length);
      for (const [i, row] of rows.entries()) assert.equal(geometryText(taken, i), geometryText(column, row));
    }),
    { numRuns: 200 },
  );
});

const fields = ['a', 'b', 'c'].map((name) => ({ name, type: 'int32' as const }));

function selected(parameters: Record<string, unknown>): string[] {
  const [{ params }] = parseSteps([{ type: 'select', ...parameters }], 't', transformations);
  return (selectCode.outputFields?.(fields, params, 'select') ?? []).map(({ name }) => name);
}

test('fields are kept in the order asked for, left out, and renamed', () => {
  assert.deepEqual(selected({ fields: ['c', 'a'] }), ['c', 'a']);
  assert.deepEqual(selected({ fields: [] }), []);
  assert.deepEqual(selected({ drop: ['b'] }), ['a', 'c']);
  assert.deepEqual(selected({ rename: { a: 'x', b: 'a' } }), ['x', 'a', 'c']);
  assert.deepEqual(selected({ fields: ['b', 'a'], rename: { a: 'b', b: 'a' } }), ['a', 'b']);
});

test('values go with their fields', async () => {
  const batch = batchOfWkt(['POINT (1 1)', 'POINT (2 2)']);
  const apply = await selectCode.prepare({ fields: ['n'], rename: { n: 'number' } }, {} as StepSetting);
  assert.deepEqual(batchRows(apply(batch, new Findings())), [
    { id: 1, geometry: 'POINT (1 1)', properties: { number: 1 } },
    { id: 2, geometry: 'POINT (2 2)', properties: { number: 2 } },
  ]);
});

test('names that are not there or would come twice are refused', () => {
  assert.throws(() => selected({ fields: ['a', 'x'] }), /no field 'x'.*'a', 'b', 'c'/);
  assert.throws(() => selected({ drop: ['x'] }), { code: 'FIELD_UNKNOWN' });
  assert.throws(() => selected({ rename: { x: 'y' } }), { code: 'FIELD_UNKNOWN' });
  assert.throws(() => selected({ rename: { a: 'b' } }), { code: 'FIELD_NAME_TAKEN' });
  const refused = { code: 'TRANSFORMATION_INVALID' };
  assert.throws(() => selected({ rename: { a: 'z', b: 'z' } }), refused);
  assert.throws(() => selected({ fields: ['a'], rename: { b: 'z' } }), refused);
  assert.throws(() => selected({ fields: ['a'], drop: ['b'] }), refused);
  assert.throws(() => selected({ drop: ['a'], rename: { a: 'z' } }), refused);
  assert.throws(() => selected({ fields: ['a', 'a'] }), refused);
  assert.throws(() => selected({}), refused);
});

test('a column of no rows is taken as one', () => {
  const taken = takeGeometry(columnOfWkt(['POINT (1 1)']), new Uint32Array(0));
  assert.deepEqual([taken.types.length, taken.partOffsets.length, taken.coordinates.length], [0, 1, 0]);
});
