/** Union: what merges, what stays apart, and what becomes of the attributes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { union } from '../../src/transformations/union.ts';
import { collectWith, layerOf, type Row, rowsOf } from '../support/collecting.ts';

const square = (x: number, y: number, size = 10): string =>
  `POLYGON ((${x} ${y},${x + size} ${y},${x + size} ${y + size},${x} ${y + size},${x} ${y}))`;

async function unionOf(
  rows: readonly Row[],
  parameters: Record<string, unknown> = {},
): Promise<{ rows: Row[]; findings: Record<string, number> }> {
  const { batches, findings } = await collectWith(union, layerOf(rows), parameters);
  return {
    rows: rowsOf(batches),
    findings: Object.fromEntries(findings.list().map(({ code, count }) => [code, count])),
  };
}

test('polygons that overlap or share a border merge, others stay as they are', async () => {
  const { rows } = await unionOf([
    { wkt: square(0, 0), name: 'a' },
    { wkt: square(100, 0), name: 'alone' },
    { wkt: square(10, 0), name: 'border' },
    { wkt: square(15, 5), name: 'overlap' },
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['a', 'alone'],
  );
  assert.equal(rows[1].wkt, square(100, 0));
  assert.ok(rows[0].wkt!.startsWith('POLYGON (('));
});

test('polygons that touch in a point stay apart', async () => {
  const input = [{ wkt: square(0, 0) }, { wkt: square(10, 10) }];
  const { rows, findings } = await unionOf(input);
  assert.deepEqual(rows, input);
  assert.deepEqual(findings, {});
});

test('polygons that touch in a point and merge with others keep to their own group', async () => {
  const { rows } = await unionOf([
    { wkt: square(0, 0), name: 'a1' },
    { wkt: square(10, 10), name: 'b1' },
    { wkt: square(-5, 0), name: 'a2' },
    { wkt: square(15, 15), name: 'b2' },
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['a1', 'b1'],
  );
});

test('a feature of several parts joins what each of them touches', async () => {
  const { rows } = await unionOf([
    { wkt: square(0, 0), name: 'left' },
    { wkt: square(100, 0), name: 'right' },
    { wkt: `MULTIPOLYGON (${[5, 105].map((x) => square(x, 0).slice(8)).join(',')})`, name: 'both' },
  ]);
  assert.equal(rows.length, 1);
  assert.ok(rows[0].wkt!.startsWith('MULTIPOLYGON'));
  assert.equal(rows[0].name, 'left');
});

test('lines merge where they overlap or meet end to end, not where they cross', async () => {
  const { rows } = await unionOf([
    { wkt: 'LINESTRING (0 0,10 0)', name: 'a' },
    { wkt: 'LINESTRING (5 -5,5 5)', name: 'crosses' },
    { wkt: 'LINESTRING (10 0,20 0)', name: 'goes on' },
    { wkt: 'LINESTRING (100 0,110 0)', name: 'b' },
    { wkt: 'LINESTRING (105 0,120 0)', name: 'overlaps' },
  ]);
  assert.deepEqual(
    rows.map(({ name, wkt }) => [name, wkt]),
    [
      ['a', 'LINESTRING (0 0,10 0,20 0)'],
      ['crosses', 'LINESTRING (5 -5,5 5)'],
      ['b', 'LINESTRING (100 0,105 0,110 0,120 0)'],
    ],
  );
});

test('equal points merge, and kinds are merged each among themselves', async () => {
  const { rows } = await unionOf([
    { wkt: 'POINT (1 1)', name: 'a' },
    { wkt: square(0, 0), name: 'around' },
    { wkt: 'POINT (1 1)', name: 'again' },
    { wkt: 'MULTIPOINT ((2 2),(1 1))', name: 'several' },
    { wkt: null, name: 'nowhere' },
  ]);
  assert.deepEqual(
    rows.map(({ name, wkt }) => [name, wkt]),
    [
      ['a', 'MULTIPOINT ((1 1),(2 2))'],
      ['around', square(0, 0)],
      ['nowhere', null],
    ],
  );
});

test('merged features take the first value, and fields whose values differ are named', async () => {
  const { rows, findings } = await unionOf([
    { wkt: square(0, 0), name: null, year: 1990, id: 7 },
    { wkt: square(5, 0), name: 'b', year: 1991, id: 8 },
    { wkt: square(7, 0), name: 'b', year: 1990, id: 9 },
  ]);
  assert.equal(rows.length, 1);
  const { wkt: _, ...values } = rows[0];
  assert.deepEqual(values, { name: 'b', year: 1990, id: 7 });
  assert.deepEqual(findings, { VALUES_COLLAPSED: 1 });
});

test('aggregates are computed as asked for', async () => {
  const input = [
    { wkt: square(0, 0), a: 1, b: 1.5, c: 'x', d: 'k' },
    { wkt: square(5, 0), a: 2, b: 2.5, c: null, d: 'l' },
    { wkt: square(7, 0), a: 4, b: null, c: 'a', d: 'k' },
  ];
  const cases: [Record<string, string>, object][] = [
    [
      { a: 'sum', b: 'sum', c: 'count', d: 'distinct' },
      { a: 7n, b: 4, c: 2n, d: 'k, l' },
    ],
    [
      { a: 'mean', b: 'mean', c: 'min', d: 'max' },
      { a: 7 / 3, b: 2, c: 'a', d: 'l' },
    ],
    [
      { '*': 'last', a: 'max' },
      { a: 4, b: 2.5, c: 'a', d: 'k' },
    ],
  ];
  for (const [aggregate, expected] of cases) {
    const { rows } = await unionOf(input, { aggregate });
    const { wkt: _, ...values } = rows[0];
    assert.deepEqual(values, expected);
  }
});

test('a sum of texts names the field and its type, an unknown field the fields there are', async () => {
  const input = [{ wkt: square(0, 0), name: 'x' }];
  await assert.rejects(unionOf(input, { aggregate: { name: 'sum' } }), {
    code: 'AGGREGATE_TYPE',
    message: /'sum' of field 'name' .* type string/,
  });
  await assert.rejects(unionOf(input, { aggregate: { nme: 'sum' } }), {
    code: 'FIELD_UNKNOWN',
    message: /'nme'.*'name'/,
  });
});

test('invalid polygons are repaired and counted, those that collapse are left out and counted', async () => {
  const { rows, findings } = await unionOf([
    { wkt: 'POLYGON ((0 0,10 10,10 0,0 10,0 0))', name: 'bow tie' },
    { wkt: 'POLYGON ((50 0,60 0,50 0,50 0))', name: 'flat' },
    { wkt: square(100, 0), name: 'good' },
  ]);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['bow tie', 'good'],
  );
  assert.ok(rows[0].wkt!.startsWith('MULTIPOLYGON'));
  assert.deepEqual(findings, { GEOMETRY_DROPPED: 1, GEOMETRY_REPAIRED: 2 });
});

test('Z is kept, and M where nothing merges', async () => {
  const { rows, findings } = await unionOf([
    { wkt: 'POLYGON ZM ((0 0 5 1,10 0 5 1,10 10 5 1,0 10 5 1,0 0 5 1))' },
    { wkt: 'POLYGON ZM ((5 0 5 1,15 0 5 1,15 10 5 1,5 10 5 1,5 0 5 1))' },
    { wkt: 'POLYGON ZM ((50 0 5 1,60 0 5 1,60 10 5 1,50 0 5 1))' },
  ]);
  assert.ok(rows[0].wkt!.startsWith('POLYGON Z (('));
  assert.equal(rows[1].wkt, 'POLYGON ZM ((50 0 5 1,60 0 5 1,60 10 5 1,50 0 5 1))');
  assert.deepEqual(findings, { M_DROPPED: 1 });
});

test('an empty layer gives an empty result', async () => {
  const { rows } = await unionOf([]);
  assert.deepEqual(rows, []);
});
