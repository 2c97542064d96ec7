/** A service of several processes on one database and one store: requests at any of them, work at any other, deaths in between. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { GeomillClient, JobFailed, type SubmitJobConfig } from '../../src/client/client.ts';
import { sharedPostgres, noPostgres as skip } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
const LEASE_SECONDS = 3;
const store = mkdtempSync(join(tmpdir(), 'geomill-store-'));
after(() => rmSync(store, { recursive: true, force: true }));

let schemas = 0;

interface Cluster extends AsyncDisposable {
  readonly apis: readonly GeomillClient[];
  readonly workers: readonly ServerProcess[];
  addWorker(): Promise<ServerProcess>;
}

/** Processes with a database schema and a part of the store of their own. */
async function startCluster(apis: number, workers: number): Promise<Cluster> {
  const { url } = await sharedPostgres();
  const name = `cluster_${++schemas}`;
  const started: ServerProcess[] = [];
  const settings = {
    DATABASE_URL: url,
    DATABASE_SCHEMA: name,
    STORE_URL: pathToFileURL(join(store, name)).href,
    JOB_LEASE: String(LEASE_SECONDS),
    RATE_LIMIT: '0',
  };
  const start = async (role: 'api' | 'worker'): Promise<ServerProcess> => {
    const server = await startServerProcess(settings, ['--role', role]);
    started.push(server);
    return server;
  };
  const servers = await Promise.all(Array.from({ length: apis }, () => start('api')));
  const running = await Promise.all(Array.from({ length: workers }, () => start('worker')));
  return {
    apis: servers.map(({ url: baseUrl }) => new GeomillClient({ baseUrl })),
    workers: running,
    addWorker: () => start('worker'),
    async [Symbol.asyncDispose]() {
      for (const server of started) await server[Symbol.asyncDispose]();
    },
  };
}

/** Squares that overlap; their union takes some seconds. */
function manySquares(count: number): Blob {
  const side = Math.ceil(Math.sqrt(count));
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [8 + (i % side) * 0.01, 40 + Math.floor(i / side) * 0.01];
    const [right, top] = [x + 0.013, y + 0.013];
    const ring = [
      [x, y],
      [right, y],
      [right, top],
      [x, top],
      [x, y],
    ];
    return { type: 'Feature', properties: { i }, geometry: { type: 'Polygon', coordinates: [ring] } };
  });
  return new Blob([JSON.stringify({ type: 'FeatureCollection', features })]);
}

const LONG: SubmitJobConfig = {
  input: { format: 'geojson' },
  transformations: [{ type: 'buffer', params: { distance: 20, units: 'meters' } }, { type: 'union' }],
  output: { format: 'geojson' },
};

test('a job that one process accepts is run by another and fetched from a third, with the bytes of one machine', {
  skip,
}, async () => {
  await using cluster = await startCluster(2, 2);
  const [first, second] = cluster.apis;
  await using alone = await startServerProcess();
  const single = new GeomillClient({ baseUrl: alone.url });
  const file = new Blob([readFileSync(join(SAMPLES, 'harbour.gpkg'))]);
  for (const format of ['geojson', 'csv', 'dxf'] as const) {
    const config = { input: { format: 'gpkg' }, output: { format } } as const;
    const request = { input: { name: 'harbour.gpkg', data: file }, config };
    const { id } = await first.submit(request);
    const job = second.job(id);
    await job.wait();
    const bytes = Buffer.from(await (await job.download()).bytes());
    const expected = await (await single.submit(request)).result();
    assert.deepEqual(bytes, Buffer.from(await expected.bytes()), format);
  }
});

test('jobs are shared by the workers, and a process that only answers requests runs none', {
  skip,
}, async () => {
  await using cluster = await startCluster(1, 2);
  const [api] = cluster.apis;
  const input = { name: 'a.geojson', data: manySquares(300) };
  const handles = await Promise.all(Array.from({ length: 20 }, () => api.submit({ input, config: LONG })));
  for (const handle of handles) await handle.wait();
  const ran = await Promise.all(cluster.workers.map(({ url }) => endedJobs(url)));
  assert.equal(ran[0] + ran[1], 20);
  assert.ok(Math.min(...ran) > 0, `${ran}`);
  for (const { url } of cluster.workers)
    assert.doesNotMatch(await (await fetch(`${url}/metrics`)).text(), /^geomill_runner_restarts_total\{/m);
  const [worker] = cluster.workers;
  assert.equal((await fetch(`${worker.url}/v1/jobs`)).status, 404, 'a worker has no job API');
  assert.equal((await fetch(`${worker.url}/readyz`)).status, 200);
});

test('the job of a worker that is killed is run by another one, once', { skip }, async () => {
  await using cluster = await startCluster(2, 1);
  const [first, second] = cluster.apis;
  const handle = await first.submit({
    input: { name: 'a.geojson', data: manySquares(15_000) },
    config: LONG,
  });
  await running(handle.id, second);
  await cluster.workers[0].kill();
  await cluster.addWorker();
  const job = await second.job(handle.id).wait();
  assert.equal(job.attempts, 2);
  const output = (await (await second.job(handle.id).download()).json()) as { features: unknown[] };
  assert.equal(output.features.length, 1);
});

test('a job that runs elsewhere is cancelled, and its work has stopped when that is answered', {
  skip,
}, async () => {
  await using cluster = await startCluster(2, 1);
  const [first, second] = cluster.apis;
  const handle = await first.submit({
    input: { name: 'a.geojson', data: manySquares(20_000) },
    config: LONG,
  });
  await running(handle.id, second);
  const began = performance.now();
  await second.job(handle.id).cancel();
  assert.ok(performance.now() - began < LEASE_SECONDS * 1000, 'before its lease has ended');
  const [{ url }] = cluster.workers;
  assert.match(await (await fetch(`${url}/metrics`)).text(), /^geomill_jobs_running 0$/m);
  await assert.rejects(
    first.job(handle.id).wait(),
    (error: unknown) => error instanceof JobFailed && error.code === 'CANCELLED',
  );
});

test('progress and states are told by whichever process is asked', { skip }, async () => {
  await using cluster = await startCluster(2, 1);
  const [first, second] = cluster.apis;
  const handle = await first.submit({ input: { name: 'a.geojson', data: manySquares(6000) }, config: LONG });
  const stages = new Set<string>();
  await second.job(handle.id).wait({ onProgress: ({ stage }) => stages.add(stage) });
  assert.ok(stages.size > 0, 'progress of a job that runs elsewhere');
});

/** Jobs that a process has brought to their end. */
async function endedJobs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^geomill_jobs_total\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Waits until the job runs. */
async function running(id: string, client: GeomillClient): Promise<void> {
  const isRunning = Promise.withResolvers<void>();
  const abort = new AbortController();
  client
    .job(id)
    .wait({
      signal: abort.signal,
      onProgress: ({ stage }) => {
        if (stage !== 'waiting') isRunning.resolve();
      },
    })
    .then(isRunning.reject, isRunning.reject);
  await isRunning.promise;
  abort.abort();
}
