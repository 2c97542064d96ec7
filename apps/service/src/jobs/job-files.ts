/** Files of jobs and uploads that the database of jobs refers to, for checks of a data directory outside of the service. */
import { Database, type Statement } from '@geomill/sqlite/database.ts';
import { versionFault } from '@geomill/sqlite/migrations.ts';
import { type FileKind, inputKey, jobOfKey } from '../storage/store.ts';
import type { JobInput, JobState } from './job.ts';
import { JOBS_SCHEMA } from './job-schema.ts';

/** A file that a row refers to. */
export interface PromisedFile {
  /** Of an upload, its own id. */
  readonly jobId: string;
  readonly kind: FileKind;
  readonly key: string;
  /** Null: not known. Of an upload: at least. */
  readonly bytes: number | null;
}

interface FileRow {
  readonly id: string;
  readonly state: JobState;
  readonly output_kept: number;
  /** Of the output, and of the findings in its file. */
  readonly file_bytes: number | null;
  readonly inputs: string;
}

const PAGE = 500;
/** Version 4 of the schema counts no records. */
const columnsOf = (version: number): string =>
  `id, state, output_kept, stored_bytes ${version < 5 ? '' : '- record_bytes'} AS file_bytes, inputs`;

/** Reads the database at `path` while a service may use it; changes nothing. */
export class JobFiles {
  readonly #database: Database;
  readonly #columns: string;
  readonly #row: Statement;
  /** Null: the database has no uploads yet. */
  readonly #upload: Statement | null;

  /** Throws if the schema has a version that this geomill does not know. */
  constructor(path: string) {
    this.#database = new Database(path, 'read-only');
    const { userVersion } = this.#database;
    const reason = versionFault(userVersion, JOBS_SCHEMA);
    if (reason !== null) {
      this.#database.close();
      throw new Error(reason);
    }
    this.#columns = columnsOf(userVersion);
    this.#row = this.#database.prepare(`SELECT ${this.#columns} FROM jobs WHERE id = ?`);
    this.#upload = hasTable(this.#database, 'uploads')
      ? this.#database.prepare('SELECT offset_bytes AS bytes FROM uploads WHERE id = ? AND is_kept = 1')
      : null;
  }

  /** Every file that the rows refer to, read a page of rows at a time. */
  *promised(): Iterable<PromisedFile> {
    const page = this.#database.prepare(
      `SELECT ${this.#columns} FROM jobs WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
    );
    for (let after = ''; ; ) {
      const rows = page.all<FileRow>(after);
      for (const row of rows) yield* promises(row);
      if (rows.length < PAGE) break;
      after = rows[rows.length - 1].id;
    }
    if (this.#upload === null) return;
    const uploads = this.#database.prepare(
      `SELECT id, offset_bytes AS bytes FROM uploads WHERE is_kept = 1 AND offset_bytes > 0 AND id > ? ORDER BY id LIMIT ${PAGE}`,
    );
    for (let after = ''; ; ) {
      const rows = uploads.all<{ id: string; bytes: number }>(after);
      for (const { id, bytes } of rows) yield { jobId: id, kind: 'upload', key: id, bytes };
      if (rows.length < PAGE) return;
      after = rows[rows.length - 1].id;
    }
  }

  /** Whether a row refers to the file now. */
  isPromised({ jobId, kind, key }: Omit<PromisedFile, 'bytes'>): boolean {
    if (kind === 'upload') return this.#upload?.get(key) !== undefined;
    const row = this.#row.get<FileRow>(jobId);
    return row !== undefined && promises(row).some((file) => file.kind === kind && file.key === key);
  }

  /** Whether a file of this key belongs to a job or an upload: a row refers to it, or the job is running and may end now. */
  hasRowFor(kind: FileKind, key: string): boolean {
    if (kind === 'upload') return this.isPromised({ jobId: key, kind, key });
    const jobId = jobOfKey(key);
    const row = this.#row.get<FileRow>(jobId);
    if (row === undefined) return false;
    return row.state === 'RUNNING' || promises(row).some((file) => file.kind === kind && file.key === key);
  }

  /** Rows with a time after `now` (ms since 1970). */
  countAfter(now: number): number {
    const sql = 'SELECT count(*) AS count FROM jobs WHERE max(created_at, coalesce(ended_at, 0)) > ?';
    return this.#database.prepare(sql).get<{ count: number }>(now)!.count;
  }

  close(): void {
    this.#database.close();
  }
}

function hasTable(database: Database, name: string): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
  );
}

function promises({ id, state, output_kept: kept, file_bytes: bytes, inputs }: FileRow): PromisedFile[] {
  if (state === 'SUCCESS') return kept === 1 ? [{ jobId: id, kind: 'output', key: id, bytes }] : [];
  if (state === 'FAILED') return [];
  const stored = (JSON.parse(inputs) as JobInput[]).filter(({ url }) => url === undefined);
  return stored.map(({ fileIndex, byteLength }) => ({
    jobId: id,
    kind: 'input',
    key: inputKey(id, fileIndex),
    bytes: byteLength,
  }));
}
