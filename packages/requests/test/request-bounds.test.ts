/** What a request may hold: every list and text is bounded, and names of prototypes are names as any other. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { parseExpression } from '../../expressions/src/parse.ts';
import { isOutputFormat } from '../../formats/src/format.ts';
import { formats, inputFormats } from '../../formats/src/registry.ts';
import { exampleStep } from '../../operations/src/parts/example-step.ts';
import { transformations } from '../../operations/src/registry.ts';
import { parseSteps } from '../../operations/src/requested-steps.ts';
import { CONFIG_FIELDS } from '../src/config-fields.ts';
import { parseJobRequest } from '../src/parse-job-request.ts';

/** Names that an object without own members seems to have. */
const INHERITED = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  '__defineGetter__',
  '__defineSetter__',
  '__lookupGetter__',
  '__lookupSetter__',
];

function errorOf(run: () => unknown): GeomillError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof GeomillError, String(error));
    return error;
  }
  assert.fail('nothing was thrown');
}

/** An object as JSON.parse makes it: `__proto__` is a member of its own. */
function member(name: string, value: unknown): Record<string, unknown> {
  return JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
}

test('every text, list and open object of a schema has a bound', () => {
  const unbounded: string[] = [];
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const node = schema as Record<string, unknown>;
    const types = [node.type].flat();
    if (types.includes('string') && node.enum === undefined && node.maxLength === undefined)
      unbounded.push(`${path}: maxLength`);
    if (types.includes('array') && node.maxItems === undefined) unbounded.push(`${path}: maxItems`);
    if (typeof node.additionalProperties === 'object' && node.maxProperties === undefined)
      unbounded.push(`${path}: maxProperties`);
    for (const key of ['items', 'additionalProperties']) walk(node[key], `${path}.${key}`);
    for (const key of ['properties', 'anyOf', 'oneOf'])
      for (const [name, inner] of Object.entries(node[key] ?? {})) walk(inner, `${path}.${name}`);
  };
  for (const { id, parameters } of transformations) walk(parameters, id);
  for (const { id, readOptions, writeOptions } of formats) {
    walk(readOptions, `${id} read`);
    walk(writeOptions, `${id} write`);
  }
  for (const [id, field] of Object.entries(CONFIG_FIELDS)) walk(field.schema({ formats }), id);
  // The condition's own parser bounds it, its JSON form too; see below.
  const sources = ['join', 'overlay', 'spatial_join'].map((id) => `${id}.source_filter`);
  const conditions = ['clip.mask_filter', 'erase.mask_filter', 'filter.where', ...sources];
  assert.deepEqual(unbounded, conditions.map((name) => `${name}: maxLength`)); // biome-ignore format: one line
});

test('no inherited name is a parameter of a transformation, wherever it stands', () => {
  for (const record of transformations) {
    const { type, params = {} } = exampleStep(record);
    for (const name of INHERITED) {
      for (const step of [
        { type, params: { ...params, ...member(name, { where: 'a = 1' }) } },
        { ...member(name, { where: 'a = 1' }), type, ...params },
        { type, params: member(name, params) },
      ]) {
        const error = errorOf(() => parseSteps([step], 'transformations', transformations));
        assert.equal(error.code, 'TRANSFORMATION_INVALID', record.id);
        assert.match(error.message, new RegExp(`\\.${name}' is not a parameter of|is required`), record.id);
      }
    }
  }
});

test('an inherited name as a field is the name of a field', () => {
  for (const name of INHERITED) {
    const steps = parseSteps(
      [
        { type: 'dissolve', by: [name], aggregate: member(`${name}2`, 'sum') },
        { type: 'dissolve', aggregate: member(name, 'sum') },
        { type: 'select', rename: member(name, 'other') },
        { type: 'filter', where: { field: name, op: '=', value: 1 } },
      ],
      'transformations',
      transformations,
    );
    assert.deepEqual(Object.entries(steps[1].params.aggregate as object), [[name, 'sum']]);
    assert.deepEqual(Object.entries(steps[2].params.rename as object), [[name, 'other']]);
    const refused = [
      { type: 'dissolve', aggregate: member(name, 'nonsense') },
      { type: 'dissolve', by: [name], aggregate: member(name, 'sum') },
      { type: 'filter', where: { field: 'a', op: name, value: 1 } },
      { type: 'filter', where: { ...member(name, []), field: 'a', op: '=', value: 1 } },
      { type: 'filter', where: member(name, { field: 'a', op: '=', value: 1 }) },
      { type: name },
    ];
    for (const step of refused) errorOf(() => parseSteps([step], 'transformations', transformations));
  }
});

test('an inherited name in a config is an unknown key, everywhere', () => {
  for (const name of INHERITED)
    for (const format of inputFormats.filter(isOutputFormat)) {
      const endpoint = { operation: 'transform', inputFormat: null, spelling: 'nested' } as const;
      const options = format.readOptionsKey === undefined ? {} : { [format.readOptionsKey]: member(name, 1) };
      const config = {
        ...member(name, 1),
        input: { ...member(name, 1), format: format.id, epsg: 4326, ...options },
        output: { ...member(name, 1), format: format.id },
      };
      const { findings, forFiles } = parseJobRequest(config, endpoint, { formats, transformations });
      const unknown = findings.list().map(({ params }) => params?.path);
      const group = format.readOptionsKey;
      const expected = [name, `input.${name}`, `output.${name}`];
      if (group !== undefined) expected.push(`input.${group}.${name}`);
      assert.deepEqual(unknown.sort(), expected.sort(), format.id);
      const { input } = forFiles(1);
      assert.equal(Object.getPrototypeOf(input.options), Object.prototype);
    }
});

test('a config with thousands of unknown keys names twenty and counts the rest', () => {
  const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i]));
  const endpoint = { operation: 'transform', inputFormat: 'geojson', spelling: 'flat' } as const;
  const config = { ...keys, output_format: 'shp' };
  const found = parseJobRequest(config, endpoint, { formats, transformations }).findings.list();
  assert.equal(found.length, 21);
  assert.deepEqual(
    found.filter(({ code }) => code === 'UNKNOWN_KEYS').map(({ params }) => params?.count),
    [4980],
  );
});

const TOO_LARGE =
  /^'where' (has more than 65536 characters, the most an|brings the expressions of the request to more than 10000 words)/;

test('a condition has a bound of length and words, as text and as JSON', () => {
  const json = (value: unknown) => ({ field: 'a', op: 'in', value });
  const largest = `a in (${'1,'.repeat(4_997)}1)`;
  parseExpression(largest, 'where');
  parseExpression(json(Array(9_999).fill(1)), 'where');
  const tooLarge: unknown[] = [
    largest.replace(')', ',1)'),
    `a in (${'1,'.repeat(4_000_000)}1)`,
    `a = 1${' or a = 1'.repeat(800_000)}`,
    `${'not '.repeat(100_000)}a = 1`,
    `a = '${'x'.repeat(70_000)}'`,
    `${'x'.repeat(7_800_000)} = 1`,
    json(Array(10_000).fill(1)),
    json(['x'.repeat(70_000)]),
    { field: 'x'.repeat(70_000), op: '=', value: 1 },
    { or: Array(10_000).fill({ field: 'a', op: '=', value: 1 }) },
  ];
  for (const where of tooLarge)
    assert.match(errorOf(() => parseExpression(where, 'where')).message, TOO_LARGE);
});

test('all conditions of a request have a bound of words together, as text and as JSON', () => {
  const text = `a in (${'1,'.repeat(45)}1)`;
  const json = { field: 'a', op: 'in', value: Array(94).fill(1) };
  for (const where of [text, json]) {
    const steps = (count: number) =>
      parseSteps(Array(count).fill({ type: 'filter', where }), 'transformations', transformations);
    assert.equal(steps(100).length, 100);
    assert.equal(steps(100).length, 100, 'each request is counted alone');
  }
  const larger = [text, json, `a in (${'1,'.repeat(4_500)}1)`];
  const steps = [...Array(30).fill(larger[0]), larger[1], larger[2]].map((where) => ({
    type: 'filter',
    where,
  }));
  assert.match(
    errorOf(() => parseSteps(steps, 'transformations', transformations)).message,
    /^'transformations\[31\]\.where' brings the expressions of the request to more than 10000 words and values.*shorten/,
  );
});

test('a condition that is nested too deep is refused, as text and as JSON', () => {
  const deep = (wrap: (inner: unknown) => unknown): unknown => {
    let condition: unknown = { field: 'a', op: '=', value: 1 };
    for (let i = 0; i < 200; i++) condition = wrap(condition);
    return condition;
  };
  for (const where of [
    `${'('.repeat(5_000)}a = 1`,
    `${'not ('.repeat(200)}a = 1${')'.repeat(200)}`,
    deep((not) => ({ not })),
    deep((inner) => ({ and: [inner] })),
    deep((inner) => ({ or: [inner] })),
  ])
    assert.match(errorOf(() => parseExpression(where, 'where')).message, /nested deeper than 100 levels/);
});

test('digits without end are read once', () => {
  // Quadratic matching would take minutes here, and the runner of tests would end it.
  const where = `a = ${'1'.repeat(65_000)}x`;
  assert.match(errorOf(() => parseExpression(where, 'where')).message, /is not understood/);
});

test('lists that are too long are refused with their limit', () => {
  const endpoint = { operation: 'append', inputFormat: 'shp', spelling: 'flat' } as const;
  const parse = (more: object): unknown =>
    parseJobRequest({ output_format: 'shp', ...more }, endpoint, { formats, transformations });
  const long = Array.from({ length: 100_001 }, (_, i) => `name${i}`);
  assert.match(
    errorOf(() => parse({ input_layer: long })).message,
    /'input_layer' must have at most 10000 items/,
  );
  const crs = Array(100_001).fill(4326);
  assert.match(
    errorOf(() => parse({ append_crs_mapping: crs })).message,
    /'append_crs_mapping' must have at most 100000 items/,
  );
  for (const step of [
    { type: 'select', fields: long },
    { type: 'select', drop: long },
    { type: 'select', rename: Object.fromEntries(long.map((name) => [name, `${name}x`])) },
    { type: 'dissolve', by: long },
    { type: 'dissolve', aggregate: Object.fromEntries(long.map((name) => [name, 'sum'])) },
  ])
    assert.match(
      errorOf(() => parse({ transformations: [step] })).message,
      /must have at most 10000 (items|members)/,
    );
});
