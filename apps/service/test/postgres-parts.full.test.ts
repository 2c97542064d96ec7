/** Parts of running jobs in the queue in PostgreSQL: turns, runs that are over, deaths, and the end of their job. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { fakeReport } from '../../../test/support/fake-conversion.ts';
import { sharedPostgres, noPostgres as skip } from '../../../test/support/postgres.ts';
import { newJob } from '../../../test/support/queue.ts';
import { until } from '../../../test/support/until.ts';
import type { PartAttempt, PartTask } from '../src/jobs/parts.ts';
import { PostgresQueue, type PostgresQueueOptions } from '../src/jobs/postgres-queue.ts';
import type { AttemptId, Claim } from '../src/jobs/queue.ts';
import { PostgresDatabase } from '../src/postgres/database.ts';

const REPORT = fakeReport(newJob('x').request, 1);
const OUTPUT = { byteLength: 1, mediaType: 'text/plain', fileName: 'a.txt' };
const CANCELLED = { code: 'CANCELLED', params: {} } as const;

let schemas = 0;

async function openQueues(
  context: TestContext,
  options: readonly Partial<PostgresQueueOptions>[],
): Promise<PostgresQueue[]> {
  const { url } = await sharedPostgres();
  const schema = `parts_${++schemas}`;
  const queues: PostgresQueue[] = [];
  for (const [i, own] of options.entries())
    queues.push(
      await PostgresQueue.open({
        ...{ url, schema, maxConnections: 4, leaseMs: 60_000, maxLength: 1000, retryAfterSeconds: 5 },
        worker: `worker ${i}`,
        ...own,
      }),
    );
  context.after(async () => {
    for (const queue of queues) await queue.close();
  });
  return queues;
}

function tasks(count: number): PartTask[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ session: 's', tasks: `t${i}`, files: [], range: [i, i + 1] as const },
  }));
}

/** A running job with parts that wait. */
async function divided(queue: PostgresQueue, id: string, count: number, owner = 'ann'): Promise<AttemptId> {
  await queue.enqueue(newJob(id, { owner }));
  const claim = (await queue.claim()) as Claim;
  assert.equal(claim.job.id, id);
  const attempt = { id, fence: claim.fence };
  assert.equal(await queue.parts.add(attempt, 0, tasks(count)), true);
  return attempt;
}

function runOf({ job, fence, part }: Claim): PartAttempt {
  assert.ok(part !== undefined, 'the claim of a part');
  return { id: job.id, fence, part: { number: part.number, run: part.run } };
}

const statesOf = async (queue: PostgresQueue, attempt: AttemptId): Promise<string> =>
  (await queue.parts.of(attempt)).map(({ state }) => state).join(' ');

test('parts are claimed in order by any process, and done', { skip }, async (context) => {
  const [holder, worker] = await openQueues(context, [{}, {}]);
  const attempt = await divided(holder, 'a', 3);
  assert.equal(await worker.hasWork(), true);
  assert.equal(await worker.length(), 0, 'no job waits');
  const first = (await worker.claim()) as Claim;
  assert.deepEqual(first.part, { number: 0, run: 1, attempts: 1, task: tasks(1)[0] });
  assert.equal(first.job.id, 'a');
  assert.equal(await holder.parts.takeOwn(attempt), 1);
  const third = (await worker.claim()) as Claim;
  assert.equal(third.part?.number, 2);
  assert.equal(await worker.claim(), null);
  assert.equal(await holder.parts.takeOwn(attempt), null);
  await worker.parts.progressed(runOf(third), 0.5);
  assert.equal(await worker.parts.finish(runOf(first)), true);
  assert.equal(await worker.parts.finish(runOf(first)), false, 'once');
  assert.equal(await worker.parts.fail(runOf(third), CANCELLED), true);
  const found = await holder.parts.of(attempt);
  assert.deepEqual(
    found.map(({ state, progress }) => [state, progress]),
    [
      ['DONE', 1],
      ['OWN', 0],
      ['FAILED', 0.5],
    ],
  );
  assert.deepEqual(found[2].error, CANCELLED);
  assert.equal(await holder.hasWork(), false);
});

test('parts take turns with the jobs of other owners, and come before the jobs of their own', {
  skip,
}, async (context) => {
  const [queue] = await openQueues(context, [{}]);
  await divided(queue, 'big', 4, 'ann');
  await queue.enqueue(newJob('small', { owner: 'ann' }));
  for (const id of ['b1', 'b2', 'b3']) await queue.enqueue(newJob(id, { owner: 'bob' }));
  const order: string[] = [];
  for (let claim = await queue.claim(); claim !== null; claim = await queue.claim())
    order.push(claim.part === undefined ? claim.job.id : `part ${claim.part.number}`);
  assert.equal(order[0], 'b1', 'ann has a runner already: that of the job');
  assert.deepEqual(
    order.filter((one) => !one.startsWith('b')),
    ['part 0', 'part 1', 'part 2', 'part 3', 'small'],
  );
  const bobs = order.map((one, i) => (one.startsWith('b') ? i : -1)).filter((i) => i >= 0);
  assert.ok(bobs[2] <= 5, `bob waits for no more than his share: ${order.join(', ')}`);
});

test('parts do not count towards the limits of their owner', { skip }, async (context) => {
  const [queue] = await openQueues(context, [{ maxLength: 2, ownerLimits: { jobs: 2, storedBytes: null } }]);
  await divided(queue, 'a', 50);
  assert.equal((await queue.holding('ann')).waiting, 0);
  assert.equal((await queue.enqueue(newJob('b', { owner: 'ann' }))).added, true);
});

test('the part of a worker that died runs elsewhere, and what the dead one reports changes nothing', {
  skip,
}, async (context) => {
  const [dead, other] = await openQueues(context, [{ leaseMs: 0 }, {}]);
  const attempt = await divided(other, 'a', 1);
  const lost = runOf((await dead.claim()) as Claim);
  const { parts = [] } = await other.recover(3, 5, () => true);
  assert.deepEqual(parts, [lost]);
  const again = (await other.claim()) as Claim;
  assert.deepEqual([again.part?.run, again.part?.attempts], [2, 2]);
  assert.deepEqual(await dead.extend([lost]), [lost], 'its runner has to end');
  assert.equal(await dead.parts.finish(lost), false);
  assert.equal(await dead.parts.fail(lost, CANCELLED), false);
  assert.equal(await dead.parts.requeue(lost, true), false);
  assert.deepEqual(await other.extend([runOf(again)]), []);
  assert.deepEqual(await other.recover(3, 5, () => true), { requeued: [], failed: [] }, 'its lease runs');
  assert.equal(await other.parts.finish(runOf(again)), true);
  assert.equal(await statesOf(other, attempt), 'DONE');
});

test('a part whose workers die again and again fails, and one that a worker gives back does not', {
  skip,
}, async (context) => {
  const [dead, holder] = await openQueues(context, [{ leaseMs: 0 }, {}]);
  const attempt = await divided(holder, 'a', 1);
  for (let i = 0; i < 5; i++)
    assert.equal(await dead.parts.requeue(runOf((await dead.claim()) as Claim), true), true);
  for (let i = 0; i < 2; i++) {
    assert.ok((await dead.claim())?.part !== undefined);
    await holder.recover(2, 5, () => true);
  }
  const [{ state, error }] = await holder.parts.of(attempt);
  assert.deepEqual([state, error?.code], ['FAILED', 'JOB_ATTEMPTS_EXHAUSTED']);
});

for (const [ending, end] of Object.entries({
  success: (queue, claim) => queue.succeed(claim, OUTPUT, REPORT, 5),
  failure: (queue, claim) => queue.fail(claim, CANCELLED, 5),
  cancellation: (queue, { job }) => queue.cancel(job.id, CANCELLED, 5),
  requeue: (queue, claim) => queue.requeue(claim, true),
} satisfies Record<string, (queue: PostgresQueue, claim: Claim) => Promise<unknown>>)) {
  test(`the parts of a job end with its attempt: ${ending}`, { skip }, async (context) => {
    const [holder, worker] = await openQueues(context, [{}, {}]);
    await holder.enqueue(newJob('a', { owner: 'ann' }));
    const claim = (await holder.claim()) as Claim;
    const attempt = { id: 'a', fence: claim.fence };
    await holder.parts.add(attempt, 0, tasks(2));
    const run = runOf((await worker.claim()) as Claim);
    await end(holder, claim);
    if (ending === 'cancellation') {
      assert.equal(await holder.isReleased('a'), false);
      await holder.release(attempt);
      assert.equal(await holder.isReleased('a'), false, 'its part runs still');
    }
    assert.deepEqual(await worker.extend([run]), [run]);
    assert.equal(await worker.parts.finish(run), false);
    await worker.release(run);
    assert.deepEqual(await holder.parts.of(attempt), []);
    if (ending === 'cancellation') assert.equal(await holder.isReleased('a'), true);
    assert.equal(
      await holder.parts.add(attempt, 2, tasks(1)),
      false,
      'no more parts of an attempt that is over',
    );
    if (ending === 'requeue') assert.equal((await worker.claim())?.part, undefined);
    assert.equal(await worker.claim(), null);
    assert.equal(await worker.hasWork(), false);
  });
}

const DURING = {
  finished: "state = 'DONE', worker = NULL, lease_until = NULL, progress = 1",
  failed: "state = 'FAILED', worker = NULL, lease_until = NULL",
  'given back': "state = 'QUEUED', worker = NULL, lease_until = NULL",
};
for (const [what, change] of Object.entries(DURING))
  for (const ending of ['cancel', 'withdraw'] as const)
    test(`a part that is being ${what} during a ${ending} leaves no row`, { skip }, async (context) => {
      const [queue, worker] = await openQueues(context, [{}, {}]);
      const attempt = await divided(queue, 'a', 2);
      await worker.claim();
      const { url } = await sharedPostgres();
      const schema = `parts_${schemas}`;
      const other = await PostgresDatabase.open({ url, schema, maxConnections: 2 });
      context.after(() => other.close());
      let end: Promise<unknown> = Promise.resolve();
      await other.transaction(async (statements) => {
        assert.equal(await statements.run(`UPDATE parts SET ${change} WHERE state = 'RUNNING'`, []), 1);
        end = ending === 'cancel' ? queue.cancel('a', CANCELLED, 1) : queue.parts.withdraw(attempt);
        await until('the end waits for the row', async () => {
          const waiting = await other.rows(
            `SELECT FROM pg_locks WHERE NOT granted AND pid IN (
               SELECT pid FROM pg_locks WHERE relation = to_regclass('${schema}.parts'))`,
          );
          return waiting.length > 0;
        });
      });
      await end;
      assert.equal(await statesOf(queue, attempt), '');
    });

test('parts are only given to workers of the release that made them', { skip }, async (context) => {
  const [older, newer] = await openQueues(context, [{ release: '1' }, { release: '2' }]);
  const attempt = await divided(older, 'a', 1);
  await older.enqueue(newJob('b', { owner: 'bob' }));
  assert.equal((await newer.claim())?.job.id, 'b');
  assert.equal(await newer.claim(), null);
  assert.equal(await older.parts.takeOwn(attempt), 0);
});

test('parts that are withdrawn are gone, and others can follow', { skip }, async (context) => {
  const [holder, worker] = await openQueues(context, [{}, {}]);
  const attempt = await divided(holder, 'a', 3);
  const run = runOf((await worker.claim()) as Claim);
  await holder.parts.withdraw(attempt);
  assert.deepEqual(await worker.extend([run]), [run]);
  await worker.release(run);
  await holder.parts.add(attempt, 3, tasks(1));
  assert.equal((await worker.claim())?.part?.number, 3);
});

test('processes that claim at the same time get each part once', { skip }, async (context) => {
  const queues = await openQueues(context, [{}, {}, {}, {}]);
  const [holder] = queues;
  const attempts = [await divided(holder, 'a', 40, 'ann'), await divided(holder, 'b', 40, 'bob')];
  const taken: string[] = [];
  let claims = 0;
  await Promise.all([
    ...queues.map(async (queue) => {
      for (let claim = await queue.claim(); claim !== null; claim = await queue.claim()) {
        const run = runOf(claim);
        claims += 1;
        taken.push(`${run.id} ${run.part.number}`);
        if (claims % 5 > 0) assert.equal(await queue.parts.finish(run), true);
        else assert.equal(await queue.parts.requeue(run, true), true);
      }
    }),
    ...attempts.map(async (attempt) => {
      for (let number = await holder.parts.takeOwn(attempt); number !== null; ) {
        taken.push(`${attempt.id} ${number}`);
        number = await holder.parts.takeOwn(attempt);
      }
    }),
  ]);
  assert.equal(new Set(taken).size, 80);
  assert.equal(taken.length - Math.floor(claims / 5), 80);
  for (const attempt of attempts) assert.doesNotMatch(await statesOf(holder, attempt), /QUEUED|RUNNING/);
  assert.equal(await holder.hasWork(), false);
});
