/**
 * The result of every step for data that is turned by some degrees of longitude is the turned result for the data, whether the data is then
 * across 180 degrees or not. Tolerance: 1e-7 degrees, a centimetre; 1e-4 for buffers, which are approximated.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { transformations } from '../../src/transformations/registry.ts';
import { assertTurned, type LawFeature, runTurned, type Writing } from '../support/turned.ts';
import { LAW_CASES, type LawCase } from '../support/turned-cases.ts';

test('the law has cases for every step, or a reason', () => {
  assert.deepEqual(Object.keys(LAW_CASES).sort(), transformations.map(({ id }) => id).sort());
});

const TURNS: readonly (readonly [by: number, writing: Writing])[] = [[180, 'jumps']];

for (const [type, cases] of Object.entries(LAW_CASES))
  if (typeof cases !== 'string')
    test(`${type} of turned data is the turned result`, async (t) => {
      for (const [i, one] of cases.entries()) await t.test(`case ${i + 1}`, () => holds({ ...one, type }));
    });

async function holds(one: LawCase): Promise<void> {
  const expected = await runTurned(one, one.data, 0);
  for (const [by, writing] of TURNS) {
    const unit = one.turnUnit ?? 1;
    const turn = Math.round(by / unit) * unit;
    const actual = await runTurned(one, one.data, turn, writing);
    await assertTurned(expected.features as readonly LawFeature[], actual.features, turn, {
      tolerance: one.tolerance ?? 1e-7,
      ...(one.longitudes === undefined ? {} : { longitudes: one.longitudes }),
      ...(one.isOrdered === undefined ? {} : { isOrdered: one.isOrdered }),
    });
  }
}
