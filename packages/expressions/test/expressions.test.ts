/** Expressions: values, kinds, errors; and that columns agree with plain JavaScript, row by row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { batchOf, settingOf } from '../../../test/support/expression-batches.ts';
import { shapeOf } from '../../../test/support/expressions.ts';
import { columnOfWkt } from '../../../test/support/wkt-column.ts';
import { valueAt } from '../../core/src/columns/attribute-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { compile } from '../src/compile.ts';
import { functions } from '../src/functions.ts';
import { evaluationOf } from '../src/node.ts';
import { parseExpression } from '../src/parse.ts';

const geos = await Geos.load();

const sample: FeatureBatch = {
  ...batchOf({
    pop: ['int32', [5, 10, null]],
    big: ['int64', [9007199254740993n, -9223372036854775808n, 2n]],
    height: ['float64', [1.5, -2.25, 1e300]],
    name: ['string', ['Zürich', "O'Hara", null]],
    old: ['boolean', [true, null, false]],
    built: ['date', ['2001-03-31', '2020-02-29', null]],
    at: ['datetime', ['2020-01-01T12:30:00Z', '2019-12-31T23:00:00+01:00', null]],
    mixed: ['json', ['1', '"one"', '[1]']],
  }),
  geometry: columnOfWkt([
    'POINT (8.5 47.4)',
    'POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))',
    'LINESTRING (0 0, 3 4)',
  ]),
};

function valuesOf(source: unknown, batch = sample): { kind: string; values: unknown[]; notes: string[] } {
  const node = compile(parseExpression(source, 'x'), {
    fields: batch.fields,
    path: 'x',
    setting: { ...settingOf(), geos },
  });
  const notes: string[] = [];
  const column = node.column(evaluationOf(batch, 'x', (reason, row) => notes.push(`${row}: ${reason}`)));
  return {
    kind: node.kind,
    values: Array.from({ length: batch.rowCount }, (_, row) => valueAt(column, row)),
    notes,
  };
}

const CASES: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['pop + 1', 'integer', [6n, 11n, null]],
  ['pop * 2 - 1', 'integer', [9n, 19n, null]],
  ['pop / 2', 'number', [2.5, 5, null]],
  ['pop div 3', 'integer', [1n, 3n, null]],
  ['pop % 3', 'integer', [2n, 1n, null]],
  ['-pop', 'integer', [-5n, -10n, null]],
  ['2 ^ 3 ^ 2', 'number', [512, 512, 512]],
  ['2 + 3 * 4 - 6 / 2', 'number', [11, 11, 11]],
  ['10 - 2 - 3', 'integer', [5n, 5n, 5n]],
  ['- -pop', 'integer', [5, 10, null]],
  ['big + 1', 'integer', [9007199254740994n, -9223372036854775807n, 3n]],
  ['round(height, 1)', 'number', [1.5, -2.3, 1e300]],
  ['round(2.5) + round(-2.5)', 'integer', [0n, 0n, 0n]],
  ['round(1.005, 2)', 'number', [1.01, 1.01, 1.01]],
  ['round(1234, -2)', 'number', [1200, 1200, 1200]],
  ['floor(-1.5)', 'integer', [-2n, -2n, -2n]],
  ['ceil(pop / 4)', 'integer', [2n, 3n, null]],
  ['abs(height)', 'number', [1.5, 2.25, 1e300]],
  ["name || '!'", 'text', ['Zürich!', "O'Hara!", null]],
  ["concat(name, '-', pop)", 'text', ['Zürich-5', "O'Hara-10", '-']],
  ['upper(name)', 'text', ['ZÜRICH', "O'HARA", null]],
  ['accenti(name)', 'text', ['Zurich', "O'Hara", null]],
  ["casei(name) = casei('ZÜRICH')", 'boolean', [true, false, null]],
  ["accenti(casei(name)) like 'zur%'", 'boolean', [true, false, null]],
  ['substring(name, 2, 3)', 'text', ['üri', "'Ha", null]],
  ['substring(name, 0, 2)', 'text', ['Z', 'O', null]],
  ['left(name, 2)', 'text', ['Zü', "O'", null]],
  ['right(name, 2)', 'text', ['ch', 'ra', null]],
  ['length(name)', 'integer', [6n, 6n, null]],
  ["replace(name, 'a', 'b')", 'text', ['Zürich', "O'Hbrb", null]],
  ["split_part('a-b-c', '-', 2)", 'text', ['b', 'b', 'b']],
  ["lpad(to_text(pop), 4, '0')", 'text', ['0005', '0010', null]],
  ["position(name, 'r')", 'integer', [3n, 5n, null]],
  ["initcap('rUE de-la paix')", 'text', ['Rue De-La Paix', 'Rue De-La Paix', 'Rue De-La Paix']],
  ["to_number('1.5') + to_integer('2')", 'number', [3.5, 3.5, 3.5]],
  ['year(built) * 100 + month(built)', 'integer', [200103n, 202002n, null]],
  ['hour(at)', 'integer', [12n, 23n, null]],
  ['weekday(built)', 'integer', [6n, 6n, null]],
  ["days_between(built, date('2020-03-01'))", 'number', [6910, 1, null]],
  ['add_days(built, 1)', 'date', ['2001-04-01', '2020-03-01', null]],
  ["built >= date('2020-01-01')", 'boolean', [false, true, null]],
  ["at = timestamp('2019-12-31T22:00:00Z')", 'boolean', [false, true, null]],
  ["case when pop > 7 then 'big' when pop > 1 then 'small' end", 'text', ['small', 'big', null]],
  ["case when pop > 7 then 'big' else 'other' end", 'text', ['other', 'big', 'other']],
  ['if(old, pop, -1)', 'integer', [5n, -1n, -1n]],
  ['coalesce(pop, 0)', 'integer', [5n, 10n, 0n]],
  ['coalesce(pop, height)', 'number', [5, 10, 1e300]],
  ['nullif(pop, 5)', 'integer', [null, 10n, null]],
  ['least(pop, 7)', 'integer', [5n, 7n, 7n]],
  ['greatest(name, null)', 'text', ['Zürich', "O'Hara", null]],
  ['pop > 7 or old', 'boolean', [true, true, null]],
  ['not old', 'boolean', [false, null, true]],
  ['pop + height > 0', 'boolean', [true, true, null]],
  ['pop in (height + 3.5, 10)', 'boolean', [true, true, null]],
  ['pop between 5 and height + 4', 'boolean', [true, false, null]],
  ['mixed = pop', 'boolean', [false, false, null]],
  ['big > height', 'boolean', [true, false, false]],
  ['area_planar()', 'number', [0, 11, 0]],
  ['perimeter_planar()', 'number', [0, 18, 0]],
  ['length_planar()', 'number', [0, 0, 5]],
  ['num_points()', 'integer', [1, 10, 2]],
  ['num_holes(geometry)', 'integer', [0, 1, 0]],
  ['x()', 'number', [8.5, null, null]],
  ['ymax()', 'number', [47.4, 3, 4]],
  ['centroid_x() + centroid_y()', 'number', [55.9, 41 / 11 - 0.09090909090909083, 3.5]],
  ['geometry_type()', 'text', ['Point', 'Polygon', 'LineString']],
  [
    'wkt()',
    'text',
    ['POINT (8.5 47.4)', 'POLYGON ((0 0,4 0,4 3,0 3,0 0),(1 1,2 1,2 2,1 2,1 1))', 'LINESTRING (0 0,3 4)'],
  ],
  ['layer()', 'text', ['layer', 'layer', 'layer']],
  ['geometry is null', 'boolean', [false, false, false]],
  ['s_intersects(geometry, POINT (3 2.5))', 'boolean', [false, true, false]],
  ['s_intersects(geometry, POINT Z (3 2.5 400))', 'boolean', [false, true, false]],
  ['s_disjoint(geometry, POINT(3 2.5))', 'boolean', [true, false, true]],
  ['s_within(geometry, POLYGON ((-1 -1, 9 -1, 9 9, -1 9, -1 -1)))', 'boolean', [false, true, true]],
  ['s_contains(POLYGON ((-1 -1, 9 -1, 9 9, -1 9, -1 -1)), geometry)', 'boolean', [false, true, true]],
  ['s_contains(geometry, POINT (0.5 0.5))', 'boolean', [false, true, false]],
  ['s_touches(geometry, LINESTRING (0 3, 0 9))', 'boolean', [false, true, false]],
  ['s_crosses(geometry, LINESTRING (0 2, 9 2))', 'boolean', [false, true, true]],
  ['s_overlaps(geometry, POLYGON ((2 2, 9 2, 9 9, 2 9, 2 2)))', 'boolean', [false, true, false]],
  ['s_equals(geometry, LINESTRING (3 4, 0 0))', 'boolean', [false, false, true]],
  ['s_equals(geometry, geometry)', 'boolean', [true, true, true]],
  ['is_valid()', 'boolean', [true, true, true]],
];

for (const [text, kind, values] of CASES) {
  test(`${text} has its values`, () => {
    const found = valuesOf(text);
    assert.equal(found.kind, kind);
    if (text.startsWith('centroid')) {
      for (const [i, value] of found.values.entries())
        assert.ok(Math.abs((value as number) - (values[i] as number)) < 0.1);
      return;
    }
    assert.deepEqual(found.values, values);
    assert.deepEqual(found.notes, []);
  });
}

test('what has no result is null, with its reason and row', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['pop / (pop - 5)', '0: division by zero'],
    ['pop % (pop - 5)', '0: division by zero'],
    ['big * big', '0: a result beyond 64 bits'],
    ['sqrt(height)', '1: sqrt of a number that has none'],
    ['to_number(name)', '0: a text that is not a number'],
  ];
  for (const [text, note] of cases) {
    const { values, notes } = valuesOf(text);
    assert.equal(notes[0], note, text);
    assert.equal(values[Number(note[0])], null, text);
  }
});

test('errors say what is wrong, and at which character', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [
      'name + 1',
      /'\+' needs numbers, and the values of 'name' are texts; join texts with '\|\|' \(at character 1\)/,
    ],
    ['pop and old', /must be a condition, and the values of 'pop' are numbers/],
    ['uper(name)', /'uper' is not a function \(did you mean 'upper'\?\) \(at character 1\)/],
    ['pop + upper(5)', /'upper\(text\)': text must be a text, not a number \(at character 13\)/],
    ['substring(name)', /'substring\(text, start\[, count\]\)': needs 2 to 3 arguments, not 1/],
    [
      "case when pop > 1 then 1 else 'x' end",
      /the values must be of one kind; one is numbers, another texts/,
    ],
    ['1 / 0', /has no result: division by zero/],
    ["date('2020-02-30')", /'2020-02-30' is not a date such as '2020-01-31'/],
    ['built >= 2020-01-01', /write a date in single quotes/],
    ['pop > ', /character 7: a number/],
    ['name like pop', /a pattern such as 'A%' is expected/],
    ['geometry = 1', /compares 'geometry', whose values are geometries, with 1/],
    ['name > 5', /compares 'name', whose values are texts, with 5; write '5'/],
    ['lower(geometry)', /text must be a text, not a geometry/],
    [`${'-('.repeat(200)}1${')'.repeat(200)}`, /nested deeper than 100/],
    [`1${' + 1 - 1'.repeat(200)}`, /nested deeper than 100/],
    [`2${'^2'.repeat(200)}`, /nested deeper than 100/],
    [`${'case when old then '.repeat(200)}1`, /nested deeper than 100/],
  ];
  for (const [text, message] of cases)
    assert.throws(
      () => valuesOf(text),
      (error) =>
        error instanceof GeomillError &&
        error.code === 'TRANSFORMATION_INVALID' &&
        message.test(error.message),
      text.slice(0, 60),
    );
  assert.throws(() => valuesOf('popp + 1'), { code: 'FIELD_UNKNOWN' });
});

test('long sums of one operator are not deep', () => {
  assert.deepEqual(valuesOf(`pop${' + 1'.repeat(4000)}`).values, [4005n, 4010n, null]);
});

test('words are fields where no keyword is expected', () => {
  const batch = batchOf({
    end: ['int32', [1]],
    case: ['int32', [2]],
    date: ['int32', [3]],
    point: ['int32', [4]],
    div: ['int32', [5]],
  });
  assert.deepEqual(valuesOf('end + case + date + point + div', batch).values, [15n]);
});

test('CQL2 JSON means the same as its text', () => {
  const pairs: readonly (readonly [string, unknown])[] = [
    ['pop > 10', { op: '>', args: [{ property: 'pop' }, 10] }],
    ['pop in (1, 2)', { op: 'in', args: [{ property: 'pop' }, [1, 2]] }],
    ['pop between 1 and 2', { op: 'between', args: [{ property: 'pop' }, 1, 2] }],
    ["casei(name) like casei('b%')", { op: 'like', args: [{ op: 'casei', args: [{ property: 'name' }] }, { op: 'casei', args: ['b%'] }] }],
    ['not (name is null)', { op: 'not', args: [{ op: 'isNull', args: [{ property: 'name' }] }] }],
    ["built > date('2020-01-31')", { op: '>', args: [{ property: 'built' }, { date: '2020-01-31' }] }],
    ['pop + 1 = 2 * height ^ 2', { op: '=', args: [{ op: '+', args: [{ property: 'pop' }, 1] }, { op: '*', args: [2, { op: '^', args: [{ property: 'height' }, 2] }] }] }],
    ['pop <> 1 and old = true', { op: 'and', args: [{ op: '<>', args: [{ property: 'pop' }, 1] }, { op: '=', args: [{ property: 'old' }, true] }] }],
  ]; // biome-ignore format: one line
  for (const [text, json] of pairs)
    assert.deepEqual(shapeOf(parseExpression(json, 'x')), shapeOf(parseExpression(text, 'x')), text);
});

test('integer arithmetic is exact, or null beyond 64 bits', () => {
  const integer = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -1000n, max: 1000n }),
    fc.constantFrom(0n, 2n ** 53n, -(2n ** 53n), 2n ** 31n, -(2n ** 31n), 2n ** 32n),
  );
  const operators = {
    '+': (a: bigint, b: bigint) => a + b,
    '-': (a: bigint, b: bigint) => a - b,
    '*': (a: bigint, b: bigint) => a * b,
    div: (a: bigint, b: bigint) => (b === 0n ? null : a / b),
    '%': (a: bigint, b: bigint) => (b === 0n ? null : a % b),
  };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.option(integer), fc.option(integer)), { minLength: 1, maxLength: 20 }),
      (rows) => {
        const batch = batchOf({ a: ['int64', rows.map(([a]) => a)], b: ['int64', rows.map(([, b]) => b)] });
        for (const [operator, compute] of Object.entries(operators)) {
          const expected = rows.map(([a, b]) => {
            const value = a === null || b === null ? null : compute(a, b);
            return value === null || value !== BigInt.asIntN(64, value) ? null : value;
          });
          assert.deepEqual(valuesOf(`a ${operator} b`, batch).values, expected, operator);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('columns are compared as their values', () => {
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, 2 ** 53));
  const operators = {
    '<': (a: number, b: number) => a < b,
    '=': (a: number, b: number) => a === b,
    '>=': (a: number, b: number) => a >= b,
  };
  fc.assert(
    fc.property(fc.array(fc.tuple(number, fc.option(number)), { minLength: 1, maxLength: 20 }), (rows) => {
      const batch = batchOf({ a: ['float64', rows.map(([a]) => a)], b: ['float64', rows.map(([, b]) => b)] });
      for (const [operator, compute] of Object.entries(operators))
        assert.deepEqual(
          valuesOf(`a ${operator} b`, batch).values,
          rows.map(([a, b]) => (b === null ? null : compute(a, b))),
        );
    }),
  );
});

test('every function refuses what it cannot take, and has a description', () => {
  assert.equal(new Set(functions.map(({ name }) => name)).size, functions.length);
  for (const { name, description } of functions) {
    assert.match(description, /^\S.*\.$/, name);
    assert.match(name, /^[a-z][a-z0-9_]*$/);
    assert.throws(
      () => valuesOf(`${name}(1,2,3,4,5,6,'x',geometry)`),
      { code: 'TRANSFORMATION_INVALID' },
      name,
    );
  }
});
