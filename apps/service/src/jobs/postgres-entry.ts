/** Adds jobs to the queue in PostgreSQL, where there is room for them. */
import { failure } from '@geomill/core/messages/errors.ts';
import { type PostgresDatabase, unconfirmed } from '../postgres/database.ts';
import { DatabaseFault } from '../postgres/fault.ts';
import type { Sql } from '../postgres/prepared.ts';
import { jobErrors } from './errors.ts';
import type { JobState, NewJob } from './job.ts';
import { inputBytesOf, newRow, recordOf } from './job-record.ts';
import { earlierOf } from './postgres-jobs.ts';
import type { Holdings, PostgresOwners } from './postgres-owners.ts';
import { ADD_IF_ROOM, PLACE, SYNC_JOB } from './postgres-statements.ts';
import type { EnqueueResult } from './queue.ts';

export interface EntryOptions {
  readonly maxLength: number;
  /** Retry time in QUEUE_FULL. */
  readonly retryAfterSeconds: number;
}

export class PostgresEntry {
  readonly #database: PostgresDatabase;
  readonly #owners: PostgresOwners;
  readonly #options: EntryOptions;
  readonly #now: () => number;

  constructor(database: PostgresDatabase, owners: PostgresOwners, options: EntryOptions, now: () => number) {
    this.#database = database;
    this.#owners = owners;
    this.#options = options;
    this.#now = now;
  }

  async enqueue(job: NewJob): Promise<EnqueueResult> {
    this.#owners.forget(job.owner);
    const result = { id: job.id, state: 'QUEUED', added: true } as const;
    if (await this.#addIfRoom(job, (...statement) => this.#database.change(...statement))) {
      if ((await this.#sync(job.id).catch(unconfirmed)) === null) throw lostInCrash(job.id);
      return result;
    }
    return this.#database.transaction(async (statements) => {
      const holdings = await this.#owners.locked(job.owner, statements);
      const earlier =
        job.idempotency === null ? null : await earlierOf(statements, job.owner, job.idempotency);
      if (earlier !== null) return earlier;
      this.#refuse(holdings, inputBytesOf(job) + recordOf(job).byteLength);
      // There is room now.
      if (!(await this.#addIfRoom(job, (...statement) => statements.run(...statement))))
        throw new Error(`the job ${job.id} could not be added`);
      return result;
    });
  }

  /** Its commit does not wait for the disk. */
  async #addIfRoom(
    job: NewJob,
    run: (sql: Sql, parameters: readonly unknown[]) => Promise<number>,
  ): Promise<boolean> {
    const record = recordOf(job);
    const values = newRow(job, record, 0, this.#now()).toSpliced(PLACE, 1);
    const room = this.#owners.roomFor(inputBytesOf(job) + record.byteLength);
    const added = await run(ADD_IF_ROOM, [
      ...[...values, job.owner, job.idempotency?.key ?? null],
      ...[room.active, room.storedBytes, this.#options.maxLength],
    ]);
    return added === 1;
  }

  /** Makes all earlier changes of the job durable, and says what it is now; null: there is none. */
  async #sync(id: string): Promise<{ readonly state: JobState; readonly fence: number } | null> {
    const [row] = await this.#database.rows<{ state: JobState; fence: number }>(SYNC_JOB, [id]);
    return row ?? null;
  }

  async checkRoom(owner: string, inputBytes: number): Promise<void> {
    this.#refuse(await this.#owners.recent(owner), inputBytes);
  }

  #refuse(holdings: Holdings, inputBytes: number): void {
    this.#owners.checkRoom(holdings, inputBytes);
    const { maxLength, retryAfterSeconds } = this.#options;
    if (holdings.queued >= maxLength)
      throw failure(jobErrors.QUEUE_FULL, { length: holdings.queued, seconds: retryAfterSeconds });
  }
}

/** A change was committed without waiting for the disk, and is gone. */
export function lostInCrash(id: string): DatabaseFault {
  return new DatabaseFault(new Error(`the database has crashed and lost the last change of the job ${id}`));
}
