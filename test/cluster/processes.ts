/** A service of several processes for tests: a schema of the shared PostgreSQL server, a store of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GeomillClient } from '../../packages/client/src/client.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { BUCKET, KEY_ID, S3TestServer, SECRET } from '../support/s3-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const LEASE_SECONDS = 3;

let schemas = 0;

export interface Processes extends AsyncDisposable {
  /** Clients of the processes that answer requests. */
  readonly apis: readonly GeomillClient[];
  readonly workers: readonly ServerProcess[];
  /** Of every process. */
  readonly settings: Readonly<Record<string, string>>;
  /** Null: the store is a shared directory. */
  readonly s3: S3TestServer | null;
  start(role: 'api' | 'worker', settings?: Readonly<Record<string, string>>): Promise<ServerProcess>;
}

export interface ProcessesOptions {
  readonly apis: number;
  readonly workers: number;
  /** Default: a shared directory. */
  readonly store?: 's3';
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startProcesses(options: ProcessesOptions): Promise<Processes> {
  const { url } = await sharedPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'geomill-store-'));
  const s3 = options.store === 's3' ? await S3TestServer.start(directory) : null;
  if (options.store === 's3' && s3 === null) throw new Error('@20minutes/s3rver is not installed');
  const settings = {
    DATABASE_URL: url,
    // Tests of other files may use the same server.
    DATABASE_SCHEMA: `processes_${process.pid}_${++schemas}`,
    JOB_LEASE: String(LEASE_SECONDS),
    RATE_LIMIT: '0',
    ...(s3 === null
      ? { STORE_URL: pathToFileURL(directory).href }
      : {
          STORE_URL: `s3://${BUCKET}/all`,
          S3_ENDPOINT: s3.url,
          S3_REGION: 'us-east-1',
          AWS_ACCESS_KEY_ID: KEY_ID,
          AWS_SECRET_ACCESS_KEY: SECRET,
        }),
    ...options.settings,
  };
  const started: ServerProcess[] = [];
  const start: Processes['start'] = async (role, more = {}) => {
    const server = await startServerProcess({ ...settings, ...more }, ['--role', role]);
    started.push(server);
    return server;
  };
  const dispose = async (): Promise<void> => {
    await Promise.all(started.map((server) => server[Symbol.asyncDispose]()));
    await s3?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const servers = await Promise.all(Array.from({ length: options.apis }, () => start('api')));
    const workers = await Promise.all(Array.from({ length: options.workers }, () => start('worker')));
    const apis = servers.map(({ url: baseUrl }) => new GeomillClient({ baseUrl }));
    return { apis, workers, settings, s3, start, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Waits until the job runs. */
export async function running(id: string, client: GeomillClient): Promise<void> {
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
