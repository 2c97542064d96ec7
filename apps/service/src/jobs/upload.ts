/** Uploads: files that are sent in pieces, and can then be inputs of jobs. Their records and the interface to these. */
import type { ListPosition, Viewer } from './job.ts';

export interface NewUpload {
  readonly id: string;
  /** Account id of the client. */
  readonly owner: string;
  /** A plain file name; empty: the client gave none. */
  readonly name: string;
  /** Upload-Metadata as the client sent it; null: none. */
  readonly metadata: string | null;
  /** Null: not known yet. */
  readonly byteLength: number | null;
  /** Milliseconds since 1970, as all times. */
  readonly expiresAt: number;
}

export interface UploadRecord extends NewUpload {
  /** Number of bytes that are durable. It only grows, and the upload is complete when it is `byteLength`. */
  readonly offset: number;
  /** Where the store has them: see GrowingFile.sync. It changes only together with the offset. */
  readonly place: string | null;
  readonly createdAt: number;
  /** False: it expired, and its file is removed. */
  readonly isKept: boolean;
}

export function isComplete({ offset, byteLength }: Pick<UploadRecord, 'offset' | 'byteLength'>): boolean {
  return offset === byteLength;
}

/** A durable step of an upload. */
export interface UploadProgress {
  readonly id: string;
  /** The recorded offset that the step continues. */
  readonly from: number;
  /** The new offset. */
  readonly to: number;
  readonly place: string | null;
  /** Null: not known yet. */
  readonly byteLength: number | null;
  readonly expiresAt: number;
}

/**
 * The records of uploads, kept with those of jobs. Methods take ids of uploads of any owner. `create`, `advance` and `remove`
 * survive a power failure when they resolve; one that rejects has changed nothing.
 */
export interface UploadRecords {
  /** Throws OWNER_UPLOADS_EXCEEDED where its owner has `limit` uploads; null: no limit. */
  create(upload: NewUpload, limit: number | null): Promise<UploadRecord>;
  get(id: string): Promise<UploadRecord | null>;
  /** False: nothing was recorded, because the upload is gone or has another offset. */
  advance(progress: UploadProgress): Promise<boolean>;
  /** The newest uploads that `viewer` can see and that have not expired, as JobQueue.list. */
  list(
    viewer: Viewer,
    now: number,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly UploadRecord[]>;
  /** False: no such upload. */
  remove(id: string): Promise<boolean>;
  /** Number of uploads whose files are kept. */
  count(): Promise<number>;
  /** Throws OWNER_STORAGE_EXCEEDED where the owner has no room for so many more bytes; as old as JobQueue.checkRoom. */
  checkStorage(owner: string, bytes: number): Promise<void>;
  /** Uploads whose files are kept, in the order of their ids, at most `limit` after the id `after`. */
  kept(after: string, limit: number): Promise<readonly UploadRecord[]>;
  /** Ids of uploads that expired before `now` and are still marked as kept, at most `limit`. */
  expired(now: number, limit: number): Promise<readonly string[]>;
  /** The file is to be removed; the record stays, so that clients get the answer that the upload has expired. */
  markExpired(id: string): Promise<void>;
  /** Deletes records of uploads that expired before this time, at most `limit`; their number. */
  deleteOld(expiredBefore: number, limit: number): Promise<number>;
}
