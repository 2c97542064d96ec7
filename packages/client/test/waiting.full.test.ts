/** Waiting for jobs: by events, over connections that break, and by asking where there are no events. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Answer, broken, json, startScriptedServer } from '../../../test/support/scripted-server.ts';
import { startTestService } from '../../../test/support/service.ts';
import { GeomillClient, type Job, JobFailed, type Progress } from '../src/client.ts';
import { readEvents, type ServerEvent } from '../src/event-stream.ts';

const service = await startTestService({ settings: { SYNC_TIMEOUT: '0' } });
test.after(() => service[Symbol.asyncDispose]());
const client = new GeomillClient({ baseUrl: service.url });

const config = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;
const inputOf = (data: string) => ({ name: 'a.geojson', data });

test('progress is told while the job runs', async () => {
  const job = await client.submit({ input: inputOf('wait 500'), config });
  const told: Progress[] = [];
  await job.wait({ onProgress: (progress) => told.push(progress) });
  const between = told.filter(
    ({ fraction, stage }) => stage === 'converting' && fraction > 0 && fraction < 1,
  );
  assert.ok(between.length >= 1, JSON.stringify(told));
});

test('a request that the service would not hold open is waited for all the same', async () => {
  const told: Progress[] = [];
  const output = await client.transform(
    'geojson',
    { input: inputOf('wait 50'), config: { output_format: 'csv' } },
    { onProgress: (progress) => told.push(progress) },
  );
  assert.equal((await output.text()).slice(0, 8), 'wait 50|');
  assert.equal(told.at(-1)?.stage, 'ended');
  const request = { input: inputOf('refuse'), config: { output_format: 'csv' } } as const;
  await assert.rejects(client.transform('geojson', request), (error) => {
    assert.ok(error instanceof JobFailed);
    assert.deepEqual([error.code, error.place?.line], ['CSV_SYNTAX', 3]);
    return true;
  });
});

test('a running job is cancelled', async () => {
  const job = await client.submit({ input: inputOf('hang'), config });
  const waiting = assert.rejects(job.wait(), { name: 'JobFailed', code: 'CANCELLED' });
  await job.cancel();
  await waiting;
  assert.equal((await job.status()).status, 'FAILED');
});

test('a running job is deleted for good, and who waits for it is told', async () => {
  const job = await client.submit({ input: inputOf('hang'), config });
  await job.delete();
  await assert.rejects(job.wait(), { status: 404 });
});

test('an abort ends the waiting and leaves the job', async () => {
  const job = await client.submit({ input: inputOf('wait 300'), config });
  const controller = new AbortController();
  const reason = new Error('no patience');
  const onProgress = () => controller.abort(reason);
  await assert.rejects(job.wait({ signal: controller.signal, onProgress }), reason);
  await assert.rejects(job.wait({ signal: AbortSignal.abort(reason) }), reason);
  assert.equal((await job.wait()).status, 'SUCCESS');
});

test('what onProgress throws ends the waiting', async () => {
  const job = await client.submit({ input: inputOf('wait 100'), config });
  const onProgress = () => {
    throw new Error('a mistake of the caller');
  };
  await assert.rejects(job.wait({ onProgress }), /mistake of the caller/);
  await job.wait();
});

const jobAs = (status: Job['status'], fraction: number) =>
  ({
    job_id: 'a',
    status,
    progress: { fraction, stage: status === 'SUCCESS' ? 'ended' : 'converting' },
  }) as Job;
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function events(...texts: string[]): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(texts.join(''));
  };
}

/** The fractions that are told by the way. */
async function fractionsOver(...answers: Answer[]): Promise<{ fractions: number[]; paths: string[] }> {
  await using server = await startScriptedServer(...answers);
  const retry = { attempts: 2, maxDelaySeconds: 0.001 };
  const fractions: number[] = [];
  const job = new GeomillClient({ baseUrl: server.url, retry }).job('a');
  const ended = await job.wait({ onProgress: ({ fraction }) => fractions.push(fraction) });
  assert.equal(ended.status, 'SUCCESS');
  return { fractions, paths: server.received.map(({ path }) => path) };
}

const EVENTS = '/v1/jobs/a/events';
const progress = (fraction: number) => event('progress', { fraction, stage: 'converting' });

test('a stream of events that breaks is opened again, and nothing is told twice', async () => {
  const cut: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event('state', jobAs('RUNNING', 0.1)) + progress(0.5), () => response.destroy());
  };
  const { fractions, paths } = await fractionsOver(
    cut,
    broken,
    events(
      event('state', jobAs('RUNNING', 0.4)),
      progress(0.7),
      ': still here\n\n',
      'event: news\ndata: 1\n\n',
    ),
    events(event('state', jobAs('SUCCESS', 1))),
  );
  assert.deepEqual(fractions, [0.1, 0.5, 0.7, 1]);
  assert.deepEqual(paths, [EVENTS, EVENTS, EVENTS, EVENTS]);
});

test('without events the job is asked for', async () => {
  const running = json(200, jobAs('RUNNING', 0.5));
  const done = json(200, jobAs('SUCCESS', 1));
  const html: Answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
  for (const instead of [json(404, {}), json(501, {}), html]) {
    const { fractions, paths } = await fractionsOver(instead, running, done);
    assert.deepEqual(fractions, [0.5, 1]);
    assert.deepEqual(paths, [EVENTS, '/v1/jobs/a', '/v1/jobs/a']);
  }
});

test('events that never come through are given up', async () => {
  const mute = events();
  const { paths } = await fractionsOver(mute, mute, mute, json(200, jobAs('SUCCESS', 1)));
  assert.deepEqual(paths, [EVENTS, EVENTS, EVENTS, '/v1/jobs/a']);
});

async function eventsOf(chunks: readonly Uint8Array[]): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  const stream = ReadableStream.from(chunks) as ReadableStream<Uint8Array>;
  for await (const one of readEvents(stream)) found.push(one);
  return found;
}

test('events are read as the standard has it', async () => {
  const text =
    ': hello\nretry: 10\n\nid: 1\ndata: a\ndata: ä\n\ndata:b\r\n\r\nevent: x\rdata\r\rid: end\nevent: y\n\ndata: cut';
  assert.deepEqual(await eventsOf([new TextEncoder().encode(text)]), [
    { event: 'message', data: 'a\nä', id: '1' },
    { event: 'message', data: 'b', id: '1' },
    { event: 'x', data: '', id: '1' },
  ]);
});

test('events are the same however their bytes are cut', async () => {
  const line = fc.constantFrom('data: a', 'data: ü€', 'data', 'event: x', 'id: 7', ': c', '', '', 'other: 1');
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(line, lineEnd)), fc.array(fc.nat(40)), async (lines, lengths) => {
      const bytes = new TextEncoder().encode(lines.flat().join(''));
      const chunks: Uint8Array[] = [];
      let at = 0;
      for (const length of lengths) {
        chunks.push(bytes.subarray(at, at + length));
        at += length;
      }
      chunks.push(bytes.subarray(at));
      assert.deepEqual(await eventsOf(chunks), await eventsOf([bytes]));
    }),
    { numRuns: 300 },
  );
});
