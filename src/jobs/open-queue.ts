/** Opens the queue that the settings name: in DATA_DIR, or in PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { asDatabaseFailure } from '../engines/sqlite/database-failure.ts';
import { failure, GeomillError } from '../errors.ts';
import type { JobQueue, OwnerLimits } from './queue.ts';
import { SqliteQueue } from './sqlite-queue.ts';

export interface QueueSettings {
  /** Null: in the file at `path`. */
  readonly databaseUrl: string | null;
  readonly databaseSchema: string;
  readonly databaseConnections: number;
  readonly jobLeaseSeconds: number;
  readonly maxQueueLength: number;
  readonly ownerLimits: OwnerLimits;
  readonly path: string;
  /** Called with errors of the database that no caller waits for. */
  readonly onFailure: (error: unknown) => void;
}

const RETRY_SECONDS = 5;
const MAX_SCHEMA_LENGTH = 50;

/** Throws SETTING_INVALID, SERVICE_DATABASE_UNUSABLE. */
export async function openQueue(settings: QueueSettings): Promise<JobQueue> {
  const { databaseUrl: url, databaseSchema: schema, ownerLimits, path, onFailure } = settings;
  const limits = { maxLength: settings.maxQueueLength, retryAfterSeconds: RETRY_SECONDS, ownerLimits };
  if (url === null) {
    try {
      return new SqliteQueue({ ...limits, path, sync: { onFailure } });
    } catch (error) {
      throw asDatabaseFailure(error, path);
    }
  }
  // The address holds a password, so it is never repeated.
  const refuse = (name: string, reason: string, cause?: Error): GeomillError =>
    failure(
      'SETTING_INVALID',
      { name, value: name === 'DATABASE_URL' ? '...' : schema, reason },
      undefined,
      cause,
    );
  if (!/^postgres(ql)?:\/\//.test(url))
    throw refuse('DATABASE_URL', 'give an address like postgres://user:password@host/database');
  if (schema === '' || schema.length > MAX_SCHEMA_LENGTH)
    throw refuse('DATABASE_SCHEMA', `give a name of at most ${MAX_SCHEMA_LENGTH} characters`);
  // Most services have no such database.
  const { PostgresQueue } = await import('./postgres-queue.ts');
  try {
    return await PostgresQueue.open({
      ...limits,
      ...{ url, schema, maxConnections: settings.databaseConnections },
      leaseMs: settings.jobLeaseSeconds * 1000,
      // A container may have the same name and process id as the one before it.
      worker: `${hostname()} ${process.pid} ${randomUUID()}`,
      onConnectionLost: onFailure,
    });
  } catch (error) {
    if (error instanceof GeomillError) throw error;
    throw refuse('DATABASE_URL', `it cannot be used: ${(error as Error).message}`, error as Error);
  }
}
