/**
 * Uploads: files that clients send in pieces, resume after an interruption, and use as inputs of jobs. Independent of HTTP.
 *
 * The recorded offset is what counts: it is committed after an fsync of the file, so bytes before it survive a crash. Bytes
 * after it, which a dead service may have left, are discarded when the upload is continued. Alternative rejected: the length
 * of the file as the offset, which after a power failure can include blocks that were never written.
 *
 * A job gets its own name for the file (a hard link or a copy, see FileStore.shareUpload), so that it does not depend on
 * the upload any more. docs/decisions/uploads.md has the reasons.
 */
import { randomUUID } from 'node:crypto';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import type { UploadReference } from '@geomill/requests/addresses.ts';
import type { FileStore, Upload } from '../storage/store.ts';
import { jobErrors } from './errors.ts';
import { type ListPosition, maySee, type Viewer } from './job.ts';
import type { JobLog } from './observer.ts';
import { isComplete, type UploadRecord } from './upload.ts';
import { UploadLocks } from './upload-locks.ts';
import { type ReceptionOptions, type UploadPiece, UploadReception } from './upload-reception.ts';

export interface UploadSettings {
  /** Time after the last stored byte. */
  readonly retentionMs: number;
  /** Of one upload. */
  readonly maxBytes: number;
  /** Number of uploads of an owner; null: no limit. */
  readonly maxPerOwner: number | null;
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number;
  /** Time without a byte after which a writer is ended in favour of a new one. */
  readonly stallMs?: number;
  /** Default: those of the platform. */
  readonly timers?: Timers;
}

export interface UploadsOptions
  extends Pick<ReceptionOptions, 'records' | 'received' | 'watched' | 'onStored'> {
  readonly store: FileStore;
  readonly settings: UploadSettings;
  /** Throws while nothing can be stored. */
  readonly checkReady: () => void;
  readonly log: JobLog;
}

export interface NewUploadRequest {
  readonly name: string;
  readonly metadata: string | null;
  readonly byteLength: number | null;
}

const BATCH = 200;
const RETRY_SECONDS = 5;

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #timers: Timers;
  readonly #locks: UploadLocks;
  readonly #now: () => number;
  readonly #reception: UploadReception;

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#timers = options.settings.timers ?? PLATFORM_TIMERS;
    this.#locks = new UploadLocks(options.settings.stallMs, this.#timers);
    this.#now = options.settings.now ?? Date.now;
    this.#reception = new UploadReception({
      ...options,
      retentionMs: options.settings.retentionMs,
      checkLength: (byteLength) => this.checkLength(byteLength),
      now: this.#now,
      timers: this.#timers,
    });
  }

  get maxBytes(): number {
    return this.#options.settings.maxBytes;
  }

  count(): Promise<number> {
    return this.#options.records.count();
  }

  /** Throws LIMIT_EXCEEDED, OWNER_UPLOADS_EXCEEDED, OWNER_STORAGE_EXCEEDED, and what JobService.checkReady throws. */
  async create(owner: string, { name, metadata, byteLength }: NewUploadRequest): Promise<UploadRecord> {
    const { records, settings, checkReady, watched } = this.#options;
    checkReady();
    this.checkLength(byteLength ?? 0);
    const expiresAt = this.#now() + settings.retentionMs;
    const upload = { id: randomUUID(), owner, name, metadata, byteLength, expiresAt };
    return watched(() => records.create(upload, settings.maxPerOwner));
  }

  /** Throws LIMIT_EXCEEDED for an upload of so many bytes. */
  checkLength(byteLength: number): void {
    if (byteLength > this.maxBytes)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the upload',
        actual: `${byteLength} bytes`,
        limit: `${this.maxBytes} bytes`,
        setting: 'MAX_UPLOAD',
      });
  }

  /** Throws UPLOAD_UNKNOWN for an upload that is not there or not the viewer's, and UPLOAD_EXPIRED. */
  async get(viewer: Viewer, id: string): Promise<UploadRecord> {
    const found = await this.#options.records.get(id);
    if (found === null || !maySee(viewer, found)) throw failure(jobErrors.UPLOAD_UNKNOWN, { id });
    const { isKept, expiresAt } = found;
    const isExpired = !isKept || (expiresAt <= this.#now() && !this.#locks.has(id));
    if (isExpired) throw failure(jobErrors.UPLOAD_EXPIRED, { id, at: new Date(expiresAt).toISOString() });
    return found;
  }

  /** As `get`, after recording what a request that waits for its client has received: the client can continue there. */
  async getRecorded(viewer: Viewer, id: string): Promise<UploadRecord> {
    const found = await this.get(viewer, id);
    if (!this.#locks.has(id)) return found;
    await this.#locks.record(id);
    return this.get(viewer, id);
  }

  list(viewer: Viewer, after: ListPosition | null, limit: number): Promise<readonly UploadRecord[]> {
    return this.#options.records.list(viewer, this.#now(), after, limit);
  }

  /**
   * Stores a piece. When this resolves, all of it is durable. If it rejects, what was received is kept, unless the piece has a
   * checksum. Throws as `get`, UPLOAD_LOCKED, UPLOAD_OFFSET_WRONG, UPLOAD_TOO_LONG, LIMIT_EXCEEDED, OWNER_STORAGE_EXCEEDED,
   * and what the body and the checksum throw.
   */
  async append(owner: string, id: string, piece: UploadPiece): Promise<UploadRecord> {
    this.#options.checkReady();
    await this.get(owner, id);
    const writer = await this.#locks.lock(id);
    try {
      // Read again: it may have been changed until the lock was free.
      const record = await this.get(owner, id);
      if (record.offset !== piece.offset)
        throw failure(jobErrors.UPLOAD_OFFSET_WRONG, { id, offset: record.offset, given: piece.offset });
      const byteLength = this.#lengthOf(record, piece.byteLength);
      if (isComplete(record)) return await this.#reception.receiveNothing(record, piece, writer);
      const file = await this.#options.watched(() =>
        this.#options.store.continueUpload(id, record.offset, record.place),
      );
      try {
        return await this.#reception.receive({ ...record, byteLength }, piece, file, writer);
      } finally {
        file.close();
      }
    } finally {
      writer.release();
    }
  }

  /** Throws UPLOAD_HEADER_INVALID if the upload has another length already. */
  #lengthOf({ byteLength, offset }: UploadRecord, given: UploadPiece['byteLength']): number | null {
    if (given === undefined || given === 'end' || given === byteLength) return byteLength;
    const fault =
      byteLength !== null
        ? `but the length of the upload is ${byteLength}`
        : given < offset
          ? `but ${offset} bytes were received`
          : null;
    if (fault !== null)
      throw failure(jobErrors.UPLOAD_HEADER_INVALID, {
        name: 'Upload-Length',
        reason: `is ${given}, ${fault}`,
      });
    this.checkLength(given);
    return given;
  }

  /** Removes the upload, and ends a request that writes it. Jobs that use it are not affected. Throws as `get`. */
  async remove(viewer: Viewer, id: string): Promise<void> {
    await this.get(viewer, id);
    const writer = await this.#locks.seize(id, failure(jobErrors.UPLOAD_UNKNOWN, { id }));
    try {
      const { records, store, watched } = this.#options;
      if (!(await watched(() => records.remove(id)))) throw failure(jobErrors.UPLOAD_UNKNOWN, { id });
      // After the row: a recorded upload must exist, while the sweep finds a file without a row.
      await store.remove('upload', id);
    } finally {
      writer.release();
    }
  }

  /**
   * An upload that can be an input; `path` is where the request names it. Throws UPLOAD_REFERENCE_UNKNOWN, UPLOAD_EXPIRED,
   * UPLOAD_INCOMPLETE, INPUT_EMPTY.
   */
  async usable(owner: string, { id, path }: UploadReference): Promise<UploadRecord & { byteLength: number }> {
    const found = await this.get(owner, id).catch((error: unknown) => {
      if (error instanceof GeomillError && error.code === 'UPLOAD_UNKNOWN') throw unknownReference(id, path);
      throw error;
    });
    const { offset, byteLength, name } = found;
    if (byteLength === null || !isComplete(found))
      throw failure(jobErrors.UPLOAD_INCOMPLETE, {
        path: field(path),
        id,
        offset,
        length: byteLength ?? 'unknown',
      });
    if (byteLength === 0)
      throw failure(generalErrors.INPUT_EMPTY, { source: name === '' ? `upload '${id}'` : name });
    return { ...found, byteLength };
  }

  /**
   * Makes an upload an input of a job. The result is a received file, to be kept or discarded as any other. Throws
   * UPLOAD_REFERENCE_UNKNOWN if it was removed meanwhile.
   */
  share({ id, path }: UploadReference, byteLength: number, inputKey: string): Upload {
    const { store, records } = this.#options;
    return {
      byteLength,
      async write() {
        throw failure(generalErrors.INTERNAL, { reason: 'an upload that is shared cannot be written' });
      },
      async keep() {
        const record = await records.get(id);
        const upload = { key: id, byteLength, place: record?.place ?? null };
        if (!record?.isKept || !(await store.shareUpload(upload, inputKey))) throw unknownReference(id, path);
      },
      discard: () => store.remove('input', inputKey),
    };
  }

  /** Before requests are accepted: removes uploads whose files are not what their records say, as after a restored backup. */
  async recover(): Promise<void> {
    const { records, store, log } = this.#options;
    for (let after = ''; ; ) {
      const page = await records.kept(after, BATCH);
      for (const { id, offset, place } of page) {
        const length = await store.uploadLength(id, offset, place);
        if (length >= offset) continue;
        // Of a store that is shared, another process may continue the upload.
        if ((await records.get(id))?.offset !== offset) continue;
        log.warn({ id, offset, length }, 'removed an upload whose file is missing or too short');
        await records.remove(id);
        await store.remove('upload', id);
      }
      if (page.length < BATCH) return;
      after = page[page.length - 1].id;
    }
  }

  /** Ends the requests that write uploads and records what they stored; their clients continue at the next start. */
  stop(): Promise<void> {
    return this.#locks.endAll(failure(jobErrors.SHUTTING_DOWN, { seconds: RETRY_SECONDS }));
  }

  /** Removes expired uploads, and records of those that expired longer ago than that. The number of removed uploads. */
  async sweep(recordRetentionMs: number): Promise<number> {
    const { records, store } = this.#options;
    let removed = 0;
    for (;;) {
      const ids = await records.expired(this.#now(), BATCH);
      const free = ids.filter((id) => !this.#locks.has(id));
      for (const id of free) {
        await records.markExpired(id);
        await store.remove('upload', id);
      }
      removed += free.length;
      if (ids.length < BATCH || free.length === 0) break;
    }
    while ((await records.deleteOld(this.#now() - recordRetentionMs, BATCH)) === BATCH);
    return removed;
  }

  /** Removes files without a record, left by a crash; their number. */
  async sweepOrphans(): Promise<number> {
    const { records, store } = this.#options;
    let removed = 0;
    for await (const { key } of store.list('upload')) {
      if (this.#locks.has(key) || (await records.get(key))?.isKept) continue;
      await store.remove('upload', key);
      removed += 1;
    }
    return removed;
  }
}

function unknownReference(id: string, path: string): GeomillError {
  return failure(jobErrors.UPLOAD_REFERENCE_UNKNOWN, { path: field(path), id: shortText(id, 100) });
}
