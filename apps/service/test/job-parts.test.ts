/** The end of the parts of a job: nobody can claim a part whose files are gone. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { JobParts } from '../src/jobs/job-parts.ts';
import type { PartQueue } from '../src/jobs/parts.ts';
import type { RunnerProcess } from '../src/jobs/runner-process.ts';
import { SharedDirectoryStore } from '../src/storage/shared-directory.ts';

const ATTEMPT = { id: '00000000-0000-4000-8000-000000000001', fence: 1 };

/** Closes the parts of an attempt that has offered one; `withdraw` is that of the queue. The messages of the log, and the files left. */
async function closed(
  withdraw: (files: () => Promise<number>) => Promise<void>,
): Promise<{ warnings: string[]; left: number }> {
  using workspace = makeWorkspace();
  const [slot, directory] = ['slot', 'files'].map((name) => join(workspace.path, name));
  mkdirSync(join(slot, 'scratch'), { recursive: true });
  mkdirSync(directory);
  for (const name of ['session', 'tasks']) writeFileSync(join(slot, 'scratch', name), name);
  const files = new SharedDirectoryStore(directory).parts;
  const left = async (): Promise<number> => {
    let count = 0;
    for await (const { fence } of files.list()) count += fence;
    return count;
  };
  const warnings: string[] = [];
  const added = Promise.withResolvers<void>();
  const queue: Partial<PartQueue> = {
    async add() {
      added.resolve();
      return true;
    },
    of: async () => [],
    takeOwn: async () => null,
    withdraw: () => withdraw(left),
  };
  const parts = new JobParts({
    attempt: ATTEMPT,
    queue: queue as PartQueue,
    files,
    runner: { slot: { directory: slot } } as unknown as RunnerProcess,
    hasStoredInput: true,
    keep: (write) => write(),
    onProgress() {},
    log: { info() {}, error() {}, warn: (_, text) => void warnings.push(text) },
  });
  const part = { tasks: 'scratch/tasks', count: 1, range: null };
  parts.receive({
    type: 'offer',
    offer: {
      ...{
        first: 0,
        session: 'scratch/session',
        parts: [part],
        files: [],
        readsInput: true,
        progress: [0, 1],
      },
    },
  });
  await added.promise;
  await parts.close();
  return { warnings, left: await left() };
}

test('the parts of an attempt that is over are withdrawn before their files are removed', async () => {
  let filesThen = 0;
  const { warnings, left } = await closed(async (files) => {
    filesThen = await files();
  });
  assert.deepEqual({ filesThen, left, warnings }, { filesThen: 1, left: 0, warnings: [] });
});

test('files of parts that cannot be withdrawn are left to the sweep', async () => {
  const { warnings, left } = await closed(() => Promise.reject(new Error('the database is away')));
  assert.equal(left, 1);
  assert.deepEqual(warnings, ['files of parts could not be removed; they are swept']);
});
