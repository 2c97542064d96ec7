/**
 * `npm run test:batch -- --kills 500 --seed 1`: kill -9 of parts and joins at random moments, two runs of one part at once, and paused runs that end
 * late. Every conversion must end with the bytes of one machine. The moments are seeded; what they hit depends on the machine.
 */
import { parseArgs } from 'node:util';
import { seededRandom } from '../../bench/data.ts';
import { builtProgram } from '../support/built-program.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const kills = Number(values.kills);
/** More would only disturb parts that are complete. */
const KILLS_OF_ROUND = 12;
/** Rounds whose kills all come too late do not go on for ever. */
const MAX_ROUNDS = kills * 4;

process.env.TEST_PROGRAM ??= await builtProgram();
const { BatchCampaign } = await import('./campaign.ts');
const campaign = new BatchCampaign(seededRandom(Number(values.seed)));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    campaign.remove();
    process.exit(130);
  });
let [hits, rounds] = [0, 0];
const problems: string[] = [];
try {
  while (hits < kills && rounds < MAX_ROUNDS) {
    const round = await campaign.round(Math.min(KILLS_OF_ROUND, kills - hits));
    hits += round.hits;
    rounds += 1;
    for (const problem of round.problems) problems.push(`round ${rounds}: ${problem}`);
  }
} finally {
  campaign.remove();
}
console.log(
  `batch: ${hits} kills in ${rounds} conversions, seed ${values.seed}, ${problems.length} problems`,
);
for (const problem of problems) console.log(`  ${problem}`);
if (problems.length > 0 || hits < kills) process.exitCode = 1;
