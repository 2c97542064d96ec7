/** Uploads while every method of storage fails in every way: no acknowledged byte is lost, and each upload can be finished. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { Faults } from '../../../test/support/faults.ts';
import { ReceivedBytes } from '../src/jobs/receipts.ts';
import { SqliteQueue } from '../src/jobs/sqlite-queue.ts';
import type { UploadRecord } from '../src/jobs/upload.ts';
import { UploadTable } from '../src/jobs/upload-table.ts';
import { Uploads } from '../src/jobs/uploads.ts';
import { LocalGrowingFile } from '../src/storage/growing-file.ts';
import { LocalStore } from '../src/storage/local-store.ts';

const SIZE = 1000;
const PIECE = 300;
/** A fault that lasts is lifted after so many tries of the client. */
const FAULTY_TRIES = 6;
const MAX_TRIES = 40;

/** Asked by the checks of this test, by the sweep, or by a job. */
const NOT_CALLED =
  /^(?:LocalStore\.(?:receive|provide|adopt|openOutput|presign|list|removeAbandoned|checkWritable|uploadLength)|UploadTable\.(?:list|count|kept|expired|markExpired|deleteOld))$/;

async function* body(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64) yield bytes.subarray(at, at + 64);
}

test('after every fault of every method no acknowledged byte is lost, and the upload is finished and used', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'jobs.sqlite');
  const ownerLimits = { jobs: null, storedBytes: 1_000_000 };
  const queue = new SqliteQueue({ path, maxLength: 10, retryAfterSeconds: 5, ownerLimits });
  const received = new ReceivedBytes();
  const uploads = new Uploads({
    records: queue.uploads,
    store: new LocalStore(workspace.path),
    settings: { retentionMs: 1e9, maxBytes: 1e9, maxPerOwner: null },
    received,
    checkReady() {},
    watched: (act) => act(),
    log: { info() {}, warn() {}, error() {} },
    onStored() {},
  });
  const faults = new Faults();
  for (const one of [LocalStore, LocalGrowingFile, UploadTable])
    faults.install(one as unknown as { name: string; prototype: object });
  const missed: string[] = [];
  let hits = 0;
  const lift = (): void => {
    hits += faults.hits;
    faults.lift();
  };
  /** A client that repeats what fails, and asks for the offset before. */
  const insist = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    for (let tries = 1; ; tries++) {
      if (tries > FAULTY_TRIES) lift();
      try {
        return await act();
      } catch (error) {
        if (tries > MAX_TRIES) throw error;
      }
    }
  };
  try {
    for (const { name, faults: ways } of faults.methods) {
      if (NOT_CALLED.test(name)) continue;
      for (const fault of ways) {
        const what = `${name} ${fault}`;
        const content = randomBytes(SIZE);
        hits = 0;
        faults.arm(name, fault);
        const created = await insist(() =>
          uploads.create('ann', { name: 'a', metadata: null, byteLength: SIZE }),
        );
        const { id } = created;
        // Stores nothing, and has to discard what it wrote.
        const checksum = {
          update() {},
          check() {
            throw new Error('another checksum');
          },
        };
        await assert.rejects(uploads.append('ann', id, { offset: 0, body: body(content), checksum }));
        let acknowledged = 0;
        while (acknowledged < SIZE) {
          const stored = await insist<UploadRecord>(async () => {
            const { offset } = await uploads.get('ann', id);
            assert.ok(offset >= acknowledged, `${what}: ${offset} of ${acknowledged} acknowledged bytes`);
            const piece = content.subarray(offset, offset + PIECE);
            return uploads.append('ann', id, { offset, body: body(piece) });
          });
          acknowledged = stored.offset;
        }
        const record = await insist(() => uploads.usable('ann', { id, path: 'input.upload' }));
        const shared = uploads.share({ id, path: 'input.upload' }, record.byteLength, id);
        await insist(async () => {
          await shared.discard();
          await shared.keep();
        });
        lift();
        for (const directory of ['uploads', 'inputs'])
          assert.ok(
            readFileSync(join(workspace.path, directory, id)).equals(content),
            `${what}: other bytes`,
          );
        faults.arm(name, fault);
        // A deletion that failed after it was done finds nothing the next time.
        await insist(async () => {
          await uploads.remove('ann', id).catch((error: unknown) => {
            if (!(error instanceof GeomillError && error.code === 'UPLOAD_UNKNOWN')) throw error;
          });
        });
        lift();
        if (hits === 0) missed.push(what);
        await uploads.sweepOrphans();
        await shared.discard();
        assert.equal(received.of('ann'), 0, what);
      }
    }
    assert.deepEqual(missed, [], 'faults that were not met');
    // What remains are uploads whose creation failed after it was done.
    for (const { id } of await uploads.list('ann', null, 1000)) await uploads.remove('ann', id);
    assert.deepEqual(readdirSync(join(workspace.path, 'uploads')), []);
    assert.equal((await queue.holding('ann')).storedBytes, 0);
  } finally {
    faults.uninstall();
    await queue.close();
  }
});
