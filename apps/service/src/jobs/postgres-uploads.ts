/** The records of uploads in a queue in PostgreSQL. A trigger counts their bytes for the owner (postgres-schema.ts). */
import type { PostgresDatabase } from '../postgres/database.ts';
import type { ListPosition } from './job.ts';
import { ANY_OWNER, type Viewer } from './job.ts';
import type { PostgresOwners } from './postgres-owners.ts';
import type { NewUpload, UploadProgress, UploadRecord, UploadRecords } from './upload.ts';
import { refuseUploads, toUpload, type UploadRow } from './upload-table.ts';

export class PostgresUploads implements UploadRecords {
  readonly #database: PostgresDatabase;
  readonly #owners: PostgresOwners;
  readonly #now: () => number;

  constructor(database: PostgresDatabase, owners: PostgresOwners, now: () => number) {
    this.#database = database;
    this.#owners = owners;
    this.#now = now;
  }

  async create(upload: NewUpload, limit: number | null): Promise<UploadRecord> {
    const { id, owner, name, metadata, byteLength, expiresAt } = upload;
    const recordBytes = Buffer.byteLength(name) + Buffer.byteLength(metadata ?? '');
    return this.#database.transaction(async (statements) => {
      const holdings = await this.#owners.locked(owner, statements);
      const [{ uploads }] = await statements.rows<{ uploads: number }>(
        'SELECT count(*) AS uploads FROM uploads WHERE owner = $1 AND is_kept = 1',
        [owner],
      );
      refuseUploads(uploads, limit);
      this.#owners.checkStorage(holdings, recordBytes + (byteLength ?? 0));
      const now = this.#now();
      await statements.run(
        `INSERT INTO uploads (id, owner, name, metadata, byte_length, created_at, expires_at, record_bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [id, owner, name, metadata, byteLength, now, expiresAt, recordBytes],
      );
      return { ...upload, offset: 0, place: null, createdAt: now, isKept: true };
    });
  }

  async get(id: string): Promise<UploadRecord | null> {
    const [row] = await this.#database.rows<UploadRow>('SELECT * FROM uploads WHERE id = $1', [id]);
    return row === undefined ? null : toUpload(row);
  }

  async advance({ id, from, to, place, byteLength, expiresAt }: UploadProgress): Promise<boolean> {
    const changed = await this.#database.rows<{ owner: string }>(
      `UPDATE uploads SET offset_bytes = $1, byte_length = $2, expires_at = $3, place = $4
       WHERE id = $5 AND offset_bytes = $6 AND is_kept = 1 RETURNING owner`,
      [to, byteLength, expiresAt, place, id, from],
    );
    return this.#changed(changed);
  }

  async list(
    viewer: Viewer,
    now: number,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly UploadRecord[]> {
    const { createdAt, id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
    const isAny = viewer === ANY_OWNER;
    const rows = await this.#database.rows<UploadRow>(
      `SELECT * FROM uploads WHERE is_kept = 1 AND (created_at, id) < ($1, $2) AND expires_at > $3
       ${isAny ? '' : 'AND owner = $5'} ORDER BY created_at DESC, id DESC LIMIT $4`,
      [createdAt, id, now, limit, ...(isAny ? [] : [viewer])],
    );
    return rows.map(toUpload);
  }

  async remove(id: string): Promise<boolean> {
    const sql = 'DELETE FROM uploads WHERE id = $1 RETURNING owner';
    return this.#changed(await this.#database.rows<{ owner: string }>(sql, [id]));
  }

  /** Discards the numbers remembered for the owner: this process no longer counts these bytes as being received. */
  #changed(rows: readonly { readonly owner: string }[]): boolean {
    for (const { owner } of rows) this.#owners.forget(owner);
    return rows.length > 0;
  }

  async count(): Promise<number> {
    const [row] = await this.#database.rows<{ uploads: number }>(
      'SELECT count(*) AS uploads FROM uploads WHERE is_kept = 1',
    );
    return row.uploads;
  }

  async checkStorage(owner: string, bytes: number): Promise<void> {
    this.#owners.checkStorage(await this.#owners.recent(owner), bytes);
  }

  async kept(after: string, limit: number): Promise<readonly UploadRecord[]> {
    const rows = await this.#database.rows<UploadRow>(
      'SELECT * FROM uploads WHERE is_kept = 1 AND id > $1 ORDER BY id LIMIT $2',
      [after, limit],
    );
    return rows.map(toUpload);
  }

  async expired(now: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.rows<{ id: string }>(
      'SELECT id FROM uploads WHERE is_kept = 1 AND expires_at <= $1 LIMIT $2',
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  async markExpired(id: string): Promise<void> {
    await this.#database.run('UPDATE uploads SET is_kept = 0 WHERE id = $1', [id]);
  }

  async deleteOld(expiredBefore: number, limit: number): Promise<number> {
    return this.#database.run(
      'DELETE FROM uploads WHERE id IN (SELECT id FROM uploads WHERE is_kept = 0 AND expires_at <= $1 LIMIT $2)',
      [expiredBefore, limit],
    );
  }
}
