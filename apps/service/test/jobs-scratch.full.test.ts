/** Jobs of a service whose temporary files, or files of an owner, are larger than they may be. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import test from 'node:test';
import { startTestService, submitJob } from '../../../test/support/service.ts';

test('a job that writes too many temporary files is stopped, its files are removed, and the others go on', async () => {
  await using service = await startTestService({ settings: { MAX_SCRATCH: '1 MiB', RUNNERS: '1' } });
  const filling = await submitJob(service, { file: 'fill 1048577' });
  const after = await submitJob(service, { file: 'after it' });
  const job = await service.ended(filling);
  assert.equal(job.error?.code, 'JOB_SCRATCH_EXCEEDED');
  assert.deepEqual(job.error?.params, { bytes: 1_048_577, limit: 1 << 20, setting: 'MAX_SCRATCH' });
  assert.equal(job.attempts, 1);
  assert.equal((await service.ended(after)).state, 'SUCCESS');
  assert.deepEqual(globSync('slots/*/scratch/**/features', { cwd: service.config.dataDirectory }), []);
});

test('the files of running jobs count for their owner', async () => {
  await using service = await startTestService({ settings: { MAX_OWNER_STORAGE: '1 MiB', RUNNERS: '2' } });
  const [first, second] = await Promise.all(
    ['fill 400000 a', 'fill 400000 b'].map((file) => submitJob(service, { file })),
  );
  // Both together are above the limit; the other one may then go on.
  const ended = await Promise.race([service.ended(first), service.ended(second)]);
  assert.equal(ended.error?.code, 'OWNER_SCRATCH_EXCEEDED');
  assert.ok(Number(ended.error?.params.bytes) >= 1 << 20 || Number(ended.error?.params.stored) > 0);
});
