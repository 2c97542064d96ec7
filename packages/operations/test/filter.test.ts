/** Conditions from text and JSON, typed comparison of columns, boxes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { batchOf, settingOf, WGS84 } from '../../../test/support/expression-batches.ts';
import { shapeOf } from '../../../test/support/expressions.ts';
import { columnOfWkt } from '../../../test/support/wkt-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { parseExpression } from '../../expressions/src/parse.ts';
import { code } from '../src/filter/code.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';
import type { StepSetting } from '../src/transformation.ts';

/** The rows that are left, by their ids. */
async function kept(
  batch: FeatureBatch,
  parameters: Record<string, unknown>,
  setting: StepSetting = settingOf(),
): Promise<number[]> {
  const step = parseSteps([{ type: 'filter', ...parameters }], 'transformations', transformations)[0];
  const findings = new Findings();
  const result = (await code.prepare(step.params, setting))(batch, findings);
  assert.deepEqual(findings.list(), []);
  const ids = [...(result.ids as { values: Int32Array }).values];
  const eastings = ids.map((_, i) => result.geometry.coordinates[2 * i]);
  assert.deepEqual(eastings, ids, 'geometries go with their ids');
  return ids;
}

const sample = batchOf({
  pop: ['int32', [5, 10, null, 15, 20]],
  height: ['float64', [1.5, Number.NaN, 3, null, -2]],
  name: ['string', ['Aachen', 'Bonn', 'Ahrweiler', null, "O'Hara 100%"]],
  old: ['boolean', [true, false, null, true, false]],
  built: ['date', ['2001-01-01', '2010-06-30', null, '1999-12-31', '2010-07-01']],
  at: ['datetime', ['2020-01-01T00:00:00Z', '2020-01-01T00:30:00+01:00', '2020-01-01 00:00:00.5', null, '2020-01-02T00:00:00Z']], // biome-ignore format: one line
  key: ['int64', [9007199254740993n, 9007199254740992n, -1n, null, 4294967296n]],
  mixed: ['json', ['1', '"1"', 'true', 'null', '[1]']],
  'end date': ['string', ['x', null, 'y', 'z', '']],
});

const CASES: readonly (readonly [string, readonly number[]])[] = [
  ['pop > 10', [3, 4]],
  ['pop >= 10 and pop < 20', [1, 3]],
  ['pop != 10', [0, 3, 4]],
  ['not pop = 10', [0, 3, 4]],
  ['pop <> 1e1', [0, 3, 4]],
  ['pop > 9.5 and pop <= 15.5', [1, 3]],
  ['pop is null', [2]],
  ['pop is not null or height > 2', [0, 1, 2, 3, 4]],
  ['pop in (5, 20, 7)', [0, 4]],
  ['pop not in (5, 20)', [1, 3]],
  ['pop in (1,2,3,4,5,6,7,8,9,10)', [0, 1]],
  ['pop between 10 and 15', [1, 3]],
  ['pop not between 10 and 15', [0, 4]],
  ['pop < 99999999999999999999', [0, 1, 3, 4]],
  ['height > -3', [0, 2, 4]],
  ['height = 1.5', [0]],
  ["name = 'Bonn'", [1]],
  ["name > 'Aa'", [0, 1, 2, 4]],
  ["name like 'A%'", [0, 2]],
  ["name like '_onn'", [1]],
  ["name like '%\\%'", [4]],
  ["name not like 'A%'", [1, 4]],
  ["name ilike 'a%N'", [0]],
  ["name = 'O''Hara 100%'", [4]],
  ["name in ('Bonn', 'Aachen')", [0, 1]],
  ["name in ('Bonn','b','c','d','e','f','g','h','i')", [1]],
  ['old = true', [0, 3]],
  ['old != true', [1, 4]],
  ["built >= '2010-06-30'", [1, 4]],
  ["built < '2000'", [3]],
  ["built < '2000/01/01'", [3]],
  ["built in ('2010/06/30', '1999-12-31')", [1, 3]],
  ["built like '2010-%'", [1, 4]],
  ["at < '2020-01-01'", [1]],
  ["at = '2020-01-01'", [0]],
  ["at > '2020-01-01T01:00:00+01:00'", [2, 4]],
  ['key = 9007199254740993', [0]],
  ['key > 9007199254740992', [0]],
  ["key = '9007199254740993'", [0]],
  ['key < 0', [2]],
  ['key > -0.5', [0, 1, 4]],
  ['key >= 4294967296', [0, 1, 4]],
  ['key < 1e300', [0, 1, 2, 4]],
  ['key in (1,2,3,4,5,6,7,8,9007199254740992)', [1]],
  ['mixed = 1', [0]],
  ["mixed = '1'", [1]],
  ['mixed != 1', [1, 2, 4]],
  ['mixed > 0', [0]],
  ["mixed like '%'", [1]],
  ['"end date" is null', [1]],
  ["pop > 5 and (name like 'B%' or old = true) and not pop in (99)", [1, 3]],
  ['pop = 5 or pop = 10 and old = true', [0]],
  ['not (pop = 5 or NOT not old = false)', [3]],
];

for (const [where, expected] of CASES) {
  test(`${where} keeps what it says`, async () => assert.deepEqual(await kept(sample, { where }), expected));
}

test('a condition as JSON is the same as its text', () => {
  const pairs: readonly (readonly [string, object])[] = [
    ['pop > 10', { field: 'pop', op: '>', value: 10 }],
    ['a = 1 and b <> 2 or not c is null', { or: [{ and: [{ field: 'a', op: '=', value: 1 }, { field: 'b', op: '!=', value: 2 }] }, { not: { field: 'c', op: 'is_null' } }] }], // biome-ignore format: one line
    ['a not in (1, 2)', { field: 'a', op: 'not_in', value: [1, 2] }],
    ['a between 1 and 2', { field: 'a', op: 'BETWEEN', value: [1, 2] }],
    ["a ilike 'x%'", { field: 'a', op: 'ilike', value: 'x%' }],
    ['a is not null', { field: 'a', op: 'is not null' }],
  ];
  for (const [text, tree] of pairs)
    assert.deepEqual(shapeOf(parseExpression(text, 'w')), shapeOf(parseExpression(tree, 'w')), text);
});

test('an error names the location in the condition', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [
      'pop >',
      /'transformations\[0\]\.where' is not understood at character 6: a number.* is expected, not the end/,
    ],
    ['pop > > 3', /character 7: a number/],
    ['(pop = 1', /character 9: '\)' is expected/],
    ["name = 'x", /closing quote is missing at character 8/],
    ['pop = 1 2', /character 9: an operator such as 'and' or '=', or the end/],
    ['pop = 3km', /character/],
    ['pop = 1e999', /character 7: a number of at most/],
    ['pop = null', /is null/],
    ['pop = 1 && pop = 2', /is not understood: write 'and' in place of '&&' at character 9/],
    ['pop; drop', /is not understood: ';' at character 4/],
    ['and = 1', /character 1: .*the name of a field/],
    ['', /character 1: .*the name of a field or a function is expected, not the end/],
    [`${'('.repeat(5000)}a=1`, /nested deeper/],
    [{ and: [] }, /where\.and' must be a list/],
    [{ and: [{ field: 'a', op: '~', value: 1 }] }, /where\.and\[0\]\.op' must be one of =/],
    [{ field: 'a', op: '=', value: null }, /where\.value' must be a value/],
    [{ field: 'a', op: '=', value: 1, also: 2 }, /where\.also' is not known/],
    [{ field: 'a', op: 'between', value: [1] }, /two values/],
    [{ field: 'a', op: '=', value: 2 ** 60 }, /beyond 2\^53, which JSON rounds/],
    [{ op: '=' }, /where\.field' is required/],
  ];
  for (const [where, message] of cases) {
    assert.throws(
      () => parseSteps([{ type: 'filter', where }], 'transformations', transformations),
      (error: unknown) => error instanceof GeomillError && error.code === 'TRANSFORMATION_INVALID' && message.test(error.message), // biome-ignore format: one line
      JSON.stringify(where).slice(0, 60),
    );
  }
});

test('long texts and lists are taken', () => {
  const text = 'x'.repeat(65_000);
  assert.deepEqual(shapeOf(parseExpression(`a = '${text}'`, 'w')), ['=', '@a', { value: text }]);
  const list = Array.from({ length: 4_998 }, (_, i) => i);
  assert.deepEqual(shapeOf(parseExpression(`a in (${list})`, 'w')), [
    'in',
    '@a',
    ...list.map((value) => ({ value })),
  ]);
});

test('a field that is not there, or is of another kind, is told', async () => {
  assert.throws(() => code.outputFields?.(sample.fields, { where: 'popp > 1' }, 'filter'), {
    code: 'FIELD_UNKNOWN',
  });
  for (const where of [
    "pop > 'many'",
    "key < '1e999'",
    'name > 5',
    'old = 1',
    "pop like '1%'",
    "pop in (1, 'x')",
  ])
    await assert.rejects(kept(sample, { where }), { code: 'TRANSFORMATION_INVALID' });
  await assert.rejects(
    kept(sample, { where: 'name = 5' }),
    /'name', whose values are texts, with 5; write '5'/,
  );
  for (const value of ['31.12.1999', '31/12/1999', '2000-13-01', '', '1999-12-31 or so'])
    for (const field of ['built', 'at'])
      await assert.rejects(
        kept(sample, { where: `${field} > '${value}'` }),
        /whose values are dates.*; write dates as '2020-01-31'/,
      );
});

test('int64 columns are compared exactly with any number', async () => {
  const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  await fc.assert(
    fc.asyncProperty(fc.array(integers, { minLength: 1, maxLength: 20 }), integers, async (cells, value) => {
      const batch = batchOf({ key: ['int64', cells] });
      const expected = (keep: (cell: bigint) => boolean) =>
        cells.flatMap((cell, i) => (keep(cell) ? [i] : []));
      assert.deepEqual(
        await kept(batch, { where: `key < ${value}` }),
        expected((cell) => cell < value),
      );
      assert.deepEqual(
        await kept(batch, { where: `key = ${cells[0]}` }),
        expected((cell) => cell === cells[0]),
      );
      assert.deepEqual(
        await kept(batch, { where: `key > ${value}` }),
        expected((cell) => cell > value),
      );
    }),
    { numRuns: 60 },
  );
});

test('like agrees with a regular expression', async () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'é', '😀'), { maxLength: 8 }).map((all) => all.join(''));
  const patterns = fc.array(fc.constantFrom('a', 'b', 'é', '😀', '%', '_'), { maxLength: 8 }).map((all) => all.join('')); // biome-ignore format: one line
  await fc.assert(
    fc.asyncProperty(fc.array(letters, { minLength: 1, maxLength: 10 }), patterns, async (cells, pattern) => {
      const regex = new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'su');
      const expected = cells.flatMap((cell, i) => (regex.test(cell) ? [i] : []));
      assert.deepEqual(
        await kept(batchOf({ t: ['string', cells] }), { where: `t like '${pattern}'` }),
        expected,
      );
    }),
    { numRuns: 300 },
  );
});

test('a box keeps what its border touches, and crosses the antimeridian', async () => {
  const texts = [
    'POINT (0 0)',
    'LINESTRING (-5 5, 5 5)',
    'POINT (179 0)',
    'POINT (-179 0)',
    null,
    'POLYGON EMPTY',
  ];
  const batch = { ...batchOf({ n: ['int32', [0, 1, 2, 3, 4, 5]] }), geometry: columnOfWkt(texts) };
  const ids = async (bbox: number[]) => {
    const apply = await code.prepare({ bbox, bbox_crs: 'EPSG:4326' }, settingOf());
    return [...(apply(batch, new Findings()).ids as { values: Int32Array }).values];
  };
  assert.deepEqual(await ids([0, 0, 1, 1]), [0]);
  assert.deepEqual(await ids([-10, 4, -5, 5]), [1]);
  assert.deepEqual(await ids([178, -1, -178, 1]), [2, 3]);
  assert.deepEqual(await ids([-180, -90, 180, 90]), [0, 1, 2, 3]);
});

test('a box is taken to the CRS of the data, also beyond what a projection knows', async () => {
  const projected = {
    ...WGS84,
    definition: 'EPSG:9',
    name: 'p',
    authority: null,
    kind: 'projected',
  } as CrsDescription;
  // Latitudes beyond 85 do not exist in it, and it is bent: x grows with y.
  const from = (coordinates: Float64Array) => {
    if (Math.abs(coordinates[1]) > 85) throw new Error('outside');
    coordinates[0] = coordinates[0] * 100 + coordinates[1] ** 2;
    coordinates[1] *= 100;
  };
  const texts = ['POINT (0 8499.9)', 'POINT (7200 1)', 'POINT (0 -8600)'];
  const batch = { ...batchOf({ n: ['int32', [0, 1, 2]] }), geometry: columnOfWkt(texts) };
  const apply = await code.prepare({ bbox: [-1, -90, 1, 90] }, settingOf(projected, from));
  assert.deepEqual([...(apply(batch, new Findings()).ids as { values: Int32Array }).values], [0, 1]);
  await assert.rejects(
    async () => code.prepare({ bbox: [-1, 86, 1, 90] }, settingOf(projected, from)),
    /bbox' lies where the CRS of the data is not defined/,
  );
  await assert.rejects(
    async () => code.prepare({ bbox: [1, 1, 2, 2], bbox_crs: 3857 }, settingOf(projected, from)),
    /bbox_crs' must be EPSG:4326 or the CRS of the data/,
  );
});

test('invalid boxes are refused with the request', () => {
  for (const bbox of [
    [0, 0, 1],
    [0, 1, 1, 0],
    [0, 0, 500000, 4000000],
  ]) {
    // biome-ignore format: one line
    assert.throws(() => parseSteps([{ type: 'filter', bbox }], 't', transformations), /bbox/);
  }
  assert.throws(() => parseSteps([{ type: 'filter' }], 't', transformations), /has no condition/);
});
