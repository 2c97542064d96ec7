/** How a process stops behind a load balancer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ManualTimers } from '../../../../test/support/manual-timers.ts';
import { sharedPostgres, noPostgres as skip } from '../../../../test/support/postgres.ts';
import { expectProblem } from '../../../../test/support/problem.ts';
import { FAKE_RUNNER, startTestService, submitJob } from '../../../../test/support/service.ts';
import { until } from '../../../../test/support/until.ts';
import { SqliteQueue } from '../../src/jobs/sqlite-queue.ts';

test('a service that stops takes requests during SHUTDOWN_DELAY, and /readyz fails', async () => {
  const timers = new ManualTimers();
  await using service = await startTestService({
    settings: { SHUTDOWN_DELAY: '2', SHUTDOWN_GRACE: '20' },
    start: { runner: FAKE_RUNNER, timers },
  });
  let isStopped = false;
  const stopped = service.stop().then(() => {
    isStopped = true;
  });
  const ready = await fetch(`${service.url}/readyz`);
  assert.equal(ready.headers.get('connection'), 'close');
  await expectProblem(ready, 503, /shutting down/);
  const id = await submitJob(service);
  assert.equal((await service.ended(id)).state, 'SUCCESS');
  timers.pass(1999);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  assert.equal(isStopped, false);
  timers.pass(1);
  await stopped;
  await assert.rejects(fetch(`${service.url}/healthz`));
});

test('a job that is claimed while the service stops is finished', async (context) => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  const claimed = Promise.withResolvers<void>();
  const isStopping = Promise.withResolvers<void>();
  const { claim } = SqliteQueue.prototype;
  context.mock.method(SqliteQueue.prototype, 'claim', async function (this: SqliteQueue) {
    const found = await claim.call(this);
    if (found !== null) {
      claimed.resolve();
      await isStopping.promise;
    }
    return found;
  });
  try {
    await using service = await startTestService({
      dataDirectory,
      settings: { SHUTDOWN_GRACE: '20' },
      start: { runner: FAKE_RUNNER, timers: new ManualTimers() },
    });
    const id = await submitJob(service);
    await claimed.promise;
    const stopped = service.stop();
    while (service.service.accepts) await immediate();
    isStopping.resolve();
    await stopped;
    const queue = new SqliteQueue({
      path: join(dataDirectory, 'jobs.sqlite'),
      maxLength: 10,
      retryAfterSeconds: 1,
    });
    assert.equal((await queue.summary(id))?.state, 'SUCCESS');
    await queue.close();
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
});

test('a process that only answers requests finishes an upload after the signal, and its event streams end', {
  skip,
}, async () => {
  const store = mkdtempSync(join(tmpdir(), 'geomill-store-'));
  const { url } = await sharedPostgres();
  await using service = await startTestService({
    settings: {
      DATABASE_URL: url,
      DATABASE_SCHEMA: 'shutdown',
      STORE_URL: pathToFileURL(store).href,
      SHUTDOWN_GRACE: '30',
    },
    start: { role: 'api' },
  });
  const id = await submitJob(service);
  const events = await fetch(`${service.url}/v1/jobs/${id}/events`);
  let told = '';
  const ended = events.body!.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write: (text) => {
        told += text;
      },
    }),
  );
  await until('the stream tells the state of the job', () => /event: state/.test(told));
  const part = (name: string) => `--b\r\ncontent-disposition: form-data; ${name}\r\n\r\n`;
  const config = JSON.stringify({ input: { format: 'geojson' }, output: { format: 'csv' } });
  const body = `${part('name="config"')}${config}\r\n${part('name="input_file"; filename="a.geojson"')}text\r\n--b--\r\n`;
  const { port, hostname } = new URL(service.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(
    'POST /transform HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=b\r\n' +
      `Content-Length: ${body.length}\r\n\r\n`,
  );
  assert.match((await once(socket, 'data'))[0], / 100 /);
  const stopped = service.stop();
  // Ends without a final state of the job, which nobody runs.
  await ended;
  // A proxy sends the next request on the same connection.
  socket.write(`${body}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
  let answers = '';
  for await (const text of socket) answers += text;
  assert.match(answers, /^HTTP\/1\.1 202 .*}HTTP\/1\.1 200 .*"status":"ok"/s);
  await stopped;
  rmSync(store, { recursive: true });
});
