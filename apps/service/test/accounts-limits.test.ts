/** Who guesses is slowed down, and only who guesses. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { AttemptLimiter, type AttemptRules, PASSWORD_RULES, SECRET_RULES, sourceOf } from '../src/accounts/attempt-limiter.ts'; // biome-ignore format: one line

const rules: AttemptRules = {
  freeFailures: 3,
  firstDelayMs: 100,
  maxDelayMs: 1000,
  forgetAfterMs: 5000,
  maxSubjects: 10,
};

test('the first failures are free, then each doubles the wait up to the longest', () => {
  let now = 0;
  const limiter = new AttemptLimiter(rules, () => now);
  const waits: number[] = [];
  for (let i = 0; i < 9; i++) {
    limiter.fail('a');
    waits.push(limiter.waitMs('a'));
  }
  assert.deepEqual(waits, [0, 0, 0, 100, 200, 400, 800, 1000, 1000]);
  now += 999;
  assert.equal(limiter.waitMs('a'), 1);
  now += 1;
  assert.equal(limiter.waitMs('a'), 0);
  limiter.fail('a');
  assert.equal(limiter.waitMs('a'), 1000);
});

test('who fails no more for a while starts anew', () => {
  let now = 0;
  const limiter = new AttemptLimiter(rules, () => now);
  for (let i = 0; i < 9; i++) limiter.fail('a');
  now += 5000;
  limiter.fail('a');
  assert.equal(limiter.waitMs('a'), 0);
});

test('the longest wait of address and name counts', () => {
  const limiter = new AttemptLimiter(rules, () => 0);
  for (let i = 0; i < 4; i++) limiter.fail('address', 'name');
  limiter.fail('name');
  assert.equal(limiter.waitMs('address', 'name'), 200);
  assert.equal(limiter.waitMs('name', 'address'), 200);
  limiter.reset('name');
  assert.equal(limiter.waitMs('address', 'name'), 100);
  assert.equal(limiter.waitMs(), 0);
});

test('of a thousand guesses at once only the free ones are tried', () => {
  const limiter = new AttemptLimiter(rules, () => 0);
  let tried = 0;
  for (let i = 0; i < 1000; i++) {
    if (limiter.waitMs('a') > 0) continue;
    limiter.fail('a');
    tried++;
  }
  assert.equal(tried, rules.freeFailures + 1);
});

const step = fc.record({
  subject: fc.constantFrom('a', 'b', 'c'),
  does: fc.constantFrom('fail', 'forgive', 'reset', 'pass'),
  afterMs: fc.integer({ min: 0, max: 2000 }),
});

test('nobody waits longer than the longest, or for what others did', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      let now = 0;
      const all = new AttemptLimiter(rules, () => now);
      const alone = new AttemptLimiter(rules, () => now);
      for (const { subject, does, afterMs } of steps) {
        now += afterMs;
        for (const limiter of subject === 'a' ? [all, alone] : [all])
          if (does !== 'pass') limiter[does](subject);
        assert.equal(all.waitMs('a'), alone.waitMs('a'));
        assert.ok(all.waitMs('a', 'b', 'c') <= rules.maxDelayMs);
      }
    }),
  );
});

test('a failure that is forgiven never was', () => {
  fc.assert(
    fc.property(fc.nat(20), (failures) => {
      const limiter = new AttemptLimiter(rules, () => 0);
      for (let i = 0; i < failures; i++) limiter.fail('a');
      const before = limiter.waitMs('a');
      limiter.fail('a');
      limiter.forgive('a');
      assert.equal(limiter.waitMs('a'), before);
      for (let i = 0; i < failures + 2; i++) limiter.forgive('a');
      assert.equal(limiter.size, 0);
    }),
  );
});

test('however many subjects fail, few are remembered, and the busiest is among them', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 300 }), (subjects) => {
      const limiter = new AttemptLimiter(rules, () => 0);
      for (const subject of subjects) {
        limiter.fail(`s${subject}`);
        limiter.fail('victim');
        assert.ok(limiter.size <= rules.maxSubjects);
      }
      if (subjects.length >= 10) assert.equal(limiter.waitMs('victim'), rules.maxDelayMs);
    }),
  );
});

test('rules forget later than the longest wait ends', () => {
  for (const { forgetAfterMs, maxDelayMs } of [SECRET_RULES, PASSWORD_RULES])
    assert.ok(forgetAfterMs >= maxDelayMs);
});

test('a source is an IPv4 address or the /64 of an IPv6 address, however written', () => {
  const sources: Readonly<Record<string, string>> = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '::FFFF:192.0.2.1': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:DB8:1:2::1': '2001:db8:1:2::/64',
    '2001:0db8:0001:0002:ffff::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '::1': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    // As some proxies forward it: a client can come from every port.
    '192.0.2.1:5060': '192.0.2.1',
    '[2001:db8:1:2::1]:5060': '2001:db8:1:2::/64',
    '[::ffff:192.0.2.1]': '192.0.2.1',
  };
  for (const [address, source] of Object.entries(sources)) assert.equal(sourceOf(address), source, address);
});
