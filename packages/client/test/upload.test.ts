/** Uploads of streams: as fast as they are taken, and never held. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { GeomillClient } from '../src/client.ts';

const MIB = 2 ** 20;
const SENT_BYTES = 192 * MIB;
const config = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;

/** `onChunk` sees every chunk that arrives; the answer is that of a job. */
async function startSink(onChunk: (bytes: number) => void) {
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => onChunk(chunk.length));
    // It is the client that goes away.
    request.on('error', () => {});
    request.on('end', () => {
      response.writeHead(202, { 'content-type': 'application/json' });
      response.end('{"job_id":"a","status":"QUEUED"}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    client: new GeomillClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
}

test('a stream is read no faster than it is sent, and not gathered', async () => {
  let arrivedBytes = 0;
  await using sink = await startSink((bytes) => {
    arrivedBytes += bytes;
  });
  let pulledBytes = 0;
  let mostAheadBytes = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        mostAheadBytes = Math.max(mostAheadBytes, pulledBytes - arrivedBytes);
        if (pulledBytes === SENT_BYTES) controller.close();
        else controller.enqueue(new Uint8Array(MIB));
        pulledBytes = Math.min(pulledBytes + MIB, SENT_BYTES);
      },
    },
    { highWaterMark: 0 },
  );
  await sink.client.submit({ input: { name: 'big.geojson', data: stream }, config });
  assert.ok(arrivedBytes > SENT_BYTES && arrivedBytes < SENT_BYTES + 1000);
  // What the sockets of both sides hold; the whole file would be 192 MiB.
  assert.ok(mostAheadBytes < 32 * MIB, `${mostAheadBytes / MIB} MiB were read ahead`);
});

test('an upload that is aborted cancels its stream', async () => {
  const controller = new AbortController();
  await using sink = await startSink(() => controller.abort(new Error('changed my mind')));
  const canceled = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [target, other] = canceled.map(
    ({ resolve }) =>
      new ReadableStream<Uint8Array>({
        pull: (queue) => queue.enqueue(new Uint8Array(MIB)),
        cancel: () => resolve(),
      }),
  );
  const request = { target, files: [other], config: { output_format: 'csv' } } as const;
  const appended = sink.client.append('geojson', request, { signal: controller.signal });
  await assert.rejects(appended, /changed my mind/);
  await Promise.all(canceled.map(({ promise }) => promise));
});

test('a stream that fails fails the request, with its own error behind it', async () => {
  await using sink = await startSink(() => {});
  const stream = new ReadableStream<Uint8Array>({
    pull: (queue) => queue.error(new Error('the disk is gone')),
  });
  await assert.rejects(sink.client.submit({ input: stream, config }), (error: Error) => {
    const all = `${error.message} ${(error.cause as Error | undefined)?.message}`;
    assert.match(all, /the disk is gone/);
    return true;
  });
});
