/** Logs and traces of a job that one process accepts and another one runs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { makeWorkspace } from '../support/convert.ts';
import { sharedPostgres, noPostgres as skip } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { type CollectedSpan, startCollector } from '../support/trace-collector.ts';
import { until } from '../support/until.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'samples', 'harbour.geojson');
const SECRET = 'collector-password';
const SERVER = 2;
const PRODUCER = 4;
const CONSUMER = 5;

async function succeeded({ url }: ServerProcess, id: string): Promise<void> {
  await until(`job ${id} has succeeded`, async () => {
    const { status } = (await (await fetch(`${url}/v1/jobs/${id}`)).json()) as { status: string };
    assert.ok(status !== 'FAILED' && status !== 'CANCELLED', status);
    return status === 'SUCCESS';
  });
}

test('one trace leads from the request over the worker to the download, and log lines name the job in both processes', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  await using collector = await startCollector();
  const { url: database } = await sharedPostgres();
  const settings = {
    DATABASE_URL: database,
    DATABASE_SCHEMA: 'observed',
    STORE_URL: pathToFileURL(workspace.path).href,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Basic%20${SECRET}`,
    OTEL_SERVICE_NAME: 'mill',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const [api, worker] = await Promise.all([
    startServerProcess(settings, ['--role', 'api']),
    startServerProcess(settings, ['--role', 'worker']),
  ]);
  await using _api = api;
  await using _worker = worker;

  const form = new FormData();
  form.append('config', JSON.stringify({ input: { format: 'geojson' }, output: { format: 'csv' } }));
  form.append('input_file', new Blob([readFileSync(SAMPLE)]), 'private-name.geojson');
  const accepted = await fetch(`${api.url}/transform`, {
    method: 'POST',
    body: form,
    headers: { 'x-request-id': 'order-66' },
  });
  assert.equal(accepted.headers.get('x-request-id'), 'order-66');
  const [, traceId, requestSpan] = accepted.headers.get('traceresponse')?.split('-') ?? [];
  const { job_id: id } = (await accepted.json()) as { job_id: string };
  await succeeded(api, id);
  const output = await fetch(`${api.url}/result/output/${id}`);
  assert.equal(output.headers.get('traceresponse')?.split('-')[1], traceId);
  await output.text();

  const ofTrace = (spans: readonly CollectedSpan[]) => spans.filter((span) => span.traceId === traceId);
  await collector.until('the whole trace', (spans) => ofTrace(spans).length >= 14);
  const spans = ofTrace(collector.spans);
  const one = (name: string): CollectedSpan => {
    const found = spans.filter((span) => span.name === name);
    assert.equal(found.length, 1, name);
    return found[0];
  };
  const childrenOf = ({ spanId }: CollectedSpan): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === spanId)
      .sort((a, b) => a.start - b.start)
      .map(({ name }) => name);

  const request = one('POST /transform');
  assert.equal(request.parentSpanId, undefined);
  assert.equal(request.spanId, requestSpan);
  assert.deepEqual(childrenOf(request), ['enqueue jobs']);
  const enqueue = one('enqueue jobs');
  assert.deepEqual(childrenOf(enqueue), ['process jobs', 'GET /result/output/:job_id']);
  const attempt = one('process jobs');
  assert.deepEqual(childrenOf(attempt), [
    'claim jobs',
    'provide input',
    'convert',
    'store output',
    'record result',
  ]);
  assert.deepEqual(childrenOf(one('convert')), ['opening', 'scanning', 'converting', 'finishing']);
  const download = one('GET /result/output/:job_id');
  assert.deepEqual(childrenOf(download), ['deliver output']);
  assert.deepEqual(
    [request.kind, enqueue.kind, attempt.kind, download.kind],
    [SERVER, PRODUCER, CONSUMER, SERVER],
  );
  assert.ok(spans.every(({ isFailed, start, end }) => !isFailed && end >= start));
  for (const { name, parentSpanId, start } of spans) {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    // Clocks of two processes, in whole milliseconds at the start.
    assert.ok(start >= (parent?.start ?? 0) - 2, name);
  }

  assert.equal(request.attributes['http.request.method'], 'POST');
  assert.equal(request.attributes['http.route'], '/transform');
  assert.equal(request.attributes['http.response.status_code'], 202);
  assert.equal(enqueue.attributes['messaging.message.id'], id);
  assert.equal(attempt.attributes['messaging.operation.type'], 'process');
  assert.equal(attempt.attributes['geomill.job.outcome'], 'succeeded');
  assert.equal(attempt.attributes['geomill.output.format'], 'csv');
  assert.equal(download.attributes['geomill.job.id'], id);
  for (const { resource } of spans)
    assert.deepEqual([resource['service.name'], resource['deployment.environment.name']], ['mill', 'test']);
  assert.deepEqual([request.resource['geomill.role'], attempt.resource['geomill.role']], ['api', 'worker']);

  for (const { path, headers } of collector.requests)
    assert.deepEqual([path, headers.authorization], ['/v1/traces', `Basic ${SECRET}`]);
  const told = JSON.stringify([collector.spans, api.log(), worker.log()]);
  for (const secret of ['private-name', 'postgres://', workspace.path, SECRET])
    assert.ok(!told.includes(secret), secret);

  const about = ({ log }: ServerProcess) => log().filter(({ jobId }) => jobId === id);
  const [line, ...others] = about(api);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [line.msg, line.reqId, line.role, line.traceId, line.process],
    ['accepted a job', 'order-66', 'api', traceId, request.resource['service.instance.id']],
  );
  const lines = about(worker);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['an attempt at a job began', 'an attempt at a job ended'],
  );
  for (const { role, attempt: number, fence, traceId: trace, process } of lines)
    assert.deepEqual(
      [role, number, fence, trace, process],
      ['worker', 1, 1, traceId, attempt.resource['service.instance.id']],
    );
  assert.equal(lines[1].outcome, 'succeeded');
  assert.notEqual(line.process, lines[0].process);
});
