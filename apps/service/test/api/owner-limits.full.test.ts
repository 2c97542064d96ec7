/** What an account may hold and how fast it may ask, over real HTTP with the fake runner. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { TestCredentials } from '../../../../test/support/credentials.ts';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService, submit, submitJob } from '../../../../test/support/service.ts';

const ENDLESS = 'wait 1000000';

/** A service that asks for credentials, and headers that show one of each account named. */
async function start(settings: Readonly<Record<string, string>>, ...owners: string[]) {
  const service = await startTestService({ settings: { AUTH: 'required', RUNNERS: '1', ...settings } });
  await using credentials = new TestCredentials(service.config.dataDirectory);
  const shown: { apikey: string }[] = [];
  for (const owner of owners) {
    const key = await credentials.key(owner, owner === 'reader' ? ['jobs:read'] : undefined);
    shown.push({ apikey: key.secret });
  }
  return { service, shown };
}

async function assertRefused(response: Response, code: string, retryAfter: string, detail: RegExp) {
  const problem = (await response.json()) as { type: string; detail: string };
  assert.equal(response.status, 429, problem.detail);
  assert.equal(problem.type, `urn:geomill:error:${code}`);
  assert.equal(response.headers.get('retry-after'), retryAfter);
  assert.match(problem.detail, detail);
}

test('requests beyond the rate of an account are refused by whatever credential, those of others are not', async () => {
  const { service: held, shown } = await start(
    { RATE_LIMIT: '1', RATE_BURST: '3' },
    'ann',
    'ann',
    'bob',
    'reader',
  );
  await using service = held;
  const list = (headers: Record<string, string>) => fetch(`${service.url}/v1/jobs`, { headers });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => list(shown[i % 2])));
  const refused = answers.filter(({ status }) => status !== 200);
  // On a slow machine some more pass, for the time it takes.
  assert.ok(refused.length > 0 && refused.length <= 27, `${refused.length} of 30`);
  for (const one of refused)
    await assertRefused(one, 'rate-exceeded', '1', /too many requests \(limit 1 per second\)/);
  assert.equal((await list(shown[2])).status, 200);
  // Also what is refused for another reason: this one may not write.
  const form = { method: 'POST', headers: shown[3] };
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 100)
    statuses.push((await fetch(`${service.url}/transform`, form)).status);
  assert.deepEqual([statuses[0], statuses.at(-1)], [403, 429]);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200, 'what is for everybody is not counted');
});

test('an account with as many jobs as it may have is refused, until one of them has ended', async () => {
  const { service: held, shown } = await start({ MAX_OWNER_JOBS: '2' }, 'ann', 'bob');
  await using service = held;
  const [ann, bob] = shown;
  const ids = [
    await submitJob(service, { file: ENDLESS, headers: ann }),
    await submitJob(service, { file: ENDLESS, headers: ann }),
  ];
  const refused = await submit(service, { headers: ann });
  await assertRefused(refused, 'owner-jobs-exceeded', '5', /^this account has 2 active jobs \(limit 2\)/);
  await submitJob(service, { file: ENDLESS, headers: bob });
  assert.equal(
    (await fetch(`${service.url}/v1/jobs/${ids[0]}`, { method: 'DELETE', headers: ann })).status,
    204,
  );
  await submitJob(service, { file: ENDLESS, headers: ann });
});

test('an account that has stored what it may is told what to do, and room that it makes is room', async () => {
  const bytes = outputOf('a').length;
  const { service: held, shown } = await start({ MAX_OWNER_STORAGE: String(bytes + 3000) }, 'ann');
  await using service = held;
  const [headers] = shown;
  const first = await submitJob(service, { file: 'a', headers });
  assert.equal((await service.ended(first)).state, 'SUCCESS');
  const stored = /no room for \d+ bytes: this account stores 2\d{3} of at most 5000 bytes/;
  await assertRefused(
    await submit(service, { file: 'x'.repeat(3000), headers }),
    'owner-storage-exceeded',
    '60',
    stored,
  );
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'inputs')), []);
  // One that fits comes in, and has no room for what it makes: said at once to who waits for it.
  const waited = await submit(service, { file: 'abc', headers: { ...headers, prefer: 'wait=20' } });
  const problem = (await waited.json()) as { detail: string };
  assert.equal(waited.status, 413, problem.detail);
  assert.equal(waited.headers.get('retry-after'), null, 'all the work would be done again');
  assert.match(
    problem.detail,
    /no room for the output of 4\d{3} bytes: this account stores [23]\d{3} of at most 5000 bytes/,
  );
  assert.equal((await fetch(`${service.url}/v1/jobs/${first}`, { method: 'DELETE', headers })).status, 204);
  assert.equal((await service.ended(await submitJob(service, { file: 'a', headers }))).state, 'SUCCESS');
});

test('a repeat with the same Idempotency-Key names the earlier job, also at the limits of its owner', async () => {
  const { service: held, shown } = await start({ MAX_OWNER_JOBS: '1', MAX_OWNER_STORAGE: '5000' }, 'ann');
  await using service = held;
  const [{ apikey }] = shown;
  const file = `${ENDLESS} ${'x'.repeat(3000)}`;
  const ask = (more: { file?: string; key?: string }) =>
    submit(service, {
      file: more.file ?? file,
      headers: { apikey, 'idempotency-key': more.key ?? 'k' },
    });
  const first = (await (await ask({})).json()) as { job_id: string };
  await assertRefused(
    await ask({ key: 'other' }),
    'owner-jobs-exceeded',
    '5',
    /1 jobs? of this account|1 active/,
  );
  const before = (await service.service.holding('ann')).storedBytes;
  for (let i = 0; i < 3; i++) {
    const again = await ask({});
    assert.equal(again.status, 202);
    assert.deepEqual(((await again.json()) as { job_id: string }).job_id, first.job_id);
  }
  const other = await ask({ file: 'something else' });
  assert.equal(other.status, 422);
  await other.body?.cancel();
  assert.equal((await service.service.holding('ann')).storedBytes, before);
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'inputs')), [first.job_id]);
});
