/** The records of uploads in the database of the embedded queue. Triggers count their bytes for the owner (job-schema.ts). */
import { failure } from '@geomill/core/messages/errors.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { Database, Statement } from '@geomill/sqlite/database.ts';
import { jobErrors } from './errors.ts';
import type { GroupCommit } from './group-commit.ts';
import type { ListPosition } from './job.ts';
import { ANY_OWNER, type Viewer } from './job.ts';
import type { Owners } from './owners.ts';
import type { NewUpload, UploadProgress, UploadRecord, UploadRecords } from './upload.ts';

const RETRY_SECONDS = 60;

export interface UploadRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly metadata: string | null;
  readonly byte_length: number | null;
  readonly offset_bytes: number;
  readonly place: string | null;
  readonly is_kept: number;
  readonly created_at: number;
  readonly expires_at: number;
}

export class UploadTable implements UploadRecords {
  readonly #commits: GroupCommit;
  readonly #owners: Owners;
  readonly #now: () => number;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: Database, commits: GroupCommit, owners: Owners, now: () => number) {
    this.#commits = commits;
    this.#owners = owners;
    this.#now = now;
    this.#statements = prepareStatements(database);
  }

  async create(upload: NewUpload, limit: number | null): Promise<UploadRecord> {
    const { id, owner, name, metadata, byteLength, expiresAt } = upload;
    const recordBytes = Buffer.byteLength(name) + Buffer.byteLength(metadata ?? '');
    return this.#commits.run(() => {
      const { uploads } = this.#statements.countOf.get<{ uploads: number }>(owner)!;
      refuseUploads(uploads, limit);
      this.#owners.checkStorage(owner, recordBytes + (byteLength ?? 0));
      const now = this.#now();
      this.#statements.insert.run(id, owner, name, metadata, byteLength, now, expiresAt, recordBytes);
      return { ...upload, offset: 0, place: null, createdAt: now, isKept: true };
    });
  }

  async get(id: string): Promise<UploadRecord | null> {
    const row = this.#statements.get.get<UploadRow>(id);
    return row === undefined ? null : toUpload(row);
  }

  async advance({ id, from, to, place, byteLength, expiresAt }: UploadProgress): Promise<boolean> {
    return this.#commits.run(
      () => this.#statements.advance.run(to, place, byteLength, expiresAt, id, from).changes === 1,
    );
  }

  async list(
    viewer: Viewer,
    now: number,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly UploadRecord[]> {
    const { createdAt, id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
    const page: SqlValue[] = [createdAt, id, now, limit];
    const { listOf, list } = this.#statements;
    const rows = viewer === ANY_OWNER ? list.all<UploadRow>(...page) : listOf.all<UploadRow>(viewer, ...page);
    return rows.map(toUpload);
  }

  async remove(id: string): Promise<boolean> {
    return this.#commits.run(() => this.#statements.remove.run(id).changes === 1);
  }

  async count(): Promise<number> {
    return this.#statements.count.get<{ uploads: number }>()!.uploads;
  }

  async checkStorage(owner: string, bytes: number): Promise<void> {
    this.#owners.checkStorage(owner, bytes);
  }

  async kept(after: string, limit: number): Promise<readonly UploadRecord[]> {
    return this.#statements.kept.all<UploadRow>(after, limit).map(toUpload);
  }

  async expired(now: number, limit: number): Promise<readonly string[]> {
    return this.#statements.expired.all<{ id: string }>(now, limit).map(({ id }) => id);
  }

  async markExpired(id: string): Promise<void> {
    this.#statements.markExpired.run(id);
  }

  async deleteOld(expiredBefore: number, limit: number): Promise<number> {
    return Number(this.#statements.deleteOld.run(expiredBefore, limit).changes);
  }
}

function prepareStatements(
  database: Database,
): Record<
  | 'insert'
  | 'get'
  | 'advance'
  | 'list'
  | 'listOf'
  | 'remove'
  | 'count'
  | 'countOf'
  | 'kept'
  | 'expired'
  | 'markExpired'
  | 'deleteOld',
  Statement
> {
  const page =
    'is_kept = 1 AND (created_at, id) < (?, ?) AND expires_at > ? ORDER BY created_at DESC, id DESC LIMIT ?';
  return {
    insert: database.prepare(
      `INSERT INTO uploads (id, owner, name, metadata, byte_length, created_at, expires_at, record_bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    get: database.prepare('SELECT * FROM uploads WHERE id = ?'),
    advance: database.prepare(
      `UPDATE uploads SET offset_bytes = ?, place = ?, byte_length = ?, expires_at = ?
       WHERE id = ? AND offset_bytes = ? AND is_kept = 1`,
    ),
    list: database.prepare(`SELECT * FROM uploads WHERE ${page}`),
    listOf: database.prepare(`SELECT * FROM uploads WHERE owner = ? AND ${page}`),
    remove: database.prepare('DELETE FROM uploads WHERE id = ?'),
    count: database.prepare('SELECT count(*) AS uploads FROM uploads WHERE is_kept = 1'),
    countOf: database.prepare('SELECT count(*) AS uploads FROM uploads WHERE owner = ? AND is_kept = 1'),
    kept: database.prepare('SELECT * FROM uploads WHERE is_kept = 1 AND id > ? ORDER BY id LIMIT ?'),
    expired: database.prepare('SELECT id FROM uploads WHERE is_kept = 1 AND expires_at <= ? LIMIT ?'),
    markExpired: database.prepare('UPDATE uploads SET is_kept = 0 WHERE id = ?'),
    deleteOld: database.prepare(
      `DELETE FROM uploads WHERE id IN (SELECT id FROM uploads WHERE is_kept = 0 AND expires_at <= ? LIMIT ?)`,
    ),
  };
}

export function toUpload(row: UploadRow): UploadRecord {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    metadata: row.metadata,
    byteLength: row.byte_length,
    offset: row.offset_bytes,
    place: row.place,
    isKept: row.is_kept === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** Throws OWNER_UPLOADS_EXCEEDED if there is no room for another upload. */
export function refuseUploads(uploads: number, limit: number | null): void {
  if (limit !== null && uploads >= limit)
    throw failure(jobErrors.OWNER_UPLOADS_EXCEEDED, { uploads, limit, seconds: RETRY_SECONDS });
}
