/** Uploads in pieces by the client: continued through broken connections and restarts, bounded, and used in jobs. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { KilledService } from '../../../test/faults/killed-service.ts';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import { startTestService } from '../../../test/support/service.ts';
import { newUpload } from '../../../test/support/tus.ts';
import { type FileInput, GeomillClient, GeomillProblem, type UploadProgress } from '../src/client.ts';
import { fileFrom } from '../src/node/files.ts';

const service = await startTestService();
test.after(() => service[Symbol.asyncDispose]());

const client = new GeomillClient({ baseUrl: service.url });
const content = randomBytes(500_000);

function stored(id: string): Buffer {
  return readFileSync(join(service.config.dataDirectory, 'uploads', id));
}

function streamOf(bytes: Uint8Array, chunkBytes: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, at + chunkBytes));
      at += chunkBytes;
    },
  });
}

type Send = typeof globalThis.fetch;

/** A client whose PATCH requests go through `act`. */
function clientWith(act: (send: () => Promise<Response>, number: number) => Promise<Response>, attempts = 5) {
  let number = 0;
  const patched: Send = (input, init) => {
    const send = () => fetch(input, init);
    if (init?.method !== 'PATCH') return send();
    number += 1;
    return act(send, number);
  };
  return new GeomillClient({
    baseUrl: service.url,
    fetch: patched,
    retry: { attempts, maxDelaySeconds: 0.01 },
  });
}

const inputs: [string, () => FileInput][] = [
  ['bytes', () => ({ name: 'Straße.gpkg', data: content })],
  ['a blob', () => ({ name: 'Straße.gpkg', data: new Blob([content]) })],
  ['a stream', () => ({ name: 'Straße.gpkg', data: streamOf(content, 7000) })],
  ['a stream of large chunks', () => ({ name: 'Straße.gpkg', data: () => streamOf(content, 300_000) })],
];

for (const [name, input] of inputs)
  test(`uploads ${name} in pieces and tells the progress`, async () => {
    const progress: UploadProgress[] = [];
    const file = await client.upload(input(), {
      pieceBytes: 100_000,
      onProgress: (one) => progress.push(one),
    });
    assert.ok(stored(file.id).equals(content));
    assert.deepEqual([file.name, file.byteLength], ['Straße.gpkg', content.length]);
    assert.deepEqual(
      progress.map(({ sentBytes }) => sentBytes),
      [0, 100_000, 200_000, 300_000, 400_000, 500_000],
    );
    assert.ok(progress.every(({ id, totalBytes }) => id === file.id && (totalBytes ?? 500_000) === 500_000));
  });

test('an upload of which every piece fails in its own way is whole in the end', async () => {
  for (const [name, input] of inputs) {
    const faults = clientWith(async (send, number) => {
      if (number % 3 === 1) throw new TypeError('the connection broke before the request');
      const response = await send();
      // It was stored, and the client does not know.
      if (number % 3 === 2) throw new TypeError('the connection broke before the answer');
      return response;
    });
    const { id } = await faults.upload(input(), { pieceBytes: 60_000 });
    assert.ok(stored(id).equals(content), name);
  }
});

test('attempts without progress are bounded, and what cannot be helped is not tried again', async () => {
  let tries = 0;
  const broken = clientWith(async () => {
    tries += 1;
    throw new TypeError('no network');
  }, 3);
  await assert.rejects(broken.upload(content), /no network/);
  assert.equal(tries, 3);
  const gone = clientWith(async (send) => {
    tries += 1;
    for (const { url } of (
      (await (await fetch(`${service.url}/v1/uploads`)).json()) as { uploads: { url: string }[] }
    ).uploads)
      await fetch(url, { method: 'DELETE' });
    return send();
  });
  tries = 0;
  await assert.rejects(
    gone.upload(content),
    (error) => error instanceof GeomillProblem && error.code === 'UPLOAD_UNKNOWN',
  );
  assert.equal(tries, 1);
});

test('an aborted upload can be continued by its id, of a blob and of a stream', async () => {
  for (const [name, input] of inputs) {
    const controller = new AbortController();
    let id = '';
    const onProgress = (progress: UploadProgress): void => {
      id = progress.id;
      if (progress.sentBytes >= 200_000) controller.abort(new Error('changed my mind'));
    };
    const options = { pieceBytes: 100_000, onProgress, signal: controller.signal };
    await assert.rejects(client.upload(input(), options), /changed my mind/);
    const sent: number[] = [];
    const file = await client.upload(input(), {
      pieceBytes: 100_000,
      resume: id,
      onProgress: ({ sentBytes }) => sent.push(sentBytes),
    });
    assert.ok(sent[0] >= 200_000, `${name}: ${sent.join()}`);
    assert.ok(stored(file.id).equals(content), name);
  }
  const other = (await newUpload(service, 7)).split('/').at(-1)!;
  await assert.rejects(
    client.upload(content, { resume: other }),
    /has a length of 7 bytes, but the file has 500000/,
  );
});

test('an uploaded file is the input of any operation', async () => {
  const [a, b] = [
    await client.upload({ name: 'a.geojson', data: 'a' }),
    await client.upload({ name: 'b.geojson', data: 'b' }),
  ];
  const config = { output_format: 'csv' } as const;
  const text = async (output: Promise<{ text(): Promise<string> }>): Promise<string> => (await output).text();
  assert.equal(await text(client.transform('geojson', { input: a, config })), outputOf('a'));
  assert.equal(await text(client.append('gpkg', { target: a, files: [b, b], config })), outputOf('a+b+b'));
  const file = { name: 'c.gpkg', data: 'c' };
  assert.equal(
    await text(client.append('gpkg', { target: file, files: [file, a], config })),
    outputOf('c+c+a'),
  );
  assert.equal(await text(client.merge('gpkg', { files: [b, a], config })), outputOf('b+a'));
  await assert.rejects(client.merge('gpkg', { files: [b, file], config }), /uploads must come after/);
  const nested = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;
  const job = await client.submit({ input: a, config: nested });
  assert.equal(await text(job.result()), outputOf('a'));
  assert.equal(await text((await job.rerun(b)).result()), outputOf('b'));
  const appended = await client.submitAppend('gpkg', { target: a, files: [b, b], config });
  const again = await appended.rerun({ input: b, files: [file, a] });
  assert.equal(await text(again.result()), outputOf('b+c+a'));
  const merged = await client.submitMerge('gpkg', { files: [a, b], config });
  assert.equal(await text((await merged.rerun({ files: [b, a] })).result()), outputOf('b+a'));
  assert.equal((await client.uploaded(a.id)).name, 'a.geojson');
  await a.delete();
  await a.delete();
  await assert.rejects(client.uploaded(a.id), /there is no upload/);
});

test('an upload goes on by itself when the service is killed and started again', async () => {
  const killed = new KilledService();
  const directory = mkdtempSync(join(tmpdir(), 'geomill-client-'));
  try {
    await killed.start();
    await killed.ready();
    const large = randomBytes(12_000_000);
    const path = join(directory, 'large.gpkg');
    writeFileSync(path, large);
    const patient = new GeomillClient({ baseUrl: killed.url, retry: { attempts: 60, maxDelaySeconds: 0.5 } });
    let restarted: Promise<void> | null = null;
    const { id } = await patient.upload(await fileFrom(path), {
      pieceBytes: 1_000_000,
      onProgress: ({ sentBytes }) => {
        if (sentBytes < 4_000_000 || restarted !== null) return;
        restarted = killed.end('SIGKILL').then(() => killed.start());
      },
    });
    await restarted;
    assert.notEqual(restarted, null);
    assert.ok(readFileSync(join(killed.dataDirectory, 'uploads', id)).equals(large));
  } finally {
    await killed.end('SIGKILL');
    killed.remove();
    rmSync(directory, { recursive: true });
  }
});
