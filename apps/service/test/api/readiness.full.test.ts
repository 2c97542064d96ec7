/** What /readyz and /metrics say while something that the service needs is missing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { mock } from 'node:test';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { onlyExhaustive } from '../../../../test/support/exhaustive.ts';
import { ManualTimers } from '../../../../test/support/manual-timers.ts';
import { noPostgres, sharedPostgres } from '../../../../test/support/postgres.ts';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { BUCKET, KEY_ID, S3TestServer, SECRET } from '../../../../test/support/s3-server.ts';
import {
  FAKE_RUNNER,
  startTestService,
  submit,
  submitJob,
  type TestService,
} from '../../../../test/support/service.ts';
import { mountSmallDisk } from '../../../../test/support/small-disk.ts';
import { until } from '../../../../test/support/until.ts';
import { PostgresDatabase } from '../../src/postgres/database.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly checks: readonly { name: string; since: string; reason: string; action: string }[];
}

async function readiness({ url }: TestService): Promise<Answer> {
  const response = await checkedFetch(`${url}/readyz`);
  const text = await response.text();
  assert.equal(response.headers.has('retry-after'), response.status === 503);
  assert.equal((await checkedFetch(`${url}/healthz`)).status, 200);
  return { status: response.status, text, checks: (JSON.parse(text) as Partial<Answer>).checks ?? [] };
}

/** Waits until exactly these checks fail. */
async function failing(service: TestService, ...names: string[]): Promise<Answer> {
  return until(names.length === 0 ? 'the process is ready' : `exactly ${names.join()} fails`, async () => {
    const answer = await readiness(service);
    const isSo = answer.checks.map(({ name }) => name).join() === names.join();
    return isSo && answer.status === (names.length === 0 ? 200 : 503) && answer;
  });
}

async function metric({ url }: TestService, series: string): Promise<number> {
  const lines = (await (await checkedFetch(`${url}/metrics`)).text()).split('\n');
  return Number(
    lines
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  );
}

test('a database that stops is named at once, and the process is ready when it is back', {
  skip: noPostgres,
}, async () => {
  using workspace = makeWorkspace();
  const server = await sharedPostgres();
  await using service = await startTestService({
    settings: { DATABASE_URL: server.url, STORE_URL: `file://${workspace.path}` },
  });
  await service.ended(await submitJob(service));
  await failing(service);
  assert.equal(await metric(service, 'geomill_queue_length'), 0);
  assert.equal(await metric(service, 'geomill_notifications_connected'), 1);
  assert.ok((await metric(service, 'geomill_database_query_duration_seconds_count{outcome="ok"}')) > 5);
  assert.ok((await metric(service, 'geomill_database_connections{state="idle"}')) > 0);
  assert.ok((await metric(service, 'geomill_notifications_received_total')) > 0);
  const before = new Date();

  await server.stop();
  const { text, checks } = await failing(service, 'database');
  assert.match(checks[0].reason, /refuses connections/);
  assert.ok(new Date(checks[0].since) >= before);
  assert.match(checks[0].action, /check that the database runs/);
  assert.ok(!text.includes('postgres://') && !text.includes(workspace.path) && !text.includes('/tmp'), text);
  assert.ok(Number.isNaN(await metric(service, 'geomill_queue_length')));
  assert.equal(await metric(service, 'geomill_ready'), 0);
  assert.equal(await metric(service, 'geomill_check_failing{check="database"}'), 1);
  assert.equal(await metric(service, 'geomill_notifications_connected'), 0);

  await server.start();
  await failing(service);
  assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
  assert.equal(await metric(service, 'geomill_queue_length'), 0);
  await until(
    'the process hears news again',
    async () => (await metric(service, 'geomill_notifications_connected')) === 1,
  );
  assert.equal(await metric(service, 'geomill_notification_connects_total'), 2);
});

test('METRICS_TOKEN gives access to the metrics only, also while the database is away', {
  skip: noPostgres,
}, async () => {
  using workspace = makeWorkspace();
  const server = await sharedPostgres();
  const token = 'a-token-of-the-monitoring';
  await using service = await startTestService({
    settings: {
      DATABASE_URL: server.url,
      DATABASE_SCHEMA: 'monitored',
      STORE_URL: `file://${workspace.path}`,
      AUTH: 'required',
      METRICS_TOKEN: token,
    },
  });
  const status = async (path: string, given: string): Promise<number> =>
    (await checkedFetch(service.url + path, { headers: { authorization: `Bearer ${given}` } })).status;
  assert.equal(await status('/metrics', token), 200);
  assert.equal(await status('/metrics', `${token}x`), 401);
  assert.equal(await status('/v1/jobs', token), 401);
  await server.stop();
  assert.equal(await status('/metrics', token), 200);
  await server.start();
  await assert.rejects(startTestService({ settings: { METRICS_TOKEN: 'too-short' } }), (error: Error) => {
    assert.match(error.message, /METRICS_TOKEN.*at least 16/);
    assert.doesNotMatch(error.message, /too-short/);
    return true;
  });
});

test('tables that are missing or older are named', { skip: noPostgres }, async () => {
  using workspace = makeWorkspace();
  const server = await sharedPostgres();
  const timers = new ManualTimers();
  await using service = await startTestService({
    settings: { DATABASE_URL: server.url, STORE_URL: `file://${workspace.path}` },
    start: { runner: FAKE_RUNNER, timers },
  });
  const database = await PostgresDatabase.open({ url: server.url, schema: 'geomill', maxConnections: 1 });
  const change = (sql: string): Promise<number> => database.run(sql);
  await change("UPDATE schema_versions SET version = version + 1 WHERE history = 'jobs'");
  timers.pass(2000);
  await failing(service);
  await change("UPDATE schema_versions SET version = 0 WHERE history = 'jobs'");
  timers.pass(2000);
  const { checks } = await failing(service, 'migrations');
  assert.match(checks[0].reason, /tables are missing/);
  assert.match(checks[0].action, /restart this process/);
  await database.close();
});

test('a store that fails is named with its reason', async (context) => {
  using workspace = makeWorkspace();
  await using server = await S3TestServer.start(join(workspace.path, 's3'));
  if (server === null) return context.skip('@20minutes/s3rver is not installed');
  await using service = await startTestService({
    settings: {
      STORE_URL: `s3://${BUCKET}/a`,
      S3_ENDPOINT: server.url,
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: SECRET,
    },
  });
  server.faultFor = () => ({ status: 403, code: 'AccessDenied' });
  assert.equal((await submit(service)).status, 503);
  const { text, checks } = await failing(service, 'store');
  assert.match(checks[0].reason, /refuses its credentials/);
  for (const secret of [server.url, BUCKET, SECRET]) assert.ok(!text.includes(secret), text);
  assert.ok(
    (await metric(service, 'geomill_s3_request_duration_seconds_count{method="PUT",status="403"}')) > 0,
  );
  assert.ok(
    (await metric(
      service,
      'geomill_store_operation_duration_seconds_count{operation="check",outcome="failed"}',
    )) > 0,
  );
  server.faultFor = () => null;
  await failing(service);
  assert.equal((await service.ended(await submitJob(service))).state, 'SUCCESS');
});

test('a worker whose own disk is full says so, and gives jobs back without counting the attempt', {
  skip: onlyExhaustive,
}, async (context) => {
  using disk = mountSmallDisk(40);
  if (disk === null) return context.skip('no file system can be mounted here: needs Linux and root');
  using workspace = makeWorkspace();
  await using service = await startTestService({
    dataDirectory: disk.path,
    settings: { STORE_URL: `file://${workspace.path}`, JOB_ATTEMPTS: '1' },
  });
  const first = await submitJob(service, { file: 'wait 300' });
  await until('the job runs', () => service.service.runningCount > 0);
  disk.fill();
  const { checks } = await failing(service, 'disk');
  assert.match(checks[0].reason, /no disk space/);
  assert.match(checks[0].action, /DATA_DIR/);
  const interrupted = 'geomill_attempts_total{outcome="interrupted"}';
  await until('the job is given back', async () => (await metric(service, interrupted)) > 0);
  disk.free();
  await failing(service);
  assert.deepEqual((({ state, attempts }) => [state, attempts])(await service.ended(first)), ['SUCCESS', 1]);
});

test('a process whose runners do not start is not ready', async (context) => {
  await using service = await startTestService({
    start: { runner: { entry: join(import.meta.dirname, 'missing.ts') } },
  });
  await failing(service);
  const realNow = Date.now;
  const clock = mock.method(Date, 'now', () => realNow() + 11_000);
  context.after(() => clock.mock.restore());
  const { checks } = await failing(service, 'runners');
  assert.match(checks[0].reason, /no runner process starts/);
  assert.match(checks[0].action, /geomill doctor/);
});
