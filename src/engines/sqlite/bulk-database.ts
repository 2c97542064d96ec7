/**
 * Creates and fills an SQLite file in one transaction: no journal, no fsync, no other connection. The caller
 * moves it to its final name only when it is closed, so a crash leaves no incomplete file under that name.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlValue } from './database.ts';

export interface BulkOptions {
  /** Bytes; a power of two from 512 to 65536. */
  readonly pageSize: number;
  readonly applicationId: number;
  readonly userVersion: number;
}

export interface BulkStatement {
  /** Runs the statement with one value per parameter, in order; returns the number of rows changed. */
  run(values: readonly SqlValue[]): number;
}

/** Maximum size of dirty pages in memory. */
const CACHE_KIB = 8192;

export class BulkDatabase {
  readonly #handle: DatabaseSync;

  /**
   * Creates the file and begins the transaction. Shadow tables and the schema table can be written: the
   * defensive mode, the default of node:sqlite, protects against untrusted SQL, and all SQL here is trusted.
   */
  constructor(path: string, options: BulkOptions) {
    // Double-quoted strings off: a misspelt name is an error, not a text.
    this.#handle = new DatabaseSync(path, { defensive: false, enableDoubleQuotedStringLiterals: false });
    this.#handle.exec(
      `PRAGMA page_size = ${options.pageSize};
       PRAGMA journal_mode = OFF;
       PRAGMA synchronous = OFF;
       PRAGMA locking_mode = EXCLUSIVE;
       PRAGMA cache_size = -${CACHE_KIB};
       PRAGMA application_id = ${options.applicationId};
       PRAGMA user_version = ${options.userVersion};
       BEGIN EXCLUSIVE`,
    );
  }

  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  prepare(sql: string): BulkStatement {
    return new PreparedBulkStatement(this.#handle.prepare(sql));
  }

  /** The first column of the first row; null if there is no row. Integers are bigints. */
  value(sql: string, ...values: SqlValue[]): SqlValue {
    const statement = this.#handle.prepare(sql);
    statement.setReadBigInts(true);
    const row = statement.get(...values) as Record<string, SqlValue> | undefined;
    return row === undefined ? null : Object.values(row)[0];
  }

  /** Writes the declaration of a table into the schema, for changes that ALTER TABLE cannot make. */
  redeclareTable(name: string, sql: string): void {
    this.#handle.exec('PRAGMA writable_schema = ON');
    this.#handle.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?").run(sql, name);
    this.#handle.exec('PRAGMA writable_schema = OFF');
  }

  /** Makes a deterministic function callable in SQL. It gets integers as bigints. */
  define(name: string, implementation: (...values: SqlValue[]) => SqlValue): void {
    const options = { deterministic: true, varargs: true, useBigIntArguments: true };
    this.#handle.function(name, options, implementation);
  }

  /** Commits and closes. */
  finish(): void {
    this.#handle.exec('COMMIT');
    this.#handle.close();
  }

  /** Closes without completing; the file is unusable then. Does nothing if closed. */
  abandon(): void {
    if (this.#handle.isOpen) this.#handle.close();
  }
}

class PreparedBulkStatement implements BulkStatement {
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    // `run` also reports the last row id, and throws where that is a number and not exact.
    statement.setReadBigInts(true);
    // `run` also returns the row id, as a number, which it cannot do for large ones.
    statement.setReadBigInts(true);
  }

  run(values: readonly SqlValue[]): number {
    return Number(this.#statement.run(...values).changes);
  }
}
