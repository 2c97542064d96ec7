/** A service of several processes on one database and one store: requests at any of them, work at any other, deaths in between. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { JobFailed, type SubmitJobConfig } from '../../packages/client/src/client.ts';
import { noPostgres as skip } from '../support/postgres.ts';
import { running, startProcesses } from './processes.ts';
import { manySquares, UNION_STEPS } from './squares.ts';

const LONG: SubmitJobConfig = {
  input: { format: 'geojson' },
  transformations: [...UNION_STEPS],
  output: { format: 'geojson' },
};

test('jobs are shared by the workers, and a process that only answers requests runs none', {
  skip,
}, async () => {
  await using cluster = await startProcesses({ apis: 1, workers: 2 });
  const [api] = cluster.apis;
  const input = { name: 'a.geojson', data: manySquares(300) };
  const handles = await Promise.all(Array.from({ length: 20 }, () => api.submit({ input, config: LONG })));
  for (const handle of handles) await handle.wait();
  const ran = await Promise.all(cluster.workers.map(({ url }) => endedJobs(url)));
  assert.equal(ran[0] + ran[1], 20);
  assert.ok(Math.min(...ran) > 0, `${ran}`);
  for (const { url } of cluster.workers)
    assert.doesNotMatch(await (await fetch(`${url}/metrics`)).text(), /^geomill_runner_restarts_total\{/m);
  const [worker] = cluster.workers;
  assert.equal((await fetch(`${worker.url}/v1/jobs`)).status, 404, 'a worker has no job API');
  assert.equal((await fetch(`${worker.url}/readyz`)).status, 200);
});

test('the job of a worker that is killed is run by another one, once', { skip }, async () => {
  await using cluster = await startProcesses({ apis: 2, workers: 1 });
  const [first, second] = cluster.apis;
  const handle = await first.submit({
    input: { name: 'a.geojson', data: manySquares(15_000) },
    config: LONG,
  });
  await running(handle.id, second);
  await cluster.workers[0].kill();
  await cluster.start('worker');
  const job = await second.job(handle.id).wait();
  assert.equal(job.attempts, 2);
  const output = (await (await second.job(handle.id).download()).json()) as { features: unknown[] };
  assert.equal(output.features.length, 1);
});

test('a job that runs elsewhere is cancelled, and its work has stopped when that is answered', {
  skip,
}, async () => {
  // The work would end with the lease at the latest: the test would wait for an hour.
  await using cluster = await startProcesses({ apis: 2, workers: 1, settings: { JOB_LEASE: '1h' } });
  const [first, second] = cluster.apis;
  const handle = await first.submit({
    input: { name: 'a.geojson', data: manySquares(20_000) },
    config: LONG,
  });
  await running(handle.id, second);
  await second.job(handle.id).cancel();
  const [{ url }] = cluster.workers;
  assert.match(await (await fetch(`${url}/metrics`)).text(), /^geomill_jobs_running 0$/m);
  await assert.rejects(
    first.job(handle.id).wait(),
    (error: unknown) => error instanceof JobFailed && error.code === 'CANCELLED',
  );
});

test('progress and states are told by whichever process is asked', { skip }, async () => {
  await using cluster = await startProcesses({ apis: 2, workers: 1 });
  const [first, second] = cluster.apis;
  const handle = await first.submit({ input: { name: 'a.geojson', data: manySquares(6000) }, config: LONG });
  const stages = new Set<string>();
  await second.job(handle.id).wait({ onProgress: ({ stage }) => stages.add(stage) });
  assert.ok(stages.size > 0, 'progress of a job that runs elsewhere');
});

/** Jobs that a process has brought to their end. */
async function endedJobs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^geomill_jobs_total\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}
