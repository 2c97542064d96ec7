/** A service behind PgBouncer in transaction mode, which gives each transaction any of its connections. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { PostgresDatabase } from '../../apps/service/src/postgres/database.ts';
import { GeomillClient } from '../../packages/client/src/client.ts';
import { sharedPostgres, noPostgres as skip } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { metric } from './split-service.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';
const SCHEMA = 'pooled';
const JOBS = 12;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** Its address, until it is disposed of. With few connections, so that processes share them. */
async function startPgBouncer(database: string): Promise<{ url: string } & AsyncDisposable> {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-pgbouncer-'));
  const socket = decodeURIComponent(/host=(.*)/.exec(database)?.[1] ?? '');
  const port = await freePort();
  writeFileSync(
    join(directory, 'pgbouncer.ini'),
    `[databases]
postgres = host=${socket} dbname=postgres user=geomill
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
ignore_startup_parameters = options
`,
  );
  // It refuses to run as root.
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, id('-u'), id('-g'));
  const child: ChildProcess = spawn(PGBOUNCER, ['pgbouncer.ini'], {
    ...(isRoot ? { uid: id('-u'), gid: id('-g') } : {}),
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  for await (const text of child.stderr!.setEncoding('utf8')) {
    log += text;
    if (log.includes('process up')) break;
  }
  assert.match(log, /process up/);
  return {
    url: `postgres://geomill@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
      rmSync(directory, { recursive: true });
    },
  };
}

test('processes behind a pooler in transaction mode share jobs, and hear news without it', {
  skip: skip || (existsSync(PGBOUNCER) ? false : 'no PgBouncer here'),
}, async () => {
  const { url: direct } = await sharedPostgres();
  await using pooler = await startPgBouncer(direct);
  const pooled = { url: pooler.url, schema: SCHEMA, maxConnections: 2 };
  // The pooler ignores the search path of a connection: that must not create tables elsewhere.
  const unset = await PostgresDatabase.open(pooled);
  await assert.rejects(unset.bringUpToDate({ name: 'test', steps: [] }), {
    code: 'SERVICE_DATABASE_UNUSABLE',
    message: /use the schema 'public'.*ALTER ROLE/,
  });
  await unset.close();
  const admin = new pg.Client({ connectionString: direct });
  await admin.connect();
  await admin.query(`ALTER ROLE geomill SET search_path = ${SCHEMA}`);
  // As if the pooler connected again.
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
  await admin.end();
  const store = mkdtempSync(join(tmpdir(), 'geomill-store-'));
  const settings = {
    DATABASE_URL: pooler.url,
    DATABASE_LISTEN_URL: direct,
    DATABASE_SCHEMA: SCHEMA,
    STORE_URL: pathToFileURL(store).href,
    AUTH: 'open',
  };
  const servers: ServerProcess[] = [];
  try {
    for (const role of ['api', 'api', 'worker', 'worker'])
      servers.push(await startServerProcess(settings, ['--role', role]));
    const [first, second] = servers.map(({ url: baseUrl }) => new GeomillClient({ baseUrl }));
    const data = new Blob(['{"type":"FeatureCollection","features":[]}']);
    const config = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;
    const heard = () =>
      Promise.all(servers.map((server) => metric(server, 'geomill_notifications_received_total')));
    const before = await heard();
    for (let i = 0; i < JOBS; i++) {
      const { id } = await first.submit({ input: { name: 'a.geojson', data }, config });
      await second.job(id).wait();
    }
    for (const [i, count] of (await heard()).entries())
      assert.ok(
        count - before[i] >= JOBS,
        `process ${i} has heard ${count - before[i]} news of ${JOBS} jobs`,
      );
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
    rmSync(store, { recursive: true });
  }
});
