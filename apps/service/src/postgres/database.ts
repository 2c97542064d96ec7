/** A PostgreSQL database: a pool of connections, transactions, schema versions. The driver is loaded when the first one is opened. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { asFault, DatabaseFault } from './fault.ts';
import type { DatabaseObserver, StatementOutcome } from './observer.ts';
import { asRefusal, PreparationRefused, type Sql } from './prepared.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/name`. Never logged: it holds a password. */
  readonly url: string;
  /** Address of the same database for `listen`. Default: `url`. */
  readonly listenUrl?: string;
  /** The schema that holds the tables; created if it does not exist. */
  readonly schema: string;
  /** Besides those that listen. */
  readonly maxConnections: number;
  /** Called when a connection was lost, and with every failure to reach the database. */
  readonly onFault?: (fault: DatabaseFault) => void;
  readonly observer?: DatabaseObserver;
}

/** What runs statements: the database itself, or a transaction. */
export interface Statements {
  /** Rows of a statement with the parameters $1, $2, ... Integers are numbers, NULL is null. */
  rows<Row extends object>(sql: Sql, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  /** Number of rows that a statement changed. */
  run(sql: Sql, parameters?: readonly unknown[]): Promise<number>;
}

export interface TransactionOptions {
  /** Of each statement. Default: 20 s. */
  readonly timeoutMs?: number;
}

export interface PostgresHistory {
  /** Several histories can share a schema. */
  readonly name: string;
  /** Each step leads to the next version; the first creates version 1. */
  readonly steps: readonly string[];
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A statement of ours takes milliseconds: after this the database counts as unreachable. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** For changes of the schema and copies of whole tables. */
export const LONG: TransactionOptions = { timeoutMs: 3_600_000 };
/** Serialization failure, deadlock: the transaction changed nothing and may succeed now. */
const REPEATABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 5;
/** A column of a statement that makes its commit not wait for the disk: a crash of the database loses the last ones. */
export const NOT_SYNCED = "set_config('synchronous_commit', 'off', true)";
/** A column of a statement whose commit waits until all commits before it are on disk, too. */
export const SYNC = "pg_logical_emit_message(true, 'geomill', '')";
/**
 * A commit holds its locks until it is on disk. Transactions that change the same rows would therefore wait for the disk one after the
 * other. So the commit of a change does not wait for the disk; a second commit does, which holds no locks.
 */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = off';
const COMMIT = `COMMIT; SELECT ${SYNC}`;
/** Type of bigint columns; ours stay below 2^53. */
const INT8 = 20;
/** Type of sums of bigint columns. */
const NUMERIC = 1700;

type Query = <Row extends QueryResultRow>(
  sql: Sql,
  parameters?: readonly unknown[],
) => Promise<QueryResult<Row>>;

/** A connection of the pool, until it is released. */
interface Lease {
  readonly query: Query;
  release(): void;
}

/**
 * All of its methods throw DatabaseFault while the database cannot be reached or used, and errors of the driver for statements that it
 * rejects.
 */
export class PostgresDatabase implements Statements {
  readonly #options: PostgresOptions;
  readonly #pool: Pool;
  #last: { readonly fault: DatabaseFault; readonly at: number } | null = null;
  /** False: prepared statements are sent as all others. */
  #prepares = true;

  private constructor(options: PostgresOptions, pool: Pool) {
    this.#options = options;
    this.#pool = pool;
    pool.on('error', (error) => this.#report(error));
    options.observer?.opened(() => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }));
  }

  /** Connects. Throws errors of the driver. */
  static async open(options: PostgresOptions): Promise<PostgresDatabase> {
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
    try {
      (await pool.connect()).release();
    } catch (error) {
      await pool.end();
      throw error;
    }
    return new PostgresDatabase(options, pool);
  }

  get schema(): string {
    return this.#options.schema;
  }

  async rows<Row extends object>(sql: Sql, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#alone((statements) => statements.rows<Row>(sql, parameters));
  }

  async run(sql: Sql, parameters: readonly unknown[] = []): Promise<number> {
    return this.#alone((statements) => statements.run(sql, parameters));
  }

  /** As `run`, for changes: a DatabaseFault says whether the change may have been made (`isOutcomeUnknown`). */
  async change(sql: Sql, parameters: readonly unknown[]): Promise<number> {
    return this.#alone((statements) => statements.run(sql, parameters).catch(unconfirmed));
  }

  /** Runs one statement. */
  async #alone<Result>(act: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#leased(async (query) => {
      try {
        return await act(statementsOf(query));
      } catch (error) {
        if (!(error instanceof PreparationRefused)) throw error;
        return act(statementsOf(query));
      }
    });
  }

  /**
   * Runs `act` in a transaction (READ COMMITTED), which is durable when this resolves; others may see it a moment before. Repeated
   * where the database ended it because of another transaction, so `act` may be called several times.
   */
  async transaction<Result>(
    act: (statements: Statements) => Promise<Result>,
    { timeoutMs = STATEMENT_TIMEOUT_MS }: TransactionOptions = {},
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#leased(async (query) => {
          await query(BEGIN);
          let result: Result;
          try {
            result = await act(statementsOf(query));
          } catch (error) {
            // The database has ended the transaction of a lost connection, or will.
            if (!(error instanceof DatabaseFault)) await query('ROLLBACK');
            throw error;
          }
          await query(COMMIT).catch(unconfirmed);
          return result;
        }, timeoutMs);
      } catch (error) {
        // Not refused again: nothing is prepared any more.
        if (error instanceof PreparationRefused) continue;
        if (attempt === MAX_ATTEMPTS || !REPEATABLE.has((error as { code?: string }).code ?? '')) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** For a library that runs its own statements. */
  get pool(): { connect(): Promise<Lease>; end(): Promise<void> } {
    return {
      connect: () => this.#lease(STATEMENT_TIMEOUT_MS),
      // The library does not own the connections.
      end: async () => {},
    };
  }

  /**
   * A connection of its own that listens to a channel until `close` is called. With `seats`, only so many such connections exist at
   * a time; null: all are taken. Throws DatabaseFault.
   */
  async listen(
    channel: string,
    events: NewsEvents,
    seats?: number,
  ): Promise<{ close(): Promise<void> } | null> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.#options.listenUrl ?? this.#options.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // A connection without traffic would not notice that the other end is gone.
      keepAlive: true,
      application_name: 'geomill news',
    });
    const onLost = (error: Error): void => events.onLost(new DatabaseFault(error));
    client.on('error', onLost);
    client.on('end', () => onLost(new Error('the database closed the connection')));
    const { observer } = this.#options;
    client.on('notification', ({ payload }) => {
      observer?.notified();
      events.onMessage(payload ?? '');
    });
    try {
      await client.connect();
      // Locks of the session: a seat is free when its connection has ended.
      const seat =
        'SELECT FROM generate_series(1, $2::int) AS seat WHERE pg_try_advisory_lock(hashtext($1), seat) LIMIT 1';
      if (seats !== undefined && (await client.query(seat, [channel, seats])).rowCount === 0) {
        client.removeAllListeners('end');
        await client.end();
        return null;
      }
      await client.query(`LISTEN ${quoted(channel)}`);
      observer?.listening(true);
      client.on('end', () => observer?.listening(false));
    } catch (error) {
      client.end().catch(() => {});
      throw new DatabaseFault(error);
    }
    return { close: () => client.end().catch(() => {}) };
  }

  /**
   * Brings the tables of a history up to date. Several processes may do so at the same time: an advisory lock lets one after the
   * other in. Throws SERVICE_DATABASE_UNUSABLE if their version is unknown, and errors of the driver.
   */
  async bringUpToDate({ name, steps }: PostgresHistory): Promise<void> {
    const { schema } = this.#options;
    await this.transaction(async (statements) => {
      await statements.run('SELECT pg_advisory_xact_lock(hashtext($1))', [`geomill schema ${schema}`]);
      await statements.run(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
      const [{ current }] = await statements.rows<{ current: string | null }>(
        'SELECT current_schema() AS current',
      );
      if (current !== schema) {
        // Tables of another program may be there.
        const reason =
          `connections use the schema '${current}'. A connection pooler, or the address of the database, replaces their search path: ` +
          `run ALTER ROLE for the user of DATABASE_URL with SET search_path = ${quoted(schema)}, and let the pooler connect again`;
        throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path: `schema '${schema}'`, reason });
      }
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
        throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path: `schema '${schema}'`, reason });
      }
      if (version === steps.length) return;
      for (const step of steps.slice(version)) await statements.run(step);
      await statements.run(
        'INSERT INTO schema_versions VALUES ($1, $2) ON CONFLICT (history) DO UPDATE SET version = $2',
        [name, steps.length],
      );
    }, LONG);
  }

  /** Version of the tables of a history; 0: the tables do not exist. Also throws DatabaseFault if the database is read-only. */
  async versionOf(name: string): Promise<number> {
    const [{ isReadOnly, hasTables }] = await this.rows<{ isReadOnly: boolean; hasTables: boolean }>(
      `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly",
         to_regclass('schema_versions') IS NOT NULL AS "hasTables"`,
    );
    if (isReadOnly) throw new DatabaseFault(Object.assign(new Error('read-only'), { code: '25006' }));
    if (!hasTables) return 0;
    const [row] = await this.rows<{ version: number }>(
      'SELECT version FROM schema_versions WHERE history = $1',
      [name],
    );
    return row?.version ?? 0;
  }

  async #leased<Result>(act: (query: Query) => Promise<Result>, timeoutMs?: number): Promise<Result> {
    const lease = await this.#lease(timeoutMs);
    try {
      return await act(lease.query);
    } finally {
      lease.release();
    }
  }

  async #lease(timeoutMs = STATEMENT_TIMEOUT_MS): Promise<Lease> {
    const { observer } = this.#options;
    let client: PoolClient;
    const began = performance.now();
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw this.#report(error);
    } finally {
      observer?.connected(performance.now() - began);
    }
    let broken: Error | undefined;
    // The statement under way is rejected, too.
    const onLost = (error: Error): void => {
      broken = error;
    };
    client.on('error', onLost);
    return {
      query: async <Row extends QueryResultRow>(sql: Sql, values: readonly unknown[] = []) => {
        const began = performance.now();
        let outcome: StatementOutcome = 'ok';
        const isNamed = this.#prepares && typeof sql !== 'string';
        try {
          const { text } = typeof sql === 'string' ? { text: sql } : sql;
          const name = isNamed ? { name: sql.name } : {};
          const statement = { ...name, text, values: values.map(storable), query_timeout: timeoutMs };
          return await client.query<Row>(statement);
        } catch (thrown) {
          const error = isNamed ? asRefusal(asFault(thrown)) : asFault(thrown);
          outcome = error instanceof DatabaseFault ? 'unreachable' : 'rejected';
          if (error instanceof PreparationRefused) this.#prepares = false;
          if (!(error instanceof DatabaseFault)) throw error;
          broken = error;
          throw this.#report(error);
        } finally {
          observer?.queried(performance.now() - began, outcome);
        }
      },
      release() {
        client.off('error', onLost);
        // A connection whose state is unknown is closed.
        client.release(broken);
      },
    };
  }

  /** The last failure to reach the database, if it was after that time of `performance.now()`. */
  faultSince(time: number): DatabaseFault | null {
    return this.#last !== null && this.#last.at >= time ? this.#last.fault : null;
  }

  #report(error: unknown): DatabaseFault {
    const fault = error instanceof DatabaseFault ? error : new DatabaseFault(error);
    this.#last = { fault, at: performance.now() };
    this.#options.onFault?.(fault);
    return fault;
  }
}

/** Throws the error of a statement or commit that may have been carried out. */
export function unconfirmed(error: unknown): never {
  throw error instanceof DatabaseFault ? error.withUnknownOutcome() : error;
}

/** PostgreSQL stores no NUL characters. Ids, keys and addresses contain none, so a text with a replaced one still matches none of them. */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

function statementsOf(query: Query): Statements {
  return {
    rows: async <Row extends object>(sql: Sql, parameters: readonly unknown[] = []) =>
      (await query<Row & QueryResultRow>(sql, parameters)).rows,
    run: async (sql, parameters = []) => (await query(sql, parameters)).rowCount ?? 0,
  };
}

/** An identifier as SQL text. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export interface NewsEvents {
  readonly onMessage: (text: string) => void;
  /** The connection is gone; it is not opened again. */
  readonly onLost: (fault: DatabaseFault) => void;
}
