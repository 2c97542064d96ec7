/** A queue of its own for tests of jobs, and jobs to put into it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { LOCAL_OWNER } from '../../apps/service/src/accounts/principal.ts';
import type { Job, NewJob } from '../../apps/service/src/jobs/job.ts';
import { PostgresQueue } from '../../apps/service/src/jobs/postgres-queue.ts';
import type { JobQueue, OwnerLimits } from '../../apps/service/src/jobs/queue.ts';
import { SqliteQueue, type SqliteQueueOptions } from '../../apps/service/src/jobs/sqlite-queue.ts';
import { noPostgres, sharedPostgres } from './postgres.ts';

export function newJob(id: string, more: Partial<Omit<NewJob, 'id' | 'request'>> = {}): NewJob {
  return {
    id,
    owner: LOCAL_OWNER,
    inputs: [{ name: 'a.csv', byteLength: 3, fileIndex: 0 }],
    request: {
      operation: 'transform',
      input: {
        format: 'csv',
        files: [{ crs: 'EPSG:4326', crsPath: 'input.epsg' }],
        layers: null,
        options: {},
      },
      transformations: [],
      output: { format: 'shp', crs: null, toFile: true, options: {} },
    },
    requestFindings: [],
    idempotency: null,
    ...more,
  };
}

/** What the record of a job takes, as it counts to what its owner stores. */
export function recordBytes(job: Pick<Job, 'inputs' | 'request' | 'requestFindings'> & Partial<Job>): number {
  const texts = [job.inputs, job.request, job.requestFindings, job.report ?? null, job.error ?? null];
  const bytesOf = (value: unknown): number => (value === null ? 0 : Buffer.byteLength(JSON.stringify(value)));
  return texts.reduce((sum: number, value) => sum + bytesOf(value), 0);
}

export interface QueueOptions {
  readonly maxLength?: number;
  readonly ownerLimits?: OwnerLimits;
  readonly now?: () => number;
}

export interface OpenedQueue {
  readonly queue: JobQueue;
  /** As after the death of the process that had it, which never closed it. */
  reopen(): Promise<JobQueue>;
}

/** The queues that hold the contract; `skip` says why one cannot be tried here. */
export const QUEUES: readonly {
  readonly name: string;
  readonly skip: string | false;
  /** Number of jobs that are many for it. */
  readonly many: number;
  open(context: TestContext, options?: QueueOptions): Promise<OpenedQueue>;
}[] = [
  {
    name: 'SQLite',
    skip: false,
    many: 10_000,
    async open(context, options) {
      const { queue, reopen } = openQueue(context, options);
      return { queue, reopen: async () => reopen() };
    },
  },
  { name: 'PostgreSQL', skip: noPostgres, many: 1000, open: openPostgresQueue },
];

let schemas = 0;

/** Leases end at once, so that `recover` takes up what an earlier process had. */
async function openPostgresQueue(context: TestContext, options: QueueOptions = {}): Promise<OpenedQueue> {
  const { url } = await sharedPostgres();
  const schema = `queue_${++schemas}`;
  let opened = 0;
  let last: JobQueue | null = null;
  const reopen = async (): Promise<JobQueue> => {
    // The connections of a dead process end, too.
    await last?.close();
    last = await PostgresQueue.open({
      ...{ url, schema, maxConnections: 4, leaseMs: 0, maxLength: 1000, retryAfterSeconds: 5 },
      worker: `worker ${++opened}`,
      ...options,
    });
    return last;
  };
  context.after(() => last?.close());
  return { queue: await reopen(), reopen };
}

/** `reopen`: as after the death of the process that had it, which never closed it. */
export function openQueue(
  context: TestContext,
  options: Partial<SqliteQueueOptions> = {},
): { queue: SqliteQueue; reopen(): SqliteQueue } {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-queue-'));
  const queues: SqliteQueue[] = [];
  const reopen = (): SqliteQueue => {
    const path = join(directory, 'jobs.sqlite');
    const queue = new SqliteQueue({ path, maxLength: 1000, retryAfterSeconds: 5, ...options });
    queues.push(queue);
    return queue;
  };
  context.after(async () => {
    for (const queue of queues) await queue.close();
    rmSync(directory, { recursive: true });
  });
  return { queue: reopen(), reopen };
}
