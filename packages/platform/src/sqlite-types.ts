/**
 * Connections of SQLite to files: what geomill uses of `node:sqlite`, whose objects they are in Node.js, because a statement is run for every row.
 * Errors have SQLite's result code as `errcode`.
 */

export type SqlValue = null | number | bigint | string | Uint8Array;

export interface SqlStatement {
  /** Runs a statement without result rows. */
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  /** The first row. */
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  /** Whether rows are arrays. Default: objects. */
  setReturnArrays(isWanted: boolean): void;
  /** Whether integers are bigints. Default: numbers; an integer that is not exact as a number is an error. */
  setReadBigInts(isWanted: boolean): void;
}

/** Gets a code of an action with its arguments, as sqlite3_set_authorizer describes; returns 0 to allow the action and 1 to deny it. */
export type Authorizer = (action: number, first: string | null, second: string | null) => number;

export interface FunctionSetting {
  readonly deterministic: boolean;
  readonly varargs: boolean;
  readonly useBigIntArguments: boolean;
}

export interface SqlConnection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  /** Makes a function callable in SQL. */
  function(name: string, setting: FunctionSetting, implementation: (...values: SqlValue[]) => SqlValue): void;
  setAuthorizer(authorizer: Authorizer | null): void;
  close(): void;
}

export interface ConnectionSetting {
  /** Default: false. */
  readonly readOnly?: boolean;
  /** No other program changes the file: SQLite creates neither a log nor its index. Default: false. */
  readonly isImmutable?: boolean;
  /** Milliseconds that a statement waits for the lock of another connection. Default: 0. */
  readonly timeout?: number;
  /** Whether SQL cannot damage the file by writing to its schema or to shadow tables. Default: true. */
  readonly defensive?: boolean;
  readonly allowExtension?: false;
  /** Default: true. */
  readonly enableForeignKeyConstraints?: boolean;
  /** Default: false, so that a misspelt name is an error, not a text. */
  readonly enableDoubleQuotedStringLiterals?: boolean;
  /** Names are those of `node:sqlite`; Node 24 ignores them. */
  readonly limits?: Readonly<Record<string, number>>;
}
