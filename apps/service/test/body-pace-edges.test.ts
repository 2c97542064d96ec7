/** A body that is received too slowly, or for too long, is refused; one at the limit is not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Timers } from '../../../packages/core/src/timers.ts';
import { keepPace } from '../src/http/body-pace.ts';

/** Receives a body whose bytes after each time are these, in milliseconds, and says when it was refused. */
async function refusedAt(
  bytesAt: Readonly<Record<number, number>>,
  { minBytesPerSecond = 0, maxSeconds = 1000, windowMs = 1_000_000 },
): Promise<number | null> {
  let now = 0;
  let check = (): void => {};
  const timers: Timers = {
    now: () => now,
    after: () => () => {},
    every: (_, act) => {
      check = act;
      return () => {};
    },
  };
  const hooks: Record<string, (request: object, reply: object) => Promise<void>> = {};
  const app = { addHook: (name: string, hook: never) => (hooks[name] = hook) };
  let refused: number | null = null;
  const socket = {
    bytesRead: 0,
    destroy: () => {
      refused ??= now;
    },
    destroySoon() {},
  };
  keepPace(app as never, { minBytesPerSecond, maxSeconds, windowMs, timers } as never, {} as never);
  const raw = { complete: false, destroyed: false, readableLength: 0, isPaused: () => false, socket, once() {} }; // biome-ignore format: one line
  await hooks.preParsing({ raw }, { raw: { headersSent: true } });
  for (const [time, bytes] of Object.entries(bytesAt)) {
    now = Number(time);
    socket.bytesRead = bytes;
    check();
  }
  return refused;
}

test('a body may take the whole time, and not a millisecond more', async () => {
  assert.equal(await refusedAt({ 9999: 1, 10000: 2 }, { maxSeconds: 10 }), null);
  assert.equal(await refusedAt({ 10000: 2, 10001: 3 }, { maxSeconds: 10 }), 10_001);
});

test('a body may have just the least rate in each window, of which each counts by itself', async () => {
  const limits = { minBytesPerSecond: 100, windowMs: 2000 };
  assert.equal(await refusedAt({ 1999: 0, 2000: 200, 4000: 400 }, limits), null);
  assert.equal(await refusedAt({ 2000: 199 }, limits), 2000);
  assert.equal(await refusedAt({ 2000: 5000, 4000: 5199 }, limits), 4000);
});
