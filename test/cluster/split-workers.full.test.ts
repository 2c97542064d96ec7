/** The worker of a part of another worker's job: what it shows of it in logs and traces, and that its full disk does no harm to the job. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { SubmitJobConfig } from '../../packages/client/src/client.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { noPostgres as skip } from '../support/postgres.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { type CollectedSpan, startCollector } from '../support/trace-collector.ts';
import { until } from '../support/until.ts';
import {
  collection,
  ended,
  features,
  type Input,
  MANY_PARTS,
  startCluster,
  submit,
} from './split-service.ts';

// With the lease of the other tests a machine that is busy would count as dead.
const SETTINGS = { ...MANY_PARTS, SPLIT_BYTES: String(512 * 1024), JOB_LEASE: '60', LOG_LEVEL: 'info' };
/** Work of seconds also on a fast machine. */
const BUFFER = {
  type: 'buffer',
  params: { distance: 20, units: 'meters', geodesic: true, quadrant_segments: 64 },
} as const;
const SLOW: SubmitJobConfig = {
  input: { format: 'geojson' },
  transformations: [BUFFER],
  output: { format: 'csv' },
};
const INPUT: Input = { name: 'in.geojson', bytes: Buffer.from(collection(features(4000))) };

test('the parts of a job that other workers run are in its trace, and their log lines name it', {
  skip,
}, async () => {
  await using collector = await startCollector();
  await using cluster = await startCluster(2, {
    ...SETTINGS,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
  });
  const { id } = await submit(cluster.api, INPUT, SLOW);
  const { job } = await ended(cluster.api, id);
  assert.equal(job.error ?? null, null);
  const ofJob = (name: string, spans: readonly CollectedSpan[] = collector.spans): CollectedSpan[] =>
    spans.filter((span) => span.name === name && span.attributes['messaging.message.id'] === id);
  const counts = await cluster.parts();
  const helped = Math.max(...counts);
  assert.ok(helped > 0, 'a part ran at the other worker');
  await collector.until(
    'the attempt and its parts',
    (spans) =>
      ofJob('process jobs', spans).length === 1 && ofJob('process job parts', spans).length === helped,
  );
  const [enqueued] = ofJob('enqueue jobs');
  const [attempt] = ofJob('process jobs');
  const parts = ofJob('process job parts');
  assert.deepEqual(attempt.parentSpanId, enqueued.spanId);
  for (const { traceId, parentSpanId, resource, attributes, isFailed, start, end } of parts) {
    assert.deepEqual([traceId, parentSpanId], [attempt.traceId, enqueued.spanId]);
    assert.notEqual(resource['service.instance.id'], attempt.resource['service.instance.id']);
    assert.equal(attributes['geomill.job.fence'], 1);
    assert.equal(attributes['geomill.job.outcome'], isFailed ? 'cancelled' : 'succeeded');
    // Clocks of two processes, in whole milliseconds at the start.
    assert.ok(start >= attempt.start - 2 && end >= start);
  }
  const numbers = parts.map(({ attributes }) => attributes['geomill.job.part']);
  assert.equal(new Set(numbers).size, numbers.length, `each part ran once: ${numbers}`);
  const lines = cluster.workers[counts.indexOf(helped)].log().filter(({ jobId }) => jobId === id);
  assert.ok(lines.length >= 2 * helped, 'the beginning and the end of each part');
  for (const { msg, traceId, part } of lines) {
    assert.match(String(msg), /^a part of a job (?:began|ended)$/);
    assert.equal(traceId, attempt.traceId);
    assert.ok(numbers.includes(Number(part)), `${part} of ${numbers}`);
  }
});

test('a worker whose disk is full gives its part back and takes nothing more until it has space, and the job succeeds', {
  skip,
}, async (context) => {
  using disk = mountSmallDisk(40);
  if (disk === null) return context.skip('no file system can be mounted here: needs Linux and root');
  await using cluster = await startCluster(2, SETTINGS, { DATA_DIR: disk.path });
  const [, small] = cluster.workers;
  const said = (text: string): boolean => small.log().some(({ msg }) => msg === text);
  const isReady = async (): Promise<boolean> => (await fetch(`${small.url}/readyz`)).status === 200;
  await until('it is ready', isReady);
  // The other one gets the job, and a part waits for this one.
  process.kill(small.pid, 'SIGSTOP');
  const goOn = (): void => void process.kill(small.pid, 'SIGCONT');
  // Also after a failure: it could not be ended.
  using _ = { [Symbol.dispose]: goOn };
  const { id } = await submit(cluster.api, INPUT, SLOW);
  await until('there are parts', async () => (await cluster.rows()) > 0);
  disk.fill();
  goOn();
  await until('no space for a part', async () => said('no disk space was left for a part of a job'));
  await until('/readyz says so', async () => !(await isReady()));
  const { job, bytes } = await ended(cluster.api, id);
  assert.deepEqual([job.status, job.attempts], ['SUCCESS', 1]);
  assert.ok(bytes?.equals(await onOneMachine()), 'other bytes');
  const tried = small.log().filter(({ msg }) => msg === 'a part of a job began').length;
  assert.equal(tried, 1, 'it takes no other part');
  disk.free();
  await until('it is ready again', isReady);
});

async function onOneMachine(): Promise<Buffer> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, INPUT.name);
  writeFileSync(path, INPUT.bytes);
  const { outputPath } = await convertFile(path, workspace.path, {
    from: 'geojson',
    to: 'csv',
    transformations: [BUFFER],
  });
  return readFileSync(outputPath);
}
