/**
 * Gives queued jobs to idle runners, and records the result of every attempt. It does not poll: a submitted job,
 * a runner that becomes idle and storage that works again call `dispatch`.
 */
import type { Progress } from '../pipeline/report.ts';
import { NO_TRACES } from '../tracing/tracer.ts';
import { type Attempt, Attempts, type JobLog, type JobServiceOptions } from './attempt.ts';
import { attemptSpan, factsOf } from './attempt-trace.ts';
import type { JobFeed } from './job-feed.ts';
import type { AttemptOutcome } from './observer.ts';
import type { Peers } from './peers.ts';
import type { Claim } from './queue.ts';
import type { Recovery } from './recovery.ts';
import type { RunningJob } from './removals.ts';
import type { RunnerPool } from './runner-pool.ts';
import type { RunnerProcess } from './runner-process.ts';

interface RunningEntry extends RunningJob {
  readonly fence: number;
  progress: Progress;
}

export interface DispatcherParts {
  readonly options: JobServiceOptions;
  readonly pool: RunnerPool;
  readonly recovery: Recovery;
  readonly feed: JobFeed;
  /** Whether a client is cancelling or deleting the job. */
  readonly isBeingRemoved: (id: string) => boolean;
  /** Null: only this process has the queue. */
  readonly peers: Peers | null;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #attempts: Attempts;
  readonly #running = new Map<string, RunningEntry & { done: Promise<void> }>();
  #isOpen = false;
  /** A claim is in progress: the row of a job may be RUNNING before `#running` has it. */
  #isBusy = false;
  /** A call came since the loop last looked for runners and jobs. */
  #isWanted = false;
  #busy: Promise<void> = Promise.resolve();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#attempts = new Attempts(parts.options, parts.recovery);
  }

  /** The jobs that run here. */
  get running(): ReadonlyMap<string, RunningEntry & { readonly done: Promise<void> }> {
    return this.#running;
  }

  open(): void {
    this.#isOpen = true;
    this.dispatch();
  }

  /** Resolves when no job is claimed any more; those that were are in `running`. */
  async close(): Promise<void> {
    this.#isOpen = false;
    while (this.#isBusy) await this.#busy;
  }

  dispatch(): void {
    // A process that only answers requests.
    if (this.#parts.options.runner.count === 0) return;
    // One loop at a time, which serves callers that come meanwhile.
    this.#isWanted = true;
    if (this.#isBusy) return;
    this.#busy = this.#handOut();
  }

  /**
   * RUNNING jobs without a runner go back to the queue or, after their last attempt, fail: their
   * claim or their end was lost by an error.
   */
  async reconcile(): Promise<void> {
    while (this.#isBusy) await this.#busy;
    this.#isBusy = true;
    this.#busy = this.#reconcile();
    await this.#busy;
    this.dispatch();
  }

  async #reconcile(): Promise<void> {
    const { options, feed } = this.#parts;
    try {
      const isHeld = (id: string, fence: number): boolean => this.#running.get(id)?.fence === fence;
      const expiresAt = Date.now() + options.outputRetentionMs;
      const found = await options.queue.recover(options.maxAttempts, expiresAt, isHeld);
      const ids = [...found.requeued, ...found.failed];
      options.observer?.takenUp(found.requeued.length, found.failed.length);
      logTakenUp(options.log, found);
      for (const id of ids) feed.changed(id);
    } finally {
      this.#isBusy = false;
    }
  }

  async #handOut(): Promise<void> {
    this.#isBusy = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        await this.#handOutWaiting();
      }
    } catch (error) {
      this.#parts.recovery.report(error);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Until no job waits or no runner is idle. */
  async #handOutWaiting(): Promise<void> {
    const { options, pool, recovery } = this.#parts;
    while (this.#isOpen && !recovery.isUnderway) {
      if (!(await options.queue.hasWork())) return pool.warmIdle();
      const runner = pool.take();
      if (runner === null) return;
      const claimedFrom = Date.now();
      const claim = await this.#claimFor(runner);
      if (claim === null) return;
      this.#begin(claim, runner, claimedFrom);
    }
  }

  async #claimFor(runner: RunnerProcess): Promise<Claim | null> {
    const { options, pool, recovery } = this.#parts;
    let claim: Claim | null = null;
    const began = performance.now();
    try {
      claim = await options.queue.claim();
      options.observer?.claimed(claim !== null, performance.now() - began);
      recovery.worked();
    } finally {
      if (claim === null) pool.giveBack(runner);
    }
    return claim;
  }

  #begin(claim: Claim, runner: RunnerProcess, claimedFrom: number): void {
    const { id } = claim.job;
    const { tracer = NO_TRACES, log } = this.#parts.options;
    const span = attemptSpan(tracer, claim, claimedFrom);
    const attempt: Attempt = { ...claim, span, facts: factsOf(claim), errorCode: null };
    log.info(attempt.facts, 'an attempt at a job began');
    const entry: RunningEntry & { done: Promise<void> } = {
      fence: claim.fence,
      progress: { fraction: 0, stage: 'opening' },
      runner,
      done: Promise.resolve(),
    };
    this.#running.set(id, entry);
    this.#parts.feed.changed(id);
    entry.done = this.#attempt(attempt, entry);
  }

  async #attempt(claim: Attempt, entry: RunningEntry): Promise<void> {
    const { options, pool, recovery, feed, isBeingRemoved, peers } = this.#parts;
    const { id } = claim.job;
    const began = performance.now();
    let outcome: AttemptOutcome = 'unrecorded';
    try {
      if (isBeingRemoved(id)) entry.runner.kill('cancelled');
      outcome = await this.#attempts.make(claim, entry.runner, (progress) => {
        entry.progress = progress;
        feed.progressed(id, progress);
        peers?.progressed(id, progress);
      });
    } catch (error) {
      options.log.error({ ...claim.facts, err: error }, 'the end of a job could not be recorded');
      // The row is still RUNNING: `reconcile` or the next start handles it.
      recovery.report(error);
    } finally {
      options.observer?.attemptEnded(outcome);
      this.#tellEnd(claim, outcome, began);
      await peers?.ended({ id, fence: claim.fence });
      this.#running.delete(id);
      pool.giveBack(entry.runner);
      feed.changed(id);
    }
  }

  /** To the log and the trace. */
  #tellEnd({ facts, span, errorCode }: Attempt, outcome: AttemptOutcome, began: number): void {
    const ms = Math.round(performance.now() - began);
    const code = errorCode === null ? {} : { code: errorCode };
    this.#parts.options.log.info({ ...facts, outcome, ...code, ms }, 'an attempt at a job ended');
    span.set({ 'geomill.job.outcome': outcome });
    if (outcome !== 'succeeded') span.fail(errorCode ?? outcome);
    span.end();
  }
}

/** One line for each job. */
export function logTakenUp(
  log: JobLog,
  { requeued, failed }: { readonly requeued: readonly string[]; readonly failed: readonly string[] },
): void {
  for (const jobId of requeued)
    log.warn({ jobId, outcome: 'requeued' }, 'took up a job whose worker or runner is gone');
  for (const jobId of failed)
    log.warn({ jobId, outcome: 'failed' }, 'took up a job whose worker or runner is gone');
}
