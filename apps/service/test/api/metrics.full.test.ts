/** Metrics and readiness of a service on one machine. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { startTestService, submitJob } from '../../../../test/support/service.ts';

const DOCS = join(import.meta.dirname, '../../../../docs/operate.md');

async function metricsOf(url: string): Promise<string> {
  return (await checkedFetch(`${url}/metrics`)).text();
}

test('every metric is described in docs/operate.md with its labels, and named by the conventions of Prometheus', async () => {
  await using service = await startTestService();
  await service.ended(await submitJob(service));
  const text = await metricsOf(service.url);
  const types = new Map(
    [...text.matchAll(/^# TYPE (geomill_\S+) (\w+)$/gm)].map(([, name, type]) => [name, type]),
  );
  const section = /\n## Metrics\n([\s\S]*?)\n## /.exec(readFileSync(DOCS, 'utf8'))?.[1] ?? '';
  const documented = new Map(
    [...section.matchAll(/`(geomill_\w+)(?:\{([\w,]+)\})?`/g)].map(([, name, labels]) => [
      name,
      labels ?? '',
    ]),
  );
  assert.deepEqual([...documented.keys()].sort(), [...types.keys()].sort());
  for (const [name, type] of types) {
    if (type === 'counter') assert.match(name, /_total$/);
    else assert.doesNotMatch(name, /_total$/);
    if (type === 'histogram') assert.match(name, /_seconds$/);
  }
  for (const [, sample, , given] of text.matchAll(
    /^(geomill_\w+?)(_bucket|_sum|_count)?(?:\{(.*)\})? \S+$/gm,
  )) {
    const name = types.has(sample) ? sample : `${sample}_count`;
    const labels = [...(given ?? '').matchAll(/(\w+)="/g)]
      .map(([, label]) => label)
      .filter((one) => one !== 'le');
    assert.deepEqual(labels.sort(), (documented.get(name) || null)?.split(',').sort() ?? [], name);
  }
});

test('metrics count attempts, claims, runners and operations of the store', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '2', JOB_ATTEMPTS: '2' } });
  await service.ended(await submitJob(service));
  await service.ended(await submitJob(service, { file: 'refuse' }));
  await service.ended(await submitJob(service, { file: 'crash' }));
  const text = await metricsOf(service.url);
  const value = (series: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1),
    );
  assert.equal(value('geomill_attempts_total{outcome="succeeded"}'), 1);
  assert.equal(value('geomill_attempts_total{outcome="failed"}'), 2);
  assert.equal(value('geomill_attempts_total{outcome="requeued"}'), 1);
  assert.equal(value('geomill_claim_duration_seconds_count{result="job"}'), 4);
  assert.equal(
    value('geomill_store_operation_duration_seconds_count{operation="keep_input",outcome="ok"}'),
    3,
  );
  assert.equal(
    value('geomill_store_operation_duration_seconds_count{operation="adopt_output",outcome="ok"}'),
    1,
  );
  assert.equal(value('geomill_runners_configured'), 2);
  assert.equal(value('geomill_ready'), 1);
  assert.equal(value('geomill_queue_oldest_age_seconds'), 0);
  assert.equal(value('geomill_check_failing{check="store"}'), 0);
  assert.ok(value('geomill_last_sweep_timestamp_seconds') > 0);
  assert.match(text, /^geomill_info\{version="[^"]+",role="all"\} 1$/m);
});

test('the age of the queue is that of the oldest job that is next', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const first = await submitJob(service, { file: 'wait 500' });
  const second = await submitJob(service);
  const text = await metricsOf(service.url);
  const age = Number(/^geomill_queue_oldest_age_seconds (\S+)$/m.exec(text)?.[1]);
  assert.ok(age >= 0 && age < 60, `${age}`);
  const [waiting, running] = ['length', 'running'].map((name) =>
    Number(new RegExp(`^geomill_queue_${name} (\\d)$`, 'm').exec(text)?.[1]),
  );
  assert.ok(waiting >= 1 && waiting + running === 2, `${waiting} ${running}`);
  await service.ended(first);
  await service.ended(second);
});
