/** Dissolve: groups by key values, the union of each, and what becomes of the other fields. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { collectWith, layerOf, type Row, rowsOf } from '../../../test/support/collecting.ts';
import { dissolve } from '../src/dissolve/record.ts';
import { checkedStep } from '../src/requested-steps.ts';

const square = (x: number, y: number, size = 10): string =>
  `POLYGON ((${x} ${y},${x + size} ${y},${x + size} ${y + size},${x} ${y + size},${x} ${y}))`;

async function dissolved(
  rows: readonly Row[],
  parameters: Record<string, unknown> = {},
): Promise<{ rows: Row[]; findings: Record<string, number> }> {
  const { batches, findings } = await collectWith(dissolve, layerOf(rows), parameters);
  return {
    rows: rowsOf(batches),
    findings: Object.fromEntries(findings.list().map(({ code, count }) => [code, count])),
  };
}

test('one feature for each key in the order of first appearance; null is a key', async () => {
  const { rows, findings } = await dissolved(
    [
      { wkt: square(0, 0), zone: 'b', pop: 1 },
      { wkt: square(10, 0), zone: null, pop: 2 },
      { wkt: square(20, 0), zone: 'a', pop: 3 },
      { wkt: square(5, 0), zone: 'b', pop: 4 },
      { wkt: square(100, 0), zone: 'a', pop: 5 },
      { wkt: square(10, 10), zone: null, pop: 6 },
    ],
    { by: ['zone'], aggregate: { pop: 'sum' } },
  );
  assert.deepEqual(
    rows.map(({ zone, pop, wkt }) => [zone, pop, wkt?.split(' ')[0]]),
    [
      ['b', 5n, 'POLYGON'],
      [null, 8n, 'POLYGON'],
      ['a', 8n, 'MULTIPOLYGON'],
    ],
  );
  assert.deepEqual(findings, {});
});

test('several fields make one key', async () => {
  const { rows } = await dissolved(
    [
      { wkt: 'POINT (0 0)', a: 1, b: 'x' },
      { wkt: 'POINT (1 0)', a: 1, b: 'y' },
      { wkt: 'POINT (2 0)', a: 2, b: 'x' },
      { wkt: 'POINT (3 0)', a: 1, b: 'x' },
    ],
    { by: ['a', 'b'] },
  );
  assert.deepEqual(
    rows.map(({ wkt }) => wkt),
    ['MULTIPOINT ((0 0),(3 0))', 'POINT (1 0)', 'POINT (2 0)'],
  );
});

test('without fields the whole layer becomes one feature, whatever its kinds', async () => {
  const { rows, findings } = await dissolved([
    { wkt: square(0, 0), name: 'a' },
    { wkt: 'POINT (5 5)', name: 'b' },
    { wkt: 'POINT (50 5)', name: 'a' },
    { wkt: 'LINESTRING (5 5,20 5)', name: 'a' },
    { wkt: null, name: 'a' },
    { wkt: 'GEOMETRYCOLLECTION (POINT (1 1),POINT (60 5))', name: 'a' },
  ]);
  assert.equal(rows.length, 1);
  assert.match(String(rows[0].wkt), /^GEOMETRYCOLLECTION \(/);
  assert.ok(rows[0].wkt!.includes('LINESTRING (10 5,20 5)'));
  assert.ok(rows[0].wkt!.includes('POINT (50 5)'));
  assert.ok(!rows[0].wkt!.includes('POINT (5 5)'));
  assert.deepEqual(findings, { VALUES_COLLAPSED: 1 });
});

test('lines of a group are cut where they meet and joined end to end', async () => {
  const { rows } = await dissolved([{ wkt: 'LINESTRING (0 0,5 0)' }, { wkt: 'LINESTRING (5 0,9 0)' }]);
  assert.equal(rows[0].wkt, 'LINESTRING (0 0,5 0,9 0)');
});

test('a group of one feature stays as it is', async () => {
  const input = [
    { wkt: 'LINESTRING (0 0,10 10,10 0,0 10)', n: 1 },
    { wkt: 'MULTIPOINT ((1 1),(1 1))', n: 2 },
    { wkt: `GEOMETRYCOLLECTION (${square(0, 0)},POINT (5 5))`, n: 3 },
  ];
  const { rows } = await dissolved(input, { by: ['n'] });
  assert.deepEqual(rows, input);
});

test('an unknown field fails and the fields there are are listed', async () => {
  await assert.rejects(dissolved([{ wkt: 'POINT (0 0)', zone: 1, pop: 2 }], { by: ['zne'] }), {
    code: 'FIELD_UNKNOWN',
    message: /'zne'.*'zone', 'pop'/,
  });
});

test('an aggregate of a key field is refused before the data is read', () => {
  assert.throws(
    () => checkedStep(dissolve, { by: ['zone'], aggregate: { zone: 'count' } }, 'transformations[0].params'),
    { code: 'TRANSFORMATION_INVALID', message: /transformations\[0\]\.params\.aggregate\.zone/ },
  );
});

test('the command line names fields and aggregates', () => {
  const { parameters, modifiers } = dissolve.commandLine!;
  const aggregate = modifiers![0].parameters;
  const isFile = (): boolean => false;
  assert.deepEqual(aggregate('*=last', aggregate('pop=sum', parameters('zone, year', isFile))), {
    by: ['zone', 'year'],
    aggregate: { pop: 'sum', '*': 'last' },
  });
  assert.throws(() => aggregate('pop', {}), { code: 'USAGE' });
});
