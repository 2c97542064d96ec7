/** Opens the queue that the settings name: in DATA_DIR, or in PostgreSQL. */
import { asDatabaseFailure } from '@geomill/sqlite/database-failure.ts';
import type { PostgresDatabase } from '../postgres/database.ts';
import { refuseUnfinishedMove } from './moved-from.ts';
import type { JobQueue, OwnerLimits } from './queue.ts';
import { SqliteQueue } from './sqlite-queue.ts';

export interface QueueSettings {
  /** No other process has the same. */
  readonly processName: string;
  readonly jobLeaseSeconds: number;
  readonly maxQueueLength: number;
  readonly ownerLimits: OwnerLimits;
  /** Of the file, where `database` is null. */
  readonly path: string;
  /** Called with errors of the database that no caller waits for. */
  readonly onFailure: (error: unknown) => void;
}

const RETRY_SECONDS = 5;

/** `database`: it stays open when the queue is closed; null: in a file. Throws SERVICE_DATABASE_UNUSABLE. */
export async function openQueue(
  database: PostgresDatabase | null,
  settings: QueueSettings,
): Promise<JobQueue> {
  const { ownerLimits, path, onFailure } = settings;
  const limits = { maxLength: settings.maxQueueLength, retryAfterSeconds: RETRY_SECONDS, ownerLimits };
  if (database === null) {
    try {
      return new SqliteQueue({ ...limits, path, sync: { onFailure } });
    } catch (error) {
      throw asDatabaseFailure(error, path);
    }
  }
  await refuseUnfinishedMove(database);
  // Most services have no such database.
  const { PostgresQueue } = await import('./postgres-queue.ts');
  return PostgresQueue.in(database, {
    ...limits,
    leaseMs: settings.jobLeaseSeconds * 1000,
    worker: settings.processName,
    onTrouble: onFailure,
  });
}
