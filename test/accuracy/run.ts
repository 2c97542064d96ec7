/**
 * Compares approximated positions with those of PROJ over all projected systems of EPSG, from and to EPSG:4326:
 *
 *     node test/accuracy/run.ts [--positions 20000] [--seed 1] [--from 0] [--to 6000] [--most 1e-6]
 *
 * `--positions`: for each system, half of them each way. `--from`, `--to`: numbers of systems in the list of EPSG, to run it in pieces.
 * Exits with 1 if a position is farther than `--most` metres from that of PROJ.
 */
import { parseArgs } from 'node:util';
import { Proj } from '../../packages/engines/proj/src/proj.ts';
import { allSystems, type Comparison, compareBothWays, seeded } from './compare.ts';

const { values } = parseArgs({
  options: {
    positions: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    to: { type: 'string', default: '100000' },
    most: { type: 'string', default: '1e-6' },
  },
});
const most = Number(values.most);
const count = Number(values.positions) / 2;
const proj = await Proj.load({ gridDirectory: process.env.PROJ_GRIDS ?? null });
const systems = allSystems();
const first = Number(values.from);
const sum = { systems: 0, rejected: 0, never: 0, approximated: 0, others: 0 };
let worst: Comparison | null = null;
let failed = 0;
const errors: number[] = [];
for (const [index, system] of systems.slice(first, Number(values.to)).entries()) {
  const random = seeded(Number(values.seed) * 1_000_003 + first + index);
  const compared = compareBothWays(proj, 'EPSG:4326', system, count, random);
  sum.systems++;
  if (compared === null) {
    sum.rejected++;
    continue;
  }
  for (const comparison of compared) {
    sum.approximated += comparison.approximated;
    sum.others += comparison.others;
    if (comparison.approximated === 0) sum.never++;
    errors.push(comparison.errorMeters);
    if (worst === null || !(comparison.errorMeters <= worst.errorMeters)) worst = comparison;
    if (!(comparison.errorMeters <= most)) {
      failed++;
      console.log('too far:', JSON.stringify(comparison));
    }
  }
  if ((index + 1) % 200 === 0)
    console.log(`${first + index + 1}: ${JSON.stringify(sum)}, worst ${JSON.stringify(worst)}`);
}
errors.sort((a, b) => a - b);
const quantile = (share: number): string => errors[Math.floor((errors.length - 1) * share)].toExponential(1);
console.log(JSON.stringify(sum));
console.log(`largest error of a pair: median ${quantile(0.5)}, 99 % ${quantile(0.99)}, all ${quantile(1)} m`);
console.log('worst:', JSON.stringify(worst));
process.exitCode = failed > 0 ? 1 : 0;
