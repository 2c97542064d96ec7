/** What an empty queue says of itself, and one that is full to its last job. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { newJob } from '../../../test/support/queue.ts';
import { SqliteQueue } from '../src/jobs/sqlite-queue.ts';

test('a queue has work if it has a job, and room up to its limit', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'jobs.sqlite');
  const queue = new SqliteQueue({ path, maxLength: 2, retryAfterSeconds: 5 });
  try {
    assert.equal(await queue.hasWork(), false);
    for (const id of ['a', 'b']) {
      await queue.checkRoom('local', 3);
      await queue.enqueue(newJob(id));
      assert.equal(await queue.hasWork(), true);
    }
    await assert.rejects(queue.checkRoom('local', 3), { code: 'QUEUE_FULL' });
    await assert.rejects(queue.enqueue(newJob('c')), { code: 'QUEUE_FULL' });
    assert.equal(await queue.length(), 2);
  } finally {
    await queue.close();
  }
});
