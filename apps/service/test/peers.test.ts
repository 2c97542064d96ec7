/** A process among those of a queue whose news were lost. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Job, JobState } from '../src/jobs/job.ts';
import { JobFeed } from '../src/jobs/job-feed.ts';
import { Peers } from '../src/jobs/peers.ts';
import type { SharedQueue } from '../src/jobs/queue.ts';

const log = { info() {}, warn() {}, error: (facts: object) => assert.fail(JSON.stringify(facts)) };

/** Jobs of a queue that tells no news, and what was asked of it. */
class SilentQueue {
  readonly jobs = new Map<string, JobState>();
  readonly reads: string[] = [];
  asked = Promise.withResolvers<readonly string[]>();

  readonly shared = {
    leaseMs: 60_000,
    listen() {},
    takeTurn: async () => false,
    states: async (ids: readonly string[]) => {
      this.asked.resolve(ids);
      this.asked = Promise.withResolvers();
      const known = [...this.jobs].filter(([id]) => ids.includes(id));
      return new Map(known.map(([id, state]) => [id, { state, attempts: 1 }]));
    },
  } as Partial<SharedQueue> as SharedQueue;

  async get(id: string): Promise<Job | null> {
    this.reads.push(id);
    const state = this.jobs.get(id);
    return state === undefined ? null : ({ id, state, attempts: 1 } as Job);
  }
}

function start(context: TestContext, queue: SilentQueue): JobFeed {
  const feed = new JobFeed(
    (id) => queue.get(id),
    (error) => assert.fail(String(error)),
  );
  const peers = new Peers({
    ...{ queue: queue.shared, feed, log, workersOnly: false, pollMs: 5 },
    ...{ running: () => [], end() {}, dispatch() {}, reconcile: async () => {} },
  });
  peers.start();
  context.after(() => peers.stop());
  return feed;
}

test('watchers are told of changes whose news were lost, and jobs that did not change are not read', async (context) => {
  const queue = new SilentQueue();
  for (const id of ['ends', 'goes', 'stays']) queue.jobs.set(id, 'RUNNING');
  const feed = start(context, queue);
  const told = new Map<string, string[]>();
  const isOver = Promise.withResolvers<void>();
  for (const id of queue.jobs.keys()) {
    const states: string[] = [];
    told.set(id, states);
    await feed.watch(id, (news) => {
      if (news.kind === 'state') states.push(news.job?.state ?? 'deleted');
      if (told.get('ends')?.length === 2 && told.get('goes')?.length === 2) isOver.resolve();
    });
  }
  queue.jobs.set('ends', 'SUCCESS');
  queue.jobs.delete('goes');
  await isOver.promise;
  // Another look, after which only one is watched.
  while ((await queue.asked.promise).length > 1);
  assert.deepEqual(
    [...told],
    [
      ['ends', ['RUNNING', 'SUCCESS']],
      ['goes', ['RUNNING', 'deleted']],
      ['stays', ['RUNNING']],
    ],
  );
  assert.deepEqual(queue.reads.toSorted(), ['ends', 'ends', 'goes', 'goes', 'stays']);
});
