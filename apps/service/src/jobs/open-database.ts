/** Connects to the database that the settings name. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { PostgresDatabase } from '../postgres/database.ts';
import type { DatabaseObserver } from '../postgres/observer.ts';
import { jobErrors } from './errors.ts';

export interface DatabaseSettings {
  /** Null: jobs and accounts are in files in the data directory. */
  readonly databaseUrl: string | null;
  /** For the connection that waits for news. Null: databaseUrl. */
  readonly databaseListenUrl?: string | null;
  readonly databaseSchema: string;
  readonly databaseConnections: number;
}

const MAX_SCHEMA_LENGTH = 50;

/** Null: the settings name none. `onFault`: as in PostgresOptions. Throws SETTING_INVALID and SERVICE_DATABASE_UNREACHABLE. */
export async function openDatabase(
  settings: DatabaseSettings,
  onFault?: (error: Error) => void,
  observer?: DatabaseObserver,
): Promise<PostgresDatabase | null> {
  const { databaseUrl: url, databaseSchema: schema, databaseConnections: maxConnections } = settings;
  if (url === null) return null;
  const listenUrl = settings.databaseListenUrl ?? url;
  // The address holds a password, so it is never repeated.
  const refuse = (name: string, reason: string, cause?: Error): GeomillError =>
    failure(
      generalErrors.SETTING_INVALID,
      { name, value: name === 'DATABASE_SCHEMA' ? schema : '...', reason },
      undefined,
      cause,
    );
  for (const [name, address] of Object.entries({ DATABASE_URL: url, DATABASE_LISTEN_URL: listenUrl }))
    if (!/^postgres(ql)?:\/\//.test(address))
      throw refuse(name, 'give an address like postgres://user:password@host/database');
  if (schema === '' || schema.length > MAX_SCHEMA_LENGTH)
    throw refuse('DATABASE_SCHEMA', `give a name of at most ${MAX_SCHEMA_LENGTH} characters`);
  const { PostgresDatabase } = await import('../postgres/database.ts');
  const { asFault, DatabaseFault } = await import('../postgres/fault.ts');
  try {
    return await PostgresDatabase.open({ url, listenUrl, schema, maxConnections, onFault, observer });
  } catch (error) {
    const reason = (error as Error).message || String((error as { code?: unknown }).code);
    if (asFault(error) instanceof DatabaseFault)
      throw failure(
        jobErrors.SERVICE_DATABASE_UNREACHABLE,
        { setting: 'DATABASE_URL', reason },
        undefined,
        error,
      );
    throw refuse('DATABASE_URL', `it cannot be used: ${reason}`, error as Error);
  }
}
