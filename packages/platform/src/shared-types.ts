/** Types that the sides of the platform for Node.js and for browsers share, each with what its members promise. */

export interface ThreadListener {
  /** The answers, in their order. */
  message?(message: unknown): void;
  /** The thread failed and ends. */
  error?(error: unknown): void;
  /** The thread has ended. */
  end?(): void;
}

export interface Thread {
  readonly hasEnded: boolean;
  /** Sends a structured-clonable message; the buffers in `transfer` are unusable afterwards. Throws if it cannot be cloned. */
  send(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Without any listener for errors, an error of the thread ends the process. The returned function ends the listening. */
  listen(listener: ThreadListener): () => void;
  /** Ends the thread, even in the middle of its work; resolves when it has ended. */
  terminate(): Promise<void>;
  /** Whether the process stays alive for the thread. Default: true. */
  keepAlive(isKept: boolean): void;
}

export interface FileFacts {
  readonly size: number;
  /** False: a directory, a device or a pipe. */
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  /** The same for all names of a file: links, letter case. */
  readonly identity: string;
}

/** An open file, which its opener closes. */
export type OpenFile = number;

/** A file at one moment. Plain data. */
export interface FileState {
  /** Differs if another program has replaced the file or written to it. */
  readonly version: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Number of names, as hard links. */
  readonly links: number;
}

export interface DeflateSetting {
  /** 1, fast, to 9, small. */
  readonly level: number;
  /** Memory for the state, 1 to 9. */
  readonly memLevel: number;
  /** Bytes of each piece of memory that the result is collected in. */
  readonly chunkSize: number;
}

export interface GzipSetting {
  /** 1, fast, to 9, small. */
  readonly level: number;
  /** Base-two logarithm of the window, 9 to 15. Default: 15. */
  readonly windowBits?: number;
  /** Memory for the state, 1 to 9. Default: 8. */
  readonly memLevel?: number;
  /** Bytes of each piece of memory that the result is collected in: the size of the whole result saves joining them. Default: 16 KiB. */
  readonly chunkSize?: number;
}

export interface ZstdSetting {
  readonly level: number;
  /** Shortest match that is searched for. Default: that of the level. */
  readonly leastMatch?: number;
  readonly chunkSize: number;
}

/** The content of a file, which stays when the file is removed. */
export interface HeldFile {
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  blob(): Blob;
}

export interface DirectoryEntry {
  /** As it is in the archive. */
  readonly nameBytes: Uint8Array;
  /** General purpose bits. */
  readonly flags: number;
  readonly method: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly crc32: number;
  readonly versionMadeBy: number;
  readonly externalAttributes: number;
  /** Offset of the local header. */
  readonly headerOffset: number;
}

/** Runs Emscripten's module of PROJ; resolves when it can be called. The module gets members beforehand that Emscripten describes. */
export type ProjFactory = (module: object) => Promise<unknown>;

export interface ProjFiles {
  readonly factory: ProjFactory;
  readonly wasm: WebAssembly.Module;
}

/** Bytes with the operations that are worth a view: to make one takes as long as to copy some fifty bytes. */
export interface ByteView extends Uint8Array {
  /** Offset of the first occurrence of `wanted` at or after `from`; -1 if there is none. */
  indexOf(wanted: number | Uint8Array, from?: number): number;
  /** Copies `[start, end)` to `target` at `targetStart`; what has no room there is left out. Returns the number of bytes. */
  copy(target: Uint8Array, targetStart: number, start: number, end: number): number;
}

// Connections of SQLite: what geomill uses of `node:sqlite`. In Node.js they are its own objects, because a statement is run for every row.

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

/** Errors have SQLite's result code as `errcode`. */
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
