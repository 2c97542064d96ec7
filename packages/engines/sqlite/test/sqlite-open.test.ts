import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { makeWorkspace } from '../../../../test/support/convert.ts';

const DATABASE = new URL('../src/database.ts', import.meta.url).href;

/** Waits at the barrier until all threads are there, opens the database, answers with the journal or what went wrong. */
const OPENER = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { Database } from ${JSON.stringify(DATABASE)};
  const { barrier, threads, path, rounds } = workerData;
  const answers = [];
  for (let round = 1; round <= rounds; round++) {
    if (Atomics.add(barrier, 0, 1) + 1 === threads * round) Atomics.notify(barrier, 0);
    for (let there; (there = Atomics.load(barrier, 0)) < threads * round; ) Atomics.wait(barrier, 0, there);
    try {
      const database = new Database(path + round, { synchronous: 'NORMAL' });
      answers.push(database.prepare('PRAGMA journal_mode').get().journal_mode);
      database.close();
    } catch (error) {
      answers.push(error.message);
    }
  }
  parentPort.postMessage(answers);
`;

test('a new database opens in all of several threads that open it at the same time', async () => {
  using workspace = makeWorkspace();
  const threads = 4;
  const barrier = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { barrier, threads, path: join(workspace.path, 'new-'), rounds: 50 };
  const source = new URL(`data:text/javascript,${encodeURIComponent(OPENER)}`);
  const workers = Array.from({ length: threads }, () => new Worker(source, { workerData }));
  const answers = await Promise.all(
    workers.map(async (worker) => (await once(worker, 'message'))[0] as string[]),
  );
  assert.deepEqual([...new Set(answers.flat())], ['wal']);
});
