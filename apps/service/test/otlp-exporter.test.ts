/** What the exporter of traces does while its collector is away, slow or refuses. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Timers } from '../../../packages/core/src/timers.ts';
import { startFileHost } from '../../../test/support/file-host.ts';
import { ManualTimers } from '../../../test/support/manual-timers.ts';
import { startCollector } from '../../../test/support/trace-collector.ts';
import { until } from '../../../test/support/until.ts';
import { OtlpExporter } from '../src/tracing/otlp-exporter.ts';
import { Recorder } from '../src/tracing/recorder.ts';

function exporterTo(url: string, timers?: Timers) {
  const dropped = { queue_full: 0, rejected: 0, stopped: 0 };
  const seen = { exported: 0, dropped, log: [] as string[] };
  const note = (_facts: object, text: string): void => void seen.log.push(text);
  const exporter = new OtlpExporter({
    url: `${url}/v1/traces`,
    headers: {},
    resource: { 'service.name': 'test' },
    scope: { name: 'geomill', version: '0' },
    delayMs: 1,
    observer: {
      spansExported: (count) => {
        seen.exported += count;
      },
      spansDropped: (reason, count) => {
        dropped[reason] += count;
      },
    },
    log: { info: note, warn: note },
    timers,
  });
  const recorder = new Recorder(
    () => true,
    (span) => exporter.add(span),
  );
  const add = (count: number): void => {
    for (let i = 0; i < count; i++) recorder.span(`s${i}`, 'internal', { parent: null }).end();
  };
  return { exporter, recorder, seen, add };
}

test('while the collector is away the queue is bounded and what does not fit is counted; then the rest is sent', async () => {
  await using collector = await startCollector();
  collector.answer = { status: 503, body: {}, headers: { 'retry-after': '1' } };
  const { exporter, seen, add } = exporterTo(collector.url);
  add(5000);
  assert.deepEqual(seen.dropped, { queue_full: 5000 - 2048, rejected: 0, stopped: 0 });
  await until('a request came', () => collector.requests.length > 0);
  collector.answer = { status: 200, body: {} };
  await until('the queue is exported', () => seen.exported === 2048);
  assert.equal(collector.spans.length, 2048);
  assert.deepEqual(seen.log, [
    'traces cannot be sent; jobs are not affected, and it is tried again',
    'traces are sent again',
  ]);
  await exporter.close();
  assert.equal(seen.dropped.stopped, 0);
});

test('spans that the collector rejects are counted and not sent again', async () => {
  await using collector = await startCollector();
  const { exporter, seen, add } = exporterTo(collector.url);
  collector.answer = { status: 200, body: { partialSuccess: { rejectedSpans: '2' } } };
  add(5);
  await until('three spans are exported', () => seen.exported === 3);
  collector.answer = { status: 400, body: {} };
  add(4);
  await until('six spans are rejected', () => seen.dropped.rejected === 6);
  assert.equal(collector.requests.length, 2);
  await exporter.close();
});

test('the end of the process sends what is left, or counts it, within some seconds', async () => {
  await using collector = await startCollector();
  const { exporter, seen, add } = exporterTo(collector.url);
  add(3);
  await exporter.close();
  assert.equal(seen.exported, 3);
  add(1);
  assert.equal(seen.dropped.stopped, 1);
  // Time stands still: nothing is waited for, not even after a failure.
  const timers = new ManualTimers();
  const away = exporterTo('http://127.0.0.1:9', timers);
  away.add(7);
  timers.pass(1);
  await until('a request has failed', () => away.seen.log.length > 0);
  assert.ok(timers.pending[0] >= 500, 'it will be tried again');
  await away.exporter.close();
  assert.equal(away.seen.dropped.stopped, 7);
  assert.deepEqual(timers.pending, []);
});

test('a collector that does not answer holds up a request for ten seconds, and the end of the process for two', async () => {
  await using host = await startFileHost({ '/v1/traces': () => {} });
  const timers = new ManualTimers();
  const { exporter, seen, add } = exporterTo(host.url, timers);
  add(7);
  timers.pass(1);
  await until('a request came', () => host.requests.length === 1);
  assert.deepEqual(timers.pending, [10_000]);
  timers.pass(10_000);
  await until('the request has failed', () => seen.log.length > 0);
  await exporter.close();
  assert.equal(seen.dropped.stopped, 7);
  const fresh = exporterTo(host.url, timers);
  fresh.add(3);
  const closing = fresh.exporter.close();
  await until('a request came', () => host.requests.length === 2);
  timers.pass(2000);
  await closing;
  assert.equal(fresh.seen.dropped.stopped, 3);
});

test('attributes are bounded, and values have the types of the protocol', async () => {
  await using collector = await startCollector();
  const { exporter, recorder } = exporterTo(collector.url);
  const span = recorder.span('one', 'client', {
    parent: null,
    attributes: { text: 'x'.repeat(10_000), none: null },
  });
  span.set({ int: 7, real: 0.5, flag: true, int64: 2 ** 40 });
  for (let i = 0; i < 100; i++) span.set({ [`a${i}`]: i });
  span.end();
  span.end();
  await exporter.close();
  const [{ attributes }, ...others] = collector.spans;
  assert.equal(others.length, 0);
  assert.equal(Object.keys(attributes).length, 32);
  const { text, int, real, flag, int64 } = attributes;
  assert.deepEqual([String(text).length, int, real, flag, int64], [256, 7, 0.5, true, 2 ** 40]);
});
