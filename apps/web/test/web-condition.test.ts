/** Conditions as rows: their text has the same meaning for the service, and texts that are more than rows stay text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Literal as Value } from '../../../packages/expressions/src/expression.ts';
import { parseExpression } from '../../../packages/expressions/src/parse.ts';
import { type Shape, shapeOf } from '../../../test/support/expressions.ts';
import {
  type ConditionRow,
  conditionText,
  type Literal,
  OPERATORS,
  parseRows,
  type RowCondition,
  valueCount,
} from '../model/condition.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom("'", '"', '""', "' or 1=1 --", 'is', 'NOT', 'null', 'tïtle', 'a.b:c', '1a', 'And', 'x y'),
);
const literal: fc.Arbitrary<Literal> = fc.oneof(
  anyText.map((text) => ({ kind: 'text' as const, text })),
  fc.boolean().map((value) => ({ kind: 'boolean' as const, text: String(value) })),
  fc
    .oneof(
      fc.integer().map(String),
      fc.bigInt().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.constantFrom('+5', '-0', '.5', '5.', '1E+3'),
    )
    .map((text) => ({ kind: 'number' as const, text })),
);
const row: fc.Arbitrary<ConditionRow> = fc.constantFrom(...OPERATORS).chain((operator) => {
  const count = valueCount(operator);
  const value = operator.endsWith('like')
    ? anyText.map((text) => ({ kind: 'text' as const, text }))
    : literal;
  const values =
    count === null
      ? fc.array(value, { minLength: 1, maxLength: 4 })
      : fc.array(value, { minLength: count, maxLength: count });
  return fc.record({ field: anyText.filter((name) => name !== ''), operator: fc.constant(operator), values });
});
const conditions: fc.Arbitrary<RowCondition> = fc
  .record({
    join: fc.constantFrom('and' as const, 'or' as const),
    rows: fc.array(row, { minLength: 1, maxLength: 5 }),
  })
  .map(({ join, rows }) => ({ join: rows.length === 1 ? 'and' : join, rows }));

/** What the service makes of a row. */
function meaning({ field, operator, values }: ConditionRow): Shape {
  const of = ({ kind, text }: Literal): { value: Value } => {
    if (kind === 'text') return { value: text };
    if (kind === 'boolean') return { value: text === 'true' };
    const number = Number(text);
    const isLarge = /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(number);
    return { value: isLarge ? BigInt(text.replace('+', '')) : number };
  };
  const isNegated = /^(?:is )?not |^is not /.test(operator);
  const positive = operator.replace(/^not /, '').replace('is not null', 'is null');
  const part = ((): Shape => {
    const column = `@${field}`;
    switch (positive) {
      case 'is null':
        return ['isnull', column];
      case 'ilike':
        return ['like', ['lower', column], ['lower', of(values[0])]];
      case '!=':
        return ['<>', column, of(values[0])];
      default:
        return [positive, column, ...values.map(of)];
    }
  })();
  return isNegated ? ['not', part] : part;
}

test('the text of rows means the same to the service, and comes back as the same rows', () => {
  fc.assert(
    fc.property(conditions, (given) => {
      // fast-check makes objects without prototype.
      const condition = structuredClone(given);
      const text = conditionText(condition);
      assert.ok(text !== undefined);
      const parts = condition.rows.map(meaning);
      assert.deepEqual(
        shapeOf(parseExpression(text, 'where')),
        parts.length === 1 ? parts[0] : [condition.join, ...parts],
      );
      assert.deepEqual(parseRows(text), condition);
    }),
    { numRuns: 2000 },
  );
});

test('texts that the service takes and that have rows keep their meaning', () => {
  const field = fc.constantFrom('a', '"b ""c"', 'not', 'is', 'ünder_1', '""');
  const value = fc.constantFrom("'x'", '5', '-1.5', 'TRUE', 'null', '1x', "''''", '( 3 )');
  const predicate = fc.oneof(
    fc.tuple(field, fc.constantFrom('=', '==', '<>', '!=', '<=', 'LIKE', 'not ilike', 'not ='), value),
    fc.tuple(field, fc.constantFrom('is null', 'IS\u00a0NOT NULL', 'not is null', 'is')),
    fc.tuple(
      field,
      fc.constantFrom('in', 'NOT IN'),
      fc.constantFrom("('a','b')", '(5)', '()', "('a'", '(1,)'),
    ),
    fc.tuple(field, fc.constantFrom('between', 'not between'), value, fc.constantFrom('and', 'or'), value),
  );
  const words = fc.array(
    fc.tuple(
      fc.constantFrom('', '', '', '', '(', 'not'),
      predicate,
      fc.constantFrom('and', 'and', 'AND', 'or'),
    ),
    { minLength: 1, maxLength: 3 },
  );
  let shown = 0;
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts
        .map(([before, one, join], i) => [i === 0 ? '' : join, before, ...one].join(' '))
        .join(' ');
      const rows = parseRows(text);
      let condition: Shape;
      try {
        condition = shapeOf(parseExpression(text, 'where'));
      } catch {
        assert.equal(rows, null, `${text} is refused by the service`);
        return;
      }
      if (rows === null) return;
      shown++;
      assert.deepEqual(shapeOf(parseExpression(conditionText(rows), 'where')), condition);
    }),
    { numRuns: 3000 },
  );
  assert.ok(shown > 100, `${shown} texts had rows`);
});

test('what is more than a list of comparisons stays text', () => {
  for (const text of [
    '(a = 1)',
    'a = 1 and b = 2 or c = 3',
    'not a = 1',
    'a = 1 and',
    'a',
    '',
    'a = null',
    'a like 5',
    'a = 1e999',
    "a = 'x",
    Array(60).fill('a = 1').join(' and '),
  ])
    assert.equal(parseRows(text), null, text);
});

test('rows that are not complete are not in the text', () => {
  const rows: ConditionRow[] = [
    { field: 'a', operator: '=', values: [] },
    { field: '', operator: '=', values: [{ kind: 'number', text: '1' }] },
    { field: 'b', operator: 'between', values: [{ kind: 'number', text: '1' }] },
    { field: 'c', operator: '=', values: [{ kind: 'number', text: '' }] },
    { field: 'd', operator: 'is null', values: [] },
  ];
  assert.equal(conditionText({ join: 'or', rows }), 'd is null');
  assert.equal(conditionText({ join: 'or', rows: rows.slice(0, 4) }), undefined);
});
