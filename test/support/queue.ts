/** A queue of its own for tests of jobs, and jobs to put into it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { LOCAL_OWNER } from '../../src/accounts/principal.ts';
import type { Job, NewJob } from '../../src/jobs/job.ts';
import { SqliteQueue, type SqliteQueueOptions } from '../../src/jobs/sqlite-queue.ts';

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
