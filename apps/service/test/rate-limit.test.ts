/** The laws of token buckets. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Principal } from '../src/accounts/principal.ts';
import { TokenBuckets } from '../src/accounts/token-buckets.ts';
import { RequestRate } from '../src/http/auth/request-rate.ts';

const rules = fc.record({
  ratePerSecond: fc.integer({ min: 1, max: 1000 }),
  burst: fc.integer({ min: 1, max: 50 }),
});
/** Requests of a few keys, each so many milliseconds after the one before. */
const requests = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), afterMs: fc.nat(400) }), {
  maxLength: 200,
});

test('in no stretch of time pass more than a burst and what the rate makes of that time', () => {
  fc.assert(
    fc.property(rules, requests, (rule, steps) => {
      let now = 0;
      const buckets = new TokenBuckets(rule, () => now);
      const passedAt: number[] = [];
      for (const { afterMs } of steps) {
        now += afterMs / 10;
        if (buckets.take('a') === 0) passedAt.push(now);
      }
      for (const [first, from] of passedAt.entries())
        for (const [more, to] of passedAt.slice(first).entries())
          assert.ok(more + 1 <= rule.burst + ((to - from) * rule.ratePerSecond) / 1000 + 1e-6);
    }),
  );
});

test('a bucket does what it would if it counted tokens, whatever other keys do and whatever is forgotten', () => {
  fc.assert(
    fc.property(rules, requests, (rule, steps) => {
      let now = 0;
      const buckets = new TokenBuckets(rule, () => now);
      const counted = new Map<string, { tokens: number; at: number }>();
      for (const { key, afterMs } of steps) {
        now += afterMs;
        const { tokens, at } = counted.get(key) ?? { tokens: rule.burst, at: now };
        const have = Math.min(rule.burst, tokens + ((now - at) * rule.ratePerSecond) / 1000);
        const waitMs = buckets.take(key);
        const wantedMs = ((1 - have) * 1000) / rule.ratePerSecond;
        assert.ok(Math.abs(waitMs - Math.max(0, wantedMs)) < 1e-3, `${waitMs} for ${wantedMs}`);
        counted.set(key, { tokens: waitMs === 0 ? have - 1 : have, at: now });
      }
    }),
  );
});

test('who waits as long as told gets a token, and who waits less does not', () => {
  fc.assert(
    fc.property(rules, fc.integer({ min: 1, max: 99 }), (rule, percent) => {
      let now = 0;
      const buckets = new TokenBuckets(rule, () => now);
      while (buckets.take('a') === 0);
      const waitMs = buckets.take('a');
      now = (waitMs * percent) / 100;
      assert.ok(buckets.take('a') > 0);
      now = waitMs;
      assert.equal(buckets.take('a'), 0);
    }),
  );
});

test('full buckets are forgotten, and of more than there may be the one asked longest ago', () => {
  let now = 0;
  const buckets = new TokenBuckets({ ratePerSecond: 20, burst: 100, maxBuckets: 1000 }, () => now);
  for (let i = 0; i < 50_000; i++) buckets.take(`first ${i}`);
  assert.equal(buckets.size, 1000);
  now = 50;
  for (let i = 0; i < 600; i++) buckets.take(`second ${i}`);
  // Each that comes makes two go that are full again.
  assert.equal(buckets.size, 600);
  now = 200;
  buckets.take('x');
  buckets.take('x');
  assert.equal(buckets.size, 597);
});

const principalOf = (owner: string, kind: Principal['credential']['kind']): Principal => ({
  owner,
  scopes: ['jobs:read'],
  credential: { kind, id: 'x' },
});

test('an account has one rate from wherever it asks, and who has none has that of the address', () => {
  const rate = new RequestRate(1, 2);
  const [ann, bob] = [principalOf('ann', 'key'), principalOf('bob', 'client')];
  rate.count(ann, '192.0.2.1');
  rate.count(principalOf('ann', 'client'), '192.0.2.2');
  assert.throws(() => rate.count(ann, '192.0.2.3'), {
    code: 'RATE_EXCEEDED',
    params: { limit: 1, seconds: 1 },
  });
  rate.count(bob, '192.0.2.1');
  const open = principalOf('local', 'open');
  rate.count(open, '2001:db8::1');
  rate.count(open, '2001:db8::2');
  assert.throws(() => rate.count(open, '2001:db8::3'), { code: 'RATE_EXCEEDED' });
  rate.count(open, '2001:db8:0:1::1');
});

test('a rate of 0 is no bound', () => {
  const rate = new RequestRate(0, 1);
  for (let i = 0; i < 1000; i++) rate.count(principalOf('ann', 'key'), '192.0.2.1');
});
