/** What becomes of jobs whose runner crashes, hangs, grows or is stopped. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import { ManualTimers } from '../../../test/support/manual-timers.ts';
import { untilAtWork } from '../../../test/support/runner-work.ts';
import { FAKE_RUNNER, startTestService, submitJob } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { ANY_OWNER } from '../src/jobs/job.ts';

test('a job that crashes its runner is tried three times, and the others go on', async () => {
  await using service = await startTestService();
  const crashing = await submitJob(service, { file: 'crash' });
  const others = await Promise.all(['a', 'b', 'c', 'd'].map((file) => submitJob(service, { file })));
  for (const id of others) assert.equal((await service.ended(id)).state, 'SUCCESS');
  const job = await service.ended(crashing);
  assert.equal(job.state, 'FAILED');
  assert.equal(job.error?.code, 'JOB_ATTEMPTS_EXHAUSTED');
  assert.equal(job.attempts, 3);
  assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
});

test('runners are nicer than the service, by RUNNER_NICENESS', async () => {
  for (const niceness of [3, 0]) {
    await using service = await startTestService({ settings: { RUNNER_NICENESS: `${niceness}` } });
    await service.ended(await submitJob(service));
    const { dataDirectory } = service.config;
    const files = globSync('*/*.pid', { cwd: dataDirectory });
    assert.ok(files.length > 0);
    for (const file of files) {
      const pid = Number(readFileSync(join(dataDirectory, file), 'utf8'));
      assert.equal(getPriority(pid), Math.min(getPriority() + niceness, 19));
    }
  }
});

test('a job that hangs is stopped at its time limit', async () => {
  const timers = new ManualTimers();
  await using service = await startTestService({
    settings: { JOB_TIMEOUT: '1', RUNNERS: '1' },
    start: { runner: FAKE_RUNNER, timers },
  });
  const hanging = await submitJob(service, { file: 'hang' });
  const waiting = await submitJob(service, { file: 'after it' });
  await untilAtWork(service, 100);
  timers.pass(999);
  assert.equal((await service.service.jobsOf(ANY_OWNER).get(hanging))?.state, 'RUNNING');
  assert.equal(service.service.runningCount, 1);
  timers.pass(1);
  const job = await service.ended(hanging);
  assert.equal(job.error?.code, 'JOB_TIMEOUT');
  assert.equal(job.attempts, 1);
  assert.equal((await service.ended(waiting)).state, 'SUCCESS');
});

test('a job that takes more memory than it may is stopped, buffers counted', async (context) => {
  if (!existsSync('/proc/self/statm')) return context.skip('only Linux tells the memory of a process');
  await using service = await startTestService({ settings: { RUNNER_MEMORY: '300 MiB', RUNNERS: '1' } });
  const job = await service.ended(await submitJob(service, { file: 'grow' }));
  assert.equal(job.error?.code, 'JOB_OUT_OF_MEMORY');
  assert.equal(job.attempts, 1);
});

test('a runner whose message is not one is stopped, and its job fails at once', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const messages: [text: string, times: number, reason: RegExp][] = [
    ['x', 3_000_000, /longer than \d+ bytes/],
    ['\u0000\ufffd{"]\n', 1, /not JSON/],
    ['\n', 1, /not JSON/],
    ['null\n', 1, /unknown type/],
    ['{"type":"__proto__"}\n', 1, /unknown type/],
    ['{"type":"done","report":{}}\n', 1, /'message\.report\.input' of type 'done' is required/],
    ['{"type":"failed","error":{"code":"toString","params":{}},"log":null}\n', 1, /'message\.error\.code'/],
    ['{"type":"progress","progress":{"fraction":2,"stage":"opening"}}\n', 1, /'message\.progress\.fraction'/],
  ];
  for (const [text, times, reason] of messages) {
    const job = await service.ended(
      await submitJob(service, { file: `say ${JSON.stringify({ text, times })}` }),
    );
    assert.equal(job.error?.code, 'RUNNER_MESSAGE_INVALID', text);
    assert.match(String(job.error?.params.reason), reason);
    assert.equal(job.attempts, 1);
  }
  assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
});

test('what a runner prints, and ever so many messages, change nothing', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  const text = '{"type":"progress","progress":{"fraction":0.5,"stage":"scanning"}}\n';
  for (const file of ['print', `say ${JSON.stringify({ text, times: 5000 })}`]) {
    const job = await service.ended(await submitJob(service, { file }));
    assert.equal(job.state, 'SUCCESS');
    assert.equal(job.attempts, 1);
  }
});

test('a runner that freezes while it starts is replaced', async () => {
  const startTimeoutMs = 5000;
  const timers = new ManualTimers();
  await using service = await startTestService({
    // In a sandbox, the process that is stopped here may be the one that builds the sandbox, and the runner continues.
    settings: { RUNNERS: '1', RUNNER_SANDBOX: 'none' },
    start: { runner: { ...FAKE_RUNNER, startTimeoutMs }, timers },
  });
  const [frozen] = service.service.runners;
  process.kill(frozen.pid ?? 0, 'SIGSTOP');
  assert.equal(frozen.state, 'starting');
  timers.pass(startTimeoutMs);
  frozen.check();
  assert.equal(frozen.state, 'starting');
  timers.pass(1);
  assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
  assert.equal(frozen.death?.cause, 'frozen');
});

test('a runner that freezes while it warms up is replaced, and so are its successors', async () => {
  const timers = new ManualTimers();
  const entry = join(import.meta.dirname, '../../../test/support/frozen-runner.ts');
  await using service = await startTestService({
    settings: { RUNNERS: '1' },
    start: { runner: { ...FAKE_RUNNER, entry, startTimeoutMs: 5000 }, timers },
  });
  const [first] = service.service.runners;
  await until('the runner warms up', () => first.state === 'warming');
  for (let i = 0; i < 2; i++) {
    // Asked of the service, for the output is none of the fake runner's.
    const form = new FormData();
    form.append('config', JSON.stringify({ input: { format: 'geojson' }, output: { format: 'geojson' } }));
    form.append('input_file', new Blob(['x']), 'a.geojson');
    const response = await fetch(`${service.url}/transform`, { method: 'POST', body: form });
    const { job_id: id } = (await response.json()) as { job_id: string };
    // Whether its successor has begun to warm up or not: one that is frozen then is out of time after the next look.
    const job = await until(`job ${id} has ended`, async () => {
      for (const { state } of service.service.runners) if (state === 'warming') timers.pass(1000);
      const found = await service.service.jobsOf(ANY_OWNER).get(id);
      return found !== null && found.endedAt !== null && found;
    });
    assert.deepEqual([job.state, job.attempts], ['SUCCESS', 1]);
  }
  assert.equal(first.death?.cause, 'frozen');
});

test('a runner reaches no file but its own, no process and no environment', async () => {
  await using service = await startTestService({ settings: { RUNNERS: '1' } });
  for (const path of [
    join(service.config.dataDirectory, 'jobs.sqlite'),
    '/etc/passwd',
    '/proc/self/environ',
  ]) {
    const job = await service.ended(await submitJob(service, { file: `peek ${path}` }));
    const denied = 'ERR_ACCESS_DENIED';
    assert.equal(
      job.error?.params.detail,
      `read ${denied}, write ${denied}, link ${denied}, spawn ${denied}, environment EMPTY`,
    );
  }
});

test('stopping puts a running job back, and the next start runs it', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  try {
    const first = await startTestService({ dataDirectory, settings: { RUNNERS: '1' } });
    const running = await submitJob(first, { file: 'wait 300' });
    const waiting = await submitJob(first, { file: 'waiting' });
    await Promise.all([first.stop(), first.stop()]);
    await using second = await startTestService({ dataDirectory });
    const job = await second.ended(running);
    assert.equal(job.state, 'SUCCESS');
    assert.ok(job.attempts <= 1, 'an attempt that was stopped on purpose does not count');
    assert.equal((await second.ended(waiting)).state, 'SUCCESS');
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
});

test('a running job may finish within the grace time', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  try {
    const first = await startTestService({
      dataDirectory,
      settings: { SHUTDOWN_GRACE: '20' },
      start: { runner: FAKE_RUNNER, timers: new ManualTimers() },
    });
    const id = await submitJob(first, { file: 'wait 200' });
    await first.stop();
    assert.equal(first.service.accepts, false);
    await using second = await startTestService({ dataDirectory, settings: { RUNNERS: '1' } });
    const job = await second.ended(id);
    assert.equal(job.state, 'SUCCESS');
    assert.equal(job.attempts, 1);
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
});

test('a second service keeps out of a data directory that is in use', async () => {
  await using service = await startTestService();
  const { dataDirectory } = service.config;
  await assert.rejects(startTestService({ dataDirectory }), {
    code: 'DATA_DIR_LOCKED',
    message: new RegExp(`process ${process.pid}`),
  });
});

test('files that belong to no job are swept at the start', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  try {
    const first = await startTestService({ dataDirectory });
    const id = await submitJob(first, { file: 'kept' });
    await first.ended(id);
    await first.stop();
    for (const kind of ['inputs', 'outputs']) writeFileSync(join(dataDirectory, kind, randomUUID()), 'x');
    await using second = await startTestService({ dataDirectory });
    assert.deepEqual(readdirSync(join(dataDirectory, 'inputs')), []);
    assert.deepEqual(readdirSync(join(dataDirectory, 'outputs')), [id]);
    const output = await fetch(`${second.url}/result/output/${id}`);
    assert.equal(await output.text(), outputOf('kept'));
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
});

test('an output is gone after its time, and says so', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
  try {
    const first = await startTestService({ dataDirectory, settings: { OUTPUT_RETENTION: '1' } });
    const id = await submitJob(first);
    const { expiresAt, endedAt } = await first.ended(id);
    assert.equal((expiresAt ?? 0) - (endedAt ?? 0) >= 999, true);
    await first.stop();
    while (Date.now() <= (expiresAt ?? 0)) await new Promise((resolve) => setImmediate(resolve));
    await using second = await startTestService({ dataDirectory });
    const output = await fetch(`${second.url}/result/output/${id}`);
    assert.equal(output.status, 410);
    assert.match(((await output.json()) as { detail: string }).detail, /expired at \d{4}-/);
    const status = await fetch(`${second.url}/result/status/${id}`);
    assert.equal(((await status.json()) as { status: string }).status, 'SUCCESS');
    assert.deepEqual(readdirSync(join(dataDirectory, 'outputs')), []);
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
});
