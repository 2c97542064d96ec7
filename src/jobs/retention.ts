/** Removes expired outputs and records, and files without a job. */
import { type FileKind, type FileStore, jobOfKey } from '../storage/store.ts';
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

export async function sweep(
  queue: JobQueue,
  store: FileStore,
  now: number,
  options: SweepOptions,
): Promise<SweepResult> {
  let outputs = 0;
  for (;;) {
    const ids = await queue.expiredOutputs(now, BATCH);
    for (const id of ids) {
      // The row first: an announced output must exist, while a file without a row is removed later.
      await queue.markOutputRemoved(id);
      await store.remove('output', id);
    }
    outputs += ids.length;
    if (ids.length < BATCH) break;
  }
  let records = 0;
  for (;;) {
    const ids = await queue.oldRecords(now - options.recordRetentionMs, BATCH);
    for (const id of ids) {
      await queue.deleteRecord(id);
      // Its inputs were removed when it ended; after a crash, remaining ones are orphans now.
      await store.remove('output', id);
    }
    records += ids.length;
    if (ids.length < BATCH) break;
  }
  const { orphanAgeMs } = options;
  if (orphanAgeMs === null) return { outputs, records, orphans: 0 };
  const isOrphan = async (kind: FileKind, key: string, changedAt: number): Promise<boolean> => {
    if (changedAt > now - orphanAgeMs) return false;
    const id = jobOfKey(key);
    return !options.isReceiving(id) && !isWanted(kind, await queue.summary(id));
  };
  const orphans =
    (await sweepOrphans(store, 'input', isOrphan)) + (await sweepOrphans(store, 'output', isOrphan));
  return { outputs, records, orphans };
}

async function sweepOrphans(
  store: FileStore,
  kind: FileKind,
  isOrphan: (kind: FileKind, key: string, changedAt: number) => Promise<boolean>,
): Promise<number> {
  let removed = 0;
  for await (const { key, changedAt } of store.list(kind)) {
    if (!(await isOrphan(kind, key, changedAt))) continue;
    await store.remove(kind, key);
    removed += 1;
  }
  return removed;
}

function isWanted(kind: FileKind, job: JobSummary | null): boolean {
  if (job === null) return false;
  if (kind === 'input') return job.state === 'QUEUED' || job.state === 'RUNNING';
  // RUNNING: its output may have been stored just now.
  return job.state === 'RUNNING' || (job.state === 'SUCCESS' && job.outputKept);
}
