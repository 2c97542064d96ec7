/** Which running jobs are ended because of the files that they write. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ScratchLimits, ScratchWatch } from '../src/jobs/scratch-watch.ts';

/** A runner whose files have the given sizes, and what it was ended for. */
function runner(scratchBytes: number, outputBytes = 0) {
  const kills: string[] = [];
  const sizes = { scratchBytes, outputBytes };
  return { sizes, kills, kill: (cause: string) => kills.push(cause), slot: { measure: async () => ({ ...sizes }) } }; // biome-ignore format: one line
}

/** `stored`: bytes of each owner. */
function watchOf(
  limits: Partial<ScratchLimits>,
  stored: Readonly<Record<string, number>> = {},
): ScratchWatch {
  const holding = async (owner: string) => ({ waiting: 0, running: 1, storedBytes: stored[owner] ?? 0 });
  return new ScratchWatch({ jobBytes: 1000, ownerBytes: null, ...limits }, { holding }, (error) =>
    assert.fail(String(error)),
  );
}

test('ends a job whose temporary files are larger than the limit, and no other', async () => {
  const watch = watchOf({});
  for (const [bytes, isEnded] of [
    [0, false],
    [999, false],
    [1000, false],
    [1001, true],
    [1e12, true],
  ] as const) {
    const one = runner(bytes);
    watch.add('a', one);
    await watch.measure(one);
    assert.deepEqual(one.kills, isEnded ? ['scratch'] : [], `${bytes}`);
    const error = isEnded ? { code: 'JOB_SCRATCH_EXCEEDED', params: { bytes, limit: 1000, setting: 'MAX_SCRATCH' } } : null; // biome-ignore format: one line
    assert.deepEqual(watch.errorOf(one), error);
  }
});

test('the output does not count for the limit of a job', async () => {
  const watch = watchOf({});
  const one = runner(1000, 1e9);
  watch.add('a', one);
  await watch.measure(one);
  assert.deepEqual(one.kills, []);
});

test('temporary files and output count for the owner, with what is stored', async () => {
  const watch = watchOf({ ownerBytes: 500 }, { a: 100 });
  const one = runner(300, 100);
  watch.add('a', one);
  await watch.measure(one);
  assert.deepEqual(one.kills, [], 'exactly the limit');
  one.sizes.outputBytes++;
  await watch.measure(one);
  assert.deepEqual(one.kills, ['scratch']);
  assert.deepEqual(watch.errorOf(one), { code: 'OWNER_SCRATCH_EXCEEDED', params: { bytes: 401, stored: 100, limit: 500 } }); // biome-ignore format: one line
});

test('the jobs of an owner count together, those of others do not', async () => {
  const watch = watchOf({ ownerBytes: 500 });
  const [first, other, second] = [runner(300), runner(400), runner(201)];
  for (const [owner, one] of [
    ['a', first],
    ['b', other],
    ['a', second],
  ] as const) {
    // biome-ignore format: one line
    watch.add(owner, one);
    await watch.measure(one);
  }
  assert.deepEqual([first, other, second].map(({ kills }) => kills.length), [0, 0, 1]); // biome-ignore format: one line
});

test('a job that has ended does not count any more, and its runner is not ended', async () => {
  const watch = watchOf({ ownerBytes: 500 });
  const [first, second] = [runner(300), runner(300)];
  const stop = watch.begin('a', first);
  await watch.measure(first);
  stop();
  watch.add('a', second);
  await watch.measure(second);
  first.sizes.scratchBytes = 1e9;
  await watch.measure(first);
  assert.deepEqual([...first.kills, ...second.kills], []);
});

test('a job that ends while it is measured is not ended for its files', async () => {
  const watch = watchOf({});
  const one = runner(5000);
  const stop = watch.begin('a', one);
  const measured = watch.measure(one);
  stop();
  watch.add('a', one);
  await measured;
  assert.deepEqual(one.kills, []);
  assert.equal(watch.errorOf(one), null);
});

test('jobs are measured several times a second, also after one that failed', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const troubles: unknown[] = [];
  const holding = async () => ({ waiting: 0, running: 1, storedBytes: 0 });
  const watch = new ScratchWatch({ jobBytes: 1, ownerBytes: null }, { holding }, (error) =>
    troubles.push(error),
  );
  const ended = Promise.withResolvers<string>();
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const one = {
    kill: (cause: string) => ended.resolve(cause),
    slot: {
      async measure() {
        asked[count]?.resolve();
        if (count++ === 0) throw new Error('too many open files');
        return { scratchBytes: 2, outputBytes: 0 };
      },
    },
  };
  watch.begin('a', one);
  context.mock.timers.tick(500);
  await asked[0].promise;
  // The next one is planned when this one is over.
  await new Promise(setImmediate);
  context.mock.timers.tick(500);
  assert.equal(await ended.promise, 'scratch');
  assert.equal(troubles.length, 1);
});
