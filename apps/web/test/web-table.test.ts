import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EMPTY_DOCUMENT } from '../model/document.ts';
import {
  cellAfterKey,
  columnsOf,
  scrollFor,
  searchRows,
  sortRows,
  spanInView,
  withFocused,
} from '../model/table.ts';
import { dissolveBy, dropField, filterBy, renameField } from '../model/table-steps.ts';

const value = fc.oneof(
  fc.constantFrom(null, undefined),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'grapheme' }),
  fc.boolean(),
);
const rows = fc.array(fc.record({ a: value, b: value }, { requiredKeys: [] }), { maxLength: 40 });
const all = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

test('sorting keeps every row, puts those without a value last, and is reversed but for ties and those', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const up = sortRows(all(given.length), given, { column: 'a', direction: 'ascending' });
      const down = sortRows(all(given.length), given, { column: 'a', direction: 'descending' });
      assert.deepEqual(
        [...up].sort((x, y) => x - y),
        [...all(given.length)],
      );
      const isEmpty = (i: number) => (given[i].a ?? null) === null;
      for (const order of [up, down]) {
        const firstEmpty = order.findIndex(isEmpty);
        if (firstEmpty !== -1) assert.ok([...order.slice(firstEmpty)].every(isEmpty));
      }
      const numbers = (order: Uint32Array) =>
        [...order].map((i) => given[i].a).filter((one) => typeof one === 'number');
      assert.deepEqual(
        numbers(up),
        numbers(up).toSorted((x, y) => x - y),
      );
      assert.deepEqual(
        numbers(down),
        numbers(down).toSorted((x, y) => y - x),
      );
    }),
  );
});

test('search finds exactly the rows that have the text in a value, in any letter case', () => {
  const given = [{ a: 'Größe', b: null }, { a: 12.5 }, { b: true }, { a: { x: 'GRÖ' } }, {}];
  assert.deepEqual([...searchRows(given, ' grö ')], [0, 3]);
  assert.deepEqual([...searchRows(given, '2.5')], [1]);
  assert.deepEqual([...searchRows(given, 'TRUE')], [2]);
  assert.deepEqual([...searchRows(given, 'null')], []);
  assert.deepEqual([...searchRows(given, '')], [0, 1, 2, 3, 4]);
});

test('columns have the type and the share of nulls of the sample', () => {
  const given = [
    { id: 1, x: 1, mixed: 1, none: null, __proto__name: 'a' },
    { id: 2, x: 1.5, mixed: 'a', none: null },
    { id: 3, mixed: null, list: [1] },
  ];
  const found = columnsOf(given).map(({ name, type, nullShare }) => [name, type, Math.round(nullShare * 3)]);
  assert.deepEqual(found, [
    ['id', 'integer', 0],
    ['x', 'number', 1],
    ['mixed', 'mixed', 1],
    ['none', 'empty', 3],
    ['__proto__name', 'text', 2],
    ['list', 'list', 2],
  ]);
});

test('the rows in view are those that a scan over all rows finds', () => {
  const lengths = fc.tuple(fc.nat(500), fc.integer({ min: 1, max: 60 }), fc.nat(40_000), fc.nat(900));
  fc.assert(
    fc.property(lengths, ([count, size, scroll, view]) => {
      const { first, end } = spanInView(count, size, scroll, view, 0);
      for (let i = 0; i < count; i++) {
        const isInView = (i + 1) * size > scroll && i * size < scroll + view;
        if (isInView) assert.ok(i >= first && i < end, `${i} of ${first}..${end}`);
      }
      assert.ok(end - first <= Math.ceil(view / size) + 1);
    }),
  );
});

test('the row with the focus is among those that exist, wherever the view is', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), fc.nat(199), (start, length, focused) => {
      const span = { first: Math.min(start, 200), end: Math.min(start + length, 200) };
      const items = withFocused(span, focused, 200);
      assert.ok(items.includes(focused));
      assert.equal(new Set(items).size, items.length);
    }),
  );
});

test('scrolling to a row shows all of it', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(30_000), fc.integer({ min: 30, max: 900 }), (row, scroll, view) => {
      const next = scrollFor(row, 28, scroll, view);
      assert.ok(next <= row * 28 && next + view >= (row + 1) * 28);
    }),
  );
});

test('keys move within the grid, and never out of it', () => {
  const size = { rows: 100, columns: 24, page: 9 };
  const go = (row: number, column: number, key: string, ctrlKey = false) =>
    cellAfterKey({ row, column }, { key, ctrlKey }, size);
  assert.deepEqual(go(0, 3, 'ArrowUp'), { row: -1, column: 3 });
  assert.deepEqual(go(99, 3, 'PageDown'), { row: 99, column: 3 });
  assert.deepEqual(go(50, 3, 'PageUp'), { row: 41, column: 3 });
  assert.deepEqual(go(50, 3, 'End', true), { row: 99, column: 23 });
  assert.deepEqual(go(50, 3, 'Home', true), { row: 0, column: 0 });
  assert.deepEqual(go(50, 3, 'Home'), { row: 50, column: 0 });
  assert.equal(go(50, 3, 'x'), null);
  const keys = fc.constantFrom(
    'ArrowUp',
    'ArrowDown',
    'ArrowLeft',
    'ArrowRight',
    'PageUp',
    'PageDown',
    'End',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.boolean()), { maxLength: 50 }), (moves) => {
      let [row, column] = [0, 0];
      for (const [key, ctrl] of moves) ({ row, column } = go(row, column, key, ctrl) ?? { row, column });
      assert.ok(row >= -1 && row < 100 && column >= 0 && column < 24);
    }),
  );
});

test('the column menu writes steps; fields that are dropped one after the other are one step', () => {
  const dropped = dropField(dropField(EMPTY_DOCUMENT, 'a'), 'b');
  assert.deepEqual(
    dropped.steps.map(({ params }) => params),
    [{ drop: ['a', 'b'] }],
  );
  const steps = renameField(dissolveBy(dropField(dropped, 'c'), 'zone'), 'zone', 'area').steps;
  assert.deepEqual(
    steps.map(({ type, params }) => [type, params]),
    [
      ['select', { drop: ['a', 'b', 'c'] }],
      ['dissolve', { by: ['zone'] }],
      ['select', { rename: { zone: 'area' } }],
    ],
  );
  const where = (name: string, given: unknown) => filterBy(EMPTY_DOCUMENT, name, given).steps[0].params.where;
  assert.equal(where('end date', "it's"), `"end date" = 'it''s'`);
  assert.equal(where('pop', 1.5), '"pop" = 1.5');
  assert.equal(where('pop', null), '"pop" is null');
});
