/** The rules of uploads below HTTP: what is durable, expiry by a clock of the test, locks, and the start after a crash. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { failure } from '../../../packages/core/src/messages/errors.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { ManualTimers } from '../../../test/support/manual-timers.ts';
import { QUEUES } from '../../../test/support/queue.ts';
import { until } from '../../../test/support/until.ts';
import { httpErrors } from '../src/http/errors.ts';
import { ANY_OWNER } from '../src/jobs/job.ts';
import { ReceivedBytes } from '../src/jobs/receipts.ts';
import { UploadLocks } from '../src/jobs/upload-locks.ts';
import { Uploads } from '../src/jobs/uploads.ts';
import { LocalStore } from '../src/storage/local-store.ts';

const DAY = 86_400_000;
const START = Date.UTC(2030, 0, 1);

type OpenQueue = (typeof QUEUES)[number]['open'];

async function openUploads(openQueue: OpenQueue, context: TestContext, storedBytes: number | null = null) {
  const workspace = makeWorkspace();
  context.after(() => workspace[Symbol.dispose]());
  const clock = { at: START };
  const timers = new ManualTimers();
  const { queue } = await openQueue(context, {
    ownerLimits: { jobs: null, storedBytes },
    now: () => clock.at,
  });
  const received = new ReceivedBytes();
  const warnings: object[] = [];
  const store = new LocalStore(workspace.path);
  const uploads = new Uploads({
    records: queue.uploads,
    store,
    settings: { retentionMs: DAY, maxBytes: 1e9, maxPerOwner: null, now: () => clock.at, timers },
    received,
    checkReady() {},
    watched: (act) => act(),
    log: { info() {}, warn: (facts) => warnings.push(facts), error() {} },
    onStored() {},
  });
  const pathOf = (id: string): string => join(workspace.path, 'uploads', id);
  return { uploads, store, queue, clock, received, warnings, pathOf, timers };
}

async function* pieces(...texts: (string | Error | Promise<string>)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield Buffer.from(await text);
  }
}

/** As in upload-locks.ts. */
const STALL_MS = 3000;
const IDLE_MS = 1000;

const file = (byteLength: number | null) => ({ name: 'a.csv', metadata: null, byteLength });

for (const { name, skip, open: openQueue } of QUEUES) {
  const open = (context: TestContext, storedBytes?: number) => openUploads(openQueue, context, storedBytes);

  test(`${name}: an upload expires a day after its last byte, is told to have expired, and is forgotten later`, {
    skip,
  }, async (context) => {
    const { uploads, clock, pathOf, queue } = await open(context);
    const { id } = await uploads.create('ann', file(6));
    clock.at += DAY / 2;
    await uploads.append('ann', id, { offset: 0, body: pieces('abc') });
    clock.at += DAY - 1;
    assert.equal(await uploads.sweep(7 * DAY), 0);
    assert.equal((await uploads.get('ann', id)).offset, 3);
    clock.at += 1;
    // Also before the sweep has come.
    await assert.rejects(uploads.get('ann', id), {
      code: 'UPLOAD_EXPIRED',
      message: /expired at 2030-01-02T12:00/,
    });
    assert.deepEqual(await uploads.list('ann', null, 10), []);
    await assert.rejects(uploads.append('ann', id, { offset: 3, body: pieces('d') }), {
      code: 'UPLOAD_EXPIRED',
    });
    await assert.rejects(uploads.usable('ann', { id, path: 'input.upload' }), { code: 'UPLOAD_EXPIRED' });
    assert.equal(await uploads.sweep(7 * DAY), 1);
    assert.ok(!existsSync(pathOf(id)));
    await assert.rejects(uploads.get('ann', id), { code: 'UPLOAD_EXPIRED' });
    await assert.rejects(uploads.get('bob', id), { code: 'UPLOAD_UNKNOWN' });
    clock.at += 7 * DAY;
    await uploads.sweep(7 * DAY);
    await assert.rejects(uploads.get('ann', id), { code: 'UPLOAD_UNKNOWN' });
    assert.equal((await queue.holding('ann')).storedBytes, 0);
  });

  test(`${name}: an upload that is being written does not expire`, { skip }, async (context) => {
    const { uploads, clock } = await open(context);
    const { id } = await uploads.create('ann', file(6));
    const rest = Promise.withResolvers<string>();
    const writing = uploads.append('ann', id, { offset: 0, body: pieces('abc', rest.promise) });
    // Until it holds the lock: what it has received is recorded then.
    await until('three bytes are recorded', async () => (await uploads.getRecorded('ann', id)).offset === 3);
    clock.at += 2 * DAY;
    assert.equal(await uploads.sweep(0), 0);
    rest.resolve('def');
    const { offset, expiresAt } = await writing;
    assert.deepEqual([offset, expiresAt], [6, clock.at + DAY]);
  });

  test(`${name}: bytes of an interrupted body are kept, those with a checksum are not`, {
    skip,
  }, async (context) => {
    const { uploads, received, pathOf } = await open(context);
    const { id } = await uploads.create('ann', file(9));
    const cut = new Error('cut');
    await assert.rejects(uploads.append('ann', id, { offset: 0, body: pieces('abc', cut) }), cut);
    assert.equal((await uploads.get('ann', id)).offset, 3);
    const checksum = { update() {}, check() {} };
    await assert.rejects(uploads.append('ann', id, { offset: 3, body: pieces('def', cut), checksum }), cut);
    const wrong = {
      update() {},
      check: () => {
        throw failure(httpErrors.UPLOAD_CHECKSUM_WRONG, { algorithm: 'md5', actual: 'a', given: 'b' });
      },
    };
    await assert.rejects(uploads.append('ann', id, { offset: 3, body: pieces('def'), checksum: wrong }), {
      code: 'UPLOAD_CHECKSUM_WRONG',
    });
    assert.equal((await uploads.get('ann', id)).offset, 3);
    assert.equal(readFileSync(pathOf(id), 'utf8'), 'abc');
    assert.equal(received.of('ann'), 0);
  });

  test(`${name}: an offset that is asked for during a stall is one at which another request can continue`, {
    skip,
  }, async (context) => {
    const { uploads, pathOf, timers } = await open(context);
    const never = new Promise<string>(() => {});
    const { id } = await uploads.create('ann', file(9));
    const stalled = uploads.append('ann', id, { offset: 0, body: pieces('abc', never) });
    const ended = assert.rejects(stalled, { code: 'UPLOAD_LOCKED' });
    let offset = 0;
    await until('bytes are recorded', async () => {
      ({ offset } = await uploads.getRecorded('ann', id));
      return offset > 0;
    });
    assert.equal(offset, 3);
    await assert.rejects(uploads.append('ann', id, { offset, body: pieces('def') }), {
      code: 'UPLOAD_LOCKED',
    });
    await until('the lock is taken over', async () => {
      timers.pass(STALL_MS);
      const taken = uploads.append('ann', id, { offset, body: pieces('def') });
      return taken.then(
        () => true,
        (error: { code?: string }) => {
          assert.equal(error.code, 'UPLOAD_LOCKED');
          return false;
        },
      );
    });
    await ended;
    assert.equal(readFileSync(pathOf(id), 'utf8'), 'abcdef');
    // Nothing of a piece with a checksum is recorded before its end.
    const checksum = { update: context.mock.fn(), check() {} };
    const summed = uploads.append('ann', id, { offset: 6, body: pieces('ghi', never), checksum });
    const removed = assert.rejects(summed, { code: 'UPLOAD_UNKNOWN' });
    await until('a piece is hashed', async () => checksum.update.mock.callCount() === 1);
    assert.equal((await uploads.getRecorded('ann', id)).offset, 6);
    await uploads.remove('ann', id);
    await removed;
  });

  test(`${name}: what a stalled request sent is recorded without the next byte, and a failure to record ends it`, {
    skip,
  }, async (context) => {
    const { uploads, queue, received, timers } = await open(context);
    const never = new Promise<string>(() => {});
    const { id } = await uploads.create('ann', file(9));
    const first = uploads.append('ann', id, { offset: 0, body: pieces('abc', never) });
    const ended = assert.rejects(first, { code: 'SHUTTING_DOWN' });
    await until('three bytes are recorded', async () => {
      timers.pass(IDLE_MS);
      return (await uploads.get('ann', id)).offset === 3;
    });
    await uploads.stop();
    await ended;
    const full = new Error('disk full');
    const advance = context.mock.method(queue.uploads, 'advance', async () => {
      throw full;
    });
    const second = uploads.append('ann', id, { offset: 3, body: pieces('def', never) });
    let isOver = false;
    const rejected = assert.rejects(second, full).finally(() => {
      isOver = true;
    });
    await until('the second request has ended', () => {
      timers.pass(IDLE_MS);
      return isOver;
    });
    await rejected;
    advance.mock.restore();
    assert.equal((await uploads.getRecorded('ann', id)).offset, 3);
    assert.equal(received.of('ann'), 0);
  });

  test(`${name}: what a dead service left after the recorded offset is discarded`, {
    skip,
  }, async (context) => {
    const { uploads, pathOf, warnings } = await open(context);
    const { id } = await uploads.create('ann', file(6));
    await uploads.append('ann', id, { offset: 0, body: pieces('abc') });
    appendFileSync(pathOf(id), 'not recorded');
    await uploads.recover();
    assert.deepEqual(warnings, []);
    await uploads.append('ann', id, { offset: 3, body: pieces('de') });
    assert.equal(readFileSync(pathOf(id), 'utf8'), 'abcde');
  });

  test(`${name}: at the start uploads without all their recorded bytes are removed and logged, and files without a record`, {
    skip,
  }, async (context) => {
    const { uploads, pathOf, warnings } = await open(context);
    const [whole, short, gone, empty] = await Promise.all(
      [3, 3, 3, 3].map((size) => uploads.create('ann', file(size))),
    );
    for (const { id } of [whole, short, gone])
      await uploads.append('ann', id, { offset: 0, body: pieces('abc') });
    truncateSync(pathOf(short.id), 2);
    await uploads.remove('ann', gone.id);
    writeFileSync(pathOf(gone.id), 'left by a crash');
    await uploads.recover();
    assert.deepEqual(warnings, [{ id: short.id, offset: 3, length: 2 }]);
    assert.equal(await uploads.sweepOrphans(), 1);
    assert.ok(!existsSync(pathOf(gone.id)));
    const kept = (await uploads.list(ANY_OWNER, null, 10)).map(({ id }) => id);
    assert.deepEqual(kept.sort(), [whole.id, empty.id].sort());
  });

  test(`${name}: the file of a complete upload is not opened again: jobs share it, and it is read-only`, {
    skip,
  }, async (context) => {
    const { uploads, store, clock, pathOf } = await open(context);
    const { id } = await uploads.create('ann', file(3));
    const complete = await uploads.append('ann', id, { offset: 0, body: pieces('abc') });
    await uploads.share({ id, path: 'input_upload' }, 3, 'job').keep();
    assert.equal(statSync(pathOf(id)).mode & 0o777, 0o400);
    clock.at += 1000;
    const opened = context.mock.method(store, 'continueUpload');
    assert.deepEqual(await uploads.append('ann', id, { offset: 3, body: pieces() }), complete);
    const wrong = failure(httpErrors.UPLOAD_CHECKSUM_WRONG, { algorithm: 'md5', actual: 'a', given: 'b' });
    const checksum = {
      update() {},
      check() {
        throw wrong;
      },
    };
    await assert.rejects(uploads.append('ann', id, { offset: 3, body: pieces(), checksum }), wrong);
    await assert.rejects(uploads.append('ann', id, { offset: 3, body: pieces('d') }), {
      code: 'UPLOAD_TOO_LONG',
    });
    await assert.rejects(uploads.append('ann', id, { offset: 2, body: pieces() }), {
      code: 'UPLOAD_OFFSET_WRONG',
    });
    assert.equal(opened.mock.callCount(), 0);
    assert.equal(readFileSync(pathOf(id), 'utf8'), 'abc');
  });

  test(`${name}: concurrent uploads of an account share the room that is left`, { skip }, async (context) => {
    const { uploads, queue } = await open(context, 1000);
    const sent = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { id } = await uploads.create('ann', file(null));
        const body = pieces('x'.repeat(200), 'y'.repeat(200));
        return uploads.append('ann', id, { offset: 0, body, byteLength: 'end' }).then(
          () => null,
          (error: { code?: string }) => error.code,
        );
      }),
    );
    assert.ok(sent.includes('OWNER_STORAGE_EXCEEDED'));
    assert.ok((await queue.holding('ann')).storedBytes <= 1000);
  });
}

test('a lock is refused while its holder writes or its client sends, and taken from one that stalls', async () => {
  const timers = new ManualTimers();
  const locks = new UploadLocks(STALL_MS, timers);
  const first = await locks.lock('a');
  await assert.rejects(locks.lock('a'), { code: 'UPLOAD_LOCKED' });
  await first.wait(Promise.resolve());
  await assert.rejects(locks.lock('a'), { code: 'UPLOAD_LOCKED' });
  const stalled = first.wait(new Promise(() => {})).catch((error: { code?: string }) => {
    first.release();
    return error.code;
  });
  timers.pass(STALL_MS - 1);
  await assert.rejects(locks.lock('a'), { code: 'UPLOAD_LOCKED' });
  timers.pass(1);
  const taken = await locks.lock('a');
  assert.equal(await stalled, 'UPLOAD_LOCKED');
  taken.release();
  assert.ok(!locks.has('a'));
});
