/** Errors that are sent while the client is still uploading reach the client. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { ManualTimers } from '../../../../test/support/manual-timers.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { until } from '../../../../test/support/until.ts';
import { type LingerLimits, lingerAfterEarlyAnswers } from '../../src/http/early-answers.ts';

const MiB = 1024 ** 2;

interface Exchange {
  /** All that the service sent. */
  readonly answer: string;
  readonly error: Error | null;
}

/** Sends a request whose answer the client begins to read only after `sendBytes` of the body are sent. */
async function upload(port: number, path: string, connection: string, sendBytes: number): Promise<Exchange> {
  const socket = connect(port, '127.0.0.1');
  let error: Error | null = null;
  socket.on('error', (one) => {
    error = one;
  });
  socket.pause();
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: test\r\nConnection: ${connection}\r\nContent-Length: ${sendBytes}\r\n` +
      'Content-Type: multipart/form-data; boundary=x\r\n\r\n',
  );
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const chunk = Buffer.alloc(MiB);
  for (let sent = 0; sent < sendBytes && error === null; sent += chunk.length)
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
    if (connection !== 'close') socket.end();
  });
  socket.resume();
  await closed;
  return { answer, error };
}

test('a client that uploads 32 MiB without credentials reads the 401, whether it keeps the connection or not', async () => {
  await using service = await startTestService({ settings: { AUTH: 'required' } });
  const port = Number(new URL(service.url).port);
  for (const connection of ['close', 'keep-alive']) {
    const { answer, error } = await upload(port, '/v1/transform/csv', connection, 32 * MiB);
    assert.equal(error, null, connection);
    assert.match(answer, /^HTTP\/1\.1 401 /, connection);
    assert.match(answer, /"status":401/, connection);
  }
});

async function rejectingApp(limits: LingerLimits) {
  const app = Fastify();
  lingerAfterEarlyAnswers(app, limits);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  const bytesRead = new Promise<number>((resolve) => {
    app.server.on('connection', (socket) => socket.on('close', () => resolve(socket.bytesRead)));
  });
  app.post('/', async (_request, reply) => reply.code(403).send('no'));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const connections = (): Promise<number> =>
    new Promise((resolve) => {
      app.server.getConnections((_error, count) => resolve(count));
    });
  return { port, bytesRead, connections, [Symbol.asyncDispose]: () => app.close() };
}

test('a body that goes on is discarded up to a number of bytes only', async () => {
  await using app = await rejectingApp({ ms: 60_000, bytes: 2 * MiB });
  await upload(app.port, '/', 'close', 1024 * MiB);
  const bytes = await app.bytesRead;
  assert.ok(bytes > 2 * MiB && bytes < 512 * MiB, String(bytes));
});

test('a body that stops is waited for up to a time only', async () => {
  const timers = new ManualTimers();
  await using app = await rejectingApp({ ms: 5000, bytes: MiB, timers });
  // A client that does not end its side when the server has ended the other one.
  const socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.resume();
  socket.write('POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n');
  try {
    // The interval of the checks begins with the answer.
    await until('the answer is sent', () => timers.pending.length > 0);
    timers.pass(5000);
    assert.equal(await app.connections(), 1);
    timers.pass(20);
    assert.ok((await app.bytesRead) < 1000);
  } finally {
    socket.destroy();
  }
});
