/**
 * Connections of SQLite to the files of the worker, by the build of SQLite for WebAssembly. No other program has these files: nothing waits for a lock,
 * and every file is as good as immutable.
 */
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import type { Authorizer, ConnectionSetting, FunctionSetting, SqlConnection, SqlStatement, SqlValue } from '../shared-types.ts'; // biome-ignore format: one line
import type { FileSystem } from './file-system.ts';
import { part } from './parts.ts';
import { installFiles, VFS_NAME } from './sqlite-files.ts';

export type { Authorizer, ConnectionSetting, FunctionSetting, SqlConnection, SqlStatement, SqlValue } from '../shared-types.ts'; // biome-ignore format: one line

type Named = Record<string, SqlValue>;

/** Names of limits as `node:sqlite` has them. */
const LIMITS: Readonly<Record<string, number>> = {
  ...{ length: 0, sqlLength: 1, column: 2, exprDepth: 3, compoundSelect: 4, vdbeOp: 5, functionArg: 6 },
  ...{ attach: 7, likePatternLength: 8, variableNumber: 9, triggerDepth: 10 },
};

const ROW = 100;
const DONE = 101;
const TRANSIENT = -1;

// biome-ignore lint/suspicious/noExplicitAny: the declarations of the package leave the functions of C out.
type Untyped = any;

/** Name of the part with SQLite. */
export const SQLITE = 'sqlite';

/** Loads the part; `initialise` is the function that the package exports. */
export async function loadSqlite(
  initialise: () => Promise<Sqlite3Static>,
  files: FileSystem,
): Promise<Sqlite3Static> {
  const sqlite3 = await initialise();
  installFiles(sqlite3, files);
  return sqlite3;
}

function library(): Untyped {
  return part(SQLITE);
}

function failed(capi: Untyped, database: number, code: number): Error {
  const text = database === 0 ? capi.sqlite3_errstr(code) : capi.sqlite3_errmsg(database);
  return Object.assign(new Error(text), {
    ...{ code: 'ERR_SQLITE_ERROR', errcode: database === 0 ? code : capi.sqlite3_extended_errcode(database) },
    errstr: capi.sqlite3_errstr(code),
  });
}

class Connection implements SqlConnection {
  #pointer = 0;
  readonly #statements = new Set<Statement>();

  constructor(path: string, options: ConnectionSetting) {
    const { capi, wasm } = library();
    const access = options.readOnly === true ? capi.SQLITE_OPEN_READONLY : capi.SQLITE_OPEN_READWRITE | capi.SQLITE_OPEN_CREATE; // biome-ignore format: one line
    const scope = wasm.scopedAllocPush();
    try {
      const result = wasm.scopedAllocPtr();
      const code = capi.sqlite3_open_v2(path, result, access, VFS_NAME);
      this.#pointer = wasm.peekPtr(result);
      capi.sqlite3_extended_result_codes(this.#pointer, 1);
      if (code !== 0) {
        const error = failed(capi, this.#pointer, code);
        this.close();
        throw error;
      }
    } finally {
      wasm.scopedAllocPop(scope);
    }
    for (const [name, value] of Object.entries(options.limits ?? {}))
      capi.sqlite3_limit(this.#pointer, LIMITS[name], value);
    this.#set(capi.SQLITE_DBCONFIG_ENABLE_FKEY, options.enableForeignKeyConstraints ?? true);
    this.#set(capi.SQLITE_DBCONFIG_DQS_DML, options.enableDoubleQuotedStringLiterals ?? false);
    this.#set(capi.SQLITE_DBCONFIG_DQS_DDL, options.enableDoubleQuotedStringLiterals ?? false);
    this.#set(capi.SQLITE_DBCONFIG_DEFENSIVE, options.defensive ?? true);
  }

  get isOpen(): boolean {
    return this.#pointer !== 0;
  }

  get isTransaction(): boolean {
    return library().capi.sqlite3_get_autocommit(this.#pointer) === 0;
  }

  exec(sql: string): void {
    const { capi } = library();
    const code = capi.sqlite3_exec(this.#pointer, sql, 0, 0, 0);
    if (code !== 0) throw failed(capi, this.#pointer, code);
  }

  prepare(sql: string): Statement {
    const { capi, wasm } = library();
    const scope = wasm.scopedAllocPush();
    try {
      const result = wasm.scopedAllocPtr();
      const code = capi.sqlite3_prepare_v3(this.#pointer, sql, -1, 0, result, 0);
      if (code !== 0) throw failed(capi, this.#pointer, code);
      const statement = new Statement(this.#pointer, wasm.peekPtr(result));
      this.#statements.add(statement);
      return statement;
    } finally {
      wasm.scopedAllocPop(scope);
    }
  }

  function(
    name: string,
    { deterministic, varargs, useBigIntArguments }: FunctionSetting,
    implementation: (...values: SqlValue[]) => SqlValue,
  ): void {
    const { capi } = library();
    const flags = capi.SQLITE_UTF8 | (deterministic ? capi.SQLITE_DETERMINISTIC : 0);
    const count = varargs ? -1 : implementation.length;
    const argument = (value: SqlValue): SqlValue =>
      useBigIntArguments && typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
    const call = (_context: number, ...values: SqlValue[]): SqlValue => {
      for (const [i, value] of values.entries()) values[i] = argument(value);
      return implementation(...values);
    };
    const code = capi.sqlite3_create_function_v2(this.#pointer, name, count, flags, 0, call, 0, 0, 0);
    if (code !== 0) throw failed(capi, this.#pointer, code);
  }

  setAuthorizer(authorizer: Authorizer | null): void {
    const { capi, wasm } = library();
    const text = (pointer: number): string | null => (Number(pointer) === 0 ? null : wasm.cstrToJs(pointer));
    const ask = (
      _data: number,
      action: number,
      first: number | string | null,
      second: number | string | null,
    ) => (authorizer as Authorizer)(action, asText(first, text), asText(second, text));
    const code = capi.sqlite3_set_authorizer(this.#pointer, authorizer === null ? 0 : ask, 0);
    if (code !== 0) throw failed(capi, this.#pointer, code);
  }

  close(): void {
    for (const statement of this.#statements) statement.finalize();
    this.#statements.clear();
    library().capi.sqlite3_close_v2(this.#pointer);
    this.#pointer = 0;
  }

  #set(option: number, value: boolean): void {
    library().capi.sqlite3_db_config(this.#pointer, option, value ? 1 : 0, 0);
  }
}

function asText(value: number | string | null, read: (pointer: number) => string | null): string | null {
  return value === null || typeof value === 'string' ? value : read(value);
}

class Statement implements SqlStatement {
  readonly #database: number;
  #pointer: number;
  #bigInts = false;
  #arrays = false;

  constructor(database: number, pointer: number) {
    this.#database = database;
    this.#pointer = pointer;
  }

  setReadBigInts(enabled: boolean): void {
    this.#bigInts = enabled;
  }

  setReturnArrays(enabled: boolean): void {
    this.#arrays = enabled;
  }

  run(...values: SqlValue[]): { readonly changes: number } {
    const { capi } = library();
    this.#bind(values);
    try {
      let code: number;
      do code = capi.sqlite3_step(this.#pointer);
      while (code === ROW);
      if (code !== DONE) throw failed(capi, this.#database, code);
      return { changes: capi.sqlite3_changes(this.#database) as number };
    } finally {
      capi.sqlite3_reset(this.#pointer);
    }
  }

  get(...values: SqlValue[]): unknown {
    const rows = this.#rows(values);
    try {
      return rows.next().value;
    } finally {
      // Ends the statement, which would keep the file locked otherwise.
      rows.return(undefined);
    }
  }

  all(...values: SqlValue[]): unknown[] {
    return [...this.#rows(values)];
  }

  *#rows(values: readonly SqlValue[]): Generator<unknown, undefined> {
    const { capi } = library();
    this.#bind(values);
    try {
      const count = capi.sqlite3_column_count(this.#pointer) as number;
      const names = Array.from(
        { length: count },
        (_, i) => capi.sqlite3_column_name(this.#pointer, i) as string,
      );
      for (;;) {
        const code = capi.sqlite3_step(this.#pointer);
        if (code === DONE) return undefined;
        if (code !== ROW) throw failed(capi, this.#database, code);
        if (this.#arrays) yield names.map((_, i) => this.#value(i));
        else {
          const row = Object.create(null) as Named;
          for (const [i, name] of names.entries()) row[name] = this.#value(i);
          yield row;
        }
      }
    } finally {
      capi.sqlite3_reset(this.#pointer);
    }
  }

  finalize(): void {
    if (this.#pointer !== 0) library().capi.sqlite3_finalize(this.#pointer);
    this.#pointer = 0;
  }

  #value(column: number): SqlValue {
    const { capi, wasm } = library();
    const statement = this.#pointer;
    switch (capi.sqlite3_column_type(statement, column)) {
      case capi.SQLITE_INTEGER: {
        const value = capi.sqlite3_column_int64(statement, column) as bigint;
        return this.#bigInts ? value : exact(value);
      }
      case capi.SQLITE_FLOAT:
        return capi.sqlite3_column_double(statement, column);
      case capi.SQLITE_TEXT:
        return capi.sqlite3_column_text(statement, column);
      case capi.SQLITE_BLOB: {
        const length = capi.sqlite3_column_bytes(statement, column) as number;
        const start = Number(capi.sqlite3_column_blob(statement, column));
        return (wasm.heap8u() as Uint8Array).slice(start, start + length);
      }
      default:
        return null;
    }
  }

  #bind(values: readonly SqlValue[]): void {
    const { capi, wasm } = library();
    const statement = this.#pointer;
    if (statement === 0) throw new Error('the statement was finalized');
    capi.sqlite3_reset(statement);
    capi.sqlite3_clear_bindings(statement);
    for (const [i, value] of values.entries()) {
      let code = 0;
      // Without a value, a parameter is null already.
      if (value === null) continue;
      if (typeof value === 'bigint') code = capi.sqlite3_bind_int64(statement, i + 1, value);
      else if (typeof value === 'number') code = capi.sqlite3_bind_double(statement, i + 1, value);
      else if (typeof value === 'string') {
        const [start, length] = wasm.allocCString(value, true);
        code = capi.sqlite3_bind_text(statement, i + 1, start, length, TRANSIENT);
        wasm.dealloc(start);
      } else {
        const start = wasm.alloc(Math.max(1, value.length));
        wasm.heap8u().set(value, Number(start));
        code = capi.sqlite3_bind_blob(statement, i + 1, start, value.length, TRANSIENT);
        wasm.dealloc(start);
      }
      if (code !== 0) throw failed(capi, this.#database, code);
    }
  }
}

class InexactInteger extends RangeError {}

function exact(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new InexactInteger(`${value} is not exact as a number`);
}

export function openDatabase(path: string, setting: ConnectionSetting): SqlConnection {
  return new Connection(path, setting);
}

export function isInexactInteger(error: unknown): boolean {
  return error instanceof InexactInteger;
}
