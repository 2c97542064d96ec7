/** Holds the claims of a fleet against the law of turns (apps/service/src/jobs/queue.ts). */
import type { Trace } from './fleet-process.ts';

type Event = readonly [at: number, change: () => void];

/**
 * Number of claims that gave a job to an account which had more running than another account whose job waited. Clocks of processes
 * differ from the order of the commits by up to `slackMs`, so what happened within this time counts in favour of the claim.
 */
export function unfairClaims(traces: readonly Trace[], accounts: number, slackMs: number): number {
  const counts = () => new Int32Array(accounts);
  /** Jobs that certainly wait, that certainly run, and that may be running. */
  const [waiting, running, perhaps] = [counts(), counts(), counts()];
  const add = (to: Int32Array, account: number, by: number) => () => {
    to[account] += by;
  };
  let unfair = 0;
  const events: Event[] = [];
  for (const [account, created, started, ended] of traces) {
    if (started - slackMs > created + slackMs)
      events.push(
        [created + slackMs, add(waiting, account, 1)],
        [started - slackMs, add(waiting, account, -1)],
      );
    if (ended - slackMs > started + slackMs)
      events.push(
        [started + slackMs, add(running, account, 1)],
        [ended - slackMs, add(running, account, -1)],
      );
    events.push([started - slackMs, add(perhaps, account, 1)], [ended + slackMs, add(perhaps, account, -1)]);
    events.push([
      started,
      () => {
        const held = running[account];
        for (let other = 0; other < accounts; other++)
          if (waiting[other] > 0 && perhaps[other] < held && other !== account) {
            unfair++;
            return;
          }
      },
    ]);
  }
  events.sort(([a], [b]) => a - b);
  for (const [, change] of events) change();
  return unfair;
}
