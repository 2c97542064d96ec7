/** Every quantity of the settings with odd values: what is derived from it is a whole number, and every time has a date. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { JobFeed } from '../src/jobs/job-feed.ts';
import { Peers } from '../src/jobs/peers.ts';
import type { SharedQueue } from '../src/jobs/queue.ts';
import { readConfig, settings } from '../src/settings/config.ts';
import type { Setting } from '../src/settings/setting-values.ts';

const quantities = (Object.entries(settings) as [keyof typeof settings, Setting][]).filter(([, { type }]) =>
  ['seconds', 'bytes', 'integer'].includes(type),
);

/** Values at both ends, primes between them, and fractions of units. */
function oddValues({ type, min = 0, max = Number.MAX_SAFE_INTEGER }: Setting): string[] {
  const primes = [2, 3, 5, 7, 11, 13, 101, 997, 7919, 86_399, 104_729, 2_147_483_647];
  const numbers = [min, min + 1, ...primes, max - 1, max].filter((value) => value >= min && value <= max);
  const units = type === 'seconds' ? ['1.1m', '2.3h', '0.7d', '1.15h', '4.35 m'] : [];
  return [...numbers.map(String), ...units];
}

test('every quantity is a whole number or is refused with its name', () => {
  assert.ok(quantities.length > 35);
  for (const [key, setting] of quantities)
    for (const given of oddValues(setting)) {
      let value: unknown;
      try {
        value = readConfig({ [setting.name]: given })[key];
      } catch (error) {
        assert.match(String(error), new RegExp(`${setting.name}|RUNNER`), `${setting.name}=${given}`);
        continue;
      }
      assert.ok(Number.isSafeInteger(value), `${setting.name}=${given}: ${value}`);
    }
});

test('the whole range of each duration is whole milliseconds, and now plus or minus it is a date', () => {
  for (const [key, setting] of quantities.filter(([, { type }]) => type === 'seconds')) {
    assert.ok('max' in setting, `${setting.name} has no largest value`);
    for (const given of [setting.min!, setting.max!]) {
      const ms = Number(readConfig({ [setting.name]: String(given) })[key]) * 1000;
      assert.ok(Number.isSafeInteger(ms));
      for (const time of [Date.now() + ms, Date.now() - ms])
        assert.ok(Number.isFinite(new Date(time).getTime()), setting.name);
    }
    assert.throws(() => readConfig({ [setting.name]: String(setting.max! + 1) }), {
      code: 'SETTING_INVALID',
    });
  }
});

test('fractions of a unit count if they come to a whole number', () => {
  for (const [given, seconds] of [
    ['1.1m', 66],
    ['4.35m', 261],
    ['1.15h', 4140],
    ['2.3h', 8280],
    ['0.7d', 60_480],
  ] as const)
    assert.equal(readConfig({ OUTPUT_RETENTION: given }).outputRetentionSeconds, seconds, given);
  for (const given of ['1.5', '2.0001m', '0.1s', '1.00001m'])
    assert.throws(() => readConfig({ OUTPUT_RETENTION: given }), /must come to a whole number/, given);
});

for (const leaseSeconds of [3, 4, 5, 7, 10, 11, 13, 29, 31, 59, 3599, 3600])
  test(`signs of life of a lease of ${leaseSeconds} s are whole milliseconds`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const asked = Promise.withResolvers<number>();
    const queue = {
      leaseMs: leaseSeconds * 1000,
      listen() {},
      lost: async () => [],
      takeTurn: async (_task: string, intervalMs: number) => {
        asked.resolve(intervalMs);
        return false;
      },
    } as Partial<SharedQueue> as SharedQueue;
    const fail = (error: unknown): never => assert.fail(String(error));
    const feed = new JobFeed(async () => null, fail);
    const log = { info() {}, warn() {}, error: fail };
    const peers = new Peers({ queue, feed, log, workersOnly: true, running: () => [], end() {}, dispatch() {}, reconcile: async () => {} }); // biome-ignore format: one line
    peers.start();
    context.mock.timers.tick(leaseSeconds * 1000);
    const interval = await asked.promise;
    peers.stop();
    assert.ok(Number.isInteger(interval), `${interval}`);
    assert.ok(interval > 0 && interval < (leaseSeconds * 1000) / 3, `${interval}`);
  });
