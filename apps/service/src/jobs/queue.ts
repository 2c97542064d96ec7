/**
 * The queue of jobs and their records. One interface, so that an embedded database and a shared one are
 * interchangeable. Every method that changes a job resolves only when the change would survive the death of the process;
 * `enqueue`, `succeed`, `fail`, `cancel` and `removeEnded` also survive a power failure. A call that rejects has changed
 * nothing, unless the disk refused for half a minute to make a change durable: then the change stands.
 */
import type { PlainError } from '@geomill/core/messages/errors.ts';
import type { JobReport, Progress } from '@geomill/pipeline/report.ts';
import type { JobRequest } from '@geomill/pipeline/request.ts';
import type {
  Idempotency,
  Job,
  JobOutput,
  JobState,
  JobStep,
  JobSummary,
  ListPosition,
  NewJob,
  Viewer,
} from './job.ts';
import type { ClaimedPart, PartAttempt, PartQueue, PartRun } from './parts.ts';
import type { UploadRecords } from './upload.ts';

export interface EnqueueResult {
  readonly id: string;
  readonly state: JobState;
  /** False: the Idempotency-Key belongs to this earlier job and nothing was added. */
  readonly added: boolean;
}

/** One attempt at a job, or one run of a part of it. */
export interface Claim {
  readonly job: Job;
  /** Number of the attempt, never reused, whether it counts or not: late reports of former attempts change nothing. */
  readonly fence: number;
  /** Absent: the job itself. */
  readonly part?: ClaimedPart;
}

/** Names one attempt, or one run of a part of it. */
export interface AttemptId {
  /** Of the job. */
  readonly id: string;
  readonly fence: number;
  readonly part?: PartRun;
}

/** News of the other processes that have the same queue. */
export interface QueueNews {
  /** A job waits. */
  queued(): void;
  /** The job changed its state or was deleted. */
  changed(id: string): void;
  progressed(id: string, progress: Progress): void;
}

/** What the processes of a queue do together. */
export interface SharedQueue {
  /** Rejects if the database cannot be reached or written, and with MigrationMissing if its tables are older than this process needs. */
  checkTables(): Promise<void>;
  readonly parts: PartQueue;
  /** Time after its last sign of life after which the jobs of a process are taken up by others. */
  readonly leaseMs: number;
  /**
   * Tells news from now on. Some can be lost. Each message costs the database something for every process that hears it, so
   * `workersOnly`, which others can stand in for, may hear none.
   */
  listen(news: QueueNews, workersOnly?: boolean): void;
  /** The attempts whose work has to end, because their job was cancelled, deleted or given to another attempt. */
  lost(attempts: readonly AttemptId[]): Promise<readonly AttemptId[]>;
  /** A sign of life for attempts of this process. Resolves as `lost`. */
  extend(attempts: readonly AttemptId[]): Promise<readonly AttemptId[]>;
  tellProgress(id: string, progress: Progress): void;
  /** State and attempts of those jobs that exist. */
  states(ids: readonly string[]): Promise<ReadonlyMap<string, JobStep>>;
  /** The work of an attempt has stopped. */
  release(attempt: AttemptId): Promise<void>;
  /** Whether this process is the one that does the task for all: at most one gets the turn in this time. */
  takeTurn(task: 'retention' | 'orphans' | 'leases', intervalMs: number): Promise<boolean>;
  /** Whether no process works at the job, or a part of it, any more, as far as leases tell. */
  isReleased(id: string): Promise<boolean>;
}

/** Filter of a list of jobs. Null: all. */
export interface JobFilter {
  readonly state: JobState | null;
  readonly operation: JobRequest['operation'] | null;
}

/** Limits of an owner. Null: only the limits of the service. */
export interface OwnerLimits {
  /** Number of queued and running jobs. */
  readonly jobs: number | null;
  /** Bytes of their inputs, of outputs and uploads that have not expired, and of all records. */
  readonly storedBytes: number | null;
}

/** Current usage of an owner. */
export interface OwnerHolding {
  readonly waiting: number;
  readonly running: number;
  readonly storedBytes: number;
}

/** The whole queue, of all processes that have it. */
export interface QueueFacts {
  /** Number of queued jobs. */
  readonly waiting: number;
  readonly running: number;
  /** Submission of the oldest job among those that are next of their owners, in ms since 1970; null: none is queued. */
  readonly oldestAt: number | null;
}

/** Statistics of an owner's jobs since some time, as far as their records are kept. */
export interface OwnerUsage {
  readonly jobs: Readonly<Record<JobState, number>>;
  /** Of inputs, uploaded or fetched. */
  readonly inputBytes: number;
  /** Of outputs, expired ones too. */
  readonly outputBytes: number;
}

/** Methods take ids of jobs of any owner; access of clients uses OwnedJobs. */
export interface JobQueue {
  /** In the same database, so that the limits of an owner hold for jobs and uploads together. */
  readonly uploads: UploadRecords;
  /** Null: only this process has the queue. */
  readonly shared: SharedQueue | null;
  /** Milliseconds since 1970, by a clock that is the same for all processes of the queue. */
  readonly now: () => number;
  /**
   * Adds a job. Throws QUEUE_FULL, OWNER_JOBS_EXCEEDED, OWNER_STORAGE_EXCEEDED, or IDEMPOTENCY_CONFLICT when its owner
   * used the key with another request.
   */
  enqueue(job: NewJob): Promise<EnqueueResult>;
  /**
   * Claims a queued job, which becomes RUNNING; null if none is queued. Owners share the runners: next is the owner with the
   * fewest running jobs; among equals, the one that used the least runner time; then the one whose last claim is
   * longest ago. Of its jobs, the oldest is taken. In a shared queue, parts of running jobs take turns as jobs do; of an owner,
   * they come before its jobs.
   *
   * Runner time is added when an attempt ends, at least 100 ms for each. It is compared with a clock: the largest
   * time of any owner when it got a runner. An owner that starts to wait, or whose attempt ends, is set to at least
   * the clock, and to at most ten minutes above it. So waiting does not accumulate turns,
   * and time used long ago does not count.
   *
   * Consequences:
   * - No owner gets a second runner while another waits for a first; no claim gives an owner more than half of the
   *   runners, rounded up, while another owner waits.
   * - While an owner waits without a runner, each other owner gets at most ten minutes of runner time, plus one
   *   job: owners with jobs of an hour and of a second get the same time, not the same number of jobs.
   * - An owner that waits alone gets all runners. Running jobs are not interrupted: if all runners are busy, a new
   *   owner waits for the first job to end.
   */
  claim(): Promise<Claim | null>;
  /**
   * RUNNING -> SUCCESS. False: this attempt is no longer the current one. Throws OUTPUT_STORAGE_EXCEEDED and changes
   * nothing where its owner has no room for the output.
   */
  succeed(claim: Claim, output: JobOutput, report: JobReport, expiresAt: number): Promise<boolean>;
  /** RUNNING -> FAILED. False as above. */
  fail(claim: Claim, error: PlainError, expiresAt: number): Promise<boolean>;
  /**
   * RUNNING -> QUEUED, after all queued jobs of its owner, so that a job that kills its runner does not delay the others.
   * `uncounted`: the service ended the attempt, which does not count. False as above.
   */
  requeue(claim: Claim, uncounted: boolean): Promise<boolean>;
  /**
   * QUEUED or RUNNING -> FAILED, whichever attempt runs. Resolves with the previous state, a final one if nothing
   * was changed; null: no such job.
   */
  cancel(id: string, error: PlainError, expiresAt: number): Promise<JobState | null>;
  /**
   * Requeues RUNNING jobs whose attempt no runner has, according to `isHeld`, because the service that
   * ran them died or because of an error; those with `maxAttempts` attempts become FAILED. Called while this process claims
   * nothing. In a shared queue, also those of other processes whose leases have ended, and parts likewise. Resolves with their
   * ids; `parts`: those that wait again or failed.
   */
  recover(
    maxAttempts: number,
    expiresAt: number,
    isHeld: (id: string, fence: number, part?: PartRun) => boolean,
  ): Promise<{
    readonly requeued: readonly string[];
    readonly failed: readonly string[];
    readonly parts?: readonly PartAttempt[];
  }>;
  get(id: string): Promise<Job | null>;
  /** The job without request and report, which is cheaper if those are large. */
  summary(id: string): Promise<JobSummary | null>;
  /**
   * The newest jobs that `viewer` can see, newest first, at most `limit`; with `after` those after it in this order, whether or not
   * that job still exists. Jobs that are added meanwhile do not shift pages.
   */
  list(
    viewer: Viewer,
    filter: JobFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly JobSummary[]>;
  holding(owner: string): Promise<OwnerHolding>;
  /** Whether `enqueue` with this Idempotency-Key would return an earlier job of the owner, or conflict with it. */
  knowsKey(owner: string, key: string): Promise<boolean>;
  /** The earlier job that `enqueue` would return; null: none. Throws IDEMPOTENCY_CONFLICT. */
  earlier(owner: string, idempotency: Idempotency): Promise<EnqueueResult | null>;
  /**
   * Throws the error that `enqueue` would throw for another job of `inputBytes`. Called for every piece of a body, so a queue
   * over a network may use numbers that are a second old; `enqueue` is exact.
   */
  checkRoom(owner: string, inputBytes: number): Promise<void>;
  /** `since`: milliseconds since 1970. */
  usage(owner: string, since: number): Promise<OwnerUsage>;
  /** Number of queued jobs. */
  length(): Promise<number>;
  /** For metrics. */
  facts(): Promise<QueueFacts>;
  /** Whether there may be something to claim. */
  hasWork(): Promise<boolean>;
  /** Ids of jobs whose output must expire, at most `limit`; not yet marked as expired. */
  expiredOutputs(now: number, limit: number): Promise<readonly string[]>;
  markOutputsRemoved(ids: readonly string[]): Promise<void>;
  /** Ids of jobs that ended before `endedBefore`, at most `limit`. */
  oldRecords(endedBefore: number, limit: number): Promise<readonly string[]>;
  deleteRecords(ids: readonly string[]): Promise<void>;
  /** Deletes the record of an ended job for a client. False: no such job, or it has not ended. */
  removeEnded(id: string): Promise<boolean>;
  /** Makes a durable change without effect, as a test of storage; rejects if that fails. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
