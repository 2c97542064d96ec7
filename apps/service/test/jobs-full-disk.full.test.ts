/** A disk that is full for a while: nothing that was accepted is lost, no job waits for help, and clients get the reason. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import { expectProblem } from '../../../test/support/problem.ts';
import { checkedFetch } from '../../../test/support/response-check.ts';
import { startTestService, submit, submitJob, type TestService } from '../../../test/support/service.ts';
import { mountSmallDisk, type SmallDisk } from '../../../test/support/small-disk.ts';
import { appendTo, newUpload, offsetOf } from '../../../test/support/tus.ts';
import { until } from '../../../test/support/until.ts';
import { ANY_OWNER } from '../src/jobs/job.ts';
import { Readiness } from '../src/jobs/readiness.ts';

function smallDisk(context: TestContext): SmallDisk | null {
  const disk = mountSmallDisk(40);
  if (disk === null) context.skip('no file system can be mounted here: needs Linux and root');
  return disk;
}

async function readiness({ url }: TestService): Promise<{ status: number; detail?: string }> {
  const response = await checkedFetch(`${url}/readyz`);
  const { detail } = (await response.json()) as { detail?: string };
  return { status: response.status, detail };
}

test('jobs that were accepted before the disk was full succeed after it has space again', async (context) => {
  using disk = smallDisk(context);
  if (disk === null) return;
  const verify = context.mock.method(Readiness.prototype, 'verify');
  await using service = await startTestService({ dataDirectory: disk.path });
  const ids: string[] = [];
  for (let i = 0; i < 15; i++) ids.push(await submitJob(service, { file: `wait ${i < 2 ? 1 : 20} ${i}` }));
  const begun = ids.slice(0, 2);
  await until('the first are running', async () => service.service.runningCount > 0);
  disk.fill();
  // Larger than what may be left in a page that is already there.
  const refused = await submit(service, { file: 'x'.repeat(100_000) });
  assert.equal(refused.status, 507);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  const { detail } = (await refused.json()) as { detail: string };
  assert.match(detail, /^no disk space left for jobs/);
  await until('/readyz says so', async () => (await readiness(service)).status === 503);
  assert.match((await readiness(service)).detail ?? '', /no disk space/);
  const early = await submit(service);
  assert.equal(early.status, 507, 'also what would need little');
  const failed = verify.mock.callCount() + 2;
  await until('storage was tried again', () => verify.mock.callCount() >= failed);
  disk.free();
  await until('it is ready', async () => (await readiness(service)).status === 200);
  for (const id of [...begun, ...ids]) {
    const job = await service.ended(id);
    assert.equal(job.state, 'SUCCESS', JSON.stringify(job.error));
    assert.ok(job.attempts >= 1);
  }
  const [last] = ids.slice(-1);
  const output = await checkedFetch(`${service.url}/result/output/${last}`);
  assert.equal(await output.text(), outputOf('wait 20 14'));
  assert.equal((await submit(service)).status, 202);
  await until('all inputs are removed', async () => readdirSync(join(disk.path, 'inputs')).length === 0);
  assert.equal(await service.service.queueLength(), 0);
});

test('an upload that fills the disk is refused with 507, keeps what was recorded, and can be continued', async (context) => {
  using disk = smallDisk(context);
  if (disk === null) return;
  await using service = await startTestService({ dataDirectory: disk.path });
  const content = randomBytes(30 * 1024 ** 2);
  const url = await newUpload(service, content.length);
  const part = 4 * 1024 ** 2;
  assert.equal((await appendTo(url, 0, content.subarray(0, part))).status, 204);
  disk.fill();
  const refused = await appendTo(url, part, content.subarray(part));
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  await expectProblem(refused, 507, /no disk space/);
  disk.free();
  await until('it is ready', async () => (await readiness(service)).status === 200);
  const offset = await offsetOf(url);
  assert.ok(offset >= part && offset < content.length);
  assert.equal((await appendTo(url, offset, content.subarray(offset))).status, 204);
  assert.ok(readFileSync(join(disk.path, 'uploads', url.split('/').at(-1)!)).equals(content));
});

test('a job whose output is larger than the disk fails, and says why', async (context) => {
  using disk = smallDisk(context);
  if (disk === null) return;
  await using service = await startTestService({ dataDirectory: disk.path });
  // The output of the fake runner is a thousand times its input.
  const large = await submitJob(service, { file: 'x'.repeat(60_000) });
  const job = await service.ended(large);
  assert.deepEqual([job.state, job.error?.code, job.attempts], ['FAILED', 'STORAGE_FULL', 3]);
  const answer = await checkedFetch(`${service.url}/result/status/${large}`);
  assert.match(((await answer.json()) as { error: string }).error, /no disk space left for the output/);
  assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
  assert.equal((await readiness(service)).status, 200);
});

test('a runner that dies while the disk is full is replaced when there is space', async (context) => {
  using disk = smallDisk(context);
  if (disk === null) return;
  await using service = await startTestService({ dataDirectory: disk.path });
  await until('the runners are there', async () => service.service.runners.size === 2);
  disk.fill();
  const first = [...service.service.runners];
  for (const { pid } of first) process.kill(pid ?? 0, 'SIGKILL');
  await until('they have died', async () => first.every(({ state }) => state === 'dead'));
  disk.free();
  const id = await submitJob(service);
  assert.equal((await service.ended(id)).state, 'SUCCESS');
  await until('all runners are there', async () => service.service.runners.size === 2);
  assert.equal((await service.service.jobsOf(ANY_OWNER).get(id))?.attempts, 1);
});
