/**
 * The queue of many machines: a table in PostgreSQL, with the contract of the embedded queue.
 *
 * A worker leases the jobs that it runs and extends its leases while it lives. The job of a worker that died, or was cut off, is
 * taken up after its lease has ended. The fence refuses reports of the worker of an outdated attempt.
 */
import type { PlainError } from '@geomill/core/messages/errors.ts';
import type { JobReport, Progress } from '@geomill/pipeline/report.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { NOT_SYNCED, PostgresDatabase, type PostgresOptions, type Statements } from '../postgres/database.ts';
import { isFinal, type JobOutput, type JobState, jobStates, type NewJob } from './job.ts';
import { attemptsExhausted, errorText, successRow } from './job-record.ts';
import { type JobRow, toJob } from './job-table.ts';
import type { PartAttempt, PartRun } from './parts.ts';
import { DatabaseClock, NOW_MS } from './postgres-clock.ts';
import { type EntryOptions, lostInCrash, PostgresEntry } from './postgres-entry.ts';
import { PostgresJobs } from './postgres-jobs.ts';
import { PostgresNews } from './postgres-news.ts';
import { PostgresOwners } from './postgres-owners.ts';
import { PostgresParts } from './postgres-parts.ts';
import { POSTGRES_JOBS } from './postgres-schema.ts';
import {
  CLAIM,
  current,
  EXTEND,
  HAS_WORK,
  LOST,
  NO_LEASE,
  RAN,
  SUCCEED,
  TAKE_TURN,
  TELL_AND_SYNC_JOB,
} from './postgres-statements.ts';
import { PostgresUploads } from './postgres-uploads.ts';
import type {
  AttemptId,
  Claim,
  EnqueueResult,
  JobQueue,
  OwnerHolding,
  OwnerLimits,
  QueueNews,
  SharedQueue,
} from './queue.ts';

export interface PostgresQueueOptions extends EntryOptions {
  /** Called when messages of other processes cannot be received. */
  readonly onTrouble?: (error: Error) => void;
  /** Name of this process; no two processes have the same. */
  readonly worker: string;
  /** Time after its last sign of life after which the jobs of a worker are taken up by others. */
  readonly leaseMs: number;
  /** Of each owner. Default: none. */
  readonly ownerLimits?: OwnerLimits;
  /** Of geomill; default: this one. */
  readonly release?: string;
  /** Milliseconds since 1970. Default: the clock of the database, by which leases always go. */
  readonly now?: () => number;
}

const NO_LIMITS: OwnerLimits = { jobs: null, storedBytes: null };
const ENDED = `state IN (${jobStates
  .filter(isFinal)
  .map((state) => `'${state}'`)
  .join(', ')})`;

export class PostgresQueue extends PostgresJobs implements JobQueue, SharedQueue {
  readonly uploads: PostgresUploads;
  readonly parts: PostgresParts;
  readonly shared = this;
  readonly now: () => number;
  readonly #database: PostgresDatabase;
  readonly #owners: PostgresOwners;
  readonly #entry: PostgresEntry;
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
    super(database);
    this.#database = database;
    this.#options = options;
    this.#close = close;
    this.#clock = clock;
    this.now = options.now ?? (() => clock.now());
    this.#owners = new PostgresOwners(database, options.ownerLimits ?? NO_LIMITS);
    this.#entry = new PostgresEntry(database, this.#owners, options, this.now);
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
    const result = await this.#entry.enqueue(job);
    if (result.added) this.#news.queued();
    return result;
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

  holding(owner: string): Promise<OwnerHolding> {
    return this.#owners.holding(owner);
  }

  checkRoom(owner: string, inputBytes: number): Promise<void> {
    return this.#entry.checkRoom(owner, inputBytes);
  }

  async hasWork(): Promise<boolean> {
    const [{ jobs, parts }] = await this.#database.rows<{ jobs: boolean; parts: boolean }>(HAS_WORK);
    this.#mayHaveParts = parts;
    return jobs || parts;
  }

  async removeEnded(id: string): Promise<boolean> {
    const isRemoved = (await this.#database.run(`DELETE FROM jobs WHERE id = $1 AND ${ENDED}`, [id])) === 1;
    if (isRemoved) this.#news.changed(id);
    return isRemoved;
  }

  async close(): Promise<void> {
    await this.#news.close();
    await this.#close();
  }
}

function isPart(attempt: AttemptId): attempt is PartAttempt {
  return attempt.part !== undefined;
}

function nameOf({ id, fence }: AttemptId): string {
  return `${id} ${fence}`;
}

function columnsOf(attempts: readonly AttemptId[]): unknown[] {
  return [attempts.map(({ id }) => id), attempts.map(({ fence }) => fence)];
}
