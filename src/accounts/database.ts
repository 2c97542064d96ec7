/**
 * The database of keys, clients, signing keys and the audit log. Several processes of the service and the command line use
 * it at the same time. Every check of a credential reads it, so that a revocation takes effect in all processes.
 */
import { chmodSync, chownSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Database } from '../engines/sqlite/database.ts';
import { isDamage } from '../engines/sqlite/database-failure.ts';
import { bringUpToDate, type SchemaHistory, versionOf } from '../engines/sqlite/migrations.ts';
import { failure, GeomillError } from '../errors.ts';
import { textOf } from '../message.ts';

/** The library for users and sessions has its own tables in the same file and migrates them itself. */
const SCHEMA: SchemaHistory = {
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

/** Schema of the databases that this geomill writes. */
export const ACCOUNTS_SCHEMA_VERSION = versionOf(SCHEMA);

const DAMAGE_REMEDY =
  "; check the data directory with 'geomill doctor', and put a backup in its place with 'geomill restore'";

export interface AccountsDatabase {
  readonly path: string;
  /** Commits are durable, so that revocations survive a power failure. Also used for reads. */
  readonly durable: Database;
  /** Commits do not wait for the disk and give up soon while another process writes. */
  readonly relaxed: Database;
  /** Never writes, so that every commit counts as a change by another connection; see verified.ts. */
  readonly reader: Database;
  close(): void;
}

/** Opens or creates the file; its directory must exist. Throws ACCOUNTS_DATABASE. */
export function openAccountsDatabase(path: string): AccountsDatabase {
  const opened: Database[] = [];
  const close = (): void => {
    for (const database of opened.splice(0)) database.close();
  };
  try {
    makePrivate(path);
    const durable = new Database(path, { synchronous: 'FULL' });
    opened.push(durable);
    // Overwrites deleted data, so that no private key remains in free pages.
    durable.exec('PRAGMA secure_delete = ON');
    bringUpToDate(durable, path, SCHEMA);
    const relaxed = new Database(path, { synchronous: 'NORMAL', busyTimeoutMs: 20 });
    opened.push(relaxed);
    const reader = new Database(path, { synchronous: 'NORMAL' });
    opened.push(reader);
    return { path, durable, relaxed, reader, close };
  } catch (error) {
    close();
    const reason =
      error instanceof GeomillError && error.code === 'SERVICE_DATABASE_UNUSABLE'
        ? textOf(error.params.reason)
        : (error as Error).message + (isDamage(error) ? DAMAGE_REMEDY : '');
    throw failure('ACCOUNTS_DATABASE', { path, reason }, undefined, error);
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
