/** The accounts database in PostgreSQL, for a service of several processes or machines. Columns as in sqlite-database.ts. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { textOf } from '@geomill/core/messages/message.ts';
import {
  PostgresDatabase,
  type PostgresHistory,
  type PostgresOptions,
  type Statements,
} from '../postgres/database.ts';
import { DatabaseFault } from '../postgres/fault.ts';
import type { AccountsDatabase, LibraryDatabase, Query, SqlValue, Work } from './database.ts';
import { accountErrors } from './errors.ts';
import { LIMITS_SCHEMA, SharedLimits } from './shared-limits.ts';

export const ACCOUNTS_HISTORY: PostgresHistory = {
  name: 'accounts',
  steps: [
    `CREATE TABLE credentials (
  id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  scopes text NOT NULL,
  secret_hash bytea NOT NULL,
  created_at bigint NOT NULL,
  created_by text NOT NULL,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint
);
CREATE INDEX credentials_owner ON credentials (owner, kind);
CREATE TABLE signing_keys (
  kid text COLLATE "C" PRIMARY KEY,
  algorithm text NOT NULL,
  public_jwk text NOT NULL,
  private_jwk text NOT NULL,
  signs_from bigint NOT NULL
);
CREATE TABLE audit_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  actor text NOT NULL,
  event text NOT NULL,
  subject text NOT NULL,
  detail text NOT NULL
);
CREATE INDEX audit_events_at ON audit_events (at);
CREATE INDEX audit_events_subject ON audit_events (subject);
CREATE FUNCTION audit_events_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is only added to';
END $$;
CREATE TRIGGER audit_events_stay BEFORE UPDATE ON audit_events FOR EACH ROW EXECUTE FUNCTION audit_events_stay();
CREATE TABLE account_states (
  owner text PRIMARY KEY,
  is_admin smallint NOT NULL,
  disabled_at bigint
);
CREATE TABLE one_time_links (
  token_hash bytea PRIMARY KEY,
  purpose text NOT NULL,
  user_id text,
  created_at bigint NOT NULL,
  created_by text NOT NULL,
  expires_at bigint NOT NULL
);
CREATE TABLE service_secrets (
  name text PRIMARY KEY,
  value bytea NOT NULL
);`,
    LIMITS_SCHEMA,
  ],
};

class PostgresAccounts implements AccountsDatabase {
  readonly limits: SharedLimits;
  readonly #database: PostgresDatabase;
  readonly #lock: string;
  readonly #close: () => Promise<void>;

  constructor(database: PostgresDatabase, close: () => Promise<void>) {
    this.#database = database;
    this.#close = close;
    this.limits = new SharedLimits(database);
    this.#lock = `geomill accounts ${database.schema}`;
  }

  rows<Row>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#database.rows<Row & object>(numbered(sql), values);
  }

  run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    return this.#database.run(numbered(sql), values);
  }

  transaction<Result>(work: () => Work<Result>): Promise<Result> {
    return this.#alone(async (statements) => {
      const steps = work();
      let step = steps.next();
      while (step.done !== true) step = steps.next(await answer(statements, step.value));
      return step.value;
    });
  }

  note(queries: readonly Query[]): Promise<void> {
    return this.#database.transaction(async (statements) => {
      await statements.run('SET LOCAL synchronous_commit = off');
      for (const query of queries) await answer(statements, query);
    });
  }

  /** Asking for it would take as long as the check that it saves. */
  version(): number {
    return Number.NaN;
  }

  faultSince(time: number): DatabaseFault | null {
    return this.#database.faultSince(time);
  }

  async hasTable(name: string): Promise<boolean> {
    const sql =
      'SELECT FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = ?';
    return (await this.rows(sql, name)).length > 0;
  }

  async openLibrary(): Promise<LibraryDatabase> {
    return {
      handle: this.#database.pool,
      migrate: (sql) =>
        this.#alone(async (statements) => {
          await statements.run(sql);
        }),
      // The connections are those of the accounts.
      close: () => {},
    };
  }

  async close(): Promise<void> {
    await this.limits.close();
    await this.#close();
  }

  /** A lock makes the transactions of all processes run one after the other: they change accounts, which is rare. */
  #alone<Result>(act: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(async (statements) => {
      await statements.run('SELECT pg_advisory_xact_lock(hashtext($1))', [this.#lock]);
      return act(statements);
    });
  }
}

/** Brings the tables up to date; the database stays open. Throws ACCOUNTS_DATABASE, and DatabaseFault if it cannot be reached. */
export async function postgresAccountsIn(
  database: PostgresDatabase,
  close = async (): Promise<void> => {},
): Promise<AccountsDatabase> {
  try {
    await database.bringUpToDate(ACCOUNTS_HISTORY);
    return new PostgresAccounts(database, close);
  } catch (error) {
    throw error instanceof DatabaseFault ? error : unusable(database.schema, error);
  }
}

/** With connections of its own. Throws ACCOUNTS_DATABASE. */
export async function connectPostgresAccounts(options: PostgresOptions): Promise<AccountsDatabase> {
  const database = await PostgresDatabase.open(options).catch((error: unknown) => {
    throw unusable(options.schema, error);
  });
  try {
    return await postgresAccountsIn(database, () => database.close());
  } catch (error) {
    await database.close();
    throw error;
  }
}

function unusable(schema: string, error: unknown): GeomillError {
  const isOurs = error instanceof GeomillError && error.code === 'SERVICE_DATABASE_UNUSABLE';
  const reason = isOurs ? textOf(error.params.reason) : (error as Error).message;
  return failure(
    accountErrors.ACCOUNTS_DATABASE,
    { path: `in PostgreSQL (schema '${schema}')`, reason },
    undefined,
    error,
  );
}

async function answer(
  statements: Statements,
  { kind, sql, values }: Query,
): Promise<readonly unknown[] | number> {
  return kind === 'rows' ? statements.rows(numbered(sql), values) : statements.run(numbered(sql), values);
}

const known = new Map<string, string>();

/** With $1, $2, ... for the parameters. */
function numbered(sql: string): string {
  let found = known.get(sql);
  if (found === undefined) {
    let count = 0;
    found = sql.replaceAll('?', () => `$${++count}`);
    known.set(sql, found);
  }
  return found;
}
