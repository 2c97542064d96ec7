/**
 * The store of inputs and outputs. One interface, so that a local directory and an object store are interchangeable;
 * test/support/store-contract.ts tests every implementation.
 *
 * The store knows files, not jobs: a file is used if a row of a job refers to it. A file without a row is an orphan and is
 * swept, so a crash between storing a file and committing its row does no harm.
 */
import type { Readable } from 'node:stream';

export type FileKind = 'input' | 'output' | 'upload';

/**
 * The key of a job's input file; the key of an output is the job's id, that of an upload its own id. `index` counts the job's
 * inputs from 0.
 */
export function inputKey(jobId: string, index: number): string {
  return index === 0 ? jobId : `${jobId}.${index}`;
}

/** The job that a key belongs to. */
export function jobOfKey(key: string): string {
  return key.split('.', 1)[0];
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const FILE_NAMES = {
  input: new RegExp(`^${UUID}(?:\\.\\d{1,6})?$`),
  output: new RegExp(`^${UUID}$`),
  upload: new RegExp(`^${UUID}$`),
} as const;

/** Whether a name is one that a store makes. Other files in its directories are not geomill's. */
export function isJobFileName(kind: FileKind, name: string): boolean {
  return FILE_NAMES[kind].test(name);
}

export interface StoredFile {
  readonly byteLength: number;
  /** Bytes `[start, end)`. The file stays readable while the stream is open, even when it is removed meanwhile. */
  stream(start: number, end: number): Readable;
  /** Closes the file if `stream` was not called. */
  close(): Promise<void>;
}

/** A file that is being received. Exactly one of `keep` and `discard` ends it. */
export interface Upload {
  /** Bytes written so far. */
  readonly byteLength: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Completes the file; it is durable when this resolves. */
  keep(): Promise<void>;
  /** Removes the file. Safe at any time, also twice and after a failed `keep`. */
  discard(): Promise<void>;
}

/** An upload that is being continued. `close` ends it. */
export interface GrowingFile {
  write(bytes: Uint8Array): Promise<void>;
  /** All written bytes are durable when this resolves. */
  sync(): Promise<void>;
  /** Discards the bytes from `byteLength` on. */
  cut(byteLength: number): Promise<void>;
  close(): void;
}

export interface FileStore {
  /**
   * Opens an upload, which is created if it does not exist, to write at `offset`; bytes from there on are discarded. Rejects if it
   * is shorter. One writer at a time.
   */
  continueUpload(key: string, offset: number): Promise<GrowingFile>;
  /** Number of stored bytes; 0: no such upload. */
  uploadLength(key: string): Promise<number>;
  /**
   * Makes a complete upload an input, too: each stays when the other is removed. Durable when this resolves. False: there is no
   * such upload.
   */
  shareUpload(key: string, inputKey: string): Promise<boolean>;
  /** Starts to receive an input. */
  receive(key: string): Promise<Upload>;
  /** Makes the input readable at the local `path`, which must not exist; by a hard link if possible. */
  provide(key: string, path: string): Promise<void>;
  /**
   * Takes over the finished local file at `path` as the output of the job `id`, replacing an earlier one at once and
   * whole. It is durable when this resolves.
   */
  adopt(id: string, path: string): Promise<{ readonly byteLength: number }>;
  /** The output of the job; null: none. */
  openOutput(id: string): Promise<StoredFile | null>;
  /** Removes the file if it exists. */
  remove(kind: FileKind, key: string): Promise<void>;
  /**
   * Keys of all files of a kind with the time of their last change (ms since 1970). Names that are not keys (`lost+found`,
   * `.DS_Store`, files of an editor) are not listed, so that they are never removed.
   */
  list(kind: FileKind): AsyncIterable<{ readonly key: string; readonly changedAt: number }>;
  /** Stores a file of a mebibyte and removes it, as a test; rejects if that fails. */
  checkWritable(): Promise<void>;
}
