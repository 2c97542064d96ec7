/**
 * `node test/fuzz/expressions.ts --inputs 1000000 --seed 1`: checks and evaluates damaged expressions. Each is refused by an error
 * of the user, or has values, within the time of test/support/hostile-expressions.ts. `--case NUMBER` runs one alone. The unit
 * tests run the first of them.
 */
import { parseArgs } from 'node:util';
import { survives } from '../support/hostile-expressions.ts';
import { expressionCase } from './expression-cases.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
  },
});
const seed = Number(values.seed);
const first = Number(values.case ?? 0);
const end = values.case === undefined ? Number(values.inputs) : first + 1;

let refused = 0;
let offences = 0;
let slowest = { index: 0, ms: 0 };
for (let index = first; index < end; index++) {
  const startedAt = performance.now();
  try {
    if (survives(expressionCase(seed, index))) refused++;
  } catch (error) {
    offences++;
    console.error(`--seed ${seed} --case ${index}: ${error instanceof Error ? error.message : error}`);
  }
  const ms = performance.now() - startedAt;
  if (ms > slowest.ms) slowest = { index, ms };
}
console.log(
  `${end - first} expressions: ${refused} refused, ${offences} offences; slowest: case ${slowest.index}, ${Math.round(slowest.ms)} ms`,
);
process.exitCode = offences === 0 ? 0 : 1;
