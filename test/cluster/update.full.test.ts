/** A rolling update: processes of this version and of one with a newer schema share the jobs until the old ones are stopped. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { POSTGRES_JOBS } from '../../apps/service/src/jobs/postgres-schema.ts';
import { PostgresDatabase } from '../../apps/service/src/postgres/database.ts';
import { GeomillClient } from '../../packages/client/src/client.ts';
import { noPostgres as skip } from '../support/postgres.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startProcesses } from './processes.ts';
import { manySquares } from './squares.ts';

const NEXT = { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'next-version.ts')).href}` };

test('jobs are accepted, run and fetched by old and new processes while the schema is migrated, once', {
  skip,
}, async () => {
  await using cluster = await startProcesses({ apis: 1, workers: 1 });
  const clients = [...cluster.apis];
  let ended = 0;
  let isOpen = true;
  const work = async (): Promise<void> => {
    const data = manySquares(50);
    for (let i = 0; isOpen; i++) {
      const config = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;
      const { id } = await clients[i % clients.length].submit({ input: { name: 'a.geojson', data }, config });
      const job = clients[(i + 1) % clients.length].job(id);
      await job.wait();
      const text = await (await job.download()).text();
      assert.equal(text.trim().split('\n').length, 51);
      ended += 1;
    }
  };
  const atLeast = async (more: number): Promise<void> => {
    const wanted = ended + more;
    while (ended < wanted) await Promise.race([working, new Promise((resolve) => setTimeout(resolve, 20))]);
  };
  const working = Promise.all([work(), work()]);
  await atLeast(2);
  // Both migrate: one waits for the other.
  const [api, worker] = await Promise.all([cluster.start('api', NEXT), cluster.start('worker', NEXT)]);
  const [first] = cluster.apis;
  clients.push(new GeomillClient({ baseUrl: api.url }));
  const hasEnded = async ({ url }: ServerProcess): Promise<boolean> =>
    /^geomill_jobs_total\{[^}]*\} [1-9]/m.test(await (await fetch(`${url}/metrics`)).text());
  for (const one of [...cluster.workers, worker]) while (!(await hasEnded(one))) await atLeast(1);
  // The old ones go; a request that is under way there is answered first.
  clients.splice(clients.indexOf(first), 1);
  await cluster.workers[0][Symbol.asyncDispose]();
  await atLeast(4);
  isOpen = false;
  await working;
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema } = cluster.settings;
  const database = await PostgresDatabase.open({ url, schema, maxConnections: 1 });
  const [{ version }] = await database.rows<{ version: number }>(
    "SELECT version FROM schema_versions WHERE history = 'jobs'",
  );
  await database.close();
  assert.equal(version, POSTGRES_JOBS.steps.length + 1);
  await assert.rejects(cluster.start('worker'), /schema version \d+ and this geomill knows \d+/);
});
