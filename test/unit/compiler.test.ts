import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** kOptimized and kTurboFanned of V8's runtime.h. */
const TURBOFANNED = 8 | 32;

test('TurboFan compiles nothing at first, and the same functions later', () => {
  const script = `
    import { setImmediate } from 'node:timers/promises';
    import { delayTurboFan } from ${JSON.stringify(new URL('../../src/cli/compiler.ts', import.meta.url).href)};
    delayTurboFan();
    const numbers = new Float64Array(1000);
    function sum() {
      let all = 0;
      for (let i = 0; i < numbers.length; i++) all += numbers[i] * i;
      return all;
    }
    const call = (times) => { for (let n = 0; n < times; n++) sum(); };
    // Otherwise V8 would inline the one in the other.
    %NeverOptimizeFunction(call);
    const isTurbofanned = () => (%GetOptimizationStatus(sum) & ${TURBOFANNED}) === ${TURBOFANNED};
    // No turn of the event loop: no timer.
    for (let n = 0; n < 20; n++) call(1000);
    const atFirst = isTurbofanned();
    const giveUp = performance.now() + 60_000;
    while (!isTurbofanned() && performance.now() < giveUp) { call(1000); await setImmediate(); }
    console.log(atFirst, isTurbofanned());`;
  const ran = spawnSync(process.execPath, ['--allow-natives-syntax', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.equal(ran.stderr, '');
  assert.equal(ran.stdout, 'false true\n');
});
