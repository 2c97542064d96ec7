/**
 * The embedded queue: one table in SQLite.
 *
 * fsyncs per job: one when the row is committed (before the client gets its 202) and one when it ends; neither blocks the
 * event loop (group-commit.ts). The change to RUNNING is committed without fsync: if a power failure loses it,
 * an attempt is not counted. Changes in the same turn of the event loop share a commit.
 */
import { failure, type PlainError } from '@geomill/core/messages/errors.ts';
import type { JobReport } from '@geomill/pipeline/report.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import { Database, type Statement } from '@geomill/sqlite/database.ts';
import { bringUpToDate } from '@geomill/sqlite/migrations.ts';
import { jobErrors } from './errors.ts';
import { GroupCommit, type SyncOptions } from './group-commit.ts';
import type { ListPosition } from './job.ts';
import {
  type Idempotency,
  isFinal,
  type Job,
  type JobOutput,
  type JobState,
  type JobSummary,
  type NewJob,
  type Viewer,
} from './job.ts';
import { JobList } from './job-list.ts';
import {
  attemptsExhausted,
  errorText,
  inputBytesOf,
  newRow,
  type RecordTexts,
  recordOf,
  successRow,
} from './job-record.ts';
import { JOBS_SCHEMA } from './job-schema.ts';
import { prepareStatements, type Statements } from './job-statements.ts';
import { type JobRow, type SummaryRow, toJob, toSummary } from './job-table.ts';
import { Owners } from './owners.ts';
import type {
  Claim,
  EnqueueResult,
  JobFilter,
  JobQueue,
  OwnerHolding,
  OwnerLimits,
  OwnerUsage,
  QueueFacts,
} from './queue.ts';
import { UploadTable } from './upload-table.ts';

export interface SqliteQueueOptions {
  readonly path: string;
  readonly maxLength: number;
  /** Retry time in QUEUE_FULL. */
  readonly retryAfterSeconds: number;
  /** Of each owner. Default: none. */
  readonly ownerLimits?: OwnerLimits;
  /** How commits are made durable. */
  readonly sync?: SyncOptions;
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number;
}

const NO_LIMITS: OwnerLimits = { jobs: null, storedBytes: null };

export class SqliteQueue implements JobQueue {
  readonly uploads: UploadTable;
  readonly now: () => number;
  readonly shared = null;
  readonly #database: Database;
  readonly #commits: GroupCommit;
  readonly #options: SqliteQueueOptions;
  readonly #statements: Statements;
  readonly #list: JobList;
  readonly #owners: Owners;
  #lastPlace: number;

  constructor(options: SqliteQueueOptions) {
    this.#options = options;
    this.now = options.now ?? Date.now;
    this.#database = new Database(options.path, { synchronous: 'FULL' });
    bringUpToDate(this.#database, options.path, JOBS_SCHEMA);
    this.#commits = new GroupCommit(this.#database, options.path, options.sync);
    this.#statements = prepareStatements(this.#database);
    this.#list = new JobList(this.#database);
    this.#owners = new Owners(this.#database, options.ownerLimits ?? NO_LIMITS);
    this.uploads = new UploadTable(this.#database, this.#commits, this.#owners, this.now);
    const facts = this.#database
      .prepare('SELECT coalesce(max(place), 0) AS place FROM jobs')
      .get<{ place: number }>();
    this.#lastPlace = facts?.place ?? 0;
  }

  async enqueue(job: NewJob): Promise<EnqueueResult> {
    const record = recordOf(job);
    return this.#commits.run(() => {
      const earlier = job.idempotency === null ? null : this.#earlier(job.owner, job.idempotency);
      if (earlier !== null) return earlier;
      this.#checkRoom(job.owner, inputBytesOf(job) + record.byteLength);
      this.#insert(job, record);
      return { id: job.id, state: 'QUEUED', added: true };
    });
  }

  async claim(): Promise<Claim | null> {
    if (this.#length() === 0) return null;
    // In an explicit transaction: `get` alone does not report a failure of the implicit commit.
    const row = this.#database.transaction(() => this.#statements.claim.get<JobRow>(this.now()));
    return row === undefined ? null : { job: toJob(row), fence: row.fence };
  }

  async succeed(claim: Claim, output: JobOutput, report: JobReport, expiresAt: number): Promise<boolean> {
    const { byteLength, values } = successRow(output, report, this.now(), expiresAt);
    return this.#commits.run(() => {
      this.#owners.checkRoomForOutput(claim, byteLength);
      return this.#change(this.#statements.succeed, claim, values);
    });
  }

  async fail(claim: Claim, error: PlainError, expiresAt: number): Promise<boolean> {
    const values = [this.now(), expiresAt, errorText(error)];
    return this.#commits.run(() => this.#change(this.#statements.fail, claim, values));
  }

  async requeue(claim: Claim, uncounted: boolean): Promise<boolean> {
    this.#lastPlace += 1;
    return this.#change(this.#statements.requeue, claim, [this.now(), this.#lastPlace, uncounted ? 1 : 0]);
  }

  async cancel(id: string, error: PlainError, expiresAt: number): Promise<JobState | null> {
    return this.#commits.run(() => {
      const found = this.#statements.state.get<{ state: JobState }>(id)?.state ?? null;
      if (found === null || isFinal(found)) return found;
      this.#statements.cancel.run(this.now(), expiresAt, errorText(error), id);
      return found;
    });
  }

  async recover(
    maxAttempts: number,
    expiresAt: number,
    isHeld: (id: string, fence: number) => boolean,
  ): Promise<{ requeued: string[]; failed: string[] }> {
    const abandoned = this.#statements.running
      .all<{ id: string; attempts: number; fence: number }>()
      .filter(({ id, fence }) => !isHeld(id, fence));
    const requeued: string[] = [];
    const failed: string[] = [];
    if (abandoned.length === 0) return { requeued, failed };
    this.#database.transaction(() => {
      for (const { id, attempts, fence } of abandoned) {
        if (attempts >= maxAttempts) {
          this.#statements.fail.run(this.now(), expiresAt, errorText(attemptsExhausted(attempts)), id, fence);
          failed.push(id);
        } else {
          this.#lastPlace += 1;
          this.#statements.requeue.run(this.now(), this.#lastPlace, 0, id, fence);
          requeued.push(id);
        }
      }
    });
    await this.#commits.sync();
    return { requeued, failed };
  }

  async get(id: string): Promise<Job | null> {
    const row = this.#statements.get.get<JobRow>(id);
    return row === undefined ? null : toJob(row);
  }

  async summary(id: string): Promise<JobSummary | null> {
    const row = this.#statements.summary.get<SummaryRow>(id);
    return row === undefined ? null : toSummary(row);
  }

  async list(
    viewer: Viewer,
    filter: JobFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly JobSummary[]> {
    return this.#list.read(viewer, filter, after, limit);
  }

  async holding(owner: string): Promise<OwnerHolding> {
    return this.#owners.holding(owner);
  }

  async knowsKey(owner: string, key: string): Promise<boolean> {
    return this.#statements.byKey.get(owner, key) !== undefined;
  }

  async earlier(owner: string, idempotency: Idempotency): Promise<EnqueueResult | null> {
    return this.#earlier(owner, idempotency);
  }

  #earlier(owner: string, { key, requestHash }: Idempotency): EnqueueResult | null {
    const row = this.#statements.byKey.get<{ id: string; state: JobState; request_hash: string }>(owner, key);
    if (row === undefined) return null;
    if (row.request_hash !== requestHash) throw failure(jobErrors.IDEMPOTENCY_CONFLICT, { key });
    return { id: row.id, state: row.state, added: false };
  }

  async checkRoom(owner: string, inputBytes: number): Promise<void> {
    this.#checkRoom(owner, inputBytes);
  }

  #checkRoom(owner: string, inputBytes: number): void {
    this.#owners.checkRoom(owner, inputBytes);
    const length = this.#length();
    if (length >= this.#options.maxLength)
      throw failure(jobErrors.QUEUE_FULL, { length, seconds: this.#options.retryAfterSeconds });
  }

  async usage(owner: string, since: number): Promise<OwnerUsage> {
    return this.#owners.usage(owner, since);
  }

  async hasWork(): Promise<boolean> {
    return (await this.length()) > 0;
  }

  async length(): Promise<number> {
    return this.#length();
  }

  async facts(): Promise<QueueFacts> {
    return this.#statements.facts.get<QueueFacts>() as QueueFacts;
  }

  #length(): number {
    return this.#statements.length.get<{ length: number }>()?.length ?? 0;
  }

  async expiredOutputs(now: number, limit: number): Promise<readonly string[]> {
    return this.#statements.expired.all<{ id: string }>(now, limit).map((row) => row.id);
  }

  async markOutputsRemoved(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#statements.markRemoved.run(id);
  }

  async oldRecords(endedBefore: number, limit: number): Promise<readonly string[]> {
    return this.#statements.old.all<{ id: string }>(endedBefore, limit).map((row) => row.id);
  }

  async deleteRecords(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#statements.delete.run(id);
  }

  async removeEnded(id: string): Promise<boolean> {
    return this.#commits.run(() => this.#statements.removeEnded.run(id).changes === 1);
  }

  async checkWritable(): Promise<void> {
    await this.#commits.run(() => {
      // Written even if nothing changes.
      const version = this.#database.userVersion;
      this.#database.userVersion = version;
    });
  }

  async close(): Promise<void> {
    await this.#commits.close();
    this.#database.close();
  }

  #change(statement: Statement, claim: Claim, values: SqlValue[]): boolean {
    return statement.run(...values, claim.job.id, claim.fence).changes === 1;
  }

  #insert(job: NewJob, record: RecordTexts): void {
    this.#lastPlace += 1;
    this.#statements.insert.run(...newRow(job, record, this.#lastPlace, this.now()));
  }
}
