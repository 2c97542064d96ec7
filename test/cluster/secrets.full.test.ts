/** Addresses of databases hold passwords, and workers have credentials of the store: none is where users, runners or logs could tell it. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { PostgresDatabase } from '../../apps/service/src/postgres/database.ts';
import { makeWorkspace } from '../support/convert.ts';
import { sharedPostgres, noPostgres as skip, startPostgres } from '../support/postgres.ts';
import { runCli } from '../support/run-cli.ts';
import { BUCKET, KEY_ID, S3TestServer } from '../support/s3-server.ts';
import { treeOf } from './member.ts';
import { running, startProcesses } from './processes.ts';
import { manySquares, UNION_STEPS } from './squares.ts';

const PASSWORD = 'correct-horse-battery';
/** Of the store. */
const SECRET = 'wrong-staple-secret';
const SAMPLE = readFileSync(join(import.meta.dirname, '..', '..', 'samples', 'harbour.geojson'));

function withPassword(url: string): string {
  return url.replace('geomill@', `geomill:${PASSWORD}@`);
}

test('the processes below a worker have none of its secrets', {
  skip: skip || (process.platform !== 'linux' && 'needs /proc'),
}, async () => {
  const url = withPassword((await sharedPostgres()).url);
  await using cluster = await startProcesses({
    apis: 1,
    workers: 1,
    store: 's3',
    settings: { DATABASE_URL: url },
  });
  const [api] = cluster.apis;
  const [worker] = cluster.workers;
  const input = { name: 'a.geojson', data: manySquares(10_000) };
  const config = {
    input: { format: 'geojson' },
    transformations: [...UNION_STEPS],
    output: { format: 'geojson' },
  } as const;
  const { id } = await api.submit({ input, config: config as never });
  await running(id, api);
  const below = treeOf(worker.pid).slice(1);
  assert.ok(below.length > 0, 'it has a runner');
  for (const pid of below)
    for (const file of ['environ', 'cmdline']) {
      const text = readFileSync(`/proc/${pid}/${file}`, 'latin1');
      for (const secret of ['DATABASE_URL', 'AWS_', PASSWORD, KEY_ID])
        assert.ok(!text.includes(secret), `${secret} is in ${file} of process ${pid}`);
    }
  assert.ok(
    readFileSync(`/proc/${worker.pid}/environ`, 'latin1').includes(PASSWORD),
    'the worker itself needs it',
  );
  await api.job(id).cancel();
});

test('a service that cannot reach or enter its database or store says so without their secrets', {
  skip,
}, async () => {
  using workspace = makeWorkspace();
  const { url } = await sharedPostgres();
  const hba = join(workspace.path, 'hba.conf');
  for (const path of [workspace.path, hba]) {
    if (path === hba) writeFileSync(hba, 'local all guarded scram-sha-256\nlocal all all trust\n');
    chmodSync(path, 0o755);
  }
  await using guarded = await startPostgres(['fsync=off', `hba_file=${hba}`]);
  const database = await PostgresDatabase.open({ url: guarded.url, schema: 'public', maxConnections: 1 });
  await database.run(`CREATE ROLE guarded LOGIN PASSWORD 'another one'`);
  await database.close();
  await using server = await S3TestServer.start(join(workspace.path, 's3'));
  const directory = `file://${workspace.path}`;
  const s3 = (endpoint: string): Record<string, string> => ({
    DATABASE_URL: withPassword(url),
    DATABASE_SCHEMA: 'secrets',
    STORE_URL: `s3://${BUCKET}/all`,
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
  });
  const of = (databaseUrl: string): Record<string, string> => ({
    DATABASE_URL: databaseUrl,
    STORE_URL: directory,
  });
  const cases: Readonly<Record<string, readonly [Record<string, string>, RegExp]>> = {
    'a wrong password': [
      of(withPassword(guarded.url).replace('geomill:', 'guarded:')),
      /DATABASE_URL.*password/s,
    ],
    'an unreachable host': [
      of(`postgres://geomill:${PASSWORD}@127.0.0.1:1/postgres`),
      /DATABASE_URL.*ECONNREFUSED/s,
    ],
    'an unknown host': [of(`postgres://geomill:${PASSWORD}@nowhere.invalid/postgres`), /DATABASE_URL/],
    'no such database': [
      of(withPassword(url).replace('/postgres', '/nothing')),
      /DATABASE_URL.*does not exist/s,
    ],
    'an invalid address': [of(`mysql://geomill:${PASSWORD}@localhost/a`), /DATABASE_URL/],
    ...(server === null
      ? {}
      : { 'wrong credentials of the store': [s3(server.url), /STORE_URL.*credentials/s] }),
  };
  await Promise.all(
    Object.entries(cases).map(async ([what, [settings, expected]]) => {
      const { status, out, err } = await runCli(
        ['serve', '--role', 'worker'],
        {
          HOST: '127.0.0.1',
          PORT: '0',
          DATA_DIR: join(workspace.path, what),
          LOG_LEVEL: 'trace',
          ...settings,
        },
        { stopAt: /http:/ },
      );
      const said = out + err;
      assert.notEqual(status, 0, what);
      assert.match(said, expected, what);
      for (const secret of [PASSWORD, SECRET]) assert.ok(!said.includes(secret), `${what}: ${said}`);
    }),
  );
});

test('a presigned URL is for one object, and another account gets none', { skip }, async () => {
  await using cluster = await startProcesses({
    apis: 1,
    workers: 1,
    store: 's3',
    settings: { STORE_REDIRECT: 'true', AUTH: 'required', LOG_LEVEL: 'info' },
  });
  const { settings } = cluster;
  const key = async (owner: string): Promise<string> => {
    const made = await runCli(['keys', 'create', '--owner', owner, '--name', 'test'], settings);
    assert.equal(made.status, 0, made.err);
    return made.out.trim();
  };
  const [ann, bob] = [await key('ann'), await key('bob')];
  const { url } = await cluster.start('api');
  const submit = async (apikey: string): Promise<string> => {
    const body = new FormData();
    body.append('config', '{"output_format":"csv"}');
    body.append('file', new Blob([SAMPLE]), 'harbour.geojson');
    const headers = { apikey, prefer: 'wait=60' };
    const response = await fetch(`${url}/v1/transform/geojson?async=true`, { method: 'POST', body, headers });
    const { task_id: id } = (await response.json()) as { task_id: string };
    const watch = await fetch(`${url}/v1/jobs/${id}/events`, { headers: { apikey } });
    // The stream ends with the job.
    assert.match(await watch.text(), /SUCCESS/);
    return id;
  };
  const [ofAnn, ofBob] = [await submit(ann), await submit(bob)];
  const ask = (id: string, apikey: string): Promise<Response> =>
    fetch(`${url}/result/output/${id}`, { headers: { apikey }, redirect: 'manual' });
  assert.equal((await ask(ofAnn, bob)).status, 404);
  const location = (await ask(ofAnn, ann)).headers.get('location') ?? '';
  assert.equal((await fetch(location)).status, 200);
  for (const other of [
    location.replace(ofAnn, ofBob),
    location.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604800'),
  ])
    assert.equal((await fetch(other)).status, 403, other);
});
