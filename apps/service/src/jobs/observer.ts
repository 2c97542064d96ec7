/** What the job service reports to metrics. */
import type { JobState, JobSummary } from './job.ts';
import type { DeathCause } from './runner-process.ts';

/** How an attempt at a job ends, for this process. */
export const attemptOutcomes = [
  'succeeded',
  'failed',
  /** Its runner died; the job runs again, and the attempt counts. */
  'requeued',
  /** The service stopped, or storage failed; the job runs again, and the attempt does not count. */
  'interrupted',
  /** The job was cancelled or deleted. */
  'cancelled',
  /** The lease was lost: the job was given to another attempt. */
  'lost',
  /** Its result could not be recorded. */
  'unrecorded',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** What a sweep removes. */
export const sweptKinds = ['outputs', 'records', 'uploads', 'orphans'] as const;
export type Swept = Readonly<Record<(typeof sweptKinds)[number], number>>;

export interface JobObserver {
  /** A job ended here. */
  jobEnded(job: JobSummary, state: JobState, waitedMs: number, ranMs: number, outputBytes: number): void;
  /** `isFound`: a job was claimed; else none waited, or another process was faster. */
  claimed(isFound: boolean, ms: number): void;
  attemptEnded(outcome: AttemptOutcome): void;
  /** Jobs whose worker died were queued again, or failed after their last attempt. */
  takenUp(requeued: number, failed: number): void;
  /** A part of a divided job was run here for another worker. */
  partRan(): void;
  runnerDied(cause: DeathCause): void;
  /** Bytes of an upload became durable. */
  uploadStored(bytes: number): void;
  /** Null: the sweep failed. */
  swept(removed: Swept | null): void;
}

/** The part of a pino logger that is used here. */
export interface JobLog {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}
