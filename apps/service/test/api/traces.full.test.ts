/** Request ids and traces of a service on one machine. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualTimers } from '../../../../test/support/manual-timers.ts';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import {
  FAKE_RUNNER,
  startTestService,
  submit,
  submitJob,
  type TestService,
} from '../../../../test/support/service.ts';
import { type CollectedSpan, startCollector } from '../../../../test/support/trace-collector.ts';
import { until } from '../../../../test/support/until.ts';
import { ANY_OWNER } from '../../src/jobs/job.ts';

const DELAY_MS = 20;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

function traced(url: string, more: Record<string, string> = {}): { settings: Record<string, string> } {
  return {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_BSP_SCHEDULE_DELAY: String(DELAY_MS),
      JOB_ATTEMPTS: '2',
      ...more,
    },
  };
}

async function traceOf({ service }: TestService, id: string): Promise<string | null | undefined> {
  return (await service.jobsOf(ANY_OWNER).get(id))?.trace;
}

test('every response has a request id: that of the request if it is plain, else a new one', async () => {
  await using service = await startTestService();
  const idFor = async (given: string | null, path = '/v1/formats'): Promise<string> => {
    const headers: Record<string, string> = given === null ? {} : { 'x-request-id': given };
    return (await checkedFetch(service.url + path, { headers })).headers.get('x-request-id') ?? '';
  };
  assert.equal(await idFor('a-1.b_2:c'), 'a-1.b_2:c');
  assert.equal(await idFor('mine', '/nowhere'), 'mine');
  assert.equal(await idFor('mine', '/healthz'), 'mine');
  for (const given of [null, '', 'with space', 'x'.repeat(129), '{"a":1}', '<script>'])
    assert.match(await idFor(given), /^[0-9a-f-]{36}$/);
});

test('without a collector the trace of a caller is passed on to the job, and one that is not valid is ignored', async () => {
  await using service = await startTestService();
  const response = await submit(service, { headers: { traceparent: CALLER } });
  assert.equal(response.headers.get('traceresponse'), CALLER);
  const { job_id: id } = (await response.json()) as { job_id: string };
  assert.equal(await traceOf(service, id), CALLER);
  const wrong = [
    'nonsense',
    CALLER.toUpperCase(),
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `ff-${TRACE_ID}-00f067aa0ba902b7-01`,
    `${CALLER}-more`,
    `01-${TRACE_ID}-00f067aa0ba902b7-01-${'x'.repeat(300)}`,
  ];
  for (const traceparent of wrong) {
    const answer = await submit(service, { headers: { traceparent } });
    assert.equal(answer.headers.get('traceresponse'), null, traceparent);
    const { job_id } = (await answer.json()) as { job_id: string };
    assert.equal(await traceOf(service, job_id), null);
  }
  const later = `01-${TRACE_ID}-00f067aa0ba902b7-01-later`;
  const answer = await submit(service, { headers: { traceparent: later } });
  assert.equal(answer.headers.get('traceresponse'), CALLER, 'a later version of the header');
});

test('a trace continues that of the caller, shows each attempt with its outcome, and obeys the sampling of the caller', async () => {
  await using collector = await startCollector();
  await using service = await startTestService(traced(collector.url));
  const headers = { traceparent: CALLER };
  const crash = await submitJob(service, { file: 'crash', headers });
  await service.ended(crash);
  await submit(service, { headers: { traceparent: CALLER.replace(/01$/, '00') } });
  const refuse = await submitJob(service, { file: 'refuse' });
  await service.ended(refuse);
  const attemptsAt = (id: string, spans: readonly CollectedSpan[] = collector.spans): CollectedSpan[] =>
    spans.filter(
      ({ name, attributes }) => name === 'process jobs' && attributes['messaging.message.id'] === id,
    );
  await collector.until(
    'all attempts',
    () => attemptsAt(crash).length === 2 && attemptsAt(refuse).length === 1,
  );

  const [first, second] = attemptsAt(crash);
  assert.ok([first, second].every(({ traceId, isFailed }) => traceId === TRACE_ID && isFailed));
  assert.deepEqual(
    [first, second].map(({ attributes }) => [attributes['geomill.job.outcome'], attributes['error.type']]),
    [
      ['requeued', 'requeued'],
      ['failed', 'JOB_ATTEMPTS_EXHAUSTED'],
    ],
  );
  const request = collector.spans.find(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b7');
  assert.equal(request?.name, 'POST /transform');
  const conversion = collector.spans.find(({ parentSpanId }) => parentSpanId === first.spanId && true);
  assert.ok(conversion !== undefined);
  const died = collector.spans.filter(({ name, isFailed }) => name === 'convert' && isFailed);
  assert.deepEqual(
    died.map(({ attributes }) => attributes['error.type']),
    ['runner_crash', 'runner_crash', 'CSV_SYNTAX'],
  );
  const [refused] = attemptsAt(refuse);
  assert.deepEqual(
    [refused.attributes['geomill.job.outcome'], refused.attributes['error.type']],
    ['failed', 'CSV_SYNTAX'],
  );
  assert.notEqual(refused.traceId, TRACE_ID);
  // 2 requests of 3: the caller of the other one records nothing.
  assert.equal(collector.spans.filter(({ name }) => name === 'POST /transform').length, 2);
});

test('spans of health checks, of unknown addresses and of what samplers leave out are not recorded', async () => {
  await using collector = await startCollector();
  await using service = await startTestService(
    traced(collector.url, { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }),
  );
  for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere']) await checkedFetch(service.url + path);
  // Kept are traces whose last 56 bits are in the upper half.
  for (const digits of ['70000000000000', '80000000000000']) {
    const traceparent = `00-${TRACE_ID.slice(0, 18)}${digits}-00f067aa0ba902b7-01`;
    const response = await checkedFetch(`${service.url}/v1/formats`, { headers: { traceparent } });
    assert.equal(response.headers.get('traceresponse')?.slice(-2), digits.startsWith('8') ? '01' : '00');
  }
  await collector.until('a span', (spans) => spans.length > 0);
  assert.deepEqual(
    collector.spans.map(({ name, traceId }) => [name, traceId.slice(-14)]),
    [['GET /v1/formats', '80000000000000']],
  );
});

test('a service whose collector is away runs its jobs, and starts and stops as fast', async () => {
  const timers = new ManualTimers();
  await using service = await startTestService({
    ...traced('http://127.0.0.1:9'),
    start: { runner: FAKE_RUNNER, timers },
  });
  for (let i = 0; i < 20; i++) await service.ended(await submitJob(service));
  const text = await (await checkedFetch(`${service.url}/metrics`)).text();
  assert.match(text, /^geomill_attempts_total\{outcome="succeeded"\} 20$/m);
  timers.pass(DELAY_MS);
  await until('a request has failed', () => timers.pending.some((ms) => ms < 1000));
  // Time stands still: the stop waits for no limit and no pause.
  await service.stop();
});

test('settings of traces are checked at the start, and never repeat a secret', async () => {
  const rows: readonly [Record<string, string>, RegExp][] = [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://secret@host:4317' }, /address of a collector/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@host:4318' }, /OTEL_EXPORTER_OTLP_HEADERS/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'nowhere secret' }, /OTEL_EXPORTER_OTLP_TRACES_ENDPOINT/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, /key=value/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=secret%0Ab' }, /HTTP header/],
    [{ OTEL_TRACES_SAMPLER: 'xray' }, /known samplers: always_on/],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, /from 0 to 1/],
  ];
  for (const [settings, reason] of rows)
    await assert.rejects(
      startTestService(traced('http://127.0.0.1:9', settings)),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'SETTING_INVALID');
        assert.match(error.message, reason);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  const unused = { OTEL_TRACES_SAMPLER: 'xray', OTEL_EXPORTER_OTLP_HEADERS: 'x' };
  await using _service = await startTestService({ settings: unused });
});
