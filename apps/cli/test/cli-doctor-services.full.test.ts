/** `geomill doctor`, `backup` and `restore` for a service with PostgreSQL and a store outside of its data directory. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import pg from 'pg';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import {
  noPostgres,
  postgresProgram,
  sharedPostgres,
  startPostgres,
} from '../../../test/support/postgres.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { BUCKET, KEY_ID, S3TestServer, SECRET } from '../../../test/support/s3-server.ts';
import { startTestService, submitJob } from '../../../test/support/service.ts';
import type { CheckedFinding } from '../../service/src/maintenance/doctor/doctor.ts';

const skip = noPostgres;

type Settings = Readonly<Record<string, string>>;

async function examine(
  settings: Settings,
): Promise<{ status: number | null; findings: readonly CheckedFinding[] }> {
  const common = { RUNNERS: '1', RUNNER_MEMORY: '128 MiB', RUNNER_SANDBOX: 'none' };
  const { status, out, err } = await runCli(['doctor', '--json'], { ...common, ...settings });
  assert.equal(err, '');
  assert.doesNotMatch(out, /hush/, 'no secret is printed');
  return { status, findings: (JSON.parse(out) as { findings: CheckedFinding[] }).findings };
}

/** A finding of this severity whose message and remedy match. */
function expect(
  findings: readonly CheckedFinding[],
  severity: string,
  message: RegExp,
  remedy = /(?:)/,
): void {
  const found = findings.some(
    (one) => one.severity === severity && message.test(one.message) && remedy.test(one.remedy ?? ''),
  );
  assert.ok(found, `${severity} ${message} ${remedy}: ${JSON.stringify(findings, null, 1)}`);
}

test('a sound service with PostgreSQL and a shared directory has nothing to do', { skip }, async () => {
  using workspace = makeWorkspace();
  await using server = await startPostgres([]);
  const data = join(workspace.path, 'data');
  mkdirSync(data, { mode: 0o700 });
  const settings = {
    DATABASE_URL: server.url,
    STORE_URL: `file://${join(workspace.path, 'store')}`,
    DATA_DIR: data,
  };
  const fresh = await examine(settings);
  assert.equal(fresh.status, 0, JSON.stringify(fresh.findings, null, 1));
  expect(fresh.findings, 'note', /there are no tables in schema 'geomill'; the first start creates them/);
  await using service = await startTestService({ settings, dataDirectory: data });
  await service.ended(await submitJob(service));
  const { status, findings } = await examine(settings);
  assert.equal(status, 0, JSON.stringify(findings, null, 1));
  for (const message of [
    /^PostgreSQL 1\d/,
    /^the tables of jobs in schema 'geomill' have version \d+$/,
    /^the tables of accounts in schema 'geomill' have version \d+$/,
    /^user 'geomill' has all rights to schema 'geomill'$/,
    /^the clocks of the database and of this machine agree$/,
    /^\d+ of 197 connections are in use; a process with DATABASE_CONNECTIONS=10 takes up to 11: room for 1\d more$/,
    /^notifications arrive$/,
    /^a test file of 1 MiB was written, read and removed in \d+ ms$/,
  ])
    expect(findings, 'ok', message);
  const { DATABASE_URL, DATA_DIR } = settings;
  const alone = await examine({ DATABASE_URL, DATA_DIR });
  assert.equal(alone.status, 4);
  expect(alone.findings, 'problem', /STORE_URL is not set/, /set STORE_URL/);
});

test('what is wrong with PostgreSQL is found, with what to do', { skip }, async () => {
  using workspace = makeWorkspace();
  const { url } = await sharedPostgres();
  const base = {
    DATABASE_URL: url,
    DATABASE_SCHEMA: 'examined',
    STORE_URL: `file://${workspace.path}`,
    DATA_DIR: join(workspace.path, 'none'),
  };
  await using _service = await startTestService({
    settings: { ...base, DATA_DIR: join(workspace.path, 'data') },
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE ROLE weak LOGIN');
    const as = (user: string, name: string): string => url.replace('geomill@/postgres', `${user}@/${name}`);
    const cases: readonly (readonly [Settings, string, RegExp, RegExp])[] = [
      [{}, 'warning', /^fsync is off/, /set fsync to on/],
      [{ DATABASE_CONNECTIONS: '500' }, 'warning', /takes up to 501: no room/, /raise max_connections/],
      [{ DATABASE_URL: as('geomill:hush', 'none') }, 'problem', /"none" does not exist/, /createdb/],
      [{ DATABASE_URL: as('nobody', 'postgres') }, 'problem', /role "nobody" does not exist/, /pg_hba/],
      [
        { DATABASE_URL: 'postgres://a:hush@127.0.0.1:1/x' },
        'problem',
        /ECONNREFUSED/,
        /start PostgreSQL, correct host and port/,
      ],
      [{ DATABASE_URL: as('weak', 'postgres') }, 'problem', /user 'weak' may not create tables/, /GRANT/],
    ];
    for (const [settings, severity, message, remedy] of cases) {
      const { status, findings } = await examine({ ...base, ...settings });
      assert.equal(status, severity === 'warning' ? 1 : 4);
      expect(findings, severity, message, remedy);
    }
    await client.query("UPDATE examined.schema_versions SET version = 99 WHERE history = 'jobs'");
    await client.query(
      'CREATE TABLE examined.moved_from (id text, began_at timestamptz, finished_at timestamptz)',
    );
    await client.query("INSERT INTO examined.moved_from VALUES ('x', now(), NULL)");
    const { findings } = await examine(base);
    expect(findings, 'problem', /tables of jobs .* have version 99 and this geomill knows/, /newer/);
    expect(findings, 'problem', /a move into schema 'examined' is not complete/, /migrate-store/);
  } finally {
    await client.query('DROP TABLE IF EXISTS examined.moved_from');
    await client.end();
  }
});

test('what is wrong with a store is found, with what to do', async (context) => {
  using workspace = makeWorkspace();
  const server = await S3TestServer.start(join(workspace.path, 's3'));
  if (server === null) return context.skip('@20minutes/s3rver is not installed');
  context.after(() => server[Symbol.asyncDispose]());
  const data = join(workspace.path, 'data');
  mkdirSync(data, { mode: 0o700 });
  const base = {
    DATA_DIR: data,
    STORE_URL: `s3://${BUCKET}/x`,
    S3_ENDPOINT: server.url,
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
  };
  const sound = await examine(base);
  expect(sound.findings, 'ok', /a test file of 1 MiB was written, read and removed/);
  assert.deepEqual(server.objects(), [], 'nothing is left');
  const cases: readonly (readonly [Settings, RegExp, RegExp])[] = [
    [{ AWS_SECRET_ACCESS_KEY: 'hush' }, /refuses its credentials/, /AWS_SECRET_ACCESS_KEY/],
    [{ STORE_URL: 's3://missing' }, /bucket of its object store does not exist/, /create the bucket/],
    [{ STORE_URL: 'file:///dev/null/none' }, /ENOTDIR/, /create the directory/],
  ];
  for (const [settings, message, remedy] of cases) {
    const { status, findings } = await examine({ ...base, ...settings });
    assert.equal(status, 4);
    expect(findings, 'problem', message, remedy);
  }
});

test('backup and restore refuse such a service and say how it is done', async () => {
  using workspace = makeWorkspace();
  const env = { DATA_DIR: workspace.path, STORE_URL: `file://${workspace.path}/store` };
  const database = { ...env, DATABASE_URL: 'postgres://a:hush@db/x', DATABASE_SCHEMA: 'mill' };
  for (const command of ['backup', 'restore']) {
    const { status, err } = await runCli([command, join(workspace.path, 'b')], database);
    assert.equal(status, 2, err);
    assert.match(err, /pg_dump --format=custom --schema=mill/);
    assert.doesNotMatch(err, /hush/);
    assert.match((await runCli([command, join(workspace.path, 'b')], env)).err, /then the store/);
  }
});

test('a service goes on with what pg_dump and a copy of the store have kept', { skip }, async () => {
  using workspace = makeWorkspace();
  const { url } = await sharedPostgres();
  const store = join(workspace.path, 'store');
  const settings = { DATABASE_URL: url, DATABASE_SCHEMA: 'kept', STORE_URL: `file://${store}`, RUNNERS: '1' };
  const dump = join(workspace.path, 'jobs.dump');
  let done = '';
  let waits = '';
  {
    await using service = await startTestService({ settings });
    done = await submitJob(service, { file: 'done' });
    await service.ended(done);
    await submitJob(service, { file: 'wait 60000' });
    waits = await submitJob(service, { file: 'waits' });
    const options = ['--format=custom', '--schema=kept', `--file=${dump}`, `--dbname=${url}`];
    execFileSync(postgresProgram('pg_dump'), options);
    cpSync(store, join(workspace.path, 'copy'), { recursive: true });
  }
  execFileSync(postgresProgram('createdb'), [`--maintenance-db=${url}`, 'restored'], {
    env: {
      ...process.env,
      PGHOST: new URL(url.replace('@/', '@x/')).searchParams.get('host')!,
      PGUSER: 'geomill',
    },
  });
  const restored = url.replace('@/postgres', '@/restored');
  execFileSync(postgresProgram('pg_restore'), [`--dbname=${restored}`, dump]);
  await using service = await startTestService({
    settings: {
      ...settings,
      DATABASE_URL: restored,
      STORE_URL: `file://${join(workspace.path, 'copy')}`,
      JOB_LEASE: '3',
      RUNNERS: '2',
    },
  });
  assert.equal(await (await fetch(`${service.url}/result/output/${done}`)).text(), outputOf('done'));
  assert.equal((await service.ended(waits)).state, 'SUCCESS');
});
