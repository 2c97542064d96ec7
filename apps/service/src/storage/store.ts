/**
 * The store of inputs and outputs. One interface, so that a local directory and an object store are interchangeable;
 * test/support/store-contract.ts tests every implementation.
 *
 * The store knows files, not jobs: a file is used if a row of a job refers to it. A file without a row is an orphan and is
 * swept, so a crash between storing a file and committing its row does no harm.
 */
import type { Readable } from 'node:stream';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';

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
  /** The bytes are not kept after it resolves. If it rejects, `sync` does not store them. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * All written bytes are durable when this resolves, with the place of the upload: an opaque text that the record of the upload
   * stores together with the new offset. Null in a store that finds the upload by its key alone.
   */
  sync(): Promise<string | null>;
  /** The record of the upload has the latest place: files that only earlier ones refer to can be removed. */
  recorded(): void;
  /** Discards the bytes from `byteLength` on; `place` is the recorded one. */
  cut(byteLength: number, place: string | null): Promise<void>;
  close(): void;
}

/** A file in a list of the store. */
export interface ListedFile {
  readonly key: string;
  /** Of an output in a store that several processes write: the attempt that stored it. */
  readonly attempt?: number;
  /** Time of the last change, in milliseconds since 1970 by the clock of the store. */
  readonly changedAt: number;
}

/** An output, as a client gets it from a URL. */
export interface PresignOptions {
  readonly mediaType: string;
  /** Content-Disposition; absent: none. */
  readonly disposition?: string;
  readonly expiresSeconds: number;
}

/** An attempt at a job. */
export interface StoredAttempt {
  readonly id: string;
  readonly fence: number;
}

/** Files that the parts of an attempt at a job exchange (docs/decisions/jobs-over-machines.md). They need not survive a power failure. */
export interface PartFiles {
  /** Stores a copy of the finished local file at `path`, whole and at once; replaces an earlier one of the name. */
  put(attempt: StoredAttempt, name: string, path: string): Promise<void>;
  /** Makes the file readable at the local `path`, which must not exist. */
  get(attempt: StoredAttempt, name: string, path: string): Promise<void>;
  /**
   * As FileStore.provide, but only bytes `[start, end)` of `range` need to be there; the file has its whole length. Null: all
   * bytes.
   */
  getInput(key: string, path: string, range: readonly [start: number, end: number] | null): Promise<void>;
  /** Removes the file, or all of the attempt. */
  remove(attempt: StoredAttempt, name?: string): Promise<void>;
  /** Attempts that have files; one can be listed several times. */
  list(): AsyncIterable<StoredAttempt & { readonly changedAt: number }>;
}

/** Throws if a name is not the name of a part file. */
export function checkPartName(name: string): void {
  if (!/^[a-z0-9][a-z0-9.-]{0,99}$/.test(name))
    throw failure(generalErrors.INTERNAL, { reason: 'malformed name of a part file' });
}

export interface FileStore {
  /**
   * Whether other processes may use the store at the same time. Then outputs of several attempts at a job are separate files, and
   * `list` can show files that another process is about to record.
   */
  readonly isShared: boolean;
  /** Null: the store is not shared, and no other process could run a part. */
  readonly parts: PartFiles | null;
  /**
   * Opens an upload, which is created if it does not exist, to write at `offset`; bytes from there on are discarded. `place` is what
   * the latest recorded `sync` resolved with; null: none. Rejects if the upload is shorter. One writer at a time; in a shared store, a
   * writer that was replaced while it was paused changes nothing.
   */
  continueUpload(key: string, offset: number, place: string | null): Promise<GrowingFile>;
  /** Number of stored bytes; 0: no such upload. */
  uploadLength(key: string, offset: number, place: string | null): Promise<number>;
  /**
   * Makes a complete upload of `byteLength` bytes an input, too: each stays when the other is removed. Durable when this resolves. False:
   * there is no such upload.
   */
  shareUpload(upload: SharedUpload, inputKey: string): Promise<boolean>;
  /** Starts to receive an input. */
  receive(key: string): Promise<Upload>;
  /** Makes the input readable at the local `path`, which must not exist; by a hard link if possible. */
  provide(key: string, path: string): Promise<void>;
  /**
   * Takes over the finished local file at `path` as the output of an attempt at the job, whole and at once. It is durable when this
   * resolves. `attempt` is a number that no other attempt at the job has; a store that is not shared keeps one output of a job and
   * replaces an earlier one. The last `findingsBytes` bytes are not part of what `presign` delivers. Rejects if the file is shorter.
   * The file may be moved; `keepsFile`: it stays, which only a shared store can do.
   */
  adopt(
    jobId: string,
    attempt: number,
    path: string,
    findingsBytes: number,
    keepsFile?: boolean,
  ): Promise<{ readonly byteLength: number }>;
  /** The output of that attempt at the job; null: none. */
  openOutput(jobId: string, attempt: number): Promise<StoredFile | null>;
  /**
   * A URL at which clients get the output, without its findings, until it expires, and need no other credentials; null: the store has
   * no such URLs.
   */
  presign(jobId: string, attempt: number, options: PresignOptions): Promise<string | null>;
  /** Removes the file if it exists: of an output that of the `attempt`, or those of all attempts. */
  remove(kind: FileKind, key: string, attempt?: number): Promise<void>;
  /**
   * All files of a kind. Names that are not keys (`lost+found`, `.DS_Store`, files of an editor) are not listed, so that they are
   * never removed. An upload can be listed several times.
   */
  list(kind: FileKind): AsyncIterable<ListedFile>;
  /** Removes what was begun before this time (ms since 1970) and not completed, and that `list` does not show; the number. */
  removeAbandoned(begunBefore: number): Promise<number>;
  /** Stores a file of a mebibyte and removes it, as a test; rejects if that fails. */
  checkWritable(): Promise<void>;
  /** Ends idle connections; absent: it has none. */
  close?(): void;
}

/** An upload as its record states it. */
export interface SharedUpload {
  readonly key: string;
  readonly byteLength: number;
  readonly place: string | null;
}
