/** Jobs with several input files: how they reach the runner, and when they are removed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import { startTestService } from '../../../test/support/service.ts';
import { LOCAL_OWNER } from '../src/accounts/principal.ts';
import type { NewJob } from '../src/jobs/job.ts';
import { Receipts } from '../src/jobs/receipts.ts';
import { sweep } from '../src/jobs/retention.ts';
import type { JobService } from '../src/jobs/service.ts';
import { SqliteQueue } from '../src/jobs/sqlite-queue.ts';
import { LocalStore } from '../src/storage/local-store.ts';
import { inputKey } from '../src/storage/store.ts';

/** A job whose files were received in the order of `fileIndices`, which need not be that of the request. */
function jobOf(id: string, fileIndices: readonly number[]): NewJob {
  return {
    id,
    owner: LOCAL_OWNER,
    inputs: fileIndices.map((fileIndex) => ({ name: `${fileIndex}.geojson`, byteLength: 1, fileIndex })),
    request: {
      operation: 'append',
      input: {
        format: 'geojson',
        files: fileIndices.map(() => ({ crs: null, crsPath: 'input.epsg' })),
        layers: null,
        options: {},
      },
      transformations: [],
      output: { format: 'geojson', crs: null, toFile: true, options: {} },
    },
    requestFindings: [],
    idempotency: null,
  };
}

async function receive(service: JobService, id: string, texts: readonly string[]): Promise<void> {
  for (const [index, text] of texts.entries()) {
    const upload = await service.receive(LOCAL_OWNER, id, index);
    await upload.write(Buffer.from(text));
    await upload.keep();
  }
}

test('the files of a job come to the runner in the order of the request, and all go when it ends', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const inputs = join(service.config.dataDirectory, 'inputs');
  const id = service.service.newJobId();
  await receive(service.service, id, ['a', 'b', 'c']);
  assert.equal(readdirSync(inputs).length, 3);
  await service.service.submit(jobOf(id, [2, 0, 1]));
  assert.equal((await service.ended(id)).state, 'SUCCESS');
  const output = await fetch(`${service.url}/result/output/${id}`);
  assert.equal(await output.text(), outputOf('c+a+b'));
  assert.deepEqual(readdirSync(inputs), []);
  // A runner's slot holds nothing of the job before.
  const other = service.service.newJobId();
  await receive(service.service, other, ['d', 'e']);
  await service.service.submit(jobOf(other, [0, 1]));
  await service.ended(other);
  assert.equal(await (await fetch(`${service.url}/result/output/${other}`)).text(), outputOf('d+e'));
});

test('a cancelled job loses all its files', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const [running, waiting] = [service.service.newJobId(), service.service.newJobId()];
  for (const id of [running, waiting]) {
    await receive(service.service, id, ['wait 1000000', 'b']);
    await service.service.submit(jobOf(id, [0, 1]));
  }
  await Promise.all([running, waiting].map((id) => service.service.jobsOf(LOCAL_OWNER).remove(id)));
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'inputs')), []);
});

function openStore(context: TestContext): { queue: SqliteQueue; store: LocalStore; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-inputs-'));
  const queue = new SqliteQueue({ path: join(directory, 'jobs.sqlite'), maxLength: 9, retryAfterSeconds: 5 });
  context.after(async () => {
    await queue.close();
    rmSync(directory, { recursive: true });
  });
  return { queue, store: new LocalStore(directory), directory };
}

test('checks of the same store at the same time do not disturb each other', async (context) => {
  const { store, directory } = openStore(context);
  await Promise.all([store.checkWritable(), store.checkWritable(), store.checkWritable()]);
  assert.ok(!existsSync(join(directory, 'probe')));
});

test('the sweep takes files of ended and deleted jobs under every number, and none of those that wait or come in', async (context) => {
  const { queue, store, directory } = openStore(context);
  const receipts = new Receipts();
  const ids = { waits: randomUUID(), ended: randomUUID(), deleted: randomUUID(), comes: randomUUID() };
  for (const id of Object.values(ids)) {
    for (const index of [0, 1, 2]) {
      const upload = await store.receive(inputKey(id, index));
      if (id === ids.comes) await receipts.open(id, LOCAL_OWNER, upload);
      await upload.keep();
      utimesSync(join(directory, 'inputs', inputKey(id, index)), 1, 1);
    }
  }
  for (const id of [ids.ended, ids.deleted]) {
    await queue.enqueue(jobOf(id, [0, 1, 2]));
    await queue.cancel(id, { code: 'CANCELLED', params: {} }, 5);
  }
  await queue.removeEnded(ids.deleted);
  await queue.enqueue(jobOf(ids.waits, [0, 1, 2]));
  const swept = await sweep(queue, store, Date.now(), {
    recordRetentionMs: 1e9,
    orphanAgeMs: 3_600_000,
    isReceiving: (id) => receipts.has(id),
  });
  assert.equal(swept.orphans, 6);
  assert.deepEqual(
    readdirSync(join(directory, 'inputs')).sort(),
    [ids.comes, ids.waits].flatMap((id) => [id, `${id}.1`, `${id}.2`]).sort(),
  );
});

test('a job is received until it is entered or the last of its files is discarded', async (context) => {
  const { store } = openStore(context);
  const receipts = new Receipts();
  const [first, second] = await Promise.all(
    [0, 1].map(async (index) => receipts.open('a', LOCAL_OWNER, await store.receive(inputKey('a', index)))),
  );
  await first.write(Buffer.from('xyz'));
  assert.equal(first.byteLength, 3);
  await first.discard();
  assert.equal(receipts.has('a'), true);
  await Promise.all([second.discard(), second.discard()]);
  assert.equal(receipts.has('a'), false);
  await receipts.open('b', LOCAL_OWNER, await store.receive('b'));
  receipts.close('b');
  assert.equal(receipts.has('b'), false);
});
