/**
 * The queue of many machines: a table in PostgreSQL, with the contract of the embedded queue.
 *
 * A worker leases the jobs that it runs and extends its leases while it lives. The job of a worker that died, or was cut off, is
 * taken up after its lease has ended. The fence refuses reports of the worker of an outdated attempt.
 */
import { failure, type PlainError } from '@geomill/core/messages/errors.ts';
import type { JobReport, Progress } from '@geomill/pipeline/report.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import {
  NOT_SYNCED,
  PostgresDatabase,
  type PostgresOptions,
  type Statements,
  unconfirmed,
} from '../postgres/database.ts';
import { DatabaseFault } from '../postgres/fault.ts';
import type { Sql } from '../postgres/prepared.ts';
import { jobErrors } from './errors.ts';
import type { ListPosition } from './job.ts';
import {
  ANY_OWNER,
  type Idempotency,
  isFinal,
  type Job,
  type JobOutput,
  type JobState,
  type JobStep,
  type JobSummary,
  jobStates,
  type NewJob,
  type Viewer,
} from './job.ts';
import {
  attemptsExhausted,
  errorText,
  inputBytesOf,
  newRow,
  QUEUE_FACTS,
  recordOf,
  successRow,
} from './job-record.ts';
import { type JobRow, SUMMARY_COLUMNS, type SummaryRow, toJob, toSummary } from './job-table.ts';
import { USAGE_COLUMNS, type UsageRow, usageOf } from './owners.ts';
import type { PartAttempt, PartRun } from './parts.ts';
import { DatabaseClock, NOW_MS } from './postgres-clock.ts';
import { PostgresNews } from './postgres-news.ts';
import { type Holdings, PostgresOwners } from './postgres-owners.ts';
import { PostgresParts } from './postgres-parts.ts';
import { POSTGRES_JOBS } from './postgres-schema.ts';
import {
  ADD_IF_ROOM,
  CLAIM,
  current,
  EXTEND,
  GET,
  HAS_WORK,
  LOST,
  NO_LEASE,
  PLACE,
  RAN,
  STATES,
  SUCCEED,
  SYNC_JOB,
  TAKE_TURN,
  TELL_AND_SYNC_JOB,
} from './postgres-statements.ts';
import { PostgresUploads } from './postgres-uploads.ts';
import type {
  AttemptId,
  Claim,
  EnqueueResult,
  JobFilter,
  JobQueue,
  OwnerHolding,
  OwnerLimits,
  OwnerUsage,
  QueueFacts,
  QueueNews,
  SharedQueue,
} from './queue.ts';
import { MigrationMissing } from './readiness.ts';

export interface PostgresQueueOptions {
  /** Called when messages of other processes cannot be received. */
  readonly onTrouble?: (error: Error) => void;
  /** Name of this process; no two processes have the same. */
  readonly worker: string;
  /** Time after its last sign of life after which the jobs of a worker are taken up by others. */
  readonly leaseMs: number;
  readonly maxLength: number;
  /** Retry time in QUEUE_FULL. */
  readonly retryAfterSeconds: number;
  /** Of each owner. Default: none. */
  readonly ownerLimits?: OwnerLimits;
  /** Of geomill; default: this one. */
  readonly release?: string;
  /** Milliseconds since 1970. Default: the clock of the database, by which leases always go. */
  readonly now?: () => number;
}

/** Claims wait as long as this takes. */
const SWEPT_AT_A_TIME = 20;
const NO_LIMITS: OwnerLimits = { jobs: null, storedBytes: null };
const ENDED = `state IN (${jobStates
  .filter(isFinal)
  .map((state) => `'${state}'`)
  .join(', ')})`;

export class PostgresQueue implements JobQueue, SharedQueue {
  readonly uploads: PostgresUploads;
  readonly parts: PostgresParts;
  readonly shared = this;
  readonly now: () => number;
  readonly #database: PostgresDatabase;
  readonly #owners: PostgresOwners;
  readonly #options: PostgresQueueOptions;
  readonly #clock: DatabaseClock;
  readonly #news: PostgresNews;
  /** Attempts of this process that neither ended their job nor gave it back. */
  readonly #held = new Set<string>();
  /** Parts may wait, as far as `hasWork` has seen. */
  #mayHaveParts = true;

  readonly #close: () => Promise<void>;

  private constructor(
    database: PostgresDatabase,
    clock: DatabaseClock,
    options: PostgresQueueOptions,
    close: () => Promise<void>,
  ) {
    this.#database = database;
    this.#options = options;
    this.#close = close;
    this.#clock = clock;
    this.now = options.now ?? (() => clock.now());
    this.#owners = new PostgresOwners(database, options.ownerLimits ?? NO_LIMITS);
    this.uploads = new PostgresUploads(database, this.#owners, this.now);
    const { worker, leaseMs, release = packageVersion(), onTrouble = () => {} } = options;
    this.#news = new PostgresNews(database, { sender: worker, onTrouble });
    this.parts = new PostgresParts(database, { worker, leaseMs, release }, this.#news);
  }

  /** With connections of its own. Throws as PostgresDatabase.open and `in`. */
  static async open(options: PostgresQueueOptions & PostgresOptions): Promise<PostgresQueue> {
    const database = await PostgresDatabase.open(options);
    try {
      return await PostgresQueue.in(database, options, () => database.close());
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Brings the tables up to date. `close`: called at the end; default: the database stays open. Throws as PostgresDatabase.bringUpToDate. */
  static async in(
    database: PostgresDatabase,
    options: PostgresQueueOptions,
    close = async (): Promise<void> => {},
  ): Promise<PostgresQueue> {
    await database.bringUpToDate(POSTGRES_JOBS);
    const clock = new DatabaseClock(database);
    await clock.read();
    return new PostgresQueue(database, clock, options, close);
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  listen(news: QueueNews, workersOnly = false): void {
    this.#news.listen(news, workersOnly);
  }

  tellProgress(id: string, progress: Progress): void {
    this.#news.progressed(id, progress);
  }

  async extend(attempts: readonly AttemptId[]): Promise<readonly AttemptId[]> {
    const jobs = attempts.filter(({ part }) => part === undefined);
    const lostParts = await this.parts.extend(attempts.filter(isPart));
    return [...(await this.#extendJobs(jobs)), ...lostParts];
  }

  async #extendJobs(attempts: readonly AttemptId[]): Promise<readonly AttemptId[]> {
    if (attempts.length === 0) return [];
    await this.#database.run(EXTEND, [...columnsOf(attempts), this.#options.leaseMs]);
    return this.#lostJobs(attempts);
  }

  async lost(attempts: readonly AttemptId[]): Promise<readonly AttemptId[]> {
    const jobs = attempts.filter(({ part }) => part === undefined);
    const lostParts = await this.parts.lost(attempts.filter(isPart));
    return [...(await this.#lostJobs(jobs)), ...lostParts];
  }

  async #lostJobs(attempts: readonly AttemptId[]): Promise<readonly AttemptId[]> {
    if (attempts.length === 0) return [];
    return this.#database.rows<AttemptId>(LOST, columnsOf(attempts));
  }

  async states(ids: readonly string[]): Promise<ReadonlyMap<string, JobStep>> {
    const rows = await this.#database.rows<JobStep & { id: string }>(STATES, [ids]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  async release(attempt: AttemptId): Promise<void> {
    if (isPart(attempt)) return this.parts.release(attempt);
    const { id, fence } = attempt;
    if (!this.#held.delete(nameOf({ id, fence }))) return;
    await this.#database.run(
      `UPDATE jobs SET ${NO_LEASE} FROM (SELECT ${NOT_SYNCED}) AS unsynced
       WHERE id = $1 AND fence = $2 AND worker = $3 AND state <> 'RUNNING'`,
      [id, fence, this.#options.worker],
    );
  }

  async takeTurn(task: string, intervalMs: number): Promise<boolean> {
    // Most ask too early, and must not wait for each other.
    const taken = await this.#database.run(TAKE_TURN, [task, Math.round(intervalMs)]);
    return taken === 1;
  }

  async isReleased(id: string): Promise<boolean> {
    const held = await this.#database.rows(
      `SELECT FROM jobs WHERE id = $1 AND worker IS NOT NULL AND lease_until > ${NOW_MS}`,
      [id],
    );
    return held.length === 0 && this.parts.areReleased(id);
  }

  async enqueue(job: NewJob): Promise<EnqueueResult> {
    const result = await this.#enqueue(job);
    if (result.added) this.#news.queued();
    return result;
  }

  async #enqueue(job: NewJob): Promise<EnqueueResult> {
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
    const values = newRow(job, record, 0, this.now()).toSpliced(PLACE, 1);
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

  /** Tells the others of the end of an attempt, and makes it durable. */
  async #confirmEnd({ id, fence }: AttemptId): Promise<void> {
    const [found] = await this.#database.rows<{ state: JobState | null; fence: number }>(TELL_AND_SYNC_JOB, [
      id,
      ...this.#news.changeOf(id),
    ]);
    if (found.state === 'RUNNING' && found.fence === fence) throw lostInCrash(id);
  }

  async claim(): Promise<Claim | null> {
    return (this.#mayHaveParts ? await this.#claimPart() : null) ?? this.#claimJob();
  }

  async #claimPart(): Promise<Claim | null> {
    const claimed = await this.parts.claim();
    if (claimed === null) return null;
    const { attempt, part } = claimed;
    const job = await this.get(attempt.id);
    // Its job has been deleted since: there is nothing to run.
    if (job === null) return null;
    return { job, fence: attempt.fence, part };
  }

  async #claimJob(): Promise<Claim | null> {
    const { worker, leaseMs } = this.#options;
    const [{ claimed: row }] = await this.#database.rows<{ claimed: (JobRow & { fence: number }) | null }>(
      CLAIM,
      [this.now(), worker, leaseMs, this.#news.channel],
    );
    if (row === null) return null;
    this.#held.add(nameOf(row));
    return { job: toJob(row), fence: row.fence };
  }

  async succeed(claim: Claim, output: JobOutput, report: JobReport, expiresAt: number): Promise<boolean> {
    const { byteLength, values } = successRow(output, report, this.now(), expiresAt);
    const attempt = { id: claim.job.id, fence: claim.fence };
    const end = async (statements: Statements): Promise<boolean> => {
      const changed = await statements.run(SUCCEED, [
        ...[...values, attempt.id, attempt.fence, this.#owners.roomFor(byteLength).storedBytes],
      ]);
      return changed === 1;
    };
    let isCurrent = await end(this.#database);
    if (isCurrent) await this.#confirmEnd(attempt);
    else {
      isCurrent = await this.#database.transaction(async (statements) => {
        await this.#owners.checkRoomForOutput(claim, byteLength, statements);
        return end(statements);
      });
      if (isCurrent) this.#news.changed(attempt.id);
    }
    if (isCurrent) {
      this.#held.delete(nameOf(attempt));
      this.#owners.forget(claim.job.owner);
    }
    return isCurrent;
  }

  async fail(claim: Claim, error: PlainError, expiresAt: number): Promise<boolean> {
    const { id, owner } = claim.job;
    const isCurrent = await this.#fail({ id, fence: claim.fence }, error, expiresAt);
    if (isCurrent) this.#owners.forget(owner);
    return isCurrent;
  }

  /** `condition`: what must hold besides. */
  async #fail({ id, fence }: AttemptId, error: PlainError, expiresAt: number, condition = 'true') {
    const changed = await this.#database.run(
      `UPDATE jobs SET state = 'FAILED', ${RAN}, ${NO_LEASE}, ended_at = $1, expires_at = $2, error = $3,
         record_bytes = record_bytes + octet_length($3) FROM (SELECT ${NOT_SYNCED}) AS unsynced
       WHERE ${current('FAILED', 4)} AND ${condition}`,
      [this.now(), expiresAt, errorText(error), id, fence],
    );
    if (changed !== 1) return false;
    await this.#confirmEnd({ id, fence });
    this.#held.delete(nameOf({ id, fence }));
    return true;
  }

  async requeue({ job, fence }: Claim, uncounted: boolean): Promise<boolean> {
    return this.#requeue({ id: job.id, fence }, uncounted);
  }

  /** `condition`: as for `#fail`. */
  async #requeue({ id, fence }: AttemptId, uncounted: boolean, condition = 'true'): Promise<boolean> {
    const changed = await this.#database.run(
      `UPDATE jobs SET state = 'QUEUED', ${RAN}, ${NO_LEASE}, place = nextval('job_places'), attempts = attempts - $2
       FROM (SELECT ${NOT_SYNCED}) AS unsynced WHERE ${current('QUEUED', 3)} AND ${condition}`,
      [this.now(), uncounted ? 1 : 0, id, fence],
    );
    if (changed === 1) {
      this.#held.delete(nameOf({ id, fence }));
      this.#news.changed(id);
      this.#news.queued();
    }
    return changed === 1;
  }

  async cancel(id: string, error: PlainError, expiresAt: number): Promise<JobState | null> {
    const state = await this.#database.transaction(async (statements) => {
      const [found] = await statements.rows<{ state: JobState }>(
        'SELECT state FROM jobs WHERE id = $1 FOR UPDATE',
        [id],
      );
      if (found === undefined || isFinal(found.state)) return found?.state ?? null;
      await statements.run(
        `UPDATE jobs SET state = 'FAILED', ${RAN}, ended_at = $1, expires_at = $2, error = $3,
           record_bytes = record_bytes + octet_length($3) WHERE id = $4`,
        [this.now(), expiresAt, errorText(error), id],
      );
      return found.state;
    });
    if (state !== null && !isFinal(state)) this.#news.changed(id);
    return state;
  }

  async recover(
    maxAttempts: number,
    expiresAt: number,
    isHeld: (id: string, fence: number, part?: PartRun) => boolean,
  ): Promise<{ requeued: string[]; failed: string[]; parts?: readonly PartAttempt[] }> {
    const { worker } = this.#options;
    await this.#clock.read();
    const running = await this.#database.rows<AttemptId & { attempts: number; isOurs: boolean }>(
      `SELECT id, attempts, fence, place, true AS "isOurs" FROM jobs WHERE state = 'RUNNING' AND worker = $1
       UNION ALL SELECT id, attempts, fence, place, false FROM jobs
         WHERE state = 'RUNNING' AND lease_until <= ${NOW_MS} AND worker <> $1 ORDER BY place`,
      [worker],
    );
    const requeued: string[] = [];
    const failed: string[] = [];
    // One by one: another process may do the same, and the fence lets one of them do it.
    for (const { attempts, isOurs, ...attempt } of running) {
      if (isOurs && isHeld(attempt.id, attempt.fence)) continue;
      // Its worker may have given a sign of life since.
      const condition = isOurs ? 'true' : `lease_until <= ${NOW_MS}`;
      if (attempts < maxAttempts) {
        if (await this.#requeue(attempt, false, condition)) requeued.push(attempt.id);
      } else if (await this.#fail(attempt, attemptsExhausted(attempts), expiresAt, condition))
        failed.push(attempt.id);
    }
    const parts = await this.parts.recover(maxAttempts, ({ id, fence, part }) => isHeld(id, fence, part));
    return { requeued, failed, ...(parts.length === 0 ? {} : { parts }) };
  }

  async get(id: string): Promise<Job | null> {
    const [row] = await this.#database.rows<JobRow>(GET, [id]);
    return row === undefined ? null : toJob(row);
  }

  async summary(id: string): Promise<JobSummary | null> {
    const [row] = await this.#database.rows<SummaryRow>(`SELECT ${SUMMARY_COLUMNS} FROM jobs WHERE id = $1`, [
      id,
    ]);
    return row === undefined ? null : toSummary(row);
  }

  async list(
    viewer: Viewer,
    { state, operation }: JobFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly JobSummary[]> {
    const parameters: unknown[] = [];
    const parameter = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = [
      ...(viewer === ANY_OWNER ? [] : [`owner = ${parameter(viewer)}`]),
      ...(state === null ? [] : [`state = ${parameter(state)}`]),
      ...(operation === null ? [] : [`operation = ${parameter(operation)}`]),
      ...(after === null
        ? []
        : [`(created_at, id) < (${parameter(after.createdAt)}::bigint, ${parameter(after.id)})`]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = await this.#database.rows<SummaryRow>(
      `SELECT ${SUMMARY_COLUMNS} FROM jobs ${where} ORDER BY created_at DESC, id DESC LIMIT ${parameter(limit)}`,
      parameters,
    );
    return rows.map(toSummary);
  }

  holding(owner: string): Promise<OwnerHolding> {
    return this.#owners.holding(owner);
  }

  async knowsKey(owner: string, key: string): Promise<boolean> {
    const rows = await this.#database.rows('SELECT FROM jobs WHERE owner = $1 AND idempotency_key = $2', [
      owner,
      key,
    ]);
    return rows.length > 0;
  }

  earlier(owner: string, idempotency: Idempotency): Promise<EnqueueResult | null> {
    return earlierOf(this.#database, owner, idempotency);
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

  async usage(owner: string, since: number): Promise<OwnerUsage> {
    return usageOf(
      await this.#database.rows<UsageRow>(
        `SELECT ${USAGE_COLUMNS} FROM jobs WHERE owner = $1 AND created_at >= $2 GROUP BY state`,
        [owner, since],
      ),
    );
  }

  async checkTables(): Promise<void> {
    const { name, steps } = POSTGRES_JOBS;
    const version = await this.#database.versionOf(name);
    // A newer version belongs to a process beside this one: newer tables serve the release before, too.
    if (version < steps.length)
      throw new MigrationMissing(
        version === 0 ? 'the tables are missing' : `the tables have version ${version}, not ${steps.length}`,
      );
  }

  async facts(): Promise<QueueFacts> {
    const [facts] = await this.#database.rows<QueueFacts>(`SELECT ${QUEUE_FACTS}`);
    return facts;
  }

  async length(): Promise<number> {
    const [row] = await this.#database.rows<{ length: number }>(
      'SELECT coalesce(sum(waiting), 0) AS length FROM owners WHERE waiting > 0',
    );
    return row.length;
  }

  async hasWork(): Promise<boolean> {
    const [{ jobs, parts }] = await this.#database.rows<{ jobs: boolean; parts: boolean }>(HAS_WORK);
    this.#mayHaveParts = parts;
    return jobs || parts;
  }

  async expiredOutputs(now: number, limit: number): Promise<readonly string[]> {
    return this.#ids('output_kept = 1 AND expires_at <= $1', now, limit);
  }

  async markOutputsRemoved(ids: readonly string[]): Promise<void> {
    await this.#sweep('UPDATE jobs SET output_kept = 0', ids);
  }

  async oldRecords(endedBefore: number, limit: number): Promise<readonly string[]> {
    return this.#ids('ended_at <= $1', endedBefore, limit);
  }

  async #ids(condition: string, time: number, limit: number): Promise<string[]> {
    const rows = await this.#database.rows<{ id: string }>(
      `SELECT id FROM jobs WHERE ${condition} LIMIT $2`,
      [time, limit],
    );
    return rows.map(({ id }) => id);
  }

  async deleteRecords(ids: readonly string[]): Promise<void> {
    await this.#sweep('DELETE FROM jobs', ids);
  }

  /**
   * Few jobs at a time, because the owners of all of them are locked, and one process at a time. It waits for no job, whose lock another
   * may hold that waits for its owner.
   */
  async #sweep(change: string, ids: readonly string[]): Promise<void> {
    for (let first = 0; first < ids.length; first += SWEPT_AT_A_TIME)
      await this.#database.transaction(async (statements) => {
        await statements.run("SELECT pg_advisory_xact_lock('queue_clock'::regclass::oid::int, 2)");
        await statements.run(
          `${change} WHERE id IN (SELECT id FROM jobs WHERE id = ANY($1) FOR UPDATE SKIP LOCKED)`,
          [ids.slice(first, first + SWEPT_AT_A_TIME)],
        );
      });
  }

  async removeEnded(id: string): Promise<boolean> {
    const isRemoved = (await this.#database.run(`DELETE FROM jobs WHERE id = $1 AND ${ENDED}`, [id])) === 1;
    if (isRemoved) this.#news.changed(id);
    return isRemoved;
  }

  async checkWritable(): Promise<void> {
    await this.#database.run('UPDATE queue_clock SET clock_ms = clock_ms');
  }

  async close(): Promise<void> {
    await this.#news.close();
    await this.#close();
  }
}

function isPart(attempt: AttemptId): attempt is PartAttempt {
  return attempt.part !== undefined;
}

async function earlierOf(
  statements: Statements,
  owner: string,
  { key, requestHash }: Idempotency,
): Promise<EnqueueResult | null> {
  const [row] = await statements.rows<{ id: string; state: JobState; request_hash: string }>(
    'SELECT id, state, request_hash FROM jobs WHERE owner = $1 AND idempotency_key = $2',
    [owner, key],
  );
  if (row === undefined) return null;
  if (row.request_hash !== requestHash) throw failure(jobErrors.IDEMPOTENCY_CONFLICT, { key });
  return { id: row.id, state: row.state, added: false };
}

function nameOf({ id, fence }: AttemptId): string {
  return `${id} ${fence}`;
}

function columnsOf(attempts: readonly AttemptId[]): unknown[] {
  return [attempts.map(({ id }) => id), attempts.map(({ fence }) => fence)];
}

function lostInCrash(id: string): DatabaseFault {
  return new DatabaseFault(new Error(`the database has crashed and lost the last change of the job ${id}`));
}
