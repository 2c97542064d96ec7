/** Files of parts whose holder died: the sweep removes them, and no file of an attempt that runs. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { fakeReport } from '../../../test/support/fake-conversion.ts';
import { newJob, openQueue } from '../../../test/support/queue.ts';
import { S3TestServer } from '../../../test/support/s3-server.ts';
import type { Claim } from '../src/jobs/queue.ts';
import { sweep } from '../src/jobs/retention.ts';
import { S3Store } from '../src/storage/s3-store.ts';
import { SharedDirectoryStore } from '../src/storage/shared-directory.ts';
import type { FileStore, PartFiles, StoredAttempt } from '../src/storage/store.ts';

const OUTPUT = { byteLength: 1, mediaType: 'text/plain', fileName: 'a.txt' };
const REPORT = fakeReport(newJob('x').request, 1);
const DAY_MS = 86_400_000;

async function attemptsWithFiles(files: PartFiles): Promise<string[]> {
  const found = new Set<string>();
  for await (const { id, fence } of files.list()) found.add(`${id} ${fence}`);
  return [...found].sort();
}

for (const kind of ['shared directory', 'S3'] as const)
  test(`${kind}: files of parts are swept when their attempt is over, not before`, async (context) => {
    using workspace = makeWorkspace();
    const [directory, local] = ['files', 'local'].map((name) => join(workspace.path, name));
    for (const path of [directory, local]) mkdirSync(path);
    const server = kind === 'S3' ? await S3TestServer.start(directory) : null;
    if (kind === 'S3' && server === null) return context.skip('@20minutes/s3rver is not installed');
    await using _ = server;
    const store: FileStore =
      server === null ? new SharedDirectoryStore(directory) : new S3Store(server.settings('mill'));
    const parts = store.parts as PartFiles;
    const left = (): Promise<string[]> => attemptsWithFiles(parts);
    const source = join(local, 'result');
    writeFileSync(source, 'bytes of a part');
    const put = async (attempt: StoredAttempt): Promise<void> => {
      for (const name of ['session', 'result-0-1', 'result-1-1']) await parts.put(attempt, name, source);
    };
    const { queue } = openQueue(context);
    const [id, gone] = [randomUUID(), randomUUID()];
    const swept = async (orphanAgeMs: number): Promise<number> => {
      const options = { recordRetentionMs: DAY_MS, orphanAgeMs, isReceiving: () => false };
      return (await sweep(queue, store, Date.now() + 1000, options)).orphans;
    };
    await queue.enqueue(newJob(id));
    const first = { id, fence: ((await queue.claim()) as Claim).fence };
    await put(first);
    assert.equal(await swept(0), 0, 'the attempt runs');
    // Its worker dies: another one takes the job up.
    await queue.recover(5, Date.now() + DAY_MS, () => false);
    const claim = (await queue.claim()) as Claim;
    const second = { id, fence: claim.fence };
    await put(second);
    // Of a job whose record is gone.
    await put({ id: gone, fence: 1 });
    assert.equal(await swept(DAY_MS), 0, 'files as young as that may be of an attempt that is about to run');
    assert.equal((await left()).length, 3);
    assert.equal(await swept(0), 2);
    assert.deepEqual(await left(), [`${id} ${second.fence}`]);
    for (const name of ['session', 'result-0-1', 'result-1-1'])
      await parts.get(second, name, join(local, `found-${name}`));
    assert.equal(await queue.succeed(claim, OUTPUT, REPORT, Date.now() + DAY_MS), true);
    assert.equal(await swept(0), 1, 'the worker died after it had recorded the result');
    assert.deepEqual(await left(), []);
    store.close?.();
  });
