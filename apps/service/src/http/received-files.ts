/**
 * Writes the files of one request to disk; either all of them are kept or none. Contents are not inspected and not
 * buffered beyond the current chunk.
 */
import { createHash, type Hash } from 'node:crypto';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Config } from '../settings/config.ts';
import type { Upload } from '../storage/store.ts';

/**
 * The one file (of a conversion, the target of an append), one of a list, the value of a parameter of a step, or a file of
 * features that steps refer to.
 */
export type FileRole = 'single' | 'list' | 'step value' | 'step file';

export interface ReceivedFile {
  /** Its file name, or its path in a JSON body; null: the client gave none. */
  readonly name: string | null;
  readonly role: FileRole;
  /** The name by which steps refer to it: the part of the form, or the path of the parameter; null: none does. */
  readonly stepInput: string | null;
  readonly byteLength: number;
  /** Number of the stored file, in the order received. */
  readonly fileIndex: number;
  /** It is an upload that the config names; its id stands for its content in the hash of a request. */
  readonly isUpload: boolean;
  /** SHA-256 in hexadecimal; null: not requested. */
  readonly hash: string | null;
}

/**
 * The settings that limit one request: bytes of all files together, number of files without those of steps, bytes of
 * each value of a step, of the config and of a JSON body.
 */
export type RequestLimits = Pick<
  Config,
  'maxUploadBytes' | 'maxFiles' | 'maxMaskBytes' | 'maxConfigBytes' | 'maxJsonBodyBytes'
>;

export interface ReceivingOptions {
  /** Opens the storage of file number `fileIndex`. */
  readonly open: (fileIndex: number, role: FileRole) => Promise<Upload>;
  readonly limits: RequestLimits;
  /** Computing hashes takes time for large files. */
  readonly wantHash: boolean;
}

const ROLES: readonly FileRole[] = ['single', 'list', 'step value', 'step file'];

/** Maximum number of files synced to disk at a time; each holds a file descriptor. */
const MAX_KEEPING = 8;

interface Entry {
  readonly name: string | null;
  readonly role: FileRole;
  readonly stepInput: string | null;
  readonly fileIndex: number;
  readonly upload: Upload;
  readonly isUpload: boolean;
  readonly hash: Hash | null;
}

export class ReceivedFiles {
  readonly limits: RequestLimits;
  readonly #open: ReceivingOptions['open'];
  readonly #wantHash: boolean;
  readonly #entries: Entry[] = [];
  readonly #keeping = new Set<Promise<void>>();
  #keepFailure: { readonly error: unknown } | null = null;
  #current: Entry | null = null;
  #bytesLeft: number;

  constructor({ open, limits, wantHash }: ReceivingOptions) {
    this.limits = limits;
    this.#open = open;
    this.#wantHash = wantHash;
    this.#bytesLeft = limits.maxUploadBytes;
  }

  /** Begins a file; call `end` before the next one. Throws LIMIT_EXCEEDED for too many files. */
  async begin(name: string | null, role: FileRole, stepInput: string | null = null): Promise<void> {
    this.#checkCount(stepInput);
    const fileIndex = this.#entries.length;
    const upload = await this.#open(fileIndex, role);
    this.#current = {
      isUpload: false,
      name,
      role,
      stepInput,
      fileIndex,
      upload,
      hash: this.#wantHash ? createHash('sha256') : null,
    };
    this.#entries.push(this.#current);
  }

  /** Adds an upload, which is opened as file number `fileIndex` and not received here. Throws LIMIT_EXCEEDED for too many files or bytes. */
  async add(
    { name, role, stepInput }: Pick<ReceivedFile, 'name' | 'role' | 'stepInput'>,
    open: (fileIndex: number) => Promise<Upload>,
  ): Promise<void> {
    this.#checkCount(stepInput);
    const fileIndex = this.#entries.length;
    const upload = await open(fileIndex);
    this.#entries.push({ name, role, stepInput, fileIndex, upload, isUpload: true, hash: null });
    this.pass(upload.byteLength);
    await this.#keep(upload);
  }

  #checkCount(stepInput: string | null): void {
    const { maxFiles } = this.limits;
    if (stepInput === null && this.count('single') + this.count('list') >= maxFiles)
      throw tooManyFiles(maxFiles);
  }

  /** Throws LIMIT_EXCEEDED. */
  async write(bytes: Uint8Array): Promise<void> {
    const { upload, hash, role, name } = this.#currentEntry();
    const { maxMaskBytes } = this.limits;
    if (role === 'step value' && upload.byteLength + bytes.length > maxMaskBytes)
      throw stepValueTooLarge(name ?? '', maxMaskBytes);
    this.pass(bytes.length);
    hash?.update(bytes);
    await upload.write(bytes);
  }

  /** Counts bytes that are not written here towards the same limit. Throws LIMIT_EXCEEDED. */
  pass(byteLength: number): void {
    this.#bytesLeft -= byteLength;
    if (this.#bytesLeft < 0) throw uploadTooLarge('more than that', this.limits.maxUploadBytes);
  }

  /** Throws INPUT_EMPTY. */
  async end(): Promise<void> {
    const { upload, name, role, fileIndex } = this.#currentEntry();
    this.#current = null;
    if (upload.byteLength === 0)
      throw failure(generalErrors.INPUT_EMPTY, {
        source: name ?? (role === 'list' ? `file ${fileIndex + 1}` : 'the file'),
      });
    await this.#keep(upload);
  }

  async #keep(upload: Upload): Promise<void> {
    // Started at once to limit the number of open files, but not awaited, because a sync is slow.
    const keeping: Promise<void> = upload
      .keep()
      .catch((error: unknown) => {
        this.#keepFailure ??= { error };
      })
      .finally(() => this.#keeping.delete(keeping));
    this.#keeping.add(keeping);
    if (this.#keeping.size >= MAX_KEEPING) await Promise.race(this.#keeping);
  }

  count(role: FileRole): number {
    return this.#entries.filter((entry) => entry.role === role).length;
  }

  /** Waits until all files are durable. Returns the single file, then the list, then those of steps. */
  async keepAll(): Promise<readonly ReceivedFile[]> {
    await Promise.all(this.#keeping);
    if (this.#keepFailure !== null) throw this.#keepFailure.error;
    const inOrder = ROLES.flatMap((role) => this.#entries.filter((entry) => entry.role === role));
    return inOrder.map(({ name, role, stepInput, fileIndex, upload, isUpload, hash }) => ({
      name,
      role,
      stepInput,
      fileIndex,
      byteLength: upload.byteLength,
      isUpload,
      hash: hash?.digest('hex') ?? null,
    }));
  }

  /**
   * Removes all files, kept or not, except those that jobs use. Never throws: the sweep finds files that cannot be removed
   * now.
   */
  async discard(used: ReadonlySet<number> = new Set()): Promise<void> {
    await Promise.all(this.#keeping);
    const unused = this.#entries.filter(({ fileIndex }) => !used.has(fileIndex));
    await Promise.allSettled(unused.map(({ upload }) => upload.discard()));
  }

  #currentEntry(): Entry {
    if (this.#current === null)
      throw failure(generalErrors.INTERNAL, { reason: 'no file is being received' });
    return this.#current;
  }
}

/** `actual`: the size in words. */
export function uploadTooLarge(actual: string, limitBytes: number): GeomillError {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: 'the upload',
    actual,
    limit: `${limitBytes} bytes`,
    setting: 'MAX_UPLOAD',
  });
}

function stepValueTooLarge(name: string, limitBytes: number): GeomillError {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: `'${name}'`,
    actual: `more than ${limitBytes} bytes`,
    limit: `${limitBytes} bytes`,
    setting: 'MAX_MASK',
  });
}

function tooManyFiles(limit: number): GeomillError {
  return failure(generalErrors.LIMIT_EXCEEDED, {
    what: 'the number of files',
    actual: `more than ${limit}`,
    limit,
    setting: 'MAX_FILES',
  });
}
