/** The contract of JobQueue, held by every queue. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { fakeReport } from '../../../test/support/fake-conversion.ts';
import { newJob, openQueue, QUEUES } from '../../../test/support/queue.ts';
import { until } from '../../../test/support/until.ts';
import { catalogue } from '../src/catalogue.ts';
import {
  ANY_OWNER,
  isFinal,
  type JobState,
  type JobSummary,
  jobStates,
  type NewJob,
} from '../src/jobs/job.ts';
import type { Claim } from '../src/jobs/queue.ts';

const OUTPUT = { byteLength: 1, mediaType: 'text/plain', fileName: 'a.txt' };

const NOT_HELD = () => false;

const report = fakeReport(newJob('x').request, 1);

for (const { name, skip, open } of QUEUES) {
  test(`${name}: jobs are claimed in the order they came`, { skip }, async (context) => {
    const { queue } = await open(context);
    for (const id of ['a', 'b', 'c']) await queue.enqueue(newJob(id));
    assert.equal(await queue.length(), 3);
    const claimed = [await queue.claim(), await queue.claim(), await queue.claim(), await queue.claim()];
    assert.deepEqual(
      claimed.map((claim) => claim?.job.id),
      ['a', 'b', 'c', undefined],
    );
    assert.equal(await queue.length(), 0);
  });

  test(`${name}: the counts of warnings are those of the request, then those of the report`, {
    skip,
  }, async (context) => {
    const codes = (severity: string, count: number) =>
      Object.entries(catalogue.findings)
        .filter(([, entry]) => entry.severity === severity)
        .slice(0, count)
        .map(([code]) => ({ code: code as string, message: '', count: 1, places: [], params: {} }));
    const { queue } = await open(context);
    await queue.enqueue({ ...newJob('a'), requestFindings: codes('info', 2) });
    const counts = async () => {
      const [job] = await queue.list(ANY_OWNER, { state: null, operation: null }, null, 10);
      return [job.warningCount, job.severities];
    };
    assert.deepEqual(await counts(), [2, { info: 2, changed: 0, lost: 0 }]);
    const warnings = [...codes('info', 3), ...codes('changed', 2), ...codes('lost', 1)];
    await queue.succeed((await queue.claim()) as Claim, OUTPUT, { ...report, warnings }, 5);
    assert.deepEqual(await counts(), [6, { info: 3, changed: 2, lost: 1 }]);
  });

  test(`${name}: a job that returns to the queue stands behind those that wait`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context);
    for (const id of ['a', 'b']) await queue.enqueue(newJob(id));
    const first = (await queue.claim()) as Claim;
    assert.equal(await queue.requeue(first, false), true);
    assert.equal((await queue.claim())?.job.id, 'b');
    const again = await queue.claim();
    assert.equal(again?.job.id, 'a');
    assert.equal(again?.job.attempts, 2);
  });

  test(`${name}: an attempt that was replaced changes nothing any more`, { skip }, async (context) => {
    const { queue } = await open(context);
    await queue.enqueue(newJob('a'));
    const old = (await queue.claim()) as Claim;
    await queue.requeue(old, false);
    const current = (await queue.claim()) as Claim;
    assert.equal(await queue.succeed(old, OUTPUT, report, 5), false);
    assert.equal(await queue.fail(old, { code: 'CANCELLED', params: {} }, 5), false);
    assert.equal(await queue.requeue(old, false), false);
    assert.equal(await queue.succeed(current, OUTPUT, report, 5), true);
    assert.equal(await queue.succeed(current, OUTPUT, report, 5), false, 'a job ends once');
    assert.equal((await queue.get('a'))?.state, 'SUCCESS');
  });

  test(`${name}: an attempt that did not count is fenced off as any other`, { skip }, async (context) => {
    const { queue } = await open(context);
    await queue.enqueue(newJob('a'));
    const fences = new Set<number>();
    let old: Claim | null = null;
    for (let i = 0; i < 4; i++) {
      const current = (await queue.claim()) as Claim;
      fences.add(current.fence);
      assert.equal(current.job.attempts, 1);
      if (old !== null) {
        assert.equal(await queue.succeed(old, OUTPUT, report, 5), false);
        assert.equal(await queue.fail(old, { code: 'CANCELLED', params: {} }, 5), false);
        assert.equal(await queue.requeue(old, true), false);
      }
      assert.equal(await queue.requeue(current, true), true);
      old = current;
    }
    assert.equal(fences.size, 4);
  });

  test(`${name}: what a dead service left running is queued again, or failed after its last attempt`, {
    skip,
  }, async (context) => {
    const { queue, reopen } = await open(context);
    await queue.enqueue(newJob('tired'));
    for (let attempt = 1; attempt < 3; attempt++) await queue.requeue((await queue.claim()) as Claim, false);
    await queue.claim();
    for (const id of ['fresh', 'waiting']) await queue.enqueue(newJob(id));
    await queue.claim();
    // No close: the process is gone.
    const next = await reopen();
    assert.deepEqual(await next.recover(3, 99, NOT_HELD), { requeued: ['fresh'], failed: ['tired'] });
    assert.equal((await next.get('tired'))?.error?.code, 'JOB_ATTEMPTS_EXHAUSTED');
    assert.equal(await next.length(), 2);
    assert.equal((await next.claim())?.job.id, 'waiting');
    const fresh = await next.claim();
    assert.equal(fresh?.job.id, 'fresh');
    assert.equal(fresh?.job.attempts, 2);
  });

  test(`${name}: a full queue refuses, but still answers an Idempotency-Key it knows`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context, { maxLength: 1 });
    const key = { key: 'k', requestHash: 'h' };
    await queue.enqueue(newJob('a', { idempotency: key }));
    await assert.rejects(queue.enqueue(newJob('b')), { code: 'QUEUE_FULL' });
    assert.deepEqual(await queue.enqueue(newJob('c', { idempotency: key })), {
      id: 'a',
      state: 'QUEUED',
      added: false,
    });
    await assert.rejects(queue.enqueue(newJob('c', { idempotency: { key: 'k', requestHash: 'other' } })), {
      code: 'IDEMPOTENCY_CONFLICT',
    });
  });

  test(`${name}: expired outputs and old records are found`, { skip }, async (context) => {
    const { queue } = await open(context);
    await queue.enqueue(newJob('a'));
    await queue.succeed((await queue.claim()) as Claim, OUTPUT, report, 1000);
    assert.deepEqual(await queue.expiredOutputs(999, 10), []);
    assert.deepEqual(await queue.expiredOutputs(1000, 10), ['a']);
    await queue.markOutputsRemoved(['a']);
    assert.deepEqual(await queue.expiredOutputs(1000, 10), []);
    assert.equal((await queue.get('a'))?.outputKept, false);
    assert.deepEqual(await queue.oldRecords(Date.now() + 1, 10), ['a']);
    await queue.deleteRecords(['a']);
    assert.equal(await queue.get('a'), null);
  });

  test(`${name}: a job is cancelled in whatever state it is found, unless it has ended`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context);
    const cancelled = { code: 'CANCELLED', params: {} } as const;
    for (const id of ['runs', 'waits']) await queue.enqueue(newJob(id));
    const claim = (await queue.claim()) as Claim;
    const found = [];
    for (const id of ['runs', 'waits', 'waits', 'nope']) found.push(await queue.cancel(id, cancelled, 9));
    assert.deepEqual(found, ['RUNNING', 'QUEUED', 'FAILED', null]);
    assert.equal(await queue.length(), 0);
    assert.equal(await queue.claim(), null);
    assert.equal(await queue.succeed(claim, OUTPUT, report, 5), false, 'the attempt comes too late');
    assert.equal(await queue.requeue(claim, true), false);
    for (const id of ['runs', 'waits']) {
      const job = await queue.summary(id);
      assert.deepEqual([job?.state, job?.error?.code, job?.expiresAt], ['FAILED', 'CANCELLED', 9]);
    }
  });

  test(`${name}: a text with a NUL character is the id of no job and no upload`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context);
    await queue.enqueue(newJob('ab', { idempotency: { key: 'k', requestHash: 'h' } }));
    assert.equal(await queue.get('a\0b'), null);
    assert.equal(await queue.summary('ab\0'), null);
    assert.equal(await queue.uploads.get('\0'), null);
    assert.equal(await queue.knowsKey('ann', 'k\0'), false);
    assert.equal(await queue.cancel('a\0b', { code: 'CANCELLED', params: {} }, 5), null);
    assert.equal(await queue.removeEnded('a\0b'), false);
    assert.deepEqual(await queue.list('ann\0', { state: null, operation: null }, null, 10), []);
  });

  test(`${name}: only what has ended is removed, and its Idempotency-Key is free again`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context);
    const key = { key: 'k', requestHash: 'h' };
    await queue.enqueue(newJob('a', { idempotency: key }));
    assert.equal(await queue.removeEnded('a'), false);
    await queue.cancel('a', { code: 'CANCELLED', params: {} }, 9);
    assert.equal((await queue.enqueue(newJob('b', { idempotency: key }))).id, 'a');
    const removed = await Promise.all([queue.removeEnded('a'), queue.removeEnded('a')]);
    assert.deepEqual(removed.sort(), [false, true]);
    assert.equal((await queue.enqueue(newJob('b', { idempotency: key }))).id, 'b');
  });

  test(`${name}: pages of the list are the whole list, in its order, for every filter and page size`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context);
    const operations = ['transform', 'append', 'merge'] as const;
    for (let i = 0; i < 40; i++) {
      const job = newJob(`j${i}`);
      const request = { ...job.request, operation: operations[i % 3] } as NewJob['request'];
      await queue.enqueue({ ...job, request });
      if (i % 4 === 1) await queue.succeed((await queue.claim()) as Claim, OUTPUT, report, 5);
      if (i % 4 === 2) await queue.fail((await queue.claim()) as Claim, { code: 'CANCELLED', params: {} }, 5);
    }
    const all = await queue.list(ANY_OWNER, { state: null, operation: null }, null, 1000);
    assert.equal(all.length, 40);
    for (const [i, job] of all.slice(1).entries())
      assert.ok(
        all[i].createdAt > job.createdAt || (all[i].createdAt === job.createdAt && all[i].id > job.id),
      );
    const cases = fc.record({
      state: fc.constantFrom(null, ...jobStates),
      operation: fc.constantFrom(null, ...operations),
      limit: fc.integer({ min: 1, max: 45 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ state, operation, limit }) => {
        const wanted = all.filter(
          (job) => job.state === (state ?? job.state) && job.operation === (operation ?? job.operation),
        );
        const seen: JobSummary[] = [];
        for (;;) {
          const page = await queue.list(ANY_OWNER, { state, operation }, seen.at(-1) ?? null, limit);
          seen.push(...page);
          if (page.length < limit) break;
        }
        assert.deepEqual(seen, wanted);
      }),
      { numRuns: 60 },
    );
  });

  test(`${name}: whatever happens in whatever order, no job is lost, none ends twice, and the length is right`, {
    skip,
  }, async (context) => {
    const { queue } = await open(context);
    let serial = 0;
    const actions = fc.array(
      fc.constantFrom('enqueue', 'claim', 'succeed', 'fail', 'requeue', 'cancel', 'recover'),
      {
        maxLength: 60,
      },
    );
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const states = new Map<string, JobState>();
        const claims: Claim[] = [];
        const change = async (state: JobState, act: (claim: Claim) => Promise<boolean>): Promise<void> => {
          const claim = claims.shift();
          if (claim === undefined) return;
          assert.equal(await act(claim), true);
          states.set(claim.job.id, state);
        };
        for (const step of steps) {
          if (step === 'enqueue') {
            serial += 1;
            states.set(`j${serial}`, (await queue.enqueue(newJob(`j${serial}`))).state);
          } else if (step === 'claim') {
            const claim = await queue.claim();
            if (claim !== null) {
              claims.push(claim);
              states.set(claim.job.id, 'RUNNING');
            }
          } else if (step === 'succeed')
            await change('SUCCESS', (claim) => queue.succeed(claim, OUTPUT, report, 5));
          else if (step === 'fail')
            await change('FAILED', (claim) => queue.fail(claim, { code: 'CANCELLED', params: {} }, 5));
          else if (step === 'cancel') {
            const [id, found] = [...states].at(-1) ?? ['none', null];
            assert.equal(await queue.cancel(id, { code: 'CANCELLED', params: {} }, 5), found);
            if (found === null || isFinal(found)) continue;
            states.set(id, 'FAILED');
            const at = claims.findIndex(({ job }) => job.id === id);
            if (at >= 0) assert.equal(await queue.succeed(claims.splice(at, 1)[0], OUTPUT, report, 5), false);
          } else if (step === 'requeue') await change('QUEUED', (claim) => queue.requeue(claim, false));
          else {
            await queue.recover(1000, 5, NOT_HELD);
            for (const claim of claims.splice(0)) states.set(claim.job.id, 'QUEUED');
          }
        }
        for (const [id, state] of states) assert.equal((await queue.get(id))?.state, state);
        assert.equal(await queue.length(), [...states.values()].filter((state) => state === 'QUEUED').length);
        // Leave nothing behind for the next round.
        for (let claim = await queue.claim(); claim !== null; claim = await queue.claim())
          await queue.fail(claim, { code: 'CANCELLED', params: {} }, 5);
        await queue.recover(0, 5, NOT_HELD);
        for (const id of states.keys()) assert.ok(isFinal((await queue.get(id))?.state ?? 'QUEUED'));
      }),
      { numRuns: 30 },
    );
  });
}

test('a change whose sync fails is told of when it is durable, and counts meanwhile', async (context) => {
  let isBroken = true;
  let failures = 0;
  const sync = async () => {
    if (isBroken) throw Object.assign(new Error('EIO: test'), { code: 'EIO' });
  };
  const { queue } = openQueue(context, { sync: { sync, onFailure: () => (failures += 1) } });
  let isTold = false;
  const enqueued = queue.enqueue(newJob('a')).then((result) => {
    isTold = true;
    return result;
  });
  await until('two syncs have failed', () => failures >= 2);
  assert.equal(isTold, false);
  assert.equal(await queue.length(), 1);
  assert.equal((await queue.get('a'))?.state, 'QUEUED');
  isBroken = false;
  assert.deepEqual(await enqueued, { id: 'a', state: 'QUEUED', added: true });
  assert.equal(await queue.length(), 1);
});

test('the length is that of the rows, in whatever phase a commit fails', async (context) => {
  const sync = () => Promise.reject(new Error('EIO: test'));
  const { queue } = openQueue(context, { sync: { sync, patienceMs: 0 }, maxLength: 3 });
  const key = { key: 'k', requestHash: 'h' };
  const rows = async () =>
    (await queue.list(ANY_OWNER, { state: 'QUEUED', operation: null }, null, 100)).length;
  const check = async (length: number): Promise<void> => {
    assert.equal(await queue.length(), length);
    assert.equal(await rows(), length);
  };
  await assert.rejects(queue.enqueue(newJob('a', { idempotency: key })), /EIO/);
  await check(1);
  await assert.rejects(queue.enqueue(newJob('a')), /UNIQUE/);
  await check(1);
  const claim = (await queue.claim()) as Claim;
  await check(0);
  await queue.requeue(claim, true);
  await check(1);
  await assert.rejects(queue.cancel('a', { code: 'CANCELLED', params: {} }, 5), /EIO/);
  await check(0);
  await assert.rejects(queue.removeEnded('a'), /EIO/);
  await check(0);
});
