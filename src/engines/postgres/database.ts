/** A PostgreSQL database: a pool of connections, transactions, schema versions. The driver is loaded when the first one is opened. */
import type { Client, Pool, PoolClient } from 'pg';
import { failure } from '../../errors.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/name`. Never logged: it holds a password. */
  readonly url: string;
  /** The schema that holds the tables; created if it does not exist. */
  readonly schema: string;
  readonly maxConnections: number;
  /** Called with errors of idle connections; the pool replaces them. */
  readonly onConnectionLost?: (error: Error) => void;
}

/** What runs statements: the database itself, or a transaction. */
export interface Statements {
  /** Rows of a statement with the parameters $1, $2, ... Integers are numbers, NULL is null. */
  rows<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  /** Number of rows that a statement changed. */
  run(sql: string, parameters?: readonly unknown[]): Promise<number>;
}

export interface PostgresHistory {
  /** Several histories can share a schema. */
  readonly name: string;
  /** Each step leads to the next version; the first creates version 1. */
  readonly steps: readonly string[];
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A statement of ours takes milliseconds: after this the database counts as unreachable. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Serialization failure, deadlock: the transaction changed nothing and may succeed now. */
const REPEATABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 5;
/** Type of bigint columns; ours stay below 2^53. */
const INT8 = 20;
/** Type of sums of bigint columns. */
const NUMERIC = 1700;

export class PostgresDatabase implements Statements {
  readonly #pool: Pool;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Connects and brings the schema up to date. Throws SERVICE_DATABASE_UNUSABLE if its version is unknown, and errors of the driver. */
  static async open(options: PostgresOptions, history: PostgresHistory): Promise<PostgresDatabase> {
    const { default: pg } = await import('pg');
    const getTypeParser = (id: number, format?: 'text' | 'binary') =>
      id === INT8 || id === NUMERIC ? Number : pg.types.getTypeParser(id, format as 'text');
    const pool = new pg.Pool({
      connectionString: options.url,
      max: options.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      application_name: 'geomill',
      // Set for each connection, not in the database: several services can share one.
      options: `-c search_path=${quoted(options.schema)}`,
      types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
    });
    pool.on('error', (error) => options.onConnectionLost?.(error));
    const database = new PostgresDatabase(pool);
    try {
      await database.#bringUpToDate(options.schema, history);
      return database;
    } catch (error) {
      await pool.end();
      throw error;
    }
  }

  async rows<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#pool.query<Row>(sql, [...parameters])).rows;
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    return (await this.#pool.query(sql, [...parameters])).rowCount ?? 0;
  }

  /**
   * Runs `act` in a transaction (READ COMMITTED), which is durable when this resolves. Repeated where the database ended it
   * because of another transaction, so `act` may be called several times.
   */
  async transaction<Result>(act: (statements: Statements) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#pool.connect();
      let broken: Error | undefined;
      // The statement under way is rejected, too.
      const onLost = (error: Error): void => {
        broken = error;
      };
      client.on('error', onLost);
      try {
        await client.query('BEGIN');
        const result = await act(statementsOf(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((failed: Error) => {
          broken = failed;
        });
        if (attempt === MAX_ATTEMPTS || !REPEATABLE.has((error as { code?: string }).code ?? '')) throw error;
      } finally {
        client.off('error', onLost);
        // A connection whose state is unknown is closed.
        client.release(broken);
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** For a library that runs its own statements. It must not end it. */
  get pool(): Pool {
    return this.#pool;
  }

  /** Several processes may do so at the same time: an advisory lock lets one after the other in. */
  async #bringUpToDate(schema: string, { name, steps }: PostgresHistory): Promise<void> {
    await this.transaction(async (statements) => {
      await statements.run('SELECT pg_advisory_xact_lock(hashtext($1))', [`geomill schema ${schema}`]);
      await statements.run(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
      await statements.run(
        'CREATE TABLE IF NOT EXISTS schema_versions (history text PRIMARY KEY, version integer NOT NULL)',
      );
      const [found] = await statements.rows<{ version: number }>(
        'SELECT version FROM schema_versions WHERE history = $1',
        [name],
      );
      const version = found?.version ?? 0;
      if (version > steps.length) {
        const reason = `its ${name} have schema version ${version} and this geomill knows ${steps.length}; use the geomill that wrote it`;
        throw failure('SERVICE_DATABASE_UNUSABLE', { path: `schema '${schema}'`, reason });
      }
      if (version === steps.length) return;
      for (const step of steps.slice(version)) await statements.run(step);
      await statements.run(
        'INSERT INTO schema_versions VALUES ($1, $2) ON CONFLICT (history) DO UPDATE SET version = $2',
        [name, steps.length],
      );
    });
  }
}

function statementsOf(client: PoolClient): Statements {
  return {
    rows: async <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...parameters])).rows,
    run: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rowCount ?? 0,
  };
}

/** An identifier as SQL text. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export interface NewsEvents {
  readonly onMessage: (text: string) => void;
  /** The connection is gone; it is not opened again. */
  readonly onLost: (error: Error) => void;
}

/** A connection of its own that listens to a channel until it is ended. */
export async function connectForNews(url: string, channel: string, events: NewsEvents): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A connection without traffic would not notice that the other end is gone.
    keepAlive: true,
    application_name: 'geomill news',
  });
  client.on('error', events.onLost);
  client.on('end', () => events.onLost(new Error('the database closed the connection')));
  client.on('notification', ({ payload }) => events.onMessage(payload ?? ''));
  await client.connect();
  await client.query(`LISTEN ${quoted(channel)}`);
  return client;
}
