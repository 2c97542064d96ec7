/** The queue of password hashes runs one at a time, in order, and refuses what would wait too long. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { HashQueue } from '../src/pages/account/hash-queue.ts';

test('hashes run one after the other; more than a hundred waiting ones are refused with 503, and then it goes on', async () => {
  const queue = new HashQueue();
  const gate = Promise.withResolvers<void>();
  let atOnce = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++atOnce);
    await gate.promise;
    atOnce -= 1;
  };
  const outcomes = Array.from({ length: 110 }, () =>
    queue.run(work).then(
      () => 'done',
      (error: unknown) => error,
    ),
  );
  const refused = await Promise.all(outcomes.slice(101));
  for (const error of refused) {
    assert.ok(error instanceof GeomillError && error.code === 'SIGN_IN_BUSY');
    assert.equal(error.status, 503);
  }
  gate.resolve();
  assert.deepEqual(new Set(await Promise.all(outcomes.slice(0, 101))), new Set(['done']));
  assert.equal(most, 1);
  assert.equal(await queue.run(async () => 'later'), 'later');
});
