/** A service of several processes with small parts, for tests of jobs that are divided. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PostgresDatabase } from '../../apps/service/src/postgres/database.ts';
import {
  GeomillClient,
  type Job,
  JobFailed,
  type SubmitJobConfig,
} from '../../packages/client/src/client.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const LEASE_SECONDS = 3;
const MIB = 1024 ** 2;
const store = mkdtempSync(join(tmpdir(), 'geomill-split-'));
after(() => rmSync(store, { recursive: true, force: true }));

let schemas = 0;

export interface Cluster extends AsyncDisposable {
  readonly api: GeomillClient;
  readonly workers: readonly ServerProcess[];
  /** Parts that each worker has run for another one. */
  parts(): Promise<number[]>;
  /** Files of parts in the store. */
  partFiles(): string[];
  /** Number of parts that other workers run, by the rows. */
  running(): Promise<number>;
  /** Number of rows of parts. */
  rows(): Promise<number>;
}

export async function startCluster(
  workers: number,
  settings: Readonly<Record<string, string>> = {},
  /** Of the last worker. */
  ofLast: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const { url } = await sharedPostgres();
  const name = `split_${++schemas}`;
  const directory = join(store, name);
  const all = {
    DATABASE_URL: url,
    DATABASE_SCHEMA: name,
    STORE_URL: pathToFileURL(directory).href,
    JOB_LEASE: String(LEASE_SECONDS),
    RATE_LIMIT: '0',
    SPLIT_BYTES: String(2 * MIB),
    SPLIT_PART: String(MIB),
    ...settings,
  };
  const servers = await Promise.all(
    Array.from({ length: workers + 1 }, (_, i) =>
      startServerProcess({ ...all, ...(i === workers ? ofLast : {}) }, [
        '--role',
        i === 0 ? 'api' : 'worker',
      ]),
    ),
  );
  const database = await PostgresDatabase.open({ url, schema: name, maxConnections: 1 });
  const count = async (condition: string): Promise<number> =>
    (await database.rows<{ n: number }>(`SELECT count(*) AS n FROM parts WHERE ${condition}`))[0].n;
  return {
    api: new GeomillClient({ baseUrl: servers[0].url }),
    running: () => count("state = 'RUNNING'"),
    rows: () => count('true'),
    workers: servers.slice(1),
    parts: () => Promise.all(servers.slice(1).map((server) => metric(server, 'geomill_parts_total'))),
    partFiles() {
      const parts = join(directory, 'parts');
      return existsSync(parts) ? readdirSync(parts, { recursive: true }).map(String) : [];
    },
    async [Symbol.asyncDispose]() {
      await database.close();
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}

export async function metric({ url }: ServerProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** Points with texts, and a value that is a number in most features; some findings, too. */
export function features(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [8 + (i % 300) / 1000, 48 + Math.floor(i / 300) / 1000];
    const more = i % 7 === 0 ? { seldom: i / 3 } : {};
    const properties = { n: i, name: `Straße "${i}"`, ...more, text: 'x'.repeat(150) };
    const coordinates = i % 11 === 0 ? [x, y, i] : [x, y];
    return JSON.stringify({ type: 'Feature', properties, geometry: { type: 'Point', coordinates } });
  });
}

export function collection(list: readonly string[]): string {
  return `{"type":"FeatureCollection","features":[\n${list.join(',\n')}\n]}`;
}

export interface Input {
  readonly name: string;
  readonly bytes: Buffer;
}

export function submit(client: GeomillClient, { name, bytes }: Input, config: SubmitJobConfig) {
  return client.submit({ input: { name, data: new Blob([new Uint8Array(bytes)]) }, config });
}

/** What a client sees of an ended job, without times. */
export function facts({ report, error }: Job): unknown {
  const { timings, steps, ...rest } = (report ?? {}) as Record<string, unknown>;
  return {
    error: error ?? null,
    ...rest,
    steps: (steps as object[] | undefined)?.map((step) => ({ ...step, seconds: 0 })),
  };
}

export async function ended(client: GeomillClient, id: string): Promise<{ job: Job; bytes: Buffer | null }> {
  const handle = client.job(id);
  try {
    const job = await handle.wait();
    return { job, bytes: Buffer.from(await (await handle.download()).bytes()) };
  } catch (error) {
    if (!(error instanceof JobFailed)) throw error;
    return { job: error.job, bytes: null };
  }
}

/** Work of seconds, so that something can happen meanwhile. */
export const SLOW: SubmitJobConfig = {
  input: { format: 'geojson' },
  transformations: [
    { type: 'buffer', params: { distance: 20, units: 'meters', geodesic: true, quadrant_segments: 16 } },
  ],
  output: { format: 'csv' },
};
export const MANY_PARTS = { SPLIT_PART: String(256 * 1024) };

/** Waits until a part runs at another worker than the job; resolves with that worker. */
export async function partRunning(
  cluster: Cluster,
): Promise<{ holder: ServerProcess; helper: ServerProcess }> {
  await until('another worker runs a part', async () => (await cluster.running()) > 0);
  const jobs = await Promise.all(cluster.workers.map((worker) => metric(worker, 'geomill_jobs_running')));
  const [holder, helper] = [jobs.indexOf(1), jobs.indexOf(0)];
  assert.ok(holder >= 0 && helper >= 0, `one worker has the job: ${jobs}`);
  return { holder: cluster.workers[holder], helper: cluster.workers[helper] };
}
