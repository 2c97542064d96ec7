/** Limits that two processes share through PostgreSQL. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { postgresPlace } from '../../../test/support/accounts.ts';
import { noPostgres } from '../../../test/support/postgres.ts';
import { openAccountsAt } from '../src/accounts/accounts.ts';
import { AttemptLimiter, type AttemptRules } from '../src/accounts/attempt-limiter.ts';
import type { SharedLimits } from '../src/accounts/shared-limits.ts';
import { TokenBuckets } from '../src/accounts/token-buckets.ts';

const skip = noPostgres;
const RULES: AttemptRules = {
  freeFailures: 3,
  firstDelayMs: 60_000,
  maxDelayMs: 600_000,
  forgetAfterMs: 600_000,
  maxSubjects: 10,
};

async function processes(count: number) {
  const place = await postgresPlace();
  const opened = await Promise.all(Array.from({ length: count }, () => openAccountsAt(place)));
  const limits = opened.map(({ database }) => database.limits as SharedLimits);
  return {
    limits,
    opened,
    /** Twice, so that the first also learns what the last has sent. */
    async exchange() {
      for (const one of [...limits, ...limits]) await one.exchange();
    },
    async [Symbol.asyncDispose]() {
      for (const accounts of opened) await accounts.close();
    },
  };
}

test('failures in one process make attempts in all processes wait', { skip }, async () => {
  await using all = await processes(2);
  const [first, second] = all.limits.map((limits) => {
    const limiter = new AttemptLimiter(RULES);
    limits.shareAttempts('account', limiter);
    return limiter;
  });
  for (let i = 0; i < 2; i++) first.fail('ann');
  for (let i = 0; i < 2; i++) second.fail('ann');
  first.fail('bob\0');
  assert.equal(first.waitMs('ann'), 0);
  await all.exchange();
  for (const limiter of [first, second]) {
    const waitMs = limiter.waitMs('ann');
    assert.ok(waitMs > 50_000 && waitMs <= 60_000, String(waitMs));
    assert.equal(limiter.waitMs('bob\0'), 0);
  }
  second.fail('ann');
  assert.ok(second.waitMs('ann') > 100_000);
  await all.exchange();
  assert.ok(first.waitMs('ann') > 100_000);
  second.forgive('ann');
  await all.exchange();
  assert.ok(first.waitMs('ann') <= 60_000);
  first.reset('ann');
  await all.exchange();
  assert.equal(second.waitMs('ann'), 0);
  for (let i = 0; i < 3; i++) second.fail('ann');
  await all.exchange();
  assert.equal(first.waitMs('ann'), 0);
});

test('limits of different kinds do not count for each other', { skip }, async () => {
  await using all = await processes(2);
  const [account, address] = [new AttemptLimiter(RULES), new AttemptLimiter(RULES)];
  all.limits[0].shareAttempts('account', account);
  all.limits[1].shareAttempts('address', address);
  for (let i = 0; i < 9; i++) account.fail('same');
  await all.exchange();
  assert.ok(account.waitMs('same') > 0);
  assert.equal(address.waitMs('same'), 0);
});

test('requests to one process count in the rate of all, and what was too much is made up for', {
  skip,
}, async () => {
  await using all = await processes(3);
  // A token in 100 s: the time that the test takes does not count.
  const buckets = all.limits.map((limits) => {
    const one = new TokenBuckets({ ratePerSecond: 0.01, burst: 4 });
    limits.shareRequests('owner', one);
    return one;
  });
  const [first, second, third] = buckets;
  for (let i = 0; i < 3; i++) assert.equal(first.take('ann'), 0);
  await all.exchange();
  // Another process learns of a key when it has used it.
  assert.equal(second.take('ann'), 0);
  assert.equal(third.take('ann'), 0);
  await all.exchange();
  for (const one of [second, third]) {
    const waitMs = one.take('ann');
    assert.ok(waitMs > 90_000 && waitMs <= 200_000, String(waitMs));
    assert.equal(one.take('bob'), 0);
  }
  // The first still has what it knew when it was last used; then it waits longer.
  assert.equal(first.take('ann'), 0);
  await all.exchange();
  assert.ok(first.take('ann') > 250_000);
});

test('counts that did not get to the database are sent with the next exchange', { skip }, async () => {
  await using all = await processes(2);
  const [first, second] = all.limits.map((limits) => {
    const limiter = new AttemptLimiter(RULES);
    limits.shareAttempts('account', limiter);
    return limiter;
  });
  const { database } = all.opened[0];
  await database.run('ALTER TABLE attempts RENAME TO elsewhere');
  for (let i = 0; i < 9; i++) first.fail('ann');
  await assert.rejects(() => all.limits[0].exchange(), /attempts/);
  assert.ok(first.waitMs('ann') > 0);
  await database.run('ALTER TABLE elsewhere RENAME TO attempts');
  await all.exchange();
  assert.ok(second.waitMs('ann') > 0);
});
