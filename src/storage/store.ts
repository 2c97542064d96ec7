/**
 * Where inputs and outputs are kept. One interface, so that a local directory and an object store are interchangeable;
 * test/support/store-contract.ts holds every implementation to it.
 *
 * The store knows files, not jobs: what a file is worth is said by the job's row. A file without a row is litter and is
 * swept, so a crash between storing a file and committing its row costs nothing but the sweep.
 */
import type { Readable } from 'node:stream';

export type FileKind = 'input' | 'output';

/** The key of a job's input file; outputs go by the job's id. `index` counts the job's inputs from 0. */
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
} as const;

/** Whether a store may have made a file of this name. Everything else in its directories belongs to somebody else. */
export function isJobFileName(kind: FileKind, name: string): boolean {
  return FILE_NAMES[kind].test(name);
}

export interface StoredFile {
  readonly byteLength: number;
  /** Bytes `[start, end)`. The file stays readable while the stream is open, even when it is removed meanwhile. */
  stream(start: number, end: number): Readable;
  /** Gives the file back when `stream` is not called. */
  close(): Promise<void>;
}

/** A file that is being received. Exactly one of `keep` and `discard` ends it. */
export interface Upload {
  /** Bytes written so far. */
  readonly byteLength: number;
  write(bytes: Uint8Array): Promise<void>;
  /** The file is complete; when this resolves it survives a power failure. */
  keep(): Promise<void>;
  /** Removes what was written. Safe at any time, also twice and after a failed `keep`. */
  discard(): Promise<void>;
}

export interface FileStore {
  /** Begins to receive an input. */
  receive(key: string): Promise<Upload>;
  /** Makes the input readable at the local `path`, which must not exist. By a link where possible: no bytes move. */
  provide(key: string, path: string): Promise<void>;
  /**
   * Takes over the finished local file at `path` as the output of the job `id`, replacing an earlier one at once and
   * whole. It is durable when this resolves.
   */
  adopt(id: string, path: string): Promise<{ readonly byteLength: number }>;
  /** The output of the job, or null when there is none. */
  openOutput(id: string): Promise<StoredFile | null>;
  /** Removes the file if it is there. */
  remove(kind: FileKind, key: string): Promise<void>;
  /**
   * Keys of all files of a kind with the time of their last change (ms since 1970). Names that are no keys (`lost+found`,
   * `.DS_Store`, files of an editor) are not listed, so that nothing removes what a store did not make.
   */
  list(kind: FileKind): AsyncIterable<{ readonly key: string; readonly changedAt: number }>;
  /** Stores a file of a mebibyte and removes it; rejects where that is not possible. */
  checkWritable(): Promise<void>;
}
