/**
 * That work grows little faster than its input, where only processor time can tell: searches, copies and parsers of the platform are native
 * code, which no counter sees. The time of this process at sizes n and 4 n is compared: quadratic work takes 16 times as long. Other
 * programs can only add to it, so the least of several runs counts, and runs are repeated while they show too much.
 */
import assert from 'node:assert/strict';

const FEWEST_RUNS = 3;
const MOST_RUNS = 12;
const MAX_RATIO = 10;

/** `runs`: the work for n and for 4 n. `what` has four times as many. */
export async function assertLittleGrowth(
  what: string,
  [small, large]: readonly [() => unknown, () => unknown],
): Promise<void> {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let ratio = Number.POSITIVE_INFINITY;
  for (let run = 1; run <= MOST_RUNS; run++) {
    for (const [i, act] of [small, large].entries()) least[i] = Math.min(least[i], await cpuMsOf(act));
    ratio = least[1] / least[0];
    if (run >= FEWEST_RUNS && ratio < MAX_RATIO) return;
  }
  assert.fail(`four times as many ${what} take ${ratio.toFixed(1)} times the work`);
}

/** Processor time that this process, all its threads included, takes for it. */
export async function cpuMsOf(act: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
