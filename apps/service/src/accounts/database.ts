/**
 * The database of keys, clients, signing keys and the audit log. Every check of a credential reads it, so that a revocation
 * takes effect in all processes. The statements are common to SQLite and PostgreSQL, with `?` for each parameter.
 */
import type { openLibraryHandle } from '@geomill/sqlite/node/library-handle.ts';
import type { PostgresDatabase } from '../postgres/database.ts';

import type { SharedLimits } from './shared-limits.ts';

export type SqlValue = null | number | string | Uint8Array;

export interface Query {
  readonly kind: 'rows' | 'changes';
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The rows, or the number of rows that were changed. */
export type Outcome = readonly unknown[] | number;

/**
 * The statements of a transaction, as a generator: SQLite runs it without a wait, so that the connections of a process never
 * wait for each other's locks; PostgreSQL waits for each answer. It ends where a statement fails.
 */
export type Work<Result> = Generator<Query, Result, Outcome>;

/** `yield* rows(...)`: the rows of a SELECT in a transaction. The caller states their type. */
export function* rows<Row>(sql: string, ...values: readonly SqlValue[]): Work<readonly Row[]> {
  return (yield { kind: 'rows', sql, values }) as readonly Row[];
}

/** `yield* run(...)`: changes rows in a transaction and returns their number. */
export function* run(sql: string, ...values: readonly SqlValue[]): Work<number> {
  return (yield { kind: 'changes', sql, values }) as number;
}

export interface AccountsDatabase {
  rows<Row>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Changes rows and returns their number. Durable when it resolves. */
  run(sql: string, ...values: readonly SqlValue[]): Promise<number>;
  /**
   * All or nothing, and durable when it resolves. The transactions of all processes run one after the other. `work` may be
   * called several times.
   */
  transaction<Result>(work: () => Work<Result>): Promise<Result>;
  /** All or nothing, without waiting for the disk. Fails soon while another process writes. */
  note(queries: readonly Query[]): Promise<void>;
  /** Changes with every commit of any process. NaN: the database cannot say. */
  version(): number;
  hasTable(name: string): Promise<boolean>;
  /** The last failure to reach the database, if it was after that time of `performance.now()`: the user library hides its cause. */
  faultSince(time: number): Error | null;
  /** Null: no other process counts. */
  readonly limits: SharedLimits | null;
  /** A connection for the user library, which has its own tables in the same database. */
  openLibrary(): Promise<LibraryDatabase>;
  close(): Promise<void>;
}

export interface LibraryDatabase {
  readonly handle: ReturnType<typeof openLibraryHandle> | PostgresDatabase['pool'];
  /** Runs the statements in one transaction. */
  migrate(sql: string): Promise<void>;
  close(): void;
}
