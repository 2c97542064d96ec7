/** A service whose durations are all odd numbers: with fractions of milliseconds in statements, PostgreSQL would refuse them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { noPostgres, sharedPostgres } from '../../../test/support/postgres.ts';
import { startServerProcess } from '../../../test/support/server-process.ts';
import { submitJob } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { PostgresDatabase } from '../src/postgres/database.ts';
import type { RunningService } from '../src/service.ts';
import { settings } from '../src/settings/config.ts';
import type { Setting } from '../src/settings/setting-values.ts';

/** No divisor of one of them is 2 or 3. Those that the test would wait for are short. */
const SHORT = { JOB_LEASE: '5', SHUTDOWN_DELAY: '0', SHUTDOWN_GRACE: '1', SYNC_TIMEOUT: '7' };

const GEOJSON_TO_CSV = { input: { format: 'geojson' }, output: { format: 'csv' } };
const POINT = '{"type":"Point","coordinates":[8.5,49.25]}';

function oddDurations(): Record<string, string> {
  const durations = (Object.values(settings) as Setting[]).filter(({ type }) => type === 'seconds');
  const odd = ({ default: value }: Setting): number => Math.ceil(Number(value) / 6) * 6 + 1;
  return {
    ...Object.fromEntries(durations.map((setting) => [setting.name, String(odd(setting))])),
    ...SHORT,
  };
}

/** The service may answer before or after the job has ended. */
async function convert(url: string): Promise<void> {
  const job = await submitJob({ url } as RunningService, { config: GEOJSON_TO_CSV, file: POINT });
  await until('the job has ended well', async () => {
    const state = (await (await fetch(`${url}/result/status/${job}`)).json()) as { readonly status: string };
    assert.notEqual(state.status, 'FAILED', JSON.stringify(state));
    return state.status === 'SUCCESS';
  });
}

const errorsOf = (log: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  log.filter(({ level }) => Number(level) >= 50 || level === 'error' || level === 'fatal');

test('runs jobs with a database in the data directory', async () => {
  await using server = await startServerProcess({ ...oddDurations(), LOG_LEVEL: 'info' });
  await convert(server.url);
  assert.ok(server.log().length > 0);
  assert.deepEqual(errorsOf(server.log()), []);
});

test('runs jobs with PostgreSQL, and looks for jobs of workers that died', { skip: noPostgres }, async () => {
  using workspace = makeWorkspace();
  const { url: databaseUrl } = await sharedPostgres();
  await using server = await startServerProcess({
    ...oddDurations(),
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: 'odd_durations',
    STORE_URL: `file://${workspace.path}`,
  });
  await convert(server.url);
  const database = await PostgresDatabase.open({
    url: databaseUrl,
    schema: 'odd_durations',
    maxConnections: 1,
  });
  try {
    await until('a process has looked for leases that ended', async () => {
      assert.deepEqual(errorsOf(server.log()), []);
      return (await database.rows("SELECT FROM turns WHERE task = 'leases'")).length > 0;
    });
  } finally {
    await database.close();
  }
  assert.deepEqual(errorsOf(server.log()), []);
});
