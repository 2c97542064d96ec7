/**
 * Creates or edits an SQLite file: no journal, no fsync, no other connection. The caller moves it to its final name only
 * when it is closed, so a crash leaves no incomplete file under that name.
 *
 * Statements run in a transaction. Tables of new files can be filled page by page (table-tree.ts): the transaction ends
 * when the first page is to be written, and the next one begins with the next statement.
 */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import {
  openDatabase,
  type SqlConnection,
  type SqlStatement,
  type SqlValue,
} from '@geomill/platform/sqlite.ts';
import { ACTION, ALLOW, DENY } from './authorizer-codes.ts';
import { PageFile } from './page-file.ts';
import { TableTree } from './table-tree.ts';
import { isHarmlessFunction, LIMITS } from './untrusted-database.ts';

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

/** `sql` creates it, without a semicolon at its end. */
export interface Trigger {
  readonly name: string;
  readonly sql: string;
}

/** Maximum size of dirty pages in memory. */
const CACHE_KIB = 8192;
const NO_JOURNAL = 'off';

export class BulkDatabase {
  readonly #connection: SqlConnection;
  readonly #journalMode: string;
  /** Of a new file; null: an edited one, whose tables have triggers, and whose pages may be of any kind. */
  readonly #newPath: string | null;
  /** Open as long as there is no transaction. */
  #pages: PageFile | null = null;
  /** What is written to the schema of a new file when it is finished; declarations by table. */
  readonly #declarations = new Map<string, string>();
  readonly #triggers: (Trigger & { readonly table: string })[] = [];
  /** Pages that the file may have; null: no limit. */
  #mostPages: number | null = null;

  private constructor(handle: SqlConnection, journalMode: string, newPath: string | null) {
    this.#connection = handle;
    this.#journalMode = journalMode;
    this.#newPath = newPath;
  }

  /**
   * Creates the file and begins the transaction. Shadow tables and the schema table can be written: the
   * defensive mode, the default, protects against untrusted SQL, and all SQL here is trusted.
   */
  static create(path: string, options: BulkOptions): BulkDatabase {
    // Double-quoted strings off: a misspelt name is an error, not a text.
    const handle = openDatabase(path, { defensive: false, enableDoubleQuotedStringLiterals: false });
    return closedOnError(handle, () => {
      handle.exec(
        `PRAGMA page_size = ${options.pageSize};
         PRAGMA journal_mode = ${NO_JOURNAL};
         PRAGMA synchronous = OFF;
         PRAGMA cache_size = -${CACHE_KIB};
         BEGIN EXCLUSIVE;
         PRAGMA application_id = ${options.applicationId};
         PRAGMA user_version = ${options.userVersion}`,
      );
      return new BulkDatabase(handle, NO_JOURNAL, path);
    });
  }

  /**
   * Opens a copy of a database from a user and begins the transaction. Its triggers run when rows are inserted: an
   * authorizer lets them change rows of this database and call harmless functions, and nothing else. A commit is on the
   * disk when it returns, because the file replaces one that matters.
   */
  static edit(path: string): BulkDatabase {
    const handle = openDatabase(path, {
      defensive: false,
      allowExtension: false,
      enableForeignKeyConstraints: false,
      limits: LIMITS,
    });
    return closedOnError(handle, () => {
      const journal = handle.prepare('PRAGMA journal_mode').get() as { journal_mode: string };
      handle.exec(
        `PRAGMA journal_mode = ${NO_JOURNAL};
         PRAGMA synchronous = FULL;
         PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA cache_size = -${CACHE_KIB};
         PRAGMA cell_size_check = ON;
         BEGIN EXCLUSIVE`,
      );
      handle.setAuthorizer((action, first, second) => authorize(action, first, second));
      return new BulkDatabase(handle, journal.journal_mode, null);
    });
  }

  /**
   * Allows the file to become larger than it is by this number of bytes, in addition to what was allowed before. Without a
   * call there is no limit. A statement beyond it fails, and `refusal` gives the reason.
   */
  allowGrowth(bytes: number): void {
    const pageBytes = Number(this.value('PRAGMA page_size'));
    const pages = this.#mostPages ?? Number(this.value('PRAGMA page_count'));
    this.#mostPages = Math.min(MAX_PAGE_COUNT, pages + Math.ceil(bytes / pageBytes));
    this.#handle.exec(`PRAGMA max_page_count = ${this.#mostPages}`);
  }

  /** Why the content of the database made a statement fail; null for any other error. */
  refusal(error: unknown): string | null {
    if (!isFull(error) || this.#mostPages === null) return refusal(error);
    // A full disk has the same code.
    const isAtLimit = Number(this.value('PRAGMA page_count')) >= this.#mostPages;
    return isAtLimit ? 'its triggers write far more than was added' : null;
  }

  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  prepare(sql: string): BulkStatement {
    return new PreparedBulkStatement(this, this.#handle.prepare(sql));
  }

  /** Fills a table without rows and indexes by pages; null: in an edited file only statements can. */
  tableTree(table: string): TableTree | null {
    if (this.#newPath === null) return null;
    const root = this.value("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", table);
    return new TableTree(this, Number(root));
  }

  /** The pages of a new file. Ends the transaction. */
  pages(): PageFile {
    if (this.#pages !== null) return this.#pages;
    if (this.#newPath === null) throw new Error('pages of an edited file');
    this.#connection.exec('COMMIT');
    this.#pages = new PageFile(this.#newPath);
    return this.#pages;
  }

  /** Begins a transaction unless there is one. Called before each statement. */
  beginTransaction(): void {
    if (this.#pages === null) return;
    this.#pages.finish();
    this.#pages = null;
    this.#connection.exec('BEGIN EXCLUSIVE');
  }

  get #handle(): SqlConnection {
    this.beginTransaction();
    return this.#connection;
  }

  /** The first column of the first row; null if there is no row. Integers are bigints. */
  value(sql: string, ...values: SqlValue[]): SqlValue {
    const statement = this.#handle.prepare(sql);
    statement.setReadBigInts(true);
    const row = statement.get(...values) as Record<string, SqlValue> | undefined;
    return row === undefined ? null : Object.values(row)[0];
  }

  /**
   * Writes the declaration of a table into the schema, for changes that ALTER TABLE cannot make. In a new file it is written when the file
   * is finished, as triggers are: SQLite reads the whole schema again after each change, so the time would grow with the square of the number of layers.
   */
  redeclareTable(name: string, sql: string): void {
    this.#declarations.set(name, sql);
    if (this.#newPath === null) this.#writeSchema();
  }

  /** Adds triggers to a table. */
  addTriggers(table: string, triggers: readonly Trigger[]): void {
    if (this.#newPath !== null) for (const trigger of triggers) this.#triggers.push({ ...trigger, table });
    else for (const { sql } of triggers) this.exec(sql);
  }

  /** Makes a deterministic function callable in SQL. It gets integers as bigints. */
  define(name: string, implementation: (...values: SqlValue[]) => SqlValue): void {
    const options = { deterministic: true, varargs: true, useBigIntArguments: true };
    this.#handle.function(name, options, implementation);
  }

  /** Commits and closes. */
  finish(): void {
    if (this.#triggers.length + this.#declarations.size > 0) this.#writeSchema();
    this.#handle.exec('COMMIT');
    this.#handle.setAuthorizer(null);
    // Part of the header of the file, so it stays as it was.
    if (this.#journalMode === 'wal') this.#handle.exec('PRAGMA journal_mode = WAL');
    this.#handle.close();
  }

  #writeSchema(): void {
    const handle = this.#handle;
    const tables = handle.prepare("SELECT rowid, name FROM sqlite_schema WHERE type = 'table'").all();
    handle.exec('PRAGMA writable_schema = ON');
    const declare = handle.prepare('UPDATE sqlite_schema SET sql = ? WHERE rowid = ?');
    for (const { rowid, name } of tables as { rowid: number; name: string }[]) {
      const sql = this.#declarations.get(name);
      if (sql !== undefined) declare.run(sql, rowid);
    }
    const insert = handle.prepare("INSERT INTO sqlite_schema VALUES ('trigger', ?, ?, 0, ?)");
    for (const { name, table, sql } of this.#triggers) insert.run(name, table, sql);
    handle.exec('PRAGMA writable_schema = OFF');
    this.#declarations.clear();
    this.#triggers.length = 0;
  }

  /** Closes without completing; the file is unusable then. Does nothing if closed. */
  abandon(): void {
    this.#pages?.abandon();
    this.#pages = null;
    if (this.#connection.isOpen) this.#connection.close();
  }
}

/** A handle that stays open keeps the file, its space and its lock. */
function closedOnError<Result>(handle: SqlConnection, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    handle.close();
    throw error;
  }
}

const SQLITE_FULL = 13;
const MAX_PAGE_COUNT = 0xfffffffe;

/** The disk is full, the file may have no more pages, or a table has no more keys. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_FULL;
}

/** Of SQLite's result codes, those that are not about the content of a file: no space left, and other failures to write. */
const WRITE_FAILURES = new Set([10, SQLITE_FULL]);

/** Why the content of a database made a statement fail; null for any other error. */
export function refusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // Thrown by a function that a trigger calls.
  if (error instanceof GeomillError)
    return error.fault === 'user' && error.code !== 'CANCELLED' ? error.message : null;
  if (!('errcode' in error) || typeof error.errcode !== 'number') return null;
  return WRITE_FAILURES.has(error.errcode & 0xff) ? null : error.message;
}

/** Functions of the triggers of a GeoPackage, of the RTree module, and of this program. */
const OWN_FUNCTIONS = /^(?:zeroblob|st_(?:min|max)[xy]|st_isempty|geomill_\w+)$/i;
/** The RTree module asks for the size of pages. */
const PRAGMAS = new Set(['max_page_count', 'page_count', 'page_size', 'table_xinfo', 'writable_schema']);

function authorize(action: number, first: string | null, second: string | null): number {
  switch (action) {
    case ACTION.attach:
    case ACTION.detach:
    // A trigger could write rows without end.
    case ACTION.recursive:
      return DENY;
    case ACTION.pragma:
      return first !== null && PRAGMAS.has(first.toLowerCase()) ? ALLOW : DENY;
    case ACTION.function:
      return second !== null && (isHarmlessFunction(second) || OWN_FUNCTIONS.test(second)) ? ALLOW : DENY;
    case ACTION.createVirtualTable:
      return second?.toLowerCase() === 'rtree' ? ALLOW : DENY;
    default:
      return ALLOW;
  }
}

class PreparedBulkStatement implements BulkStatement {
  readonly #database: BulkDatabase;
  readonly #statement: SqlStatement;

  constructor(database: BulkDatabase, statement: SqlStatement) {
    this.#database = database;
    this.#statement = statement;
    // `run` also returns the last row id, and throws if that is a number that is not exact.
    statement.setReadBigInts(true);
  }

  run(values: readonly SqlValue[]): number {
    this.#database.beginTransaction();
    return Number(this.#statement.run(...values).changes);
  }
}
