/** The list of jobs, and their cancelling and deleting, over real HTTP with the fake runner. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { outputOf } from '../../../../test/support/fake-conversion.ts';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService, submit, submitJob, type TestService } from '../../../../test/support/service.ts';
import { ANY_OWNER } from '../../src/jobs/job.ts';

const ENDLESS = 'wait 1000000';

interface ShortJob {
  readonly job_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly warning_count: number;
  readonly severities: Readonly<Record<string, number>> | null;
  readonly input: { readonly format: string; readonly files: readonly object[] };
  readonly output: Record<string, unknown>;
}

interface Page {
  readonly jobs: readonly ShortJob[];
  readonly next_cursor: string | null;
  readonly link: string | null;
}

async function list(service: TestService, query = ''): Promise<Page> {
  const response = await fetch(`${service.url}/v1/jobs${query}`);
  assert.equal(response.status, 200);
  return { ...((await response.json()) as Page), link: response.headers.get('link') };
}

/** The id of the job that runs, once one does. */
async function theRunningOne(service: TestService): Promise<string> {
  for (;;) {
    const [job] = (await list(service, '?status=RUNNING')).jobs;
    if (job !== undefined) return job.job_id;
  }
}

const remove = (service: TestService, id: string): Promise<Response> =>
  fetch(`${service.url}/v1/jobs/${id}`, { method: 'DELETE' });

const filesIn = (service: TestService, kind: 'inputs' | 'outputs'): string[] =>
  readdirSync(join(service.config.dataDirectory, kind));

test('pages lead from the newest job to the oldest, each once, whatever is submitted or deleted meanwhile', async () => {
  await using service = await startTestService();
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push(await submitJob(service, { file: `file ${i}` }));
  for (const id of ids) await service.ended(id);
  const seen: string[] = [];
  let page = await list(service, '?limit=3');
  while (page.next_cursor !== null) {
    seen.push(...page.jobs.map((job) => job.job_id));
    const next = /^<(.+)>; rel="next"$/.exec(page.link ?? '')?.[1] ?? '';
    assert.equal(next, `${service.url}/v1/jobs?limit=3&cursor=${page.next_cursor}`);
    await service.ended(await submitJob(service, { file: 'later' }));
    // The very job that the next page begins behind.
    await remove(service, seen[seen.length - 1]);
    page = await list(service, new URL(next).search);
  }
  seen.push(...page.jobs.map((job) => job.job_id));
  assert.equal(page.link, null);
  // Jobs of the same millisecond come in the order of their ids.
  assert.deepEqual([...seen].sort(), [...ids].sort());
  assert.equal((await list(service, '?limit=1')).jobs.length, 1);
});

test('a list shows what matters of a job and can be narrowed down', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const config = { input: { format: 'geojson', depth: 3 }, output: { format: 'shp' } };
  const good = await submitJob(service, { config, file: 'good' });
  const bad = await submitJob(service, { file: 'refuse' });
  for (const id of [good, bad]) await service.ended(id);
  const running = await submitJob(service, { file: ENDLESS });
  assert.equal(await theRunningOne(service), running);
  const waiting = await submitJob(service, { file: 'a' });
  const { jobs } = await list(service, '?status=SUCCESS&operation=transform');
  const whole = (await (await fetch(`${service.url}/v1/jobs/${good}`)).json()) as Record<string, unknown>;
  assert.deepEqual(jobs, [
    {
      job_id: good,
      status: 'SUCCESS',
      operation: 'transform',
      input: { format: 'geojson', files: [{ name: 'roads.geojson', bytes: 4 }], file_count: 1 },
      output: {
        format: 'shp',
        name: 'roads.zip',
        bytes: outputOf('good').length,
        media_type: 'application/zip',
        url: `${service.url}/result/output/${good}`,
      },
      created_at: whole.created_at,
      started_at: whole.started_at,
      ended_at: whole.ended_at,
      expires_at: whole.expires_at,
      warning_count: 1,
      severities: { info: 1, changed: 0, lost: 0 },
      error: null,
    },
  ]);
  const failed = (await list(service, '?status=FAILED')).jobs;
  assert.deepEqual(
    failed.map((job) => [job.job_id, job.error]),
    [[bad, 'CSV line 3: it is a test (layer x)']],
  );
  for (const [status, id] of [
    ['RUNNING', running],
    ['QUEUED', waiting],
  ])
    assert.deepEqual(
      (await list(service, `?status=${status}`)).jobs.map((job) => job.job_id),
      [id],
      status,
    );
  assert.deepEqual((await list(service, '?operation=merge')).jobs, []);
  assert.equal((await list(service)).jobs.length, 4);
});

test('a page of jobs with long names is no longer than 1 MB, and the next one goes on', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  await submitJob(service, { file: ENDLESS });
  const ids = new Set<string>();
  const inputs = Array.from({ length: 30 }, (_, fileIndex) => ({
    name: '€'.repeat(255),
    byteLength: 1,
    fileIndex,
  }));
  const files = inputs.map(() => ({ crs: 'x'.repeat(100_000), crsPath: 'input.epsg' }));
  const request = {
    operation: 'merge',
    input: { format: 'geojson', files, layers: null, options: {} },
    transformations: [],
    output: { format: 'geojson', crs: null, toFile: true, options: {} },
  } as const;
  for (let i = 0; i < 130; i++) {
    const id = service.service.newJobId();
    await service.service.submit({
      id,
      owner: 'local',
      inputs,
      request,
      requestFindings: [],
      idempotency: null,
    });
    ids.add(id);
  }
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const query: string = `limit=200&status=QUEUED${cursor && `&cursor=${cursor}`}`;
    const text: string = await (await fetch(`${service.url}/v1/jobs?${query}`)).text();
    assert.ok(Buffer.byteLength(text) <= 1_000_000);
    const page = JSON.parse(text) as Page;
    for (const job of page.jobs) {
      assert.ok(ids.delete(job.job_id));
      assert.equal(job.input.files.length, 10);
    }
    cursor = page.next_cursor;
  }
  assert.equal(ids.size, 0);
  assert.equal(pages, 2);
  const { jobs } = await list(service, '?status=QUEUED&limit=1');
  const whole = await (await fetch(`${service.url}/v1/jobs/${jobs[0].job_id}`)).text();
  assert.ok(Buffer.byteLength(whole) <= 1_000_000);
  assert.equal((JSON.parse(whole) as { input: { file_count: number } }).input.file_count, 30);
});

test('a question for a list that cannot be meant is refused', async () => {
  await using service = await startTestService();
  const rows: [string, RegExp][] = [
    ['limit=0', /'limit'/],
    ['limit=201', /'limit'/],
    ['limit=many', /'limit'/],
    ['status=DONE', /'status'.*QUEUED/],
    ['operation=convert', /'operation'.*merge/],
    ['cursor=x', /'cursor'.*first page/],
    ['page=2', /'page'.*cursor/],
  ];
  for (const [query, message] of rows) {
    const response = await fetch(`${service.url}/v1/jobs?${query}`);
    assert.equal(response.status, 400, query);
    assert.match(((await response.json()) as { detail: string }).detail, message);
  }
});

test('a job that runs is stopped, who waits for it is told, and the next one runs', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const synchronous = submit(service, { file: ENDLESS, query: '?async=false' });
  const id = await theRunningOne(service);
  const next = await submitJob(service, { file: 'next' });
  assert.equal((await remove(service, id)).status, 204);
  const answer = await synchronous;
  assert.equal(answer.status, 400);
  assert.match(((await answer.json()) as { detail: string }).detail, /cancelled/);
  const job = await service.service.jobsOf(ANY_OWNER).get(id);
  assert.deepEqual([job?.state, job?.error?.code], ['FAILED', 'CANCELLED']);
  assert.equal((await service.ended(next)).state, 'SUCCESS');
  assert.deepEqual([filesIn(service, 'inputs'), filesIn(service, 'outputs')], [[], [next]]);
});

test('a job that waits is never begun', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const running = await submitJob(service, { file: ENDLESS });
  assert.equal(await theRunningOne(service), running);
  const waiting = await submitJob(service, { file: 'a' });
  assert.equal((await remove(service, waiting)).status, 204);
  assert.equal(await service.service.queueLength(), 0);
  const job = await service.service.jobsOf(ANY_OWNER).get(waiting);
  assert.deepEqual([job?.state, job?.attempts, job?.error?.code], ['FAILED', 0, 'CANCELLED']);
  assert.deepEqual(filesIn(service, 'inputs'), [running]);
});

test('a job that has ended is deleted with its output; a download under way goes on', async () => {
  await using service = await startTestService();
  // Long enough not to fit into what lies between us and the service.
  const file = 'x'.repeat(20_000);
  const id = await submitJob(service, { file });
  await service.ended(id);
  const download = await fetch(`${service.url}/result/output/${id}`);
  assert.equal((await remove(service, id)).status, 204);
  for (const path of [
    `/v1/jobs/${id}`,
    `/result/status/${id}`,
    `/result/output/${id}`,
    `/v1/jobs/${id}/events`,
  ])
    assert.equal((await fetch(service.url + path)).status, 404, path);
  assert.deepEqual(filesIn(service, 'outputs'), []);
  assert.equal((await download.text()).length, outputOf(file).length);
  assert.equal((await remove(service, id)).status, 404);
  assert.equal((await remove(service, 'nope')).status, 404);
});

test('an Idempotency-Key names a cancelled job until its record is deleted', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const submission = { file: ENDLESS, headers: { 'idempotency-key': 'k' } };
  const first = await submitJob(service, submission);
  await remove(service, first);
  assert.equal(await submitJob(service, submission), first, 'a late repetition does not bring the work back');
  await remove(service, first);
  assert.notEqual(await submitJob(service, submission), first);
});

test('whenever jobs are cancelled, each ends once, and none leaves a file that nobody is told of', async () => {
  await using service = await startTestService();
  const kinds = ['wait 5', 'a', 'crash', ENDLESS, 'refuse', 'wait 1', 'b', 'wait 20'];
  const jobs = await Promise.all(
    Array.from({ length: 24 }, async (_, i) => {
      const id = await submitJob(service, { file: kinds[i % kinds.length] });
      // Rejects, perhaps before it is waited for, where the job is deleted before its end was told.
      const watch = service.ended(id).catch(() => {});
      // Twice at once, at moments that the load of the machine decides.
      const answers = await Promise.all([remove(service, id), remove(service, id)]);
      return { id, watch, statuses: answers.map(({ status }) => status) };
    }),
  );
  for (const { id, watch, statuses } of jobs) {
    assert.equal(statuses[0], 204);
    const job = await service.service.jobsOf(ANY_OWNER).get(id);
    // Ended before: deleted. Else cancelled; or cancelled and deleted, where the second came too late to share the first.
    if (job !== null) assert.deepEqual([job.state, job.error?.code], ['FAILED', 'CANCELLED']);
    await watch;
  }
  assert.deepEqual([filesIn(service, 'inputs'), filesIn(service, 'outputs')], [[], []]);
  assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
  assert.deepEqual([await service.service.queueLength(), service.service.runningCount], [0, 0]);
  assert.equal(service.service.watcherCount, 0);
});
