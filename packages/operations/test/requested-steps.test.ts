import assert from 'node:assert/strict';
import test from 'node:test';
import { failure, GeomillError } from '../../core/src/messages/errors.ts';
import { generalErrors } from '../../core/src/messages/general-errors.ts';
import { field } from '../../core/src/messages/message.ts';
import { reproject } from '../src/reproject/record.ts';
import { parseSteps } from '../src/requested-steps.ts';
import type { Transformation } from '../src/transformation.ts';

const swell: Transformation = {
  id: 'swell',
  title: 'Swell',
  group: 'shape',
  summary: 'An example.',
  description: '',
  parameters: {
    type: 'object',
    properties: {
      distance: { type: 'number', description: 'How far, in `units`. May be negative.' },
      units: { type: 'string', enum: ['meters', 'feet'] },
      segments: { type: 'integer', minimum: 1, default: 16 },
      by: { type: 'array', items: { type: 'string' } },
      mask: { type: 'object' },
    },
    required: ['distance', 'units'],
    additionalProperties: false,
  },
  guarantees: [],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: null,
  check({ mask }, path) {
    if (mask !== undefined)
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(`${path}.mask`),
        reason: 'is a line',
      });
  },
  load: () => Promise.reject(new Error('requests are checked without any code')),
};

const parse = (value: unknown) => parseSteps(value, 'transformations', [swell, reproject]);

/** Asserts the code and the whole message. */
function refused(value: unknown, code: string, message: string): void {
  assert.throws(
    () => parse(value),
    (error) => {
      assert.ok(error instanceof GeomillError);
      assert.deepEqual([error.code, error.message], [code, message]);
      return true;
    },
  );
}

const INVALID = 'TRANSFORMATION_INVALID';

test('both shapes, and a mixture that agrees, mean the same step with defaults filled in', () => {
  const params = { distance: 1.5, units: 'feet', segments: 16 };
  assert.deepEqual(parse([{ type: 'swell', params: { distance: 1.5, units: 'feet' } }]), [
    { type: 'swell', params, path: 'transformations[0].params' },
  ]);
  assert.deepEqual(parse([{ type: ' SWELL', distance: 1.5, units: 'feet' }]), [
    { type: 'swell', params, path: 'transformations[0]' },
  ]);
  const mixed = { type: 'swell', distance: 1.5, by: null, params: { distance: 1.5, units: 'feet' } };
  assert.deepEqual(parse([mixed])[0].params, params);
});

test('a parameter that says two things is refused', () => {
  const step = { type: 'swell', distance: 2, params: { distance: 1, units: 'feet' } };
  refused(
    [step],
    INVALID,
    "'transformations[0].distance' contradicts 'transformations[0].params.distance'; state it once",
  );
});

test('the client of a step is not changed', () => {
  const step = Object.freeze({ type: 'swell', params: Object.freeze({ distance: 1, units: 'feet' }) });
  assert.equal(parse([step])[0].params.segments, 16);
});

test('unknown types and parameters are refused with those that are known', () => {
  refused(
    [{ type: 'swell', distance: 1, units: 'feet' }, { type: 'shrink' }],
    'TRANSFORMATION_UNKNOWN',
    "'transformations[1].type': unknown transformation 'shrink'; supported: swell, reproject",
  );
  refused(
    [{}],
    INVALID,
    "'transformations[0].type' is required: the name of a transformation; supported: swell, reproject",
  );
  refused(
    [{ type: 'swell', params: { distance: 1, units: 'feet', unit: 'feet' } }],
    INVALID,
    "'transformations[0].params.unit' is not a parameter of swell (did you mean 'units'?); it has distance, units, segments, by, mask",
  );
});

test('wrong values are named by the path that the client wrote', () => {
  const base = { type: 'swell', distance: 1, units: 'feet' };
  refused(
    [{ type: 'swell', params: { units: 'feet' } }],
    INVALID,
    "'transformations[0].params.distance' is required for swell: How far, in `units`",
  );
  refused(
    [{ ...base, units: 'ells' }],
    INVALID,
    `'transformations[0].units' must be one of "meters", "feet"`,
  );
  refused([{ ...base, by: ['a', 1] }], INVALID, "'transformations[0].by[1]' must be string");
  refused([{ ...base, params: { by: 'a' } }], INVALID, "'transformations[0].params.by' must be array");
  refused([{ ...base, mask: {} }], INVALID, "'transformations[0].mask' is a line");
});

test('invalid numbers are refused', () => {
  for (const distance of [JSON.parse('1e999'), Number.NaN, '1', true]) {
    refused(
      [{ type: 'swell', distance, units: 'feet' }],
      INVALID,
      "'transformations[0].distance' must be number",
    );
  }
});

test('what is no list of objects is refused', () => {
  refused('swell', 'CONFIG_INVALID', `'transformations' must be a list, not "swell"`);
  refused(
    ['swell'],
    INVALID,
    `'transformations[0]' must be an object such as {"type": "buffer", "params": {...}}, not "swell"`,
  );
  refused(
    [{ type: 'swell', params: [1] }],
    INVALID,
    "'transformations[0].params' must be an object with the parameters, not [1]",
  );
  refused(Array(101).fill({}), 'CONFIG_INVALID', "'transformations' has 101 steps; the limit is 100");
});

test('reproject takes a CRS as a code or as text, and one of them', () => {
  assert.equal(parse([{ type: 'reproject', epsg: '28350' }])[0].params.epsg, '28350');
  refused(
    [{ type: 'reproject' }],
    INVALID,
    "'transformations[0].epsg' is required for reproject: the CRS that the next steps work in",
  );
  refused(
    [{ type: 'reproject', params: { epsg: 1, crs: 'EPSG:2' } }],
    INVALID,
    "'transformations[0].params.crs' contradicts 'transformations[0].params.epsg'; state the CRS once",
  );
  assert.throws(() => parse([{ type: 'reproject', epsg: 'x' }]), /'transformations\[0\]\.epsg'/);
});
