/** A sample of the law in chains.full.test.ts, judged without Python. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { judged } from '../support/chain-judge.ts';
import { allowedOf, chainOf, runChain } from '../support/chains.ts';

for (const number of [33])
  test(`a chain of reprojections keeps its feature (${number})`, async () => {
    const chain = chainOf(number);
    const result = await runChain(chain);
    const { isValid, isWithin, off } = judged(chain, result);
    assert.ok(isValid && isWithin, chain.name);
    assert.ok(off <= allowedOf(chain, result), `${chain.name}: ${off} m`);
  });
