/** The accounts database in SQLite. Several processes of the service and the command line use it at the same time. */
import { chmodSync, chownSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { textOf } from '@geomill/core/messages/message.ts';
import { Database, type Statement } from '@geomill/sqlite/database.ts';
import { isDamage } from '@geomill/sqlite/database-failure.ts';
import { bringUpToDate, type SchemaHistory } from '@geomill/sqlite/migrations.ts';
import { openLibraryHandle } from '@geomill/sqlite/node/library-handle.ts';
import type { AccountsDatabase, LibraryDatabase, Outcome, Query, SqlValue, Work } from './database.ts';
import { accountErrors } from './errors.ts';

/** The library for users and sessions has its own tables in the same file and migrates them itself. */
export const ACCOUNTS_SCHEMA: SchemaHistory = {
  // Version 1 was never released.
  firstVersion: 2,
  steps: [
    `CREATE TABLE credentials (
    id TEXT PRIMARY KEY,               -- gm_... an API key, gmc_... an OAuth client
    kind TEXT NOT NULL,                -- 'key', 'client'
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,              -- separated by spaces
    secret_hash BLOB NOT NULL,         -- SHA-256 of the whole text that was handed out
    created_at INTEGER NOT NULL,       -- milliseconds since 1970, as all times
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,              -- to the minute
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX credentials_owner ON credentials (owner, kind);
  CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,              -- thumbprint of the key (RFC 7638)
    algorithm TEXT NOT NULL,
    public_jwk TEXT NOT NULL,          -- JSON, as private_jwk
    private_jwk TEXT NOT NULL,
    signs_from INTEGER NOT NULL        -- until the next key does
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE audit_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL               -- JSON object
  ) STRICT;
  CREATE INDEX audit_events_at ON audit_events (at);
  CREATE INDEX audit_events_subject ON audit_events (subject);
  CREATE TRIGGER audit_events_stay BEFORE UPDATE ON audit_events
    BEGIN SELECT raise(ABORT, 'the audit log is only added to'); END;
  CREATE TABLE account_states (       -- what we know of an account beside the library's tables; no row: neither
    owner TEXT PRIMARY KEY,            -- account id
    is_admin INTEGER NOT NULL,
    disabled_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE one_time_links (
    token_hash BLOB PRIMARY KEY,       -- SHA-256 of the token in the link
    purpose TEXT NOT NULL,             -- 'setup': makes the first administrator; 'password': sets that of a user
    user_id TEXT,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE service_secrets (       -- made at random when they are first needed
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;`,
  ],
};

const DAMAGE_REMEDY =
  "; check the data directory with 'geomill doctor', and put a backup in its place with 'geomill restore'";

/** Statements run when they are called, before the promise is returned: no transaction spans a wait. */
class SqliteAccounts implements AccountsDatabase {
  readonly limits = null;
  readonly #path: string;
  /** Commits are durable, so that revocations survive a power failure. Also used for reads. */
  readonly #durable: Connection;
  /** Commits do not wait for the disk and give up soon while another process writes. */
  readonly #relaxed: Connection;
  /** Never writes, so that every commit counts as a change by another connection. */
  readonly #reader: Connection;
  readonly #probe: Statement;

  constructor(path: string, durable: Database, relaxed: Database, reader: Database) {
    this.#path = path;
    this.#durable = new Connection(durable);
    this.#relaxed = new Connection(relaxed);
    this.#reader = new Connection(reader);
    this.#probe = reader.prepare('PRAGMA data_version');
  }

  async rows<Row>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#durable.statement(sql).all<Row>(...values);
  }

  async run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    return this.#durable.statement(sql).run(...values).changes;
  }

  async transaction<Result>(work: () => Work<Result>): Promise<Result> {
    return this.#durable.database.transaction(() => this.#durable.complete(work()));
  }

  async note(queries: readonly Query[]): Promise<void> {
    const all = (): void => {
      for (const query of queries) this.#relaxed.answer(query);
    };
    if (queries.length === 1) all();
    else this.#relaxed.database.transaction(all);
  }

  version(): number {
    return this.#probe.get<{ data_version: number }>()!.data_version;
  }

  faultSince(): null {
    return null;
  }

  async hasTable(name: string): Promise<boolean> {
    const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
    return this.#durable.statement(sql).get(name) !== undefined;
  }

  async openLibrary(): Promise<LibraryDatabase> {
    const handle = openLibraryHandle(this.#path);
    return {
      handle,
      migrate: async (sql) => this.#durable.database.transaction(() => this.#durable.database.exec(sql)),
      close: () => handle.close(),
    };
  }

  async close(): Promise<void> {
    for (const { database } of [this.#durable, this.#relaxed, this.#reader]) database.close();
  }
}

/** Keeps its prepared statements: their texts are all in the code. */
class Connection {
  readonly database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.database = database;
  }

  statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  answer({ kind, sql, values }: Query): Outcome {
    const statement = this.statement(sql);
    return kind === 'rows' ? statement.all(...values) : statement.run(...values).changes;
  }

  complete<Result>(work: Work<Result>): Result {
    let step = work.next();
    while (step.done !== true) step = work.next(this.answer(step.value));
    return step.value;
  }
}

/** Opens or creates the file; its directory must exist. Throws ACCOUNTS_DATABASE. */
export function openSqliteAccounts(path: string): AccountsDatabase {
  const opened: Database[] = [];
  try {
    makePrivate(path);
    const durable = new Database(path, { synchronous: 'FULL' });
    opened.push(durable);
    // Overwrites deleted data, so that no private key remains in free pages.
    durable.exec('PRAGMA secure_delete = ON');
    bringUpToDate(durable, path, ACCOUNTS_SCHEMA);
    const relaxed = new Database(path, { synchronous: 'NORMAL', busyTimeoutMs: 20 });
    opened.push(relaxed);
    const reader = new Database(path, { synchronous: 'NORMAL' });
    opened.push(reader);
    return new SqliteAccounts(path, durable, relaxed, reader);
  } catch (error) {
    for (const database of opened) database.close();
    const reason =
      error instanceof GeomillError && error.code === 'SERVICE_DATABASE_UNUSABLE'
        ? textOf(error.params.reason)
        : (error as Error).message + (isDamage(error) ? DAMAGE_REMEDY : '');
    throw failure(accountErrors.ACCOUNTS_DATABASE, { path, reason }, undefined, error);
  }
}

/**
 * Makes the file readable by its user only, because it contains private keys. SQLite gives its additional files the same
 * mode and owner. A file created by root is given to the owner of the directory, so that the service can open it.
 */
function makePrivate(path: string): void {
  if (!existsSync(path)) {
    closeSync(openSync(path, 'a', 0o600));
    const { uid, gid } = statSync(dirname(path));
    if (process.getuid?.() === 0) chownSync(path, uid, gid);
  } else if ((statSync(path).mode & 0o077) !== 0) {
    chmodSync(path, 0o600);
  }
}
