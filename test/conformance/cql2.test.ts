/**
 * The conformance classes of CQL2 (OGC 21-065r2). The cases are this project's own, one list for each class of the abstract test
 * suite, over seven places; each also states its JSON where that has another form. docs/expressions.md names the classes.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { compileCondition } from '../../packages/expressions/src/compile.ts';
import { evaluationOf } from '../../packages/expressions/src/node.ts';
import { parseExpression } from '../../packages/expressions/src/parse.ts';
import { TRUE, UNKNOWN } from '../../packages/expressions/src/verdict.ts';
import { batchOf, settingOf } from '../support/expression-batches.ts';
import { shapeOf } from '../support/expressions.ts';
import { columnOfWkt } from '../support/wkt-column.ts';

const geos = await Geos.load();

/** Rows have the numbers 1 to 7. */
const places: FeatureBatch = {
  ...batchOf({
    name: ['string', ['Århus', 'Berlin', 'berlin', 'Brno', 'Zurich', 'Zürich', null]],
    ascii: ['string', ['Arhus', 'Berlin', 'berlin', 'Brno', 'Zurich', 'Zurich', null]],
    pop: ['int32', [285, 3645, 3, 382, 434, 434, null]],
    least: ['int32', [285, 3000, 1, 400, 434, 400, null]],
    height: ['float64', [3.14, 34, 34.5, 237, 408, 408, -1]],
    open: ['boolean', [true, false, true, null, true, false, null]],
    date: ['date', ['2021-04-16', '2022-04-14', '2022-04-16', '2023-01-01', null, null, null]],
    start: ['datetime', ['2021-04-16T10:15:59Z', '2022-04-16T10:13:19Z', '2022-04-16T12:13:19+02:00', null, null, null, null]],
    end: ['datetime', ['2022-04-16T10:16:06Z', '2022-04-16T10:15:10Z', '2022-12-31T23:59:59Z', null, null, null, null]],
    tags: ['json', ['["a","b"]', '["b"]', '[]', '"a"', '[1,2.0,true]', 'null', null]],
  }),
  geometry: columnOfWkt([
    'POINT (10 56)',
    'POLYGON ((13 52, 14 52, 14 53, 13 53, 13 52))',
    'LINESTRING (12 51, 15 54)',
    'POINT (16.6 49.2)',
    'POINT (8.5 47.4)',
    'POLYGON ((14 52, 15 52, 15 53, 14 53, 14 52))',
    'POINT (179 -18)',
  ]),
}; // biome-ignore format: a row for each field

function verdictsOf(source: unknown): Uint8Array {
  const setting = { ...settingOf(), geos };
  const condition = compileCondition(parseExpression(source, 'x'), {
    fields: places.fields,
    path: 'x',
    setting,
  });
  return condition(evaluationOf(places, 'x', () => {}));
}

function rowsWhere(source: unknown): readonly number[] {
  return [...verdictsOf(source).entries()].filter(([, verdict]) => verdict === TRUE).map(([row]) => row + 1);
}

/** The condition, the rows for which it is true, and the condition in JSON. */
type Case = readonly [text: string, rows: readonly number[], json?: unknown];

const ALL = [1, 2, 3, 4, 5, 6, 7];
const property = (name: string) => ({ property: name });
const interval = (start: unknown, end: unknown) => ({ interval: [start, end] });
const op = (name: string, ...args: unknown[]) => ({ op: name, args });

const CLASSES: Readonly<Record<string, readonly Case[]>> = {
  'basic-cql2': [
    ["name = 'Berlin'", [2], op('=', property('name'), 'Berlin')],
    ["name <> 'Berlin'", [1, 3, 4, 5, 6], op('<>', property('name'), 'Berlin')],
    ["name > 'Brno'", [1, 3, 5, 6], op('>', property('name'), 'Brno')],
    ["name <= 'Brno'", [2, 4], op('<=', property('name'), 'Brno')],
    ['pop = 434', [5, 6], op('=', property('pop'), 434)],
    ['pop <> 434', [1, 2, 3, 4]],
    ['pop > 382', [2, 5, 6]],
    ['pop >= 382', [2, 4, 5, 6]],
    ['pop < 382', [1, 3]],
    ['pop <= 382', [1, 3, 4]],
    ['height = 3.14', [1]],
    ['open = true', [1, 3, 5], op('=', property('open'), true)],
    ['open = FALSE', [2, 6]],
    ['open', [1, 3, 5], property('open')],
    ['"date" = DATE(\'2022-04-16\')', [3], op('=', property('date'), { date: '2022-04-16' })],
    ['"date" < DATE(\'2022-04-16\')', [1, 2]],
    ['"date" >= DATE(\'2022-04-16\')', [3, 4]],
    ["start = TIMESTAMP('2022-04-16T10:13:19Z')", [2, 3], op('=', property('start'), { timestamp: '2022-04-16T10:13:19Z' })],
    ["start <> TIMESTAMP('2022-04-16T10:13:19Z')", [1]],
    ['name IS NULL', [7], op('isNull', property('name'))],
    ['name is not null', [1, 2, 3, 4, 5, 6], op('not', op('isNull', property('name')))],
    ['geometry IS NULL', []],
    ['true', ALL, true],
    ['false', [], false],
    ['pop > 400 AND open', [5], op('and', op('>', property('pop'), 400), property('open'))],
    ['pop > 400 OR open', [1, 2, 3, 5, 6], op('or', op('>', property('pop'), 400), property('open'))],
    ['NOT pop > 400', [1, 3, 4], op('not', op('>', property('pop'), 400))],
    ["(NOT (pop > 400) AND open) OR (name = 'Brno' and pop > 0) or not (pop < 1000 OR open)", [1, 2, 3, 4]],
  ],
  'advanced-comparison-operators': [
    ["name LIKE 'B_r%'", [2], op('like', property('name'), 'B_r%')],
    ["name NOT LIKE 'B_r%'", [1, 3, 4, 5, 6], op('not', op('like', property('name'), 'B_r%'))],
    ["name like '%'", [1, 2, 3, 4, 5, 6]],
    ["name like '_%'", [1, 2, 3, 4, 5, 6]],
    ["name like ''", []],
    ["name like '\\%\\_'", []],
    ['pop BETWEEN 3 AND 382', [1, 3, 4], op('between', property('pop'), 3, 382)],
    ['pop not between 3 and 382', [2, 5, 6], op('not', op('between', property('pop'), 3, 382))],
    ['height between 100.0 and 1.0', []],
    ["name IN ('Brno', 'brno', 'Berlin')", [2, 4], op('in', property('name'), ['Brno', 'brno', 'Berlin'])],
    ["name NOT IN ('Brno', 'brno', 'Berlin')", [1, 3, 5, 6]],
    ['pop in (1, 2, 3)', [3]],
    ['open in (true)', [1, 3, 5]],
    ["\"date\" in (DATE('2021-04-16'), DATE('2022-04-18'))", [1]],
    ["start in ('2022-04-16T10:13:19Z', '2022-04-14T15:52:56Z')", [2, 3]],
  ],
  'case-insensitive-comparison': [
    ["CASEI(name) = casei('BERLIN')", [2, 3], op('=', op('casei', property('name')), op('casei', 'BERLIN'))],
    ["casei(name) LIKE casei('Z_RICH')", [5, 6], op('like', op('casei', property('name')), op('casei', 'Z_RICH'))],
    ["casei(name) in (casei('åRHUS'), casei('BRNO'))", [1, 4], op('in', op('casei', property('name')), [op('casei', 'åRHUS'), op('casei', 'BRNO')])],
    ["casei(name) <> casei('ZÜRICH')", [1, 2, 3, 4, 5]],
  ],
  'accent-insensitive-comparison': [
    ["ACCENTI(name) = accenti('Zürich')", [5, 6], op('=', op('accenti', property('name')), op('accenti', 'Zürich'))],
    ["accenti(name) like accenti('Å%')", [1]],
    ["accenti(casei(name)) = accenti(casei('ZÜRICH'))", [5, 6]],
    ["casei(accenti(name)) in (casei(accenti('årHUS')))", [1]],
  ],
  'basic-spatial-functions': [
    ['S_INTERSECTS(geometry, BBOX(8, 47, 13.5, 53))', [2, 3, 5], op('s_intersects', property('geometry'), { bbox: [8, 47, 13.5, 53] })],
    ['s_intersects(geometry, POINT(13.5 52.5))', [2, 3], op('s_intersects', property('geometry'), { type: 'Point', coordinates: [13.5, 52.5] })],
    ['S_INTERSECTS(geometry, BBOX(170, -90, -170, 90))', [7], op('s_intersects', property('geometry'), { bbox: [170, -90, -170, 90] })],
    ['S_INTERSECTS(geometry, BBOX(8, 47, 0, 9, 48, 100))', [5], op('s_intersects', property('geometry'), { bbox: [8, 47, 0, 9, 48, 100] })],
  ],
  'basic-spatial-functions-plus': [
    ['S_INTERSECTS(geometry, LINESTRING(13.2 52.9, 13.4 52.8))', [2]],
    ['S_INTERSECTS(geometry, POLYGON((14.5 52.5, 14.6 52.5, 14.6 52.6, 14.5 52.5)))', [6], op('s_intersects', property('geometry'), { type: 'Polygon', coordinates: [[[14.5, 52.5], [14.6, 52.5], [14.6, 52.6], [14.5, 52.5]]] })],
    ['S_INTERSECTS(geometry, MULTIPOINT((8.5 47.4), (16.6 49.2)))', [4, 5]],
    ['S_INTERSECTS(geometry, GEOMETRYCOLLECTION(POINT(10 56), LINESTRING(16 49.2, 17 49.2)))', [1, 4]],
  ],
  'spatial-functions': [
    ['S_DISJOINT(geometry, BBOX(8, 47, 13.5, 53))', [1, 4, 6, 7], op('s_disjoint', property('geometry'), { bbox: [8, 47, 13.5, 53] })],
    ['S_EQUALS(geometry, POLYGON((14 53, 13 53, 13 52, 14 52, 14 53)))', [2]],
    ['S_TOUCHES(geometry, LINESTRING(14 52, 14 53))', [2, 3, 6]],
    ['S_CROSSES(geometry, LINESTRING(13 51, 13 54))', [3]],
    ['S_WITHIN(geometry, BBOX(13, 52, 15, 53))', [2, 6]],
    ['S_CONTAINS(geometry, POINT(14.5 52.5))', [6]],
    ['S_OVERLAPS(geometry, BBOX(13.5, 52.5, 14, 54))', [2], op('s_overlaps', property('geometry'), { bbox: [13.5, 52.5, 14, 54] })],
  ],
  'temporal-functions': [
    ["T_AFTER(start, TIMESTAMP('2021-04-16T10:15:59Z'))", [2, 3], op('t_after', property('start'), { timestamp: '2021-04-16T10:15:59Z' })],
    ["t_after(\"date\", INTERVAL('2021-01-01', '2021-12-31'))", [2, 3, 4], op('t_after', property('date'), interval('2021-01-01', '2021-12-31'))],
    ["t_before(\"date\", DATE('2022-04-16'))", [1, 2]],
    ["t_before(start, INTERVAL('2022-01-01T00:00:00Z', '..'))", [1], op('t_before', property('start'), interval('2022-01-01T00:00:00Z', '..'))],
    ["t_disjoint(\"date\", DATE('2022-04-16'))", [1, 2, 4]],
    ["t_equals(start, TIMESTAMP('2022-04-16T12:13:19+02:00'))", [2, 3]],
    ["t_equals(\"date\", INTERVAL('2022-04-16', '2022-04-16'))", [3]],
    ["t_intersects(\"date\", INTERVAL('..', '2022-04-14'))", [1, 2]],
    ["t_after(INTERVAL(start, end), INTERVAL('..', '2022-01-01T00:00:00Z'))", [2, 3], op('t_after', interval(property('start'), property('end')), interval('..', '2022-01-01T00:00:00Z'))],
    ["t_before(INTERVAL(start, end), INTERVAL('2022-06-01T00:00:00Z', '..'))", [1, 2]],
    ["t_disjoint(INTERVAL(start, end), INTERVAL('2022-06-01T00:00:00Z', '..'))", [1, 2]],
    ["t_equals(INTERVAL(start, end), INTERVAL('2022-04-16T10:13:19Z', '2022-04-16T10:15:10Z'))", [2]],
    ["t_intersects(INTERVAL(start, end), INTERVAL('2022-04-16T10:15:30Z', '2022-04-16T10:15:40Z'))", [1, 3]],
    ["T_CONTAINS(INTERVAL(start, end), INTERVAL('2022-04-16T10:13:20Z', '2022-04-16T10:15:00Z'))", [1, 2, 3], op('t_contains', interval(property('start'), property('end')), interval('2022-04-16T10:13:20Z', '2022-04-16T10:15:00Z'))],
    ["T_DURING(INTERVAL(start, end), INTERVAL('2022-01-01T00:00:00Z', '2022-12-31T00:00:00Z'))", [2]],
    ["T_FINISHEDBY(INTERVAL(start, end), INTERVAL('2022-04-16T10:14:00Z', '2022-04-16T10:15:10Z'))", [2]],
    ["T_FINISHES(INTERVAL(start, end), INTERVAL('2020-01-01T00:00:00Z', '2022-04-16T10:16:06Z'))", [1]],
    ["T_MEETS(INTERVAL(start, end), INTERVAL('2022-04-16T10:15:10Z', '..'))", [2]],
    ["T_METBY(INTERVAL(start, end), INTERVAL('..', '2022-04-16T10:13:19Z'))", [2, 3]],
    ["T_OVERLAPPEDBY(INTERVAL(start, end), INTERVAL('2020-01-01T00:00:00Z', '2022-04-16T10:15:10Z'))", [1, 3]],
    ["T_OVERLAPS(INTERVAL(start, end), INTERVAL('2022-04-16T10:13:19Z', '2023-04-16T10:15:10Z'))", [1]],
    ["T_STARTEDBY(INTERVAL(start, end), INTERVAL('2022-04-16T10:13:19Z', '2022-04-16T10:14:00Z'))", [2, 3]],
    ["T_STARTS(INTERVAL(start, end), INTERVAL('2022-04-16T10:13:19Z', '2022-04-16T10:16:00Z'))", [2]],
    ["t_intersects(INTERVAL('2022-04-16', '..'), \"date\")", [3, 4]],
  ],
  'array-functions': [
    ["A_CONTAINS(tags, ('b'))", [1, 2], op('a_contains', property('tags'), ['b'])],
    ["A_CONTAINS(tags, ('b', 'a', 'a'))", [1], op('a_contains', property('tags'), ['b', 'a', 'a'])],
    ["A_CONTAINEDBY(tags, ('a', 'b', 'c'))", [1, 2, 3], op('a_containedBy', property('tags'), ['a', 'b', 'c'])],
    ["A_EQUALS(('b', 'a'), tags)", [1], op('a_equals', ['b', 'a'], property('tags'))],
    ['A_EQUALS(tags, ())', [3], op('a_equals', property('tags'), [])],
    ["A_OVERLAPS(tags, ('b', 2))", [1, 2, 5], op('a_overlaps', property('tags'), ['b', 2])],
    ['a_equals(tags, (2, 1, true))', [5]],
    ["A_OVERLAPS((name, ascii), ('Zurich', 'Arhus'))", [1, 5, 6]],
    ["a_equals(array(\"date\", 1), (1, DATE('2022-04-16')))", [3]],
    ['a_contains(array(array(1, 2), 3), array(array(2, 1)))', ALL, op('a_contains', [[1, 2], 3], [[2, 1]])],
    ['not a_overlaps(tags, (1))', [1, 2, 3]],
  ],
  'property-property': [
    ["'Berlin' = name", [2], op('=', 'Berlin', property('name'))],
    ['434 <= pop', [2, 5, 6]],
    ['name = ascii', [2, 3, 4, 5], op('=', property('name'), property('ascii'))],
    ['name > ascii', [1, 6]],
    ['pop >= least', [1, 2, 3, 5, 6]],
    ['pop < least', [4]],
    ['start < end', [1, 2, 3], op('<', property('start'), property('end'))],
    ['open = open', [1, 2, 3, 5, 6]],
    ['"date" <> "date"', []],
    ["'foo' = 'foo'", ALL],
    ['3.14 > 3.14', []],
    ["DATE('2022-04-14') <= DATE('2022-04-14')", ALL],
    ['true <> true', []],
    ["'København' LIKE 'K_benhavn'", ALL],
    ['pop between least and 400', [1, 3]],
    ['S_INTERSECTS(BBOX(8, 47, 13.5, 53), geometry)', [2, 3, 5]],
    ['S_CONTAINS(BBOX(13, 52, 15, 53), geometry)', [2, 6]],
    ['S_CROSSES(LINESTRING(0 0, 2 2), POLYGON((1 0, 3 0, 3 3, 1 3, 1 0)))', ALL],
  ],
  functions: [
    ["upper(name) = 'BRNO'", [4], op('=', op('upper', property('name')), 'BRNO')],
    ['char_length(name) = 5', [1]],
    ['pop >= round(433.6)', [2, 5, 6]],
    ["coalesce(name, 'none') = lower('NONE')", [7]],
    ['x(geometry) > 100', [7], op('>', op('x', property('geometry')), 100)],
  ],
  arithmetic: [
    ['pop = 430 + 4', [5, 6], op('=', property('pop'), op('+', 430, 4))],
    ['pop >= 436 - 2 * 2 ^ 0', [2, 5, 6]],
    ['pop > 436 - 21 div 10', [2]],
    ['pop <> 435 - 5 % 2', [1, 2, 3, 4]],
    ['pop * 2 / 4 = 217', [5, 6], op('=', op('/', op('*', property('pop'), 2), 4), 217)],
    ['pop between 1000 / 4 and (3 * (100 + 20))', [1]],
    ['pop in (300 + 82, 3 * 1)', [3, 4]],
    ['430 + 4 = pop', [5, 6]],
    ['-pop < -400', [2, 5, 6]],
    ['pop = least + 34', [6]],
  ],
}; // biome-ignore format: a line for each case

for (const [name, cases] of Object.entries(CLASSES)) {
  test(`${name} has the results that the standard defines`, () => {
    for (const [text, rows, json] of cases) {
      assert.deepEqual(rowsWhere(text), rows, text);
      if (json === undefined) continue;
      assert.deepEqual(rowsWhere(json), rows, JSON.stringify(json));
      assert.deepEqual(shapeWithoutGeometries(json), shapeWithoutGeometries(text), text);
    }
  });
}

/** WKT and GeoJSON of the same geometry differ. */
function shapeWithoutGeometries(source: unknown): string {
  return JSON.stringify(shapeOf(parseExpression(source, 'x')), (key, value) =>
    key === 'geometry' ? '' : value,
  );
}

test('conditions of all classes combine', () => {
  const conditions = Object.values(CLASSES).flatMap((cases) => cases.map(([text]) => text));
  const steps = [7, 11, 13];
  for (let i = 0; i < conditions.length; i++) {
    const [a, b, c, d] = [0, ...steps].map((step) => conditions[(i + step) % conditions.length]);
    const combined = verdictsOf(
      `((NOT (${a}) AND (${b})) OR ((${c}) and NOT (${d})) or not ((${a}) AND (${d})))`,
    );
    const [p, q, r, s] = [a, b, c, d].map(verdictsOf);
    for (const [row, verdict] of combined.entries()) {
      const not = (value: number) => TRUE - value;
      const expected = Math.max(
        Math.min(not(p[row]), q[row]),
        Math.min(r[row], not(s[row])),
        not(Math.min(p[row], s[row])),
      );
      assert.equal(verdict, expected, `${a}; ${b}; ${c}; ${d}; row ${row + 1}`);
    }
  }
});

test('a predicate on null is neither true nor false', () => {
  for (const text of [
    'pop > least',
    "t_after(start, '2000-01-01')",
    "a_contains(tags, ('a'))",
    'pop in (1, 2)',
  ])
    assert.equal(verdictsOf(text)[6], UNKNOWN, text);
});

test('temporal and array predicates refuse other values, with advice', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [
      "t_during(start, interval('2020-01-01', '..'))",
      /needs intervals.*use t_intersects.*\(at character 10\)/,
    ],
    ["t_after(name, '2020-01-01')", /not texts; date\(…\) makes dates of texts \(at character 9\)/],
    ["t_after(start, '31.12.2020')", /'31.12.2020' is not a date such as/],
    ["start = interval('2020-01-01', '..')", /compares 'start'/],
    ["interval('2020-01-01', '..') || 'x'", /'\|\|' joins texts, not intervals/],
    ["upper(interval('2020-01-01', '..')) = 'x'", /text must be a text, not an interval/],
    ["a_contains(name, ('a'))", /needs arrays: a list such as \('a', 'b'\).*not texts \(at character 12\)/],
    ["a_contains(tags, 'a')", /needs arrays/],
    [op('t_after', property('start'), { interval: ['2020-01-01'] }), /must be a list of two dates/],
    [op('s_intersects', property('geometry'), { bbox: [1, 2, 3] }), /must be four numbers/],
    ['s_intersects(geometry, bbox(1, 2, 3))', /must be four numbers.*\(at character 24\)/],
  ];
  for (const [source, message] of cases)
    assert.throws(() => verdictsOf(source), { code: 'TRANSFORMATION_INVALID', message });
});

test('an interval that ends before it begins is null, and noted', () => {
  const notes: string[] = [];
  const source = "t_after(interval(end, start), interval('..', '2000-01-01'))";
  const scope = { fields: places.fields, path: 'x', setting: { ...settingOf(), geos } };
  const verdicts = compileCondition(
    parseExpression(source, 'x'),
    scope,
  )(evaluationOf(places, 'x', (reason, row) => notes.push(`${row}: ${reason}`)));
  assert.equal(verdicts[0], UNKNOWN);
  assert.equal(notes[0], '0: an interval that ends before it begins');
});
