/**
 * The queue of jobs and their records. One interface, so that an embedded database and a shared one are
 * interchangeable. Every method that changes a job resolves only when the change would survive the death of the process;
 * `enqueue`, `succeed`, `fail`, `cancel` and `removeEnded` also survive a power failure. One that rejects has changed
 * nothing, unless the disk refused for half a minute to make a change durable: then the change stands.
 */
import type { PlainError } from '../errors.ts';
import type { JobReport } from '../pipeline/report.ts';
import type { JobRequest } from '../pipeline/request.ts';
import type { Idempotency, Job, JobOutput, JobState, JobSummary, NewJob, Viewer } from './job.ts';

export interface EnqueueResult {
  readonly id: string;
  readonly state: JobState;
  /** False: the Idempotency-Key named this earlier job and nothing was added. */
  readonly added: boolean;
}

/** One attempt at a job. */
export interface Claim {
  readonly job: Job;
  /** Number of the attempt, never given twice, counted or not: what a former attempt reports late changes nothing. */
  readonly fence: number;
}

/** Which jobs a list shows. Null: all. */
export interface JobFilter {
  readonly state: JobState | null;
  readonly operation: JobRequest['operation'] | null;
}

/** A place in the list of jobs: the last one of a page. */
export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** What an owner may hold at a time. Null: as much as the service takes. */
export interface OwnerLimits {
  /** Jobs that wait or run. */
  readonly jobs: number | null;
  /** Bytes of the inputs of those, of outputs that have not expired, and of all records. */
  readonly storedBytes: number | null;
}

/** What an owner holds now. */
export interface OwnerHolding {
  readonly waiting: number;
  readonly running: number;
  readonly storedBytes: number;
}

/** What became of an owner's jobs that were submitted since some time and whose records are still kept. */
export interface OwnerUsage {
  readonly jobs: Readonly<Record<JobState, number>>;
  /** Of inputs, uploaded or fetched. */
  readonly inputBytes: number;
  /** Of outputs, expired ones too. */
  readonly outputBytes: number;
}

/** Ids name jobs of every owner here: what is shown to a client goes through OwnedJobs. */
export interface JobQueue {
  /**
   * Adds a job. Throws QUEUE_FULL, OWNER_JOBS_EXCEEDED, OWNER_STORAGE_EXCEEDED, or IDEMPOTENCY_CONFLICT when its owner
   * used the key with another request.
   */
  enqueue(job: NewJob): Promise<EnqueueResult>;
  /**
   * Takes a job that waits, now RUNNING; null when none waits. Owners share the runners: next is the owner with the
   * fewest running jobs; of several the one that has used the least runner time; of several the one whose last claim is
   * longest ago; of its jobs the one that came first.
   *
   * Runner time is counted when an attempt is over, at least 100 ms for each. It is compared with a clock, the largest
   * time with which any owner was given a runner: an owner that comes to wait, or whose attempt is over, is counted from
   * the clock on where it used less, and to ten minutes above it where it used more. So nobody saves up turns by
   * waiting, and what was used long ago is forgotten.
   *
   * What follows:
   * - No owner gets a second runner while another waits for a first; no claim gives an owner more than half of the
   *   runners, rounded up, while another owner waits.
   * - An owner that waits and has no runner is passed by each other owner for ten minutes of runner time at most, and one
   *   job: with jobs of an hour beside jobs of a second each owner gets as much time, not as many jobs.
   * - An owner that waits alone gets every runner. Running jobs are not interrupted: a newcomer who finds all runners
   *   taken waits for the end of the first job.
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
   * RUNNING -> QUEUED, behind all of its owner that wait, so that a job that kills its runner does not hold up the others.
   * `uncounted`: the attempt was ended by us and is not held against the job. False as above.
   */
  requeue(claim: Claim, uncounted: boolean): Promise<boolean>;
  /**
   * QUEUED or RUNNING -> FAILED, whichever attempt runs. Resolves with the state it was found in, a final one if nothing
   * was changed; null: there is no such job.
   */
  cancel(id: string, error: PlainError, expiresAt: number): Promise<JobState | null>;
  /**
   * Deals with jobs that are RUNNING and of which `isHeld` says that no runner has this attempt, because the service that
   * ran them died or because of an error: back to the queue, or FAILED when they were begun `maxAttempts` times. For the
   * one service that owns the queue, while it claims nothing. Resolves with their ids.
   */
  recover(
    maxAttempts: number,
    expiresAt: number,
    isHeld: (id: string, fence: number) => boolean,
  ): Promise<{ readonly requeued: readonly string[]; readonly failed: readonly string[] }>;
  get(id: string): Promise<Job | null>;
  /** The same for who needs neither request nor report; cheaper where those are large. */
  summary(id: string): Promise<JobSummary | null>;
  /**
   * The newest jobs that `viewer` can see, newest first, at most `limit`; with `after` those that come behind it in this order, whether or not
   * that job is still there. Jobs that are added meanwhile move nothing.
   */
  list(
    viewer: Viewer,
    filter: JobFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly JobSummary[]>;
  holding(owner: string): OwnerHolding;
  /** Whether `enqueue` with this Idempotency-Key would name an earlier job of the owner, or conflict with it. */
  knowsKey(owner: string, key: string): boolean;
  /** The earlier job that `enqueue` would name; null: there is none. Throws IDEMPOTENCY_CONFLICT. */
  earlier(owner: string, idempotency: Idempotency): EnqueueResult | null;
  /** Throws what `enqueue` would for a job of `inputBytes` more. */
  checkRoom(owner: string, inputBytes: number): void;
  /** `since`: milliseconds since 1970. */
  usage(owner: string, since: number): Promise<OwnerUsage>;
  /** Jobs that wait. */
  length(): number;
  /** Ids of jobs whose output is past its time, at most `limit`; not yet marked. */
  expiredOutputs(now: number, limit: number): Promise<readonly string[]>;
  markOutputRemoved(id: string): Promise<void>;
  /** Ids of jobs that ended before `endedBefore`, at most `limit`. */
  oldRecords(endedBefore: number, limit: number): Promise<readonly string[]>;
  deleteRecord(id: string): Promise<void>;
  /** Deletes the record of a job that has ended, at a client's word. False: there is none, or it has not ended. */
  removeEnded(id: string): Promise<boolean>;
  /** Makes a change that means nothing as durable as any other; rejects where that is not possible. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
