/** Owners of jobs: none sees another's, none starves another, none holds more than it may. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import fc from 'fast-check';
import { IS_EXHAUSTIVE } from '../../../test/support/exhaustive.ts';
import { fakeReport, outputOf } from '../../../test/support/fake-conversion.ts';
import { newJob, QUEUES, recordBytes } from '../../../test/support/queue.ts';
import { startTestService } from '../../../test/support/service.ts';
import { ANY_OWNER, type Job, type JobState, type JobSummary, type NewJob } from '../src/jobs/job.ts';
import { MAX_LEAD_MS } from '../src/jobs/job-schema.ts';
import type { Claim, JobQueue } from '../src/jobs/queue.ts';
import type { JobService } from '../src/jobs/service.ts';

const REPORT = fakeReport(newJob('x').request, 1);
const CANCELLED = { code: 'CANCELLED', params: {} } as const;
const EVERYTHING = { state: null, operation: null };

const outputOfBytes = (byteLength: number) => ({ byteLength, mediaType: 'text/plain', fileName: 'a.txt' });
const inputsOfBytes = (byteLength: number): NewJob['inputs'] => [{ name: 'a.csv', byteLength, fileIndex: 0 }];

async function claim(queue: JobQueue): Promise<Claim> {
  const claimed = await queue.claim();
  assert.ok(claimed !== null, 'a job waits');
  return claimed;
}

/** More comes than can run, and about as much ends as is begun: else nobody waits for long. */
const KINDS = [
  ...['enqueue', 'enqueue', 'enqueue', 'claim', 'claim', 'claim', 'end', 'end', 'end'],
  ...['requeue', 'cancel', 'restart', 'pass', 'pass'],
];

/** What happens to queues, at random; numbers choose an owner or a job among those there are, or a time. */
const happenings = fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.nat(1000)), {
  maxLength: 200,
  size: 'max',
});

/** The laws of turns, said without the means by which they are kept. */
class Turns {
  /** Ids of jobs that wait, by owner, in their order. */
  readonly waiting = new Map<string, string[]>();
  readonly running: (Claim & { readonly since: number })[] = [];
  /** For each owner that waits with no job running, by each other one: runner time of the jobs by which it was passed. */
  readonly passes = new Map<string, Map<string, number>>();
  now = 1_000_000;

  waitingOf(owner: string): string[] {
    return this.waiting.get(owner) ?? [];
  }

  addWaiting(owner: string, id: string): void {
    this.waiting.set(owner, [...this.waitingOf(owner), id]);
  }

  removeWaiting(owner: string, id: string): void {
    const rest = this.waitingOf(owner).filter((other) => other !== id);
    this.waiting.set(owner, rest);
    if (rest.length === 0) this.passes.delete(owner);
  }

  runningOf(owner: string): number {
    return this.running.filter(({ job }) => job.owner === owner).length;
  }

  claimed(claim: Claim): void {
    const { id, owner } = claim.job;
    assert.equal(this.waitingOf(owner)[0], id, 'of one owner the first comes first');
    const held = this.runningOf(owner);
    for (const [other, ids] of this.waiting) {
      if (other === owner || ids.length === 0) continue;
      assert.ok(this.runningOf(other) >= held, 'nobody who waits has fewer running');
      if (this.runningOf(other) > 0) continue;
      const passed = this.passes.get(other) ?? new Map<string, number>();
      const usedMs = passed.get(owner) ?? 0;
      assert.ok(usedMs <= MAX_LEAD_MS, `${owner} passes ${other} after ${usedMs} ms of runner time`);
      this.passes.set(other, passed.set(owner, usedMs));
    }
    this.passes.delete(owner);
    this.removeWaiting(owner, id);
    this.running.push({ ...claim, since: this.now });
  }

  /** One of those that run is over. */
  take(number: number): Claim | undefined {
    const [taken] = this.running.splice(this.running.length === 0 ? 0 : number % this.running.length, 1);
    if (taken === undefined) return undefined;
    for (const passed of this.passes.values()) {
      const usedMs = passed.get(taken.job.owner);
      if (usedMs !== undefined) passed.set(taken.job.owner, usedMs + this.now - taken.since);
    }
    return taken;
  }
}

/** Runs the queue with so many runners until `endMs`; owners have as many jobs as they want, each of its own length. */
async function simulate(
  queue: JobQueue,
  clock: { now: number },
  runners: number,
  jobMs: Readonly<Record<string, number>>,
  endMs: number,
): Promise<{ usedMs: Map<string, number>; mostAtOnce: Map<string, number> }> {
  const running: { claim: Claim; endsAt: number }[] = [];
  const usedMs = new Map<string, number>();
  const mostAtOnce = new Map<string, number>();
  let serial = 0;
  const add = (owner: string) => queue.enqueue(newJob(`s${serial++}`, { owner }));
  for (const owner of Object.keys(jobMs)) for (let i = 0; i <= runners; i++) await add(owner);
  while (clock.now < endMs) {
    while (running.length < runners) {
      const claimed = await claim(queue);
      const { owner } = claimed.job;
      running.push({ claim: claimed, endsAt: clock.now + jobMs[owner] });
      await add(owner);
      const held = running.filter(({ claim: { job } }) => job.owner === owner).length;
      mostAtOnce.set(owner, Math.max(held, mostAtOnce.get(owner) ?? 0));
    }
    running.sort((a, b) => a.endsAt - b.endsAt);
    const [ended] = running.splice(0, 1);
    clock.now = ended.endsAt;
    const { owner } = ended.claim.job;
    usedMs.set(owner, (usedMs.get(owner) ?? 0) + jobMs[owner]);
    await queue.fail(ended.claim, CANCELLED, 5);
    await queue.removeEnded(ended.claim.job.id);
  }
  return { usedMs, mostAtOnce };
}

async function checkHoldings(queue: JobQueue): Promise<void> {
  const all = await queue.list(ANY_OWNER, EVERYTHING, null, 1_000_000);
  const sum = (jobs: readonly JobSummary[], of: (job: JobSummary) => number): number =>
    jobs.reduce((total, job) => total + of(job), 0);
  const records = new Map<string, number>();
  for (const { id } of all) records.set(id, recordBytes((await queue.get(id)) as Job));
  for (const owner of ['o0', 'o1', 'o2', 'o3']) {
    const own = all.filter((job) => job.owner === owner);
    const inState = (state: JobState): JobSummary[] => own.filter((job) => job.state === state);
    const active = [...inState('QUEUED'), ...inState('RUNNING')];
    assert.deepEqual(await queue.holding(owner), {
      waiting: inState('QUEUED').length,
      running: inState('RUNNING').length,
      storedBytes:
        sum(own, ({ id }) => records.get(id) ?? 0) +
        sum(active, (job) => job.inputs[0].byteLength ?? 0) +
        sum(own, (job) => (job.outputKept ? (job.output?.byteLength ?? 0) : 0)),
    });
    assert.deepEqual(await queue.list(owner, EVERYTHING, null, 1_000_000), own);
    const usage = await queue.usage(owner, 0);
    assert.equal(usage.jobs.SUCCESS, inState('SUCCESS').length);
    assert.equal(
      usage.inputBytes,
      sum(own, (job) => job.inputs[0].byteLength ?? 0),
    );
    assert.equal(
      usage.outputBytes,
      sum(own, (job) => job.output?.byteLength ?? 0),
    );
  }
}

async function submitAs(service: JobService, owner: string, text: string): Promise<string> {
  const id = service.newJobId();
  const upload = await service.receive(owner, id, 0);
  await upload.write(Buffer.from(text));
  await upload.keep();
  await service.submit(newJob(id, { owner, inputs: inputsOfBytes(text.length) }));
  return id;
}

for (const { name, skip, many, open } of QUEUES) {
  /** Each statement of PostgreSQL takes a hundred times as long as one of SQLite. */
  const isThorough = IS_EXHAUSTIVE || name === 'SQLite';

  test(`${name}: an owner with many jobs waiting lets another one pass at its first job`, {
    skip,
  }, async (context) => {
    // Time stands still: here jobs alone count.
    const { queue, reopen } = await open(context, { maxLength: 100_000, now: () => 1000 });
    await Promise.all(
      Array.from({ length: many }, (_, i) => queue.enqueue(newJob(`b${i}`, { owner: 'busy' }))),
    );
    const running = [await claim(queue), await claim(queue)];
    await queue.enqueue(newJob('s0', { owner: 'small' }));
    await queue.enqueue(newJob('s1', { owner: 'small' }));
    await queue.succeed(running[0], outputOfBytes(1), REPORT, 5);
    assert.equal((await claim(queue)).job.id, 's0');
    const { waiting, running: runningCount } = await queue.holding('busy');
    assert.deepEqual([waiting, runningCount], [many - 2, 1]);
    // And after a restart it is as before: who ran is put back, who has waited longest for its turn is next.
    const next = await reopen();
    await next.recover(9, 5, () => false);
    assert.equal((await claim(next)).job.owner, 'busy');
    assert.equal((await claim(next)).job.owner, 'small');
  });

  test(`${name}: whatever happens, nobody passes a waiting owner without a runner for long, and what is held is counted right`, {
    skip,
  }, async (context) => {
    let turns = new Turns();
    const { queue: first, reopen } = await open(context, { maxLength: 100_000, now: () => turns.now });
    let queue = first;
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(happenings, async (steps) => {
        const { now } = turns;
        turns = new Turns();
        turns.now = now;
        for (const [step, number] of steps) {
          if (step === 'enqueue') {
            serial += 1;
            const owner = `o${number % 4}`;
            await queue.enqueue(newJob(`j${serial}`, { owner, inputs: inputsOfBytes(number) }));
            turns.addWaiting(owner, `j${serial}`);
          } else if (step === 'claim') {
            const claimed = await queue.claim();
            if (claimed !== null) turns.claimed(claimed);
            else assert.equal([...turns.waiting.values()].flat().length, 0);
          } else if (step === 'cancel') {
            const [owner, ids] = [...turns.waiting].find((entry) => entry[1].length > 0) ?? [];
            const id = ids?.[number % ids.length];
            if (owner === undefined || id === undefined) continue;
            await queue.cancel(id, CANCELLED, 5);
            turns.removeWaiting(owner, id);
            if (number % 2 === 0) await queue.removeEnded(id);
          } else if (step === 'restart') {
            queue = await reopen();
            await queue.recover(1000, 5, () => false);
            for (const { job } of turns.running.splice(0)) turns.addWaiting(job.owner, job.id);
            turns.passes.clear();
          } else if (step === 'pass') {
            // Up to a quarter of an hour, and now and then the clock is set back.
            turns.now += number % 100 === 0 ? -60_000 : number * number;
          } else {
            const claimed = turns.take(number);
            if (claimed === undefined) continue;
            if (step === 'requeue') {
              await queue.requeue(claimed, number % 2 === 0);
              turns.addWaiting(claimed.job.owner, claimed.job.id);
            } else if (number % 2 === 0) await queue.succeed(claimed, outputOfBytes(number), REPORT, 5);
            else await queue.fail(claimed, CANCELLED, 5);
            if (number % 4 === 0) await queue.markOutputsRemoved([claimed.job.id]);
          }
        }
        await checkHoldings(queue);
        for (let rest = await queue.claim(); rest !== null; rest = await queue.claim())
          await queue.fail(rest, CANCELLED, 5);
        for (const rest of turns.running) await queue.fail(rest, CANCELLED, 5);
        assert.equal(await queue.length(), 0);
      }),
      { numRuns: IS_EXHAUSTIVE ? 50 : 10 },
    );
  });

  test(`${name}: an owner with long jobs and one with short ones get as much time of one runner`, {
    skip,
  }, async (context) => {
    const clock = { now: 0 };
    const { queue } = await open(context, { now: () => clock.now });
    const jobMs = { long: 300_000, short: 3000 };
    const { usedMs } = await simulate(queue, clock, 1, jobMs, 3_600_000);
    const share = (usedMs.get('short') ?? 0) / (usedMs.get('long') ?? 1);
    assert.ok(share > 0.8 && share < 1.25, `${share}`);
  });

  test(`${name}: no owner comes to have more than half of the runners while another one waits`, {
    skip,
  }, async (context) => {
    for (const runners of isThorough ? [1, 2, 3, 4, 5, 8] : [2, 5]) {
      const clock = { now: 0 };
      const { queue } = await open(context, { now: () => clock.now });
      const jobMs = { hour: 3_600_000, second: 1000 };
      const { mostAtOnce } = await simulate(queue, clock, runners, jobMs, 300_000);
      for (const [owner, most] of mostAtOnce) assert.ok(most <= Math.ceil(runners / 2), `${owner}: ${most}`);
    }
  });

  test(`${name}: an owner that waits alone gets every runner, whatever it used before`, {
    skip,
  }, async (context) => {
    const clock = { now: 0 };
    const { queue } = await open(context, { now: () => clock.now });
    const { mostAtOnce } = await simulate(queue, clock, 6, { alone: 3_600_000 }, 7_200_000);
    assert.equal(mostAtOnce.get('alone'), 6);
  });

  test(`${name}: who used much long ago is not held back for it, and who waited long saves up nothing`, {
    skip,
  }, async (context) => {
    const clock = { now: 0 };
    const { queue } = await open(context, { now: () => clock.now });
    await simulate(queue, clock, 1, { old: 3_600_000 }, 36_000_000);
    for (let i = 0; i < 2; i++) await queue.cancel(`s${11 + i}`, CANCELLED, 5);
    const ids = (prefix: string, owner: string) =>
      Promise.all([0, 1, 2, 3].map((i) => queue.enqueue(newJob(`${prefix}${i}`, { owner }))));
    await ids('new', 'new');
    await ids('old', 'old');
    // At most ten minutes of the new one come before the old one's turn.
    let newMs = 0;
    for (;;) {
      const { job, ...rest } = await claim(queue);
      if (job.owner === 'old') break;
      clock.now += 240_000;
      newMs += 240_000;
      await queue.fail({ job, ...rest }, CANCELLED, 5);
    }
    assert.ok(newMs <= MAX_LEAD_MS + 240_000, `${newMs}`);
  });

  const owners = isThorough ? 1000 : 200;
  test(`${name}: each of ${owners} owners has its turn before one has a second`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context, { maxLength: 100_000 });
    const ids = Array.from({ length: 3 * owners }, (_, i) => i);
    await Promise.all(ids.map((i) => queue.enqueue(newJob(`j${i}`, { owner: `o${i % owners}` }))));
    for (let round = 0; round < 3; round++) {
      const claims: Claim[] = [];
      for (let i = 0; i < owners; i++) claims.push(await claim(queue));
      assert.equal(new Set(claims.map(({ job }) => job.owner)).size, owners);
      await Promise.all(claims.map((one) => queue.fail(one, CANCELLED, 5)));
    }
  });

  test(`${name}: an owner gets as many jobs as it may have, also when it asks for all at once`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context, { ownerLimits: { jobs: 20, storedBytes: null } });
    const ask = (owner: string, prefix: string) =>
      Promise.allSettled(
        Array.from({ length: 50 }, (_, i) => queue.enqueue(newJob(`${prefix}${i}`, { owner }))),
      );
    const answers = await ask('ann', 'a');
    const refused = answers.filter((answer) => answer.status === 'rejected');
    assert.equal(refused.length, 30);
    for (const { reason } of refused) {
      assert.equal(reason.code, 'OWNER_JOBS_EXCEEDED');
      assert.equal(reason.status, 429);
    }
    assert.equal((await ask('bob', 'b')).filter((answer) => answer.status === 'fulfilled').length, 20);
    // One that runs still counts, one that has ended does not.
    const claimed = await claim(queue);
    await assert.rejects(queue.checkRoom(claimed.job.owner, 0), { code: 'OWNER_JOBS_EXCEEDED' });
    await queue.fail(claimed, CANCELLED, 5);
    await queue.checkRoom(claimed.job.owner, 0);
    assert.equal(await queue.length(), 39, 'refused jobs are not counted');
  });

  test(`${name}: an owner stores as many bytes as it may, inputs and outputs, also when it asks for all at once`, {
    skip,
  }, async (context) => {
    const record = recordBytes(newJob('a', { inputs: inputsOfBytes(3000) }));
    const report = Buffer.byteLength(JSON.stringify(REPORT));
    const limit = 10_000 + 3 * record + report;
    const { queue: first, reopen } = await open(context, { ownerLimits: { jobs: null, storedBytes: limit } });
    let queue = first;
    const ask = (id: string) => queue.enqueue(newJob(id, { owner: 'ann', inputs: inputsOfBytes(3000) }));
    const answers = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(ask));
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 3);
    await queue.enqueue(newJob('other', { owner: 'bob', inputs: inputsOfBytes(10_000) }));
    // 6000 of the other two inputs, and its own goes when it ends: 4000 are left besides all records.
    const [one, other] = [await claim(queue), await claim(queue)].filter(({ job }) => job.owner === 'ann');
    const claimed = one ?? other;
    await assert.rejects(queue.succeed(claimed, outputOfBytes(4001), REPORT, 5), {
      code: 'OUTPUT_STORAGE_EXCEEDED',
      params: { bytes: 4001 + report, stored: 6000 + 3 * record, limit },
    });
    assert.equal((await queue.get(claimed.job.id))?.state, 'RUNNING');
    assert.equal(await queue.succeed(claimed, outputOfBytes(4000), REPORT, 5), true);
    queue = await reopen();
    assert.equal((await queue.holding('ann')).storedBytes, limit);
    await assert.rejects(ask('f'), { code: 'OWNER_STORAGE_EXCEEDED' });
    await queue.markOutputsRemoved([claimed.job.id]);
    assert.equal((await queue.holding('ann')).storedBytes, limit - 4000, 'its record stays');
    assert.equal((await ask('f')).added, true);
  });

  test(`${name}: an Idempotency-Key is its owner's`, { skip }, async (context) => {
    const { queue } = await open(context);
    const idempotency = { key: 'k', requestHash: 'h' };
    const ask = (id: string, owner: string, requestHash = 'h') =>
      queue.enqueue(newJob(id, { owner, idempotency: { ...idempotency, requestHash } }));
    assert.equal((await ask('a', 'ann')).id, 'a');
    assert.equal((await ask('b', 'bob', 'other')).id, 'b');
    assert.deepEqual(await ask('c', 'ann'), { id: 'a', state: 'QUEUED', added: false });
    await assert.rejects(ask('c', 'bob'), { code: 'IDEMPOTENCY_CONFLICT' });
  });

  test(`${name}: what was fetched counts as used once it is known`, { skip }, async (context) => {
    const { queue } = await open(context);
    const inputs = [{ name: 'a.csv', byteLength: null, fileIndex: 0, url: 'https://data.example.org/a.csv' }];
    await queue.enqueue(newJob('a', { owner: 'ann', inputs }));
    const fetched = { host: 'data.example.org', byteLength: 700 };
    await queue.succeed(await claim(queue), outputOfBytes(5), { ...REPORT, fetched }, 5);
    const { createdAt } = (await queue.get('a')) as JobSummary;
    const jobs = { QUEUED: 0, RUNNING: 0, SUCCESS: 1, FAILED: 0 };
    assert.deepEqual(await queue.usage('ann', createdAt), { jobs, inputBytes: 700, outputBytes: 5 });
    assert.equal((await queue.usage('ann', createdAt + 1)).jobs.SUCCESS, 0);
    assert.equal((await queue.usage('bob', 0)).jobs.SUCCESS, 0);
  });
}

test("another owner's job is not there: not to be read, listed, watched, waited for, fetched or ended", async () => {
  await using running = await startTestService({ settings: { RUNNERS: '1' } });
  const { service } = running;
  const id = await submitAs(service, 'ann', 'wait 1000000');
  const [own, foreign, all] = [service.jobsOf('ann'), service.jobsOf('bob'), service.jobsOf(ANY_OWNER)];
  assert.equal(await foreign.get(id), null);
  assert.equal(await foreign.summary(id), null);
  assert.deepEqual(await foreign.list(EVERYTHING, null, 10), []);
  assert.equal(await foreign.waitForEnd(id, 60_000), null, 'at once');
  const news: unknown[] = [];
  (await foreign.watch(id, (one) => news.push(one))).stop();
  assert.deepEqual(news, [{ kind: 'state', job: null }]);
  assert.equal(service.watcherCount, 0);
  const [job] = await own.list(EVERYTHING, null, 10);
  assert.equal(job.id, id);
  assert.equal(foreign.progressOf(job), null);
  assert.equal(await foreign.remove(id), false);
  assert.equal((await all.get(id))?.endedAt, null, 'it goes on');
  assert.deepEqual(await Promise.all([foreign.remove(id), own.remove(id), foreign.remove(id)]), [
    false,
    true,
    false,
  ]);
  assert.equal((await own.get(id))?.error?.code, 'CANCELLED');
  const done = await submitAs(service, 'ann', 'a');
  const ended = await running.ended(done);
  assert.equal(await foreign.openOutput(ended), null);
  const output = await own.openOutput(ended);
  assert.ok(output);
  assert.equal(await text(output.stream(0, outputOf('a').length)), outputOf('a'));
  assert.equal(await all.remove(done), true, 'who looks after the service may');
});

test('a job fails when there is no room for its output, and leaves nothing behind', async () => {
  const bytes = outputOf('a').length;
  await using running = await startTestService({ settings: { MAX_OWNER_STORAGE: String(bytes + 1900) } });
  const { service, config } = running;
  const first = await running.ended(await submitAs(service, 'ann', 'a'));
  assert.equal(first.state, 'SUCCESS');
  const job = await running.ended(await submitAs(service, 'ann', 'b'));
  assert.equal(job.error?.code, 'OUTPUT_STORAGE_EXCEEDED');
  assert.equal((await running.ended(await submitAs(service, 'bob', 'a'))).state, 'SUCCESS');
  assert.equal((await service.holding('ann')).storedBytes, bytes + recordBytes(first) + recordBytes(job));
  await running.stop();
  assert.deepEqual(readdirSync(join(config.dataDirectory, 'inputs')), []);
  assert.equal(readdirSync(join(config.dataDirectory, 'outputs')).length, 2);
});

test('uploads at the same time get no more room than there is', async () => {
  await using running = await startTestService({ settings: { MAX_OWNER_STORAGE: '100' } });
  const { service } = running;
  const uploads = await Promise.all(
    Array.from({ length: 5 }, () => service.receive('ann', service.newJobId(), 0)),
  );
  const written = await Promise.allSettled(uploads.map((upload) => upload.write(Buffer.alloc(40))));
  assert.equal(written.filter(({ status }) => status === 'fulfilled').length, 2);
  const other = await service.receive('bob', service.newJobId(), 0);
  await other.write(Buffer.alloc(100));
  await Promise.all([...uploads, other].map((upload) => upload.discard()));
  await uploads[0].discard();
  const again = await service.receive('ann', service.newJobId(), 0);
  await again.write(Buffer.alloc(100));
  await again.discard();
});
