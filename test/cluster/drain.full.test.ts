/** A worker that gets SIGTERM, as in a rolling update: its jobs end there within the grace time, or run elsewhere without delay. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { SubmitJobConfig } from '../../packages/client/src/client.ts';
import { noPostgres as skip } from '../support/postgres.ts';
import { running, startProcesses } from './processes.ts';
import { manySquares, UNION_STEPS } from './squares.ts';

const LONG: SubmitJobConfig = {
  input: { format: 'geojson' },
  transformations: [...UNION_STEPS],
  output: { format: 'geojson' },
};
/** So long that a job which waits for the end of a lease is noticed. */
const LEASE = '60';

test('a worker that stops finishes its job within the grace time and begins no other', { skip }, async () => {
  await using cluster = await startProcesses({ apis: 1, workers: 0, settings: { JOB_LEASE: LEASE } });
  const worker = await cluster.start('worker', { SHUTDOWN_GRACE: '60' });
  const [api] = cluster.apis;
  const input = { name: 'a.geojson', data: manySquares(3000) };
  const first = await api.submit({ input, config: LONG });
  await running(first.id, api);
  const second = await api.submit({ input, config: LONG });
  await worker[Symbol.asyncDispose]();
  const ended = await api.job(first.id).status();
  assert.equal(ended.status, 'SUCCESS');
  assert.equal(ended.attempts, 1);
  assert.equal((await api.job(second.id).status()).status, 'QUEUED');
});

test('a worker whose grace time is over gives its job back, which another one runs as its first attempt', {
  skip,
}, async () => {
  await using cluster = await startProcesses({ apis: 1, workers: 0, settings: { JOB_LEASE: LEASE } });
  const worker = await cluster.start('worker', { SHUTDOWN_GRACE: '0' });
  const [api] = cluster.apis;
  const { id } = await api.submit({ input: { name: 'a.geojson', data: manySquares(6000) }, config: LONG });
  await running(id, api);
  await worker[Symbol.asyncDispose]();
  assert.equal((await api.job(id).status()).status, 'QUEUED', 'given back, not left to its lease');
  await cluster.start('worker');
  const job = await api.job(id).wait();
  assert.equal(job.attempts, 1);
});
