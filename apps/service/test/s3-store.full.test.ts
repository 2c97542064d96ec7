/** What the S3 store does beyond the contract of all stores: failing servers, presigned URLs, what is left over, secrets. */
import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type TestContext } from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { fakeReport } from '../../../test/support/fake-conversion.ts';
import { newJob } from '../../../test/support/queue.ts';
import {
  BUCKET,
  IMPATIENT,
  KEY_ID,
  S3_FAULTS,
  S3TestServer,
  SECRET,
} from '../../../test/support/s3-server.ts';
import { listed, outputBytes, putInput } from '../../../test/support/store-contract.ts';
import { isStorageFault } from '../src/jobs/recovery.ts';
import { sweep } from '../src/jobs/retention.ts';
import { SqliteQueue } from '../src/jobs/sqlite-queue.ts';
import { S3Client } from '../src/storage/s3-client.ts';
import { S3Store } from '../src/storage/s3-store.ts';
import type { Patience } from '../src/storage/s3-transport.ts';
import { parsePlace, SegmentedFile } from '../src/storage/segments.ts';
import { StoreFault } from '../src/storage/store-fault.ts';

interface Running {
  readonly server: S3TestServer;
  readonly store: S3Store;
  /** For local files. */
  readonly directory: string;
}

/** Null: skipped. */
async function start(context: TestContext, patience?: Patience): Promise<Running | null> {
  const workspace = makeWorkspace();
  const server = await S3TestServer.start(join(workspace.path, 's3'));
  if (server === null) {
    context.skip('@20minutes/s3rver is not installed');
    return null;
  }
  const store = new S3Store(server.settings('mill', patience));
  context.after(async () => {
    store.close();
    await server[Symbol.asyncDispose]();
    workspace[Symbol.dispose]();
  });
  return { server, store, directory: workspace.path };
}

/** Numbers in [0, 1) that are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test('a server that fails at random loses nothing, and shows nothing by halves', async (context) => {
  const running = await start(context, IMPATIENT);
  if (running === null) return;
  const { server, store, directory } = running;
  const random = seeded(7);
  const met = new Set<string>();
  server.faultFor = () => {
    const fault = random() < 0.2 ? S3_FAULTS[Math.floor(random() * S3_FAULTS.length)] : null;
    if (fault !== null) met.add(fault);
    return fault;
  };
  for (const length of [1, 200_000, 17 * 1024 ** 2]) {
    const bytes = randomBytes(length);
    const key = randomUUID();
    await putInput(store, key, bytes);
    const path = join(directory, key);
    await store.provide(key, path);
    assert.ok(readFileSync(path).equals(bytes), `input of ${length} bytes`);
    await store.adopt(key, 3, path, length >> 1);
    const found = await outputBytes(store, key, 3, 0, length);
    assert.ok(found?.equals(bytes), `output of ${length} bytes`);
    await store.remove('input', key);
    await store.remove('output', key);
  }
  const text = randomBytes(5000);
  const [id, input] = [randomUUID(), randomUUID()];
  let place: string | null = null;
  for (let at = 0; at < text.length; at += 500) {
    const file = await store.continueUpload(id, at, place);
    await file.write(text.subarray(at, at + 500));
    place = await file.sync();
    file.recorded();
    file.close();
  }
  assert.ok(await store.shareUpload({ key: id, byteLength: text.length, place }, input));
  await store.provide(input, join(directory, input));
  assert.ok(readFileSync(join(directory, input)).equals(text));
  for (const kind of ['upload', 'input', 'output'] as const)
    await store.remove(kind, kind === 'input' ? input : id);
  assert.deepEqual([...met].sort(), [...S3_FAULTS].sort());
  server.faultFor = () => null;
  assert.deepEqual(server.objects(), []);
  assert.deepEqual(server.pending(), []);
});

test('where the server keeps failing, the failure is one of storage, and what was not stored is not there', async (context) => {
  const running = await start(context, { ...IMPATIENT, stallMs: 5000 });
  if (running === null) return;
  const { server, store, directory } = running;
  const path = join(directory, 'made');
  writeFileSync(path, randomBytes(20 * 1024 ** 2));
  const [key, id] = [randomUUID(), randomUUID()];
  await putInput(store, key, Buffer.from('stored before'));
  const isOf = (reason: RegExp) => (error: unknown) => {
    assert.ok(error instanceof StoreFault && isStorageFault(error), String(error));
    assert.match(error.reason, reason);
    assert.ok(!JSON.stringify([error.message, error.stack, error]).includes(SECRET));
    return true;
  };
  const refused = { status: 403, code: 'InvalidAccessKeyId' };
  for (const [fault, reason] of [
    ['error before', /reports errors/],
    ['close before', /cannot be reached/],
    [refused, /refuses its credentials/],
    [{ status: 403, code: 'RequestTimeTooSkewed' }, /clock/],
    [{ status: 404, code: 'NoSuchBucket' }, /bucket .* does not exist/],
    [{ status: 301, code: 'PermanentRedirect' }, /another region/],
  ] as const) {
    server.faultFor = () => fault;
    await assert.rejects(store.adopt(id, 1, path, 0), isOf(reason));
    await assert.rejects(store.provide(key, join(directory, 'input')), isOf(reason));
    await assert.rejects(store.checkWritable(), isOf(reason));
    await assert.rejects(putInput(store, randomUUID(), Buffer.from('x')), isOf(reason));
    await assert.rejects(listed(store, 'input'), isOf(reason));
  }
  // In the middle of the parts.
  server.faultFor = ({ url = '' }) => (url.includes('partNumber=2') ? 'error before' : null);
  await assert.rejects(store.adopt(id, 1, path, 0), isOf(/reports errors/));
  assert.equal(await store.openOutput(id, 1), null);
  server.faultFor = () => null;
  assert.deepEqual(server.objects(), [`mill/inputs/${key}`]);
  assert.deepEqual(server.pending(), [], 'its parts were removed');
});

test('a store that is full is said to be full, without repetitions', async (context) => {
  const running = await start(context);
  if (running === null) return;
  const { server, store } = running;
  for (const [status, code] of [
    [507, 'XMinioStorageFull'],
    [403, 'QuotaExceeded'],
  ] as const) {
    server.faultFor = ({ method }) => (method === 'PUT' ? { status, code } : null);
    const before = server.requests.length;
    await assert.rejects(store.checkWritable(), { code: 'STORAGE_FULL' });
    assert.equal(server.requests.length, before + 2);
  }
});

test('a presigned URL gives the output to anyone, under its name, until it expires', async (context) => {
  const running = await start(context);
  if (running === null) return;
  const { store, directory } = running;
  const id = randomUUID();
  const path = join(directory, 'made');
  writeFileSync(path, 'the output, and its findings');
  await store.adopt(id, 2, path, 18);
  const disposition = `attachment; filename="a+b & c%20.csv"`;
  const url = await store.presign(id, 2, {
    mediaType: 'text/csv; charset=utf-8',
    disposition,
    expiresSeconds: 60,
  });
  assert.ok(!url.includes('+'));
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.equal(await response.text(), 'the output');
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.equal(response.headers.get('content-disposition'), disposition);
  const part = await fetch(url, { headers: { range: 'bytes=4-9' } });
  assert.deepEqual([part.status, await part.text()], [206, 'output']);
  // It is for this object and for this method.
  assert.equal((await fetch(url.replace(`/${id}/2?`, `/${id}/2.findings?`))).status, 403);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 403);
  // The server runs in this process.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
  assert.equal((await fetch(url)).status, 403, 'expired');
});

/** By the document of AWS, "Authenticating Requests: Using Query Parameters". */
function signatureOf(url: string, secretKey: string): string {
  const { host, pathname, search } = new URL(url);
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('=').map((text) => encode(decodeURIComponent(text))))
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.join('='))
    .sort();
  const canonical = ['GET', pathname, query.join('&'), `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join(
    '\n',
  );
  const parameter = (name: string): string => new URL(url).searchParams.get(name) ?? '';
  const scope = parameter('X-Amz-Credential').split('/').slice(1);
  const key = scope.reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretKey}`,
  );
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', parameter('X-Amz-Date'), scope.join('/'), hash].join('\n');
  return createHmac('sha256', key).update(text).digest('hex');
}

test('presigned URLs are signed as S3 says, also with names that s3rver reads in another way', async () => {
  const secret = 'a secret of ours';
  const store = new S3Store({
    bucket: BUCKET,
    prefix: '',
    endpoint: 'http://store.internal:9000',
    publicEndpoint: 'https://files.example.org',
    region: 'eu-central-1',
    accessKeyId: KEY_ID,
    secretAccessKey: secret,
    sessionToken: 'a+session/token==',
  });
  for (const name of ['a b.csv', `a'*(!).csv`, "a.csv; filename*=UTF-8''%C3%A4%20b.csv", 'ä+ö&ü=~.csv']) {
    const options = {
      mediaType: 'text/csv',
      disposition: `attachment; filename=${name}`,
      expiresSeconds: 60,
    };
    const url = await store.presign(randomUUID(), 1, options);
    const { origin, searchParams } = new URL(url);
    assert.equal(origin, 'https://files.example.org');
    assert.equal(searchParams.get('response-content-disposition'), options.disposition);
    assert.equal(searchParams.get('X-Amz-Security-Token'), 'a+session/token==');
    assert.equal(searchParams.get('X-Amz-Signature'), signatureOf(url, secret), name);
    assert.ok(!url.includes(secret));
  }
  store.close();
});

test('objects of other prefixes are not listed and not touched', async (context) => {
  const running = await start(context);
  if (running === null) return;
  const { server, store } = running;
  const others = ['', 'mill2', 'other/mill'].map((prefix) => new S3Client(server.settings(prefix)));
  const id = randomUUID();
  for (const other of others) {
    await other.put(`inputs/${id}`, [Buffer.from('foreign')]);
    await other.put(`outputs/${id}/1`, [Buffer.from('foreign')]);
    await other.begin(`outputs/${id}/2`);
  }
  const foreign = new S3Client(server.settings('mill'));
  await foreign.put('inputs/lost+found', [Buffer.from('not a key')]);
  await foreign.put('notes.txt', [Buffer.from('not of a store')]);
  const before = server.objects();
  for (const kind of ['input', 'output', 'upload'] as const) {
    assert.deepEqual(await listed(store, kind), []);
    await store.remove(kind, id);
  }
  assert.equal(await store.openOutput(id, 1), null);
  assert.equal(await store.removeAbandoned(Date.now() + 1e6), 0);
  assert.deepEqual(server.objects(), before);
  for (const other of [...others, foreign]) other.close();
});

test('objects whose parts were never completed are removed when they are old enough', async (context) => {
  const running = await start(context);
  if (running === null) return;
  const { server, store } = running;
  const dead = await store.receive(randomUUID());
  await dead.write(Buffer.alloc(17 * 1024 ** 2));
  assert.equal(server.pending().length, 1);
  assert.equal(await store.removeAbandoned(Date.now() - 60_000), 0);
  assert.equal(server.pending().length, 1);
  for (const fault of [
    { status: 501, code: 'NotImplemented' },
    { status: 403, code: 'AccessDenied' },
  ]) {
    server.faultFor = () => fault;
    assert.equal(await store.removeAbandoned(Date.now() + 60_000), 0, 'left to the lifecycle rule');
  }
  server.faultFor = () => null;
  assert.equal(await store.removeAbandoned(Date.now() + 60_000), 1);
  assert.deepEqual(server.pending(), []);
});

test('the sweep removes expired outputs, outputs of replaced attempts and what was never completed', async (context) => {
  const running = await start(context);
  if (running === null) return;
  const { server, store, directory } = running;
  const queue = new SqliteQueue({
    path: join(directory, 'jobs.sqlite'),
    maxLength: 10,
    retryAfterSeconds: 5,
  });
  context.after(() => queue.close());
  const id = randomUUID();
  const path = join(directory, 'made');
  writeFileSync(path, 'made');
  await putInput(store, id, Buffer.from('abc'));
  await queue.enqueue(newJob(id));
  const first = await queue.claim();
  assert.ok(first);
  await store.adopt(id, first.fence, path, 0);
  await queue.requeue(first, true);
  const second = await queue.claim();
  assert.ok(second && second.fence > first.fence);
  const options = { recordRetentionMs: 1e9, orphanAgeMs: 0, isReceiving: () => false };
  const later = () => Date.now() + 5000;
  // Its attempt runs: its output may have been stored just now.
  await store.adopt(id, second.fence, path, 1);
  assert.equal((await sweep(queue, store, later(), options)).orphans, 1);
  assert.deepEqual(server.objects(), [
    `mill/inputs/${id}`,
    `mill/outputs/${id}/${second.fence}`,
    `mill/outputs/${id}/${second.fence}.findings`,
  ]);
  const output = { byteLength: 3, findingsBytes: 1, mediaType: 'text/csv', fileName: 'a.csv' };
  const report = fakeReport(second.job.request, 4);
  assert.ok(await queue.succeed(second, output, report, Date.now() + 60_000));
  // Of a worker that was paused.
  await store.adopt(id, first.fence, path, 0);
  const dead = await store.receive(randomUUID());
  await dead.write(Buffer.alloc(17 * 1024 ** 2));
  assert.equal(
    (await sweep(queue, store, later(), options)).orphans,
    3,
    'the output, the input and the parts',
  );
  assert.equal(String(await outputBytes(store, id, second.fence, 0, 4)), 'made');
  assert.equal((await sweep(queue, store, Date.now() + 120_000, options)).outputs, 1);
  assert.deepEqual(server.objects(), []);
  assert.deepEqual(server.pending(), []);
});

test('a list of more than one page is whole', async (context) => {
  const running = await start(context);
  if (running === null) return;
  const { server, store } = running;
  const client = new S3Client(server.settings('mill'));
  const keys = Array.from({ length: 1100 }, () => randomUUID()).sort();
  const waiting = [...keys];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop())
        await client.put(`inputs/${key}`, [Buffer.from('a')]);
    }),
  );
  assert.deepEqual((await listed(store, 'input')).map(({ key }) => key).sort(), keys);
  client.close();
});

test('a download that its client ends does not go on', async (context) => {
  const running = await start(context);
  if (running === null) return;
  const { server, store, directory } = running;
  const path = join(directory, 'made');
  writeFileSync(path, randomBytes(20 * 1024 ** 2));
  const id = randomUUID();
  await store.adopt(id, 1, path, 0);
  const file = await store.openOutput(id, 1);
  const stream = file?.stream(0, 20 * 1024 ** 2);
  assert.ok(stream);
  for await (const chunk of stream) {
    assert.ok(chunk.length > 0);
    break;
  }
  assert.ok(stream.destroyed);
  const before = server.requests.length;
  assert.equal((await buffer((await store.openOutput(id, 1))!.stream(0, 10))).length, 10);
  assert.equal(server.requests.length, before + 2, 'no request of the ended download is repeated');
});

test('however an upload is cut into steps, a block has few segments and rewrites little', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 4_000_000 })),
        {
          minLength: 1,
          maxLength: 300,
        },
      ),
      async (steps) => {
        const files = new Map<string, number>();
        let written = 0;
        // Lengths alone count here.
        const bytes = new Uint8Array(4_000_000);
        const store = {
          write: async (name: string, chunks: readonly Uint8Array[]) => {
            const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
            written += length;
            files.set(name, length);
          },
          read: async (name: string) => new Uint8Array(files.get(name) ?? 0),
          remove: async (name: string) => void files.delete(name),
        };
        let offset = 0;
        let place: string | null = null;
        for (const step of steps) {
          const file = new SegmentedFile(store, offset, place);
          await file.write(bytes.subarray(0, step));
          place = await file.sync();
          file.recorded();
          offset += step;
        }
        const segments = parsePlace(place, offset);
        assert.equal(files.size, segments.length);
        assert.ok(segments.length <= Math.floor(offset / 16 / 1024 ** 2) + 25, `${segments.length} segments`);
        assert.ok(written <= offset * 41);
      },
    ),
    { numRuns: 30 },
  );
});
