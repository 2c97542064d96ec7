/** What a queue in PostgreSQL has to hold beside the contract of all queues: several processes, leases, crashes of the database. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Progress } from '../../../packages/pipeline/src/report.ts';
import { fakeReport } from '../../../test/support/fake-conversion.ts';
import { sharedPostgres, noPostgres as skip, startPostgres } from '../../../test/support/postgres.ts';
import { newJob } from '../../../test/support/queue.ts';
import { until } from '../../../test/support/until.ts';
import { PostgresQueue, type PostgresQueueOptions } from '../src/jobs/postgres-queue.ts';
import { POSTGRES_JOBS } from '../src/jobs/postgres-schema.ts';
import type { AttemptId, Claim } from '../src/jobs/queue.ts';
import { PostgresDatabase, type PostgresOptions } from '../src/postgres/database.ts';

const REPORT = fakeReport(newJob('x').request, 1);
const OUTPUT = { byteLength: 1, mediaType: 'text/plain', fileName: 'a.txt' };
const CANCELLED = { code: 'CANCELLED', params: {} } as const;
const LEASE_MS = 60_000;

const attemptOf = ({ job, fence }: Claim): AttemptId => ({ id: job.id, fence });

let schemas = 0;

/** Queues of several processes on one database. */
async function openQueues(
  context: TestContext,
  count: number,
  options: Partial<PostgresQueueOptions & PostgresOptions> = {},
): Promise<PostgresQueue[]> {
  const url = options.url ?? (await sharedPostgres()).url;
  const schema = options.schema ?? `several_${++schemas}`;
  const queues = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      PostgresQueue.open({
        ...{ url, schema, maxConnections: 4, leaseMs: LEASE_MS, maxLength: 10_000, retryAfterSeconds: 5 },
        worker: `worker ${i}`,
        ...options,
      }),
    ),
  );
  context.after(async () => {
    for (const queue of queues) await queue.close();
  });
  return queues;
}

test('several processes open a new database at the same time', { skip }, async (context) => {
  const queues = await openQueues(context, 8);
  for (const [i, queue] of queues.entries()) await queue.enqueue(newJob(`j${i}`));
  assert.equal(await queues[0].length(), 8);
});

test('processes that claim at the same time get each job once, and of each owner in its order', {
  skip,
}, async (context) => {
  const queues = await openQueues(context, 4);
  const ids = Array.from({ length: 400 }, (_, i) => `j${i}`);
  for (const [i, id] of ids.entries()) await queues[i % 4].enqueue(newJob(id, { owner: `o${i % 7}` }));
  const claims: Claim[] = [];
  await Promise.all(
    queues.map(async (queue) => {
      for (let claim = await queue.claim(); claim !== null; claim = await queue.claim()) {
        claims.push(claim);
        if (claims.length % 3 === 0) await queue.succeed(claim, OUTPUT, REPORT, 5);
      }
    }),
  );
  assert.deepEqual(claims.map(({ job }) => job.id).sort(), ids.sort());
  assert.equal(await queues[0].length(), 0);
});

test('an owner gets as many jobs as it may have, whichever process it asks', { skip }, async (context) => {
  const queues = await openQueues(context, 4, { ownerLimits: { jobs: 10, storedBytes: null } });
  const answers = await Promise.allSettled(
    Array.from({ length: 40 }, (_, i) => queues[i % 4].enqueue(newJob(`j${i}`, { owner: 'ann' }))),
  );
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 10);
});

test('a request that is repeated at another process is one job', { skip }, async (context) => {
  const queues = await openQueues(context, 4);
  const idempotency = { key: 'k', requestHash: 'h' };
  const answers = await Promise.all(
    queues.map((queue, i) => queue.enqueue(newJob(`j${i}`, { owner: 'ann', idempotency }))),
  );
  assert.equal(answers.filter(({ added }) => added).length, 1);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
});

test('a job is taken up by another worker when the lease of its own has ended, and not before', {
  skip,
}, async (context) => {
  const [dead, other] = await openQueues(context, 2);
  await dead.enqueue(newJob('a'));
  const claim = (await dead.claim()) as Claim;
  assert.deepEqual(await other.recover(3, 5, () => false), { requeued: [], failed: [] });
  assert.deepEqual(await dead.extend([attemptOf(claim)]), []);
  const [late] = await openQueues(context, 1, { schema: `several_${schemas}`, worker: 'late', leaseMs: 0 });
  // As if its lease had ended: it is extended by no time at all.
  assert.deepEqual(await late.extend([attemptOf(claim)]), []);
  assert.deepEqual(await other.recover(3, 5, () => false), { requeued: ['a'], failed: [] });
  const again = (await other.claim()) as Claim;
  assert.equal(again.job.attempts, 2);
  assert.deepEqual(await dead.extend([attemptOf(claim)]), [attemptOf(claim)], 'its runner has to end');
  assert.equal(await dead.succeed(claim, OUTPUT, REPORT, 5), false);
  assert.equal(await other.succeed(again, OUTPUT, REPORT, 5), true);
});

test('an attempt that has ended its own job is not ended by a sign of life that comes late', {
  skip,
}, async (context) => {
  const [worker] = await openQueues(context, 1);
  for (const id of ['a', 'b', 'c']) await worker.enqueue(newJob(id));
  const claims = [await worker.claim(), await worker.claim(), await worker.claim()] as Claim[];
  await worker.succeed(claims[0], OUTPUT, REPORT, 5);
  await worker.fail(claims[1], CANCELLED, 5);
  await worker.requeue(claims[2], true);
  assert.deepEqual(await worker.extend(claims.map(attemptOf)), []);
  await worker.removeEnded('a');
  assert.deepEqual(await worker.extend(claims.map(attemptOf)), [attemptOf(claims[0])]);
});

test('a process whose own clock is wrong goes by that of the database, also when it is set meanwhile', {
  skip,
}, async (context) => {
  const realNow = Date.now();
  context.mock.method(Date, 'now', () => 0);
  const [queue] = await openQueues(context, 1);
  await queue.enqueue(newJob('a'));
  const claim = (await queue.claim()) as Claim;
  const expiresAt = queue.now() + 60_000;
  await queue.succeed(claim, OUTPUT, REPORT, expiresAt);
  context.mock.method(Date, 'now', () => Number.MAX_SAFE_INTEGER);
  await queue.recover(3, 5, () => false);
  assert.deepEqual(await queue.expiredOutputs(queue.now(), 10), []);
  assert.deepEqual(await queue.expiredOutputs(expiresAt, 10), ['a']);
  const { createdAt, startedAt, endedAt } = (await queue.get('a'))!;
  for (const time of [createdAt, startedAt ?? 0, endedAt ?? 0, queue.now()])
    assert.ok(Math.abs(time - realNow) < 60_000, `${time} is not about ${realNow}`);
});

test('processes hear the news of others, and not their own', { skip }, async (context) => {
  const [first, second] = await openQueues(context, 2);
  const heard: string[] = [];
  const isListening = Promise.withResolvers<void>();
  const news = (name: string) => ({
    queued: () => {
      heard.push(`${name} queued`);
      isListening.resolve();
    },
    changed: (id: string) => void heard.push(`${name} ${id}`),
    progressed: (id: string, { stage }: Progress) => void heard.push(`${name} ${id} ${stage}`),
  });
  second.listen(news('second'));
  await isListening.promise;
  first.listen(news('first'));
  await second.enqueue(newJob('a'));
  await until('the first process has heard of the job', () => heard.includes('first queued'));
  heard.length = 0;
  const claim = (await first.claim()) as Claim;
  first.tellProgress('a', { fraction: 0.5, stage: 'converting' });
  await first.succeed(claim, OUTPUT, REPORT, 5);
  for (const wanted of ['second a', 'second a converting'])
    await until(`'${wanted}' is heard`, () => heard.includes(wanted));
  // What it is told when it begins to listen may come late.
  assert.deepEqual(
    heard.filter((text) => text.startsWith('first') && text !== 'first queued'),
    [],
  );
});

test('workers that sweep at the same time take up a job once', { skip }, async (context) => {
  const queues = await openQueues(context, 4, { leaseMs: 0 });
  await queues[0].enqueue(newJob('a'));
  await queues[0].enqueue(newJob('b'));
  await queues[0].claim();
  await queues[0].claim();
  const found = await Promise.all(queues.map((queue) => queue.recover(1, 5, () => false)));
  assert.deepEqual(found.flatMap(({ failed }) => failed).sort(), ['a', 'b']);
  assert.deepEqual(
    found.flatMap(({ requeued }) => requeued),
    [],
  );
});

test('what one process cancels, the worker of another learns with its next sign of life', {
  skip,
}, async (context) => {
  const [api, worker] = await openQueues(context, 2);
  await api.enqueue(newJob('a'));
  const claim = (await worker.claim()) as Claim;
  assert.equal(await api.cancel('a', CANCELLED, 5), 'RUNNING');
  assert.deepEqual(await worker.extend([attemptOf(claim)]), [attemptOf(claim)]);
  assert.equal(await api.isReleased('a'), false);
  await worker.release(attemptOf(claim));
  assert.equal(await api.isReleased('a'), true);
});

test('the states of many jobs are read at once', { skip }, async (context) => {
  const [queue] = await openQueues(context, 1);
  for (const id of ['a', 'b', 'c']) await queue.enqueue(newJob(id));
  const claim = await queue.claim();
  assert.equal(claim?.job.id, 'a');
  assert.deepEqual(
    await queue.states(['a', 'b', 'none']),
    new Map([
      ['a', { id: 'a', state: 'RUNNING', attempts: 1 }],
      ['b', { id: 'b', state: 'QUEUED', attempts: 0 }],
    ]),
  );
});

test('of processes that do a task for all, one gets the turn', { skip }, async (context) => {
  const queues = await openQueues(context, 4);
  const taken = await Promise.all(queues.map((queue) => queue.takeTurn('retention', LEASE_MS)));
  assert.equal(taken.filter(Boolean).length, 1);
  assert.equal(await queues[0].takeTurn('orphans', LEASE_MS), true, 'another task has turns of its own');
  assert.equal(await queues[0].takeTurn('retention', 0), true, 'the next turn has come');
});

test('so many processes listen as there are seats, and another takes the place of one that ends', {
  skip,
}, async (context) => {
  const { url } = await sharedPostgres();
  const database = await PostgresDatabase.open({ url, schema: 'seats', maxConnections: 1 });
  context.after(() => database.close());
  const listen = () => database.listen('seats', { onMessage: () => {}, onLost: () => {} }, 2);
  const [first, second, third] = [await listen(), await listen(), await listen()];
  assert.ok(first !== null && second !== null);
  assert.equal(third, null);
  await first.close();
  // The server notices the end of a connection a moment later.
  let next = await listen();
  while (next === null) next = await listen();
  await Promise.all([second.close(), next.close()]);
});

test('a process of the release before works on while the tables get a new version', {
  skip,
}, async (context) => {
  const { url } = await sharedPostgres();
  const schema = 'two_releases';
  const old = await PostgresDatabase.open({ url, schema, maxConnections: 1 });
  context.after(() => old.close());
  await old.bringUpToDate({ ...POSTGRES_JOBS, steps: POSTGRES_JOBS.steps.slice(0, -1) });
  const columns = 'id, owner, state, place, operation, input_format, warning_count, created_at, record_bytes';
  const enqueue = (id: string): Promise<number> =>
    old.run(
      `INSERT INTO jobs (${columns}, input_bytes, inputs, request_findings, request)
       VALUES ($1, 'o', 'QUEUED', nextval('job_places'), 'merge', 'shp', 0, 1, 1, 1, '[]', '[]', '{}')`,
      [id],
    );
  const claim = async (): Promise<string | undefined> =>
    (await old.rows<{ id: string }>('SELECT * FROM claim_job(5, $1, 60000)', ['old']))[0]?.id;
  await enqueue('a');
  await enqueue('b');
  assert.equal(await claim(), 'a');
  const [next] = await openQueues(context, 1, { schema });
  assert.equal(await claim(), 'b', 'the function of the same session, after the change');
  await enqueue('c');
  const taken = (await next.claim()) as Claim;
  assert.deepEqual([taken.job.id, taken.job.trace], ['c', null]);
  await next.enqueue(newJob('d', { trace: '00-1-2-01' }));
  assert.equal(await claim(), 'd');
  assert.equal((await next.get('d'))?.trace, '00-1-2-01');
  await next.checkTables();
});

test('every change that was confirmed survives crashes of the database, and no number of an attempt comes twice', {
  skip,
}, async (context) => {
  await using server = await startPostgres([]);
  const [queue] = await openQueues(context, 1, { url: server.url, schema: 'crashes' });
  const confirmed = new Map<string, string>();
  const fences = new Map<string, number>();
  for (let round = 0; round < 3; round++) {
    let isOver = false;
    const work = async (name: string): Promise<void> => {
      for (let i = 0; !isOver; i++) {
        try {
          const id = `${name} ${round} ${i}`;
          await queue.enqueue(newJob(id));
          confirmed.set(id, 'QUEUED');
          const claim = await queue.claim();
          if (claim === null) continue;
          const { id: claimed } = claim.job;
          assert.ok(claim.fence > (fences.get(claimed) ?? 0), claimed);
          fences.set(claimed, claim.fence);
          if (!(await queue.succeed(claim, OUTPUT, REPORT, 5))) continue;
          confirmed.set(claimed, 'SUCCESS');
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          // The database is away: nothing is known of this job.
          return;
        }
      }
    };
    const workers = ['a', 'b', 'c'].map(work);
    const before = confirmed.size;
    while (confirmed.size < before + 50) await new Promise((resolve) => setImmediate(resolve));
    await server.crash();
    isOver = true;
    await Promise.all(workers);
  }
  for (const [id, state] of confirmed) {
    const job = await queue.get(id);
    assert.ok(job !== null, `${id} is lost`);
    if (state === 'SUCCESS') assert.equal(job.state, 'SUCCESS', id);
  }
  const jobs = await queue.list('local', { state: null, operation: null }, null, 100_000);
  const waiting = jobs.filter(({ state }) => state === 'QUEUED').length;
  assert.equal(await queue.length(), waiting);
});
