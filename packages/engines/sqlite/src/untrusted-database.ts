/**
 * Reads a database from a user: whatever its content, reading it changes nothing, opens no other file, runs
 * no extension code and no trigger, and every fault of the file is an error that names the table.
 *
 * Node's permission model does not cover SQLite, which could ATTACH any file: an authorizer denies everything that selecting
 * rows does not need. The time limit of the job ends an infinite view, as SQLite cannot be interrupted here.
 */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import {
  type ConnectionSetting,
  isInexactInteger,
  openDatabase,
  type SqlConnection,
  type SqlValue,
} from '@geomill/platform/sqlite.ts';
import { ACTION, ALLOW, DENY } from './authorizer-codes.ts';
import { hasContent } from './database-pages.ts';
import { sqliteErrors } from './errors.ts';

/** Rows are arrays: an object per row costs twice as much. */
export type SqlRow = readonly SqlValue[];

export interface UntrustedDatabaseOptions {
  /** The file as the user knows it, for messages. */
  readonly source: string;
  /** Bytes from the start of the file that are mapped instead of read; they count as memory of this process. */
  readonly mappedBytes: number;
}

/** Maximum length of a value. */
const MAX_VALUE_BYTES = 1 << 29;
export const LIMITS = { length: MAX_VALUE_BYTES, attach: 0, likePatternLength: 1000 };

/** Node 24 ignores the options that it does not know. */
const OPTIONS: ConnectionSetting = {
  readOnly: true,
  allowExtension: false,
  enableForeignKeyConstraints: false,
  defensive: true,
  timeout: 1000,
  limits: LIMITS,
};

/** Messages for users, where SQLite's own message is not clear to them. */
const REASONS: Readonly<Record<number, string>> = {
  5: 'another program is writing to it; close it there',
  8: 'its journal is beside it: another program is changing it at the moment, or was interrupted; wait until it is done, or open the file once in that program',
};

const CODE = { corrupt: 11, tooBig: 18, auth: 23, notADatabase: 26 } as const;

/** Functions that geomill and views of common files use; none of them reads files, loads code or is random. */
const FUNCTIONS = new Set(
  (
    'abs avg cast ceil ceiling char coalesce concat concat_ws cos count cume_dist date datetime degrees dense_rank exp ' +
    'first_value floor format glob group_concat hex ifnull iif instr json json_array json_array_length json_extract ' +
    'json_object json_type json_valid julianday lag last_value lead length like likely ln log log10 log2 lower ltrim ' +
    'max min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote radians rank replace ' +
    'round row_number rtrim sign sin sqrt strftime string_agg substr substring sum tan time total trim trunc typeof ' +
    'unhex unicode unixepoch unlikely upper -> ->>'
  ).split(' '),
);

export function isHarmlessFunction(name: string): boolean {
  return FUNCTIONS.has(name.toLowerCase());
}

const PRAGMAS = new Set([
  'index_list',
  'index_info',
  'foreign_key_list',
  'quick_check',
  'table_list',
  'table_xinfo',
]);

export class UntrustedDatabase {
  readonly #handle: SqlConnection;
  readonly #source: string;
  #denied = '';

  /** Throws INPUT_WRONG_FORMAT for a file that is not a database, DATABASE_DAMAGED or DATABASE_UNREADABLE. */
  constructor(path: string, options: UntrustedDatabaseOptions) {
    this.#source = options.source;
    // A file in WAL mode needs a -shm file, which cannot be created where only reading is allowed; an immutable database works
    // without it, but SQLite ignores its -wal or -journal, so files that have one are not opened as immutable.
    const isImmutable = !hasContent(`${path}-wal`) && !hasContent(`${path}-journal`);
    try {
      this.#handle = openDatabase(path, { ...OPTIONS, isImmutable });
    } catch (error) {
      throw this.#translate(error, 'sqlite_schema');
    }
    try {
      this.#restrict(Math.trunc(options.mappedBytes));
    } catch (error) {
      this.close();
      throw this.#translate(error, 'sqlite_schema');
    }
  }

  /**
   * Every row of a SELECT; `table`: its name in errors. Integers are numbers, or all of them bigints if one is
   * not exact as a number: bigints would cost an allocation for every small integer.
   */
  rows(table: string, sql: string, values: readonly SqlValue[] = []): SqlRow[] {
    this.#denied = '';
    try {
      const statement = this.#handle.prepare(sql);
      statement.setReturnArrays(true);
      try {
        return statement.all(...values) as SqlRow[];
      } catch (error) {
        if (!isInexactInteger(error)) throw error;
        statement.setReadBigInts(true);
        return statement.all(...values) as SqlRow[];
      }
    } catch (error) {
      throw this.#translate(error, table);
    }
  }

  /**
   * Throws DATABASE_DAMAGED if the pages of a table are not sound. Selecting does not detect this: a page whose count of
   * rows is too low gives fewer rows without an error. Takes 0.1 s for 160 MB. Rows that violate a constraint are not damage.
   */
  requireSoundPages(table: string): void {
    const name = `"${table.replaceAll('"', '""')}"`;
    for (const [verdict] of this.rows(table, `PRAGMA quick_check(${name})`)) {
      const reason = String(verdict)
        .split('\n')
        .find((line) => / on page | page \d|Tree \d/.test(line));
      if (reason !== undefined)
        throw failure(sqliteErrors.DATABASE_DAMAGED, { source: this.#source, table, reason });
    }
  }

  close(): void {
    if (this.#handle.isOpen) this.#handle.close();
  }

  #restrict(mappedBytes: number): void {
    const handle = this.#handle;
    handle.exec(
      `PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON; PRAGMA mmap_size = ${mappedBytes};`,
    );
    handle.setAuthorizer((action, first, second) => {
      if (isAllowed(action, first, second)) return ALLOW;
      this.#denied = describe(action, first, second);
      return DENY;
    });
  }

  #translate(error: unknown, table: string): unknown {
    if (error instanceof GeomillError || !isSqliteError(error)) return error;
    const source = this.#source;
    const place = { source, table };
    const reason = error.message;
    const code = error.errcode & 0xff;
    if (code === CODE.notADatabase)
      return failure(
        generalErrors.INPUT_WRONG_FORMAT,
        { source, expected: 'a SQLite database', found: 'something else, or an encrypted one' },
        undefined,
        error,
      );
    // A denied function is reported with the general error code, so the message is checked too.
    if (code === CODE.auth || this.#denied !== '') {
      const denied = this.#denied === '' ? reason : this.#denied;
      return failure(sqliteErrors.DATABASE_REFUSED, { ...place, reason: denied }, undefined, error);
    }
    if (code === CODE.corrupt)
      return failure(sqliteErrors.DATABASE_DAMAGED, { ...place, reason }, undefined, error);
    if (code === CODE.tooBig) {
      const limit = `a value is longer than ${MAX_VALUE_BYTES} bytes, or a statement too long (${reason})`;
      return failure(sqliteErrors.DATABASE_UNREADABLE, { ...place, reason: limit }, undefined, error);
    }
    return failure(
      sqliteErrors.DATABASE_UNREADABLE,
      { ...place, reason: REASONS[code] ?? reason },
      undefined,
      error,
    );
  }
}

function isAllowed(action: number, first: string | null, second: string | null): boolean {
  switch (action) {
    case ACTION.select:
    case ACTION.read:
      return true;
    case ACTION.function:
      return second !== null && isHarmlessFunction(second);
    case ACTION.pragma:
      return first !== null && PRAGMAS.has(first.toLowerCase());
    default:
      return false;
  }
}

function describe(action: number, first: string | null, second: string | null): string {
  if (action === ACTION.function) return `calling the function ${second ?? ''}`;
  if (action === ACTION.pragma) return `the pragma ${first ?? ''}`;
  if (action === ACTION.recursive) return 'a recursive query';
  return 'a statement that does more than select rows';
}

interface SqliteError extends Error {
  readonly errcode: number;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
