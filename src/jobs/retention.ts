/** Removes what has had its time: outputs, records, and files that belong to no job. */
import { type FileKind, type FileStore, jobOfKey } from '../storage/store.ts';
import type { Job } from './job.ts';
import type { JobQueue } from './queue.ts';

export interface SweepOptions {
  readonly recordRetentionMs: number;
  /** Files younger than this are left alone: their rows may be about to be committed. 0 at start, when nothing is. */
  readonly orphanAgeMs: number;
}

export interface SweepResult {
  readonly outputs: number;
  readonly records: number;
  readonly orphans: number;
}

/** Rows per statement, so that a sweep never holds up the service for long. */
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
      // The row first: an output that is announced must be there; one that is there unannounced is only litter.
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
      await store.remove('output', id);
      await store.remove('input', id);
    }
    records += ids.length;
    if (ids.length < BATCH) break;
  }
  const changedBefore = now - options.orphanAgeMs;
  const orphans =
    (await sweepOrphans(queue, store, 'input', changedBefore)) +
    (await sweepOrphans(queue, store, 'output', changedBefore));
  return { outputs, records, orphans };
}

async function sweepOrphans(
  queue: JobQueue,
  store: FileStore,
  kind: FileKind,
  changedBefore: number,
): Promise<number> {
  let removed = 0;
  for await (const { key, changedAt } of store.list(kind)) {
    if (changedAt > changedBefore) continue;
    if (isWanted(kind, await queue.get(jobOfKey(key)))) continue;
    await store.remove(kind, key);
    removed += 1;
  }
  return removed;
}

function isWanted(kind: FileKind, job: Job | null): boolean {
  if (job === null) return false;
  if (kind === 'input') return job.state === 'QUEUED' || job.state === 'RUNNING';
  // RUNNING: its output may have been moved in a moment ago.
  return job.state === 'RUNNING' || (job.state === 'SUCCESS' && job.outputKept);
}
