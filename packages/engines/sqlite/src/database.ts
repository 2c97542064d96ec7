/**
 * The databases of our own. Synchronous: a statement on an open database takes microseconds, less than a switch of threads.
 *
 * Node's permission model does not cover SQLite, which opens and ATTACHes any file. So paths never come from user data.
 */
import { fileFacts } from '@geomill/platform/files.ts';
import {
  openDatabase,
  type SqlConnection,
  type SqlStatement,
  type SqlValue,
} from '@geomill/platform/sqlite.ts';
import { openWithLog } from './open-with-log.ts';

export interface Statement {
  /** Runs a statement without result rows. */
  run(...values: SqlValue[]): { readonly changes: number };
  /** The first row. The caller states its type. */
  get<Row>(...values: SqlValue[]): Row | undefined;
  all<Row>(...values: SqlValue[]): Row[];
}

export interface DatabaseOptions {
  /**
   * When a commit returns. 'FULL': its data is on the disk. 'NORMAL': it is in the operating system's cache and
   * survives the end of the process but maybe not a power failure; the file is consistent in both cases.
   */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs?: number;
}

export class Database {
  readonly #handle: SqlConnection;

  /** 'read-only': changes nothing on the disk, not even to make the files that SQLite keeps beside a database. */
  constructor(path: string, options: DatabaseOptions | 'read-only') {
    if (options === 'read-only') {
      this.#handle = openReadOnly(path);
      return;
    }
    this.#handle = openWithLog(path, options.busyTimeoutMs ?? 5000);
    this.#handle.exec(`PRAGMA synchronous = ${options.synchronous}`);
  }

  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  prepare(sql: string): Statement {
    return new PreparedStatement(this.#handle.prepare(sql));
  }

  /** Runs `work` in one transaction, which is committed when it returns and rolled back when it throws. */
  transaction<Result>(work: () => Result): Result {
    this.#handle.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#handle.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#handle.isTransaction) this.#handle.exec('ROLLBACK');
      throw error;
    }
  }

  /** Copies the write-ahead log into the database file and makes it durable; false if a reader prevented a part of it. */
  checkpoint(): boolean {
    const { busy, log, checkpointed } = this.#handle.prepare('PRAGMA wal_checkpoint(FULL)').get() as Readonly<
      Record<'busy' | 'log' | 'checkpointed', number>
    >;
    return busy === 0 && log === checkpointed;
  }

  /** The schema version that an application stores in the file; 0 in a new file. */
  get userVersion(): number {
    return (this.#handle.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  }

  set userVersion(version: number) {
    this.#handle.exec(`PRAGMA user_version = ${Math.trunc(version)}`);
  }

  close(): void {
    if (this.#handle.isOpen) this.#handle.close();
  }
}

/**
 * Without a log (`-wal`) no process has the database open, and the file is complete: SQLite may treat it as
 * immutable, and creates neither a log nor its index.
 */
function openReadOnly(path: string): SqlConnection {
  const isImmutable = fileFacts(`${path}-wal`) === null;
  return openDatabase(path, { readOnly: true, isImmutable, timeout: 5000 });
}

class PreparedStatement implements Statement {
  readonly #statement: SqlStatement;

  constructor(statement: SqlStatement) {
    this.#statement = statement;
  }

  run(...values: SqlValue[]): { changes: number } {
    return { changes: Number(this.#statement.run(...values).changes) };
  }

  get<Row>(...values: SqlValue[]): Row | undefined {
    return this.#statement.get(...values) as Row | undefined;
  }

  all<Row>(...values: SqlValue[]): Row[] {
    return this.#statement.all(...values) as Row[];
  }
}
