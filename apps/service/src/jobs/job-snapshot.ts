/**
 * Adjusts a copy of the database of jobs for a backup: files of jobs come and go during the copy, and in the end
 * every file that the copy refers to must exist.
 */
import { pathToFileURL } from 'node:url';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { Database } from '@geomill/sqlite/database.ts';
import { currentVersionFault } from '@geomill/sqlite/migrations.ts';
import { inputKey } from '../storage/store.ts';
import type { JobInput } from './job.ts';
import { JOBS_SCHEMA } from './job-schema.ts';

export interface WaitingJob {
  readonly id: string;
  /** Keys of its stored inputs; fetched inputs are not stored. */
  readonly inputKeys: readonly string[];
}

export class JobSnapshot {
  readonly #copy: Database;

  /** `path`: the copy, which is changed. `livePath`: the original, which is only read. Throws SERVICE_DATABASE_UNUSABLE. */
  constructor(path: string, livePath: string) {
    this.#copy = new Database(path, { synchronous: 'NORMAL' });
    const reason = currentVersionFault(this.#copy.userVersion, JOBS_SCHEMA);
    if (reason !== null) {
      this.#copy.close();
      throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path: livePath, reason });
    }
    const live = pathToFileURL(livePath);
    live.searchParams.set('mode', 'ro');
    this.#copy.prepare('ATTACH ? AS live').run(live.href);
    // Not part of a backup: they are kept for a short time only, and clients that find none send the file again.
    this.#copy.exec('DELETE FROM main.uploads');
  }

  count(): number {
    return this.#copy.prepare('SELECT count(*) AS count FROM main.jobs').get<{ count: number }>()!.count;
  }

  /** Queued and running jobs. */
  waiting(): WaitingJob[] {
    const rows = this.#copy
      .prepare("SELECT id, inputs FROM main.jobs WHERE state IN ('QUEUED', 'RUNNING') ORDER BY place")
      .all<{ id: string; inputs: string }>();
    return rows.map(({ id, inputs }) => {
      const stored = (JSON.parse(inputs) as JobInput[]).filter(({ url }) => url === undefined);
      return { id, inputKeys: stored.map(({ fileIndex }) => inputKey(id, fileIndex)) };
    });
  }

  /** Ids of jobs whose output can be fetched. */
  withOutput(): string[] {
    const rows = this.#copy.prepare('SELECT id FROM main.jobs WHERE output_kept = 1').all<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** Replaces the row of a job by its current row in the original, or removes it. */
  update(id: string): void {
    const columns = this.#copy
      .prepare("SELECT name FROM pragma_table_info('jobs')")
      .all<{ name: string }>()
      .map(({ name }) => name)
      .join(', ');
    this.#copy.transaction(() => {
      this.#copy.prepare('DELETE FROM main.jobs WHERE id = ?').run(id);
      this.#copy
        .prepare(`INSERT INTO main.jobs (${columns}) SELECT ${columns} FROM live.jobs WHERE id = ?`)
        .run(id);
    });
  }

  /** Marks the outputs of these jobs as expired at `now`, unless they expired before. */
  markOutputsRemoved(ids: readonly string[], now: number): void {
    const mark = this.#copy.prepare(
      'UPDATE main.jobs SET output_kept = 0, expires_at = min(expires_at, ?) WHERE id = ? AND output_kept = 1',
    );
    this.#copy.transaction(() => {
      for (const id of ids) mark.run(now, id);
    });
  }

  close(): void {
    this.#copy.close();
  }
}
