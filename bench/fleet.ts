/**
 * `npm run bench:fleet [-- --workers 1000 --jobs N --print-every N]`: a simulated fleet on one PostgreSQL server. The workers do everything but
 * convert, with the code of the product (fleet-process.ts); accounts ask for jobs by Zipf's law. Prints the jobs a second, the
 * latency of claims, how long small accounts wait and whether any claim was unfair, and what the database did for it.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { PostgresQueue } from '../apps/service/src/jobs/postgres-queue.ts';
import type { ConversionReport } from '../packages/pipeline/src/report.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { unfairClaims } from './fair-turns.ts';
import type { FleetOrder, FleetSamples } from './fleet-process.ts';
import { quantile } from './measure.ts';
import { GEOMILL } from './program.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    workers: text('1000'),
    processes: text('4'),
    apis: text('2'),
    accounts: text('200'),
    /** Mean time of a job. */
    'job-ms': text('2000'),
    /** Jobs a second that are submitted; 0: as many as are done. */
    rate: text('0'),
    backlog: text('4000'),
    /** Jobs after which the run ends. */
    jobs: text('20000'),
    watched: text('0.1'),
    /** Time after which records are removed, in seconds. */
    retention: text('20'),
    connections: text('10'),
    /** Jobs after which the size of the tables and the latest claims are printed, again and again; 0: only at the end. */
    'print-every': text('0'),
    statements: { type: 'boolean', default: false },
  },
});
const number = (name: Exclude<keyof typeof values, 'statements'>): number => Number(values[name]);
const SCHEMA = 'geomill';
const ZIPF = 1.1;
const WARM_UP_MS = 8000;
const TICKS_A_SECOND = 100;

async function main(): Promise<void> {
  const workers = number('workers');
  await using server = await startPostgres([
    `max_connections=${workers + 200}`,
    ...['shared_buffers=512MB', 'max_wal_size=4GB'],
    // It costs a tenth of the time of the database.
    ...(values.statements
      ? [
          'shared_preload_libraries=pg_stat_statements',
          'pg_stat_statements.track=all',
          'pg_stat_statements.track_planning=on',
        ]
      : []),
  ]);
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  if (values.statements) await admin.query('CREATE EXTENSION pg_stat_statements');
  const children: ChildProcess[] = [];
  try {
    await (await openSchema(server.url)).close();
    const base = {
      url: server.url,
      schema: SCHEMA,
      connections: number('connections'),
      report: typicalReport(),
      accounts: number('accounts'),
      zipf: ZIPF,
    };
    const more = {
      jobMs: number('job-ms'),
      watched: number('watched'),
      retentionMs: number('retention') * 1000,
    };
    const orders: FleetOrder[] = [];
    for (let i = 0; i < number('processes'); i++) {
      const count =
        Math.floor(((i + 1) * workers) / number('processes')) -
        Math.floor((i * workers) / number('processes'));
      orders.push({
        ...base,
        ...more,
        role: 'worker',
        name: `worker${i}`,
        workers: count,
        backlog: 0,
        rate: 0,
        seed: i,
      });
    }
    for (let i = 0; i < number('apis'); i++) {
      const rate = number('rate') / number('apis');
      orders.push({
        ...base,
        ...more,
        role: 'api',
        name: `api${i}`,
        workers: 0,
        backlog: number('backlog'),
        rate,
        seed: 100 + i,
      });
    }
    const begun = performance.now();
    for (const order of orders) children.push(await startProcess(order));
    console.log(
      `started            ${workers} workers in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
    );
    await pause(WARM_UP_MS);
    if (values.statements) await admin.query('SELECT pg_stat_statements_reset()');
    const before = await databaseState(admin, server);
    for (const child of children) child.send('measure');
    const measured = performance.now();
    const printEvery = number('print-every');
    if (printEvery > 0) await growth(admin, children, before.ended, printEvery);
    await jobsDone(admin, before.ended + number('jobs'));
    const seconds = (performance.now() - measured) / 1000;
    const after = await databaseState(admin, server);
    const statements = values.statements ? await topStatements(admin) : '';
    const ended = children.map(samplesOf);
    for (const child of children) child.send('stop');
    const samples = await Promise.all(ended);
    print(samples, seconds, before, after);
    if (values.statements) console.log(statements);
    console.log(await sizes(admin));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await admin.end();
  }
}

function openSchema(url: string): Promise<PostgresQueue> {
  return PostgresQueue.open({
    ...{
      url,
      schema: SCHEMA,
      maxConnections: 1,
      worker: 'main',
      leaseMs: 30_000,
      maxLength: 1,
      retryAfterSeconds: 1,
    },
  });
}

async function startProcess(order: FleetOrder): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'fleet-process.ts'), [], { serialization: 'advanced' });
  child.send(order);
  await once(child, 'message');
  return child;
}

async function samplesOf(child: ChildProcess): Promise<FleetSamples> {
  const [samples] = (await once(child, 'message')) as [FleetSamples];
  return samples;
}

/** Prints how large the table of jobs is while they come and go. */
async function growth(
  admin: pg.Client,
  children: readonly ChildProcess[],
  ended: number,
  every: number,
): Promise<void> {
  let from = performance.now();
  for (let done = every; done <= number('jobs'); done += every) {
    await jobsDone(admin, ended + done);
    const rate = every / ((performance.now() - from) / 1000);
    from = performance.now();
    const answered = children.map(async (child) => (await once(child, 'message'))[0] as readonly number[]);
    for (const child of children) child.send('claims');
    const claims = (await Promise.all(answered)).flat();
    console.log(
      `after ${done} jobs: ${rate.toFixed(0)} a second, claim median ${quantile(claims, 0.5).toFixed(1)} ms, ` +
        `99th percentile ${quantile(claims, 0.99).toFixed(1)} ms; ${await sizes(admin, 'jobs')}`,
    );
  }
}

/** The report of the conversion of a sample, as the product writes it. */
function typicalReport(): ConversionReport {
  const root = join(import.meta.dirname, '..');
  const work = mkdtempSync(join(tmpdir(), 'geomill-report-'));
  const report = join(work, 'report.json');
  const [input, output] = [join(root, 'samples', 'harbour.gpkg'), join(work, 'out.shp.zip')];
  execFileSync(process.execPath, [GEOMILL, 'convert', input, output, '--report', report], {
    stdio: 'ignore',
  });
  const text = readFileSync(report, 'utf8');
  rmSync(work, { recursive: true });
  return JSON.parse(text) as ConversionReport;
}

interface DatabaseState {
  /** Jobs that ended, also those whose records were removed. */
  readonly ended: number;
  readonly walBytes: number;
  readonly cpuSeconds: number;
  readonly commits: number;
}

async function databaseState(admin: pg.Client, server: PostgresServer): Promise<DatabaseState> {
  const { rows } = await admin.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, xact_commit AS commits FROM pg_stat_database WHERE datname = 'postgres'`,
  );
  const [{ wal, commits }] = rows as { wal: string; commits: string }[];
  return {
    ended: await endedJobs(admin),
    walBytes: Number(wal),
    commits: Number(commits),
    cpuSeconds: cpuSeconds(server.pid),
  };
}

/** From the numbers that jobs got when they were added and claimed. */
async function endedJobs(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query(
    `SELECT (SELECT last_value FROM ${SCHEMA}.job_places) - coalesce(sum(waiting + running), 0) AS ended FROM ${SCHEMA}.owners`,
  );
  return Number((rows as { ended: string }[])[0].ended);
}

async function jobsDone(admin: pg.Client, count: number): Promise<void> {
  while ((await endedJobs(admin)) < count) await pause(500);
}

/** Of a process and its children. */
function cpuSeconds(pid: number): number {
  let ticks = 0;
  for (const path of globSync('/proc/[0-9]*/stat')) {
    let stat: string;
    try {
      stat = readFileSync(path, 'utf8');
    } catch {
      continue; // it has ended
    }
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number.parseInt(stat, 10) !== pid && Number(fields[1]) !== pid) continue;
    // Children that were waited for, too: connections that were closed.
    ticks += [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
  }
  return ticks / TICKS_A_SECOND;
}

async function topStatements(admin: pg.Client): Promise<string> {
  const { rows } = await admin.query(
    `SELECT round(total_exec_time) AS ms, calls, round((total_exec_time / greatest(calls, 1))::numeric, 3) AS each, round(total_plan_time) AS plan, toplevel,
       left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query FROM pg_stat_statements ORDER BY total_exec_time + total_plan_time DESC LIMIT 30`,
  );
  return rows
    .map(
      (row: Record<string, unknown>) =>
        `${row.ms} ms (planned ${row.plan} ms) ${row.calls} x ${row.each} ${row.toplevel ? '' : '  in: '}${row.query}`,
    )
    .join('\n');
}

/** `table`: default: all. */
async function sizes(admin: pg.Client, table: string | null = null): Promise<string> {
  const { rows } = await admin.query(
    `SELECT relname AS name, n_live_tup AS live, n_dead_tup AS dead, autovacuum_count AS vacuums, n_tup_upd AS updates, n_tup_hot_upd AS hot,
       pg_relation_size(relid) / 1024 AS heap, pg_indexes_size(relid) / 1024 AS indexes, pg_total_relation_size(relid) / 1024 AS total
     FROM pg_stat_user_tables WHERE $1::text IS NULL OR relname = $1 ORDER BY pg_total_relation_size(relid) DESC`,
    [table],
  );
  return rows
    .map(
      (row: Record<string, unknown>) =>
        `table ${row.name}: ${row.live} rows, ${row.dead} dead, ${row.updates} updates (${row.hot} HOT), ${row.vacuums} vacuums; ` +
        `${row.heap} KiB, indexes ${row.indexes} KiB, total ${row.total} KiB`,
    )
    .join('\n');
}

function print(
  samples: readonly FleetSamples[],
  seconds: number,
  before: DatabaseState,
  after: DatabaseState,
): void {
  const all = <Item>(of: (one: FleetSamples) => readonly Item[]): Item[] =>
    samples.flatMap((one) => [...of(one)]);
  const sum = (of: (one: FleetSamples) => number): number =>
    samples.reduce((total, one) => total + of(one), 0);
  const times = (name: string, list: readonly number[]): void =>
    console.log(
      `${name.padEnd(18)} median ${quantile(list, 0.5).toFixed(1)} ms, 99th percentile ${quantile(list, 0.99).toFixed(1)} ms, ` +
        `longest ${quantile(list, 1).toFixed(0)} ms (${list.length})`,
    );
  const jobs = after.ended - before.ended;
  console.log(
    `jobs               ${jobs} in ${seconds.toFixed(1)} s: ${(jobs / seconds).toFixed(0)} a second`,
  );
  const claims = all(({ claims }) => claims);
  times('claim', claims);
  times(
    'submission',
    all(({ enqueues }) => enqueues),
  );
  times(
    'end of a job',
    all(({ ends }) => ends),
  );
  times(
    'news of an end',
    all(({ news }) => news),
  );
  console.log(
    `claims in vain     ${sum(({ emptyClaims }) => emptyClaims)}; refused submissions ${sum(({ refused }) => refused)}; records removed ${sum(({ swept }) => swept)}`,
  );
  const traces = all(({ traces }) => traces);
  const accounts = number('accounts');
  const waits = Array.from({ length: accounts }, () => [] as number[]);
  for (const [account, created, started] of traces) waits[account].push(started - created);
  const small = waits.slice(accounts / 2).flat();
  times('wait, small half', small);
  times('wait, largest', waits[0]);
  const slack = Math.max(
    quantile(claims, 1),
    quantile(
      all(({ ends }) => ends),
      1,
    ),
  );
  console.log(
    `unfair claims      ${unfairClaims(traces, accounts, slack)} of ${traces.length} (within ${slack.toFixed(0)} ms)`,
  );
  console.log(
    `database           ${((after.cpuSeconds - before.cpuSeconds) / seconds).toFixed(2)} cores, ${(((after.cpuSeconds - before.cpuSeconds) * 1000) / jobs).toFixed(2)} ms CPU, ` +
      `${((after.walBytes - before.walBytes) / jobs / 1024).toFixed(1)} KiB WAL and ${((after.commits - before.commits) / jobs).toFixed(1)} transactions a job`,
  );
  const errors = all(({ errors }) => errors);
  if (errors.length > 0) console.log(`errors             ${[...new Set(errors)].join('; ')}`);
}

await main();
