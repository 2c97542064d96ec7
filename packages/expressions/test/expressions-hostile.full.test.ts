/** Expressions that are meant to harm: whatever they are, they are refused or evaluated in bounded time and memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expressionCase } from '../../../test/fuzz/expression-cases.ts';
import { batchOf, settingOf } from '../../../test/support/expression-batches.ts';
import { check, evaluate, geos, sample, survives } from '../../../test/support/hostile-expressions.ts';
import { transformations } from '../../operations/src/registry.ts';
import { parseSteps } from '../../operations/src/requested-steps.ts';
import { compile } from '../src/compile.ts';
import { functions } from '../src/functions.ts';
import { evaluationOf } from '../src/node.ts';
import { parseExpression } from '../src/parse.ts';

const nested = (depth: number, before: string, inner: string, after: string): string =>
  before.repeat(depth) + inner + after.repeat(depth);

test('operators and functions that need a value twice compute it once', () => {
  assert.equal(survives(nested(48, 'if(', 'pop', ' between 1 and 2, 1, 2)')), false);
  assert.equal(survives(nested(90, 'nullif(', 'pop', ', 1)')), false);
  assert.equal(survives(nested(90, 'upper(', "name || 'ü'", ')')), false);
  assert.equal(survives(nested(48, 'round(', 'height', ' + 1)')), false);
  assert.equal(survives(nested(90, 'least(', 'pop', ', 1)')), false);
});

test('many arguments take linear time', () => {
  const many = (count: number, text: string) => Array.from({ length: count }, () => text).join();
  assert.equal(survives(`least(${many(4000, 'pop')})`), false);
  assert.equal(survives(`concat(${many(4000, 'pop')})`), false);
  assert.equal(survives(`coalesce(${many(2000, 'null')}, pop)`), false);
  assert.equal(survives(`pop in (${many(2000, 'pop')})`), false);
  assert.equal(survives(`a_contains((${many(2000, 'pop')}), tags)`), false);
  assert.equal(survives(`case ${'when pop = 1 then 2 '.repeat(1200)} end`), false);
});

test('a request that is checked makes few long texts', () => {
  const long = "lpad('', 1000000, 'x')";
  assert.equal(survives(`left(${long}, 1)`), true);
  assert.equal(survives(`replace(lpad('', 1000, 'x'), 'x', lpad('', 900, 'y'))`), false);
  assert.equal(survives(Array.from({ length: 500 }, () => long).join('||')), true);
  assert.equal(survives(nested(90, "replace(name || '", 'x', "', 'x', 'xxxxxxxxxxx')")), true);
});

test('texts that become too long are null, and noted', () => {
  const rows = batchOf({ name: ['string', ['x'.repeat(1000), 'y', null]] });
  for (const text of [
    `replace(name, 'x', ${'name || '.repeat(2)}name)`,
    'lpad(name, 1000001 + 0 * char_length(name), name)',
    `concat(${'lpad(name, 300000, name), '.repeat(4)} name)`,
    `position(name, lpad(name, 1001, name)) `,
  ]) {
    const { values, notes } = evaluate(text, rows);
    assert.equal(values[0] === null || values[0] === 0 || String(values[0]).length <= 1_000_000, true, text);
    assert.ok(notes.includes('a text that is too long'), text);
  }
});

test('texts of a batch have a limit together', () => {
  let reserved = 0;
  const scope = { fields: sample.fields, path: 'x', setting: { ...settingOf(), geos } };
  const evaluation = evaluationOf(sample, 'x', () => {});
  const reserve = (bytes: number) => {
    reserved += bytes;
    evaluation.reserve(bytes);
  };
  const node = compile(parseExpression("concat(name, lpad(name, 100000, 'x'))", 'x'), scope);
  node.column({ ...evaluation, reserve });
  assert.ok(reserved > 400_000, String(reserved));
  assert.throws(() => reserve(256 << 20), {
    code: 'TRANSFORMATION_INVALID',
    message: /more than 256 MB of texts and other values for 3 features/,
  });
});

test('numbers and patterns of any size are refused or evaluated', () => {
  for (const text of [
    '9'.repeat(400),
    `${'9'.repeat(300)} * ${'9'.repeat(300)}`,
    '1e308 * 10 + pop',
    '10 ^ 10 ^ 10',
    'pop ^ 1e308',
    'round(height, 1e300)',
    'round(height, -1e300)',
    'power(height, height)',
    'pop * pop * pop',
    'lpad(name, -1e308, name)',
    'substring(name, -1e308, 1e308)',
    'split_part(name, name, 1e308)',
    'add_days(date, 1e308)',
    'add_days(date, -1e9)',
    `name like '${'%a'.repeat(5000)}b'`,
    `name like '${'_'.repeat(60_000)}%'`,
    `lpad(name, 100000, 'a') like '%${'a'.repeat(5000)}b%'`,
    `name like '${'\\'.repeat(30_001)}'`,
    `"${'x'.repeat(60_000)}" = 1`,
    `'${"''".repeat(30_000)}'`,
    `${'('.repeat(60_000)}`,
    `s_intersects(geometry, ${'POINT ('.repeat(5000)}`,
    `s_intersects(geometry, POLYGON ((${'0 0,'.repeat(4000)} 1 1)))`,
    'bbox(1e308, -1e308, -1e308, 1e308)',
  ])
    survives(text);
});

test('no text or JSON makes the parser or a function fail otherwise', () => {
  const names = functions.map(({ name }) => name);
  const atom = fc.constantFrom(
    ...'pop height name open date at tags geometry nope null true false 0 -1 1e308 0.5 9223372036854775807'.split(
      ' ',
    ),
    "'a%'",
    "''",
    "'2020-02-29'",
    "'..'",
    'POINT (1 2)',
    'BBOX(0, 0, 1, 1)',
    "interval(date, '..')",
    "('a', 1)",
  );
  const operator = fc.constantFrom(
    ...'+ - * / % div ^ || = <> < >= and or like ilike in between not is'.split(' '),
  );
  const { expression } = fc.letrec((tie) => ({
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      fc.tuple(tie('expression'), operator, tie('expression')).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([a, b, c]) => `case when ${a} then ${b} else ${c} end`),
      fc.tuple(fc.constantFrom(...names), fc.array(tie('expression'), { maxLength: 4 })).map(([name, args]) => `${name}(${args.join(', ')})`),
    ),
  })); // biome-ignore format: a line for each form
  fc.assert(
    fc.property(expression, (text) => void survives(text)),
    { numRuns: 500 },
  );
  fc.assert(fc.property(fc.array(fc.oneof(atom, operator, fc.constantFrom('(', ')', ',', "'", '"', 'case', 'when', 'end'))), (tokens) => void survives(tokens.join(' '))), { numRuns: 300 }); // biome-ignore format: one line
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => void survives(text)),
    { numRuns: 500 },
  );
  const json = fc.jsonValue({ maxDepth: 4 });
  const key = fc.constantFrom(
    'op',
    'args',
    'property',
    'interval',
    'bbox',
    'date',
    'and',
    'not',
    'field',
    'value',
    'type',
  );
  fc.assert(fc.property(fc.dictionary(key, fc.oneof(json, fc.constantFrom(...names), fc.array(json))), (tree) => void survives(tree)), { numRuns: 300 }); // biome-ignore format: one line
});

test('damaged expressions are refused or evaluated', () => {
  const refused = Array.from({ length: 2000 }, (_, index) => survives(expressionCase(1, index)));
  const share = refused.filter((isRefused) => isRefused).length / refused.length;
  assert.ok(share > 0.2 && share < 0.95, `${share} were refused`);
});

test('errors that need no fields are found when a request is checked', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['uper(name)', /'uper' is not a function \(did you mean 'upper'\?\) \(at character 1\)/],
    ['pop + uper(name)', /at character 7/],
    ['lower(name) + 1', /'\+' needs numbers, and the values of 'lower\(…\)' are texts/],
    ['substring(name)', /needs 2 to 3 arguments, not 1/],
    ['upper(pop > 1)', /text must be a text, not true or false/],
    ["case when pop > 1 then 1 else 'x' end", /the values must be of one kind/],
    ["pop in (1, 'a') and pop + 1", /must be a condition, and the values of '\+' are numbers/],
    ['name like pop', /a pattern such as 'A%' is expected/],
    ['1 / 0', /has no result: division by zero/],
    ["date('2020-02-30')", /is not a date such as/],
    ["s_intersects(geometry, 'x')", /b must be a geometry, not a text/],
    ['s_intersects(geometry, POINT (1))', /cannot be read/],
    ["year('x')", /date must be a date, not a text/],
    ["interval(date, '..')", /is an interval, which no field can hold/],
  ];
  for (const [text, message] of cases)
    assert.throws(() => check(text), { code: 'TRANSFORMATION_INVALID', message }, text);
  const inOrder = { a: 'upper(name)', b: 'a + 1' };
  assert.throws(() => parseSteps([{ type: 'calculate', fields: inOrder }], 't', transformations), {
    message: /values of 'a' are texts/,
  });
  for (const step of [
    { type: 'filter', where: 'pop + 1' },
    { type: 'dimensions', to: 'XYZ', z: 'upper(name)' },
    { type: 'filter', where: { op: 'and', args: [] } },
    { type: 'filter', where: { op: 'uper', args: [{ property: 'name' }] } },
  ])
    assert.throws(() => parseSteps([step], 't', transformations), { code: 'TRANSFORMATION_INVALID' });
});

test('whatever is right for some fields passes the check of a request', () => {
  for (const text of ['pop', 'nope + 1', 'shape', 'length(x)', 'abs(x) || y', 'nullif(a, b)', 'least(a, 1)', 'if(a, b, c)', 'a_contains(a, b)', 't_after(a, b)', 'x(g)', 'to_number(a) % b', 'concat(a, 1)', 'a between b and 3', 'a in (b, 1)', "a like 'x'", 'coalesce(a, b)', 'not a', 'a or b', 'date(a)', 'geometry is null']) // biome-ignore format: one line
    check(text);
});
