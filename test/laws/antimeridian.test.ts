/** A sample of the law in antimeridian.full.test.ts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { transformations } from '../../packages/operations/src/registry.ts';
import { holdsWhenTurned, LAW_CASES, LINES, POINTS } from '../support/turned-cases.ts';

test('the law has cases for every step, or a reason', () => {
  assert.deepEqual(Object.keys(LAW_CASES).sort(), transformations.map(({ id }) => id).sort());
});

const data = [...LINES.slice(0, 2), ...POINTS.slice(0, 3)];

for (const [type, params] of [
  ['centroid', {}],
  ['envelope', {}],
  ['segmentize', { max_length: 500, units: 'kilometers' }],
  ['grid', { size: 10, units: 'crs' }],
  ['dissolve', { by: ['group'] }],
] as const)
  test(`${type} of data turned to 180 degrees is the turned result`, () =>
    holdsWhenTurned({ type, data, params: () => params, isOrdered: false }, [[180, 'jumps']]));
