/** Removes expired outputs and records, and files without a job. */
import {
  type FileKind,
  type FileStore,
  jobOfKey,
  type ListedFile,
  type StoredAttempt,
} from '../storage/store.ts';
import type { JobSummary } from './job.ts';
import type { JobQueue } from './queue.ts';

export interface SweepOptions {
  readonly recordRetentionMs: number;
  /**
   * Younger files are kept: their rows may be committed soon. 0 at start, when no commit is pending. Null:
   * files are not checked.
   */
  readonly orphanAgeMs: number | null;
  /** Whether inputs of this job, which has no row yet, are being received. */
  readonly isReceiving: (jobId: string) => boolean;
}

export interface SweepResult {
  readonly outputs: number;
  readonly records: number;
  readonly orphans: number;
}

/** Rows per statement, so that a sweep never blocks the service for long. */
const BATCH = 200;

/** The last time of something that is due once in an interval. */
export class LastTime {
  #at = 0;

  set(now: number): void {
    this.#at = now;
  }

  /** Whether the interval is over. If so, the next one begins. */
  isDue(now: number, intervalMs: number): boolean {
    if (now - this.#at < intervalMs) return false;
    this.#at = now;
    return true;
  }
}

export async function sweep(
  queue: JobQueue,
  store: FileStore,
  now: number,
  options: SweepOptions,
): Promise<SweepResult> {
  let outputs = 0;
  for (;;) {
    const ids = await queue.expiredOutputs(now, BATCH);
    // The rows first: an announced output must exist, while a file without a row is removed later.
    if (ids.length > 0) await queue.markOutputsRemoved(ids);
    for (const id of ids) await store.remove('output', id);
    outputs += ids.length;
    if (ids.length < BATCH) break;
  }
  let records = 0;
  for (;;) {
    const ids = await queue.oldRecords(now - options.recordRetentionMs, BATCH);
    if (ids.length > 0) await queue.deleteRecords(ids);
    // Their inputs were removed when they ended; after a crash, remaining ones are orphans now.
    for (const id of ids) await store.remove('output', id);
    records += ids.length;
    if (ids.length < BATCH) break;
  }
  const { orphanAgeMs } = options;
  if (orphanAgeMs === null) return { outputs, records, orphans: 0 };
  const isOrphan = async (kind: FileKind, file: ListedFile): Promise<boolean> => {
    if (file.changedAt > now - orphanAgeMs) return false;
    const id = jobOfKey(file.key);
    return !options.isReceiving(id) && !isWanted(kind, file, await queue.summary(id));
  };
  const orphans =
    (await sweepOrphans(store, 'input', isOrphan)) +
    (await sweepOrphans(store, 'output', isOrphan)) +
    (await sweepParts(store, queue, now - orphanAgeMs)) +
    (await store.removeAbandoned(now - orphanAgeMs));
  return { outputs, records, orphans };
}

/** Removes files of parts of attempts that are over; the number of attempts. */
async function sweepParts(store: FileStore, queue: JobQueue, changedBefore: number): Promise<number> {
  const { parts } = store;
  if (parts === null) return 0;
  const looked = new Set<string>();
  const orphans: StoredAttempt[] = [];
  for await (const { changedAt, ...attempt } of parts.list()) {
    const key = `${attempt.id} ${attempt.fence}`;
    // An attempt is listed once for each of its files, of which a large job has thousands.
    if (changedAt > changedBefore || looked.has(key)) continue;
    looked.add(key);
    const job = await queue.summary(attempt.id);
    if (job?.state !== 'RUNNING' || job.fence > attempt.fence) orphans.push(attempt);
  }
  for (const attempt of orphans) await parts.remove(attempt);
  return orphans.length;
}

async function sweepOrphans(
  store: FileStore,
  kind: FileKind,
  isOrphan: (kind: FileKind, file: ListedFile) => Promise<boolean>,
): Promise<number> {
  let removed = 0;
  for await (const file of store.list(kind)) {
    if (!(await isOrphan(kind, file))) continue;
    await store.remove(kind, file.key, file.attempt);
    removed += 1;
  }
  return removed;
}

function isWanted(kind: FileKind, { attempt }: ListedFile, job: JobSummary | null): boolean {
  if (job === null) return false;
  if (kind === 'input') return job.state === 'QUEUED' || job.state === 'RUNNING';
  // An earlier attempt is over, or is one that can no longer deliver.
  if (attempt !== undefined && attempt < job.fence) return false;
  // RUNNING: its output may have been stored just now.
  return job.state === 'RUNNING' || (job.state === 'SUCCESS' && job.outputKept);
}
