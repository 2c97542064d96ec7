/** The reference client of the tus protocol, tus-js-client, against the service. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import * as tus from 'tus-js-client';
import { startTestService } from '../../../../test/support/service.ts';

const service = await startTestService();
const directory = mkdtempSync(join(tmpdir(), 'geomill-tus-'));
test.after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const content = randomBytes(3_000_000);
const path = join(directory, 'data.gpkg');
writeFileSync(path, content);

type Input = ConstructorParameters<typeof tus.Upload>[0];

/** Uploads and resolves with the finished upload. */
function upload(input: Input, options: tus.UploadOptions): Promise<tus.Upload> {
  return new Promise((resolve, reject) => {
    const started: tus.Upload = new tus.Upload(input, {
      endpoint: `${service.url}/v1/uploads`,
      retryDelays: [0, 50, 200, 500],
      storeFingerprintForResuming: false,
      onError: reject,
      onSuccess: () => resolve(started),
      ...options,
    });
    started.start();
  });
}

function stored(url: string | null): Buffer {
  return readFileSync(join(service.config.dataDirectory, 'uploads', url!.split('/').at(-1)!));
}

const ways: [string, () => Input, tus.UploadOptions][] = [
  ['a buffer in one request', () => content, {}],
  ['a buffer in pieces', () => content, { chunkSize: 700_001 }],
  ['data during the creation', () => content, { uploadDataDuringCreation: true, chunkSize: 1_000_000 }],
  ['a stream', () => createReadStream(path), { chunkSize: 500_000, uploadSize: content.length }],
  [
    'a stream of unknown length',
    () => createReadStream(path),
    // In one piece: the client waits forever for a stream that has ended before a further piece.
    { chunkSize: 4_000_000, uploadLengthDeferred: true },
  ],
  ['POST instead of PATCH', () => content, { overridePatchMethod: true, chunkSize: 1_000_000 }],
];

for (const [name, input, options] of ways)
  test(`tus-js-client uploads ${name}`, async () => {
    const metadata = { filename: 'Straße.gpkg', filetype: 'application/geopackage+sqlite3' };
    const { url } = await upload(input(), { ...options, metadata });
    assert.ok(stored(url).equals(content));
    const found = (await (await fetch(url!)).json()) as Record<string, unknown>;
    assert.deepEqual([found.name, found.byte_length, found.complete], ['Straße.gpkg', content.length, true]);
  });

test('tus-js-client continues an upload that was aborted, and one that another client began', async () => {
  const begun = Promise.withResolvers<string>();
  const first: tus.Upload = new tus.Upload(content, {
    endpoint: `${service.url}/v1/uploads`,
    chunkSize: 300_000,
    onChunkComplete: (_size, accepted) => {
      if (accepted < 900_000) return;
      void first.abort().then(() => begun.resolve(first.url!));
    },
    onError: begun.reject,
  });
  first.start();
  const uploadUrl = await begun.promise;
  const offset = Number(
    (await fetch(uploadUrl, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })).headers.get(
      'upload-offset',
    ),
  );
  assert.ok(offset >= 900_000 && offset < content.length, `${offset}`);
  const sent: number[] = [];
  await upload(content, { uploadUrl, chunkSize: 300_000, onChunkComplete: (size) => sent.push(size) });
  assert.equal(
    sent.reduce((sum, size) => sum + size, 0),
    content.length - offset,
  );
  assert.ok(stored(uploadUrl).equals(content));
});

test('tus-js-client ends an upload by terminating it', async () => {
  const { url } = await upload(content, {});
  await tus.Upload.terminate(url!, {});
  assert.equal((await fetch(url!)).status, 404);
});

/** Passes bytes on to the service, and cuts the connection after as many bytes as the next entry says. */
async function cuttingProxy(cuts: number[]) {
  const { port } = new URL(service.url);
  const server = createServer();
  server.on('connection', (client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    let left = cuts.shift() ?? Number.POSITIVE_INFINITY;
    client.on('data', (bytes: Buffer) => {
      upstream.write(bytes.subarray(0, Math.min(left, bytes.length)));
      left -= bytes.length;
      if (left > 0) return;
      client.destroy();
      upstream.destroy();
    });
    upstream.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ])
      one.on('close', () => other.destroy()).on('error', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('tus-js-client gets a file through a connection that is cut again and again', async () => {
  const cuts = [400_000, 1_000, 900_000, 100, 700_000];
  const proxy = await cuttingProxy(cuts);
  const { port } = proxy.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const created = await fetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    headers: { 'tus-resumable': '1.0.0', 'upload-length': `${content.length}` },
  });
  const uploadUrl = `${base}${new URL(created.headers.get('location')!).pathname}`;
  await upload(content, { uploadUrl, retryDelays: Array.from({ length: 30 }, () => 20) });
  assert.deepEqual(cuts, [], 'not every connection was cut');
  assert.ok(stored(uploadUrl).equals(content));
  proxy.close();
});
