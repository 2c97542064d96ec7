/**
 * Gives queued jobs to idle runners, and records the result of every attempt. It does not poll: a submitted job,
 * a runner that becomes idle and storage that works again call `dispatch`.
 */
import type { Progress } from '@geomill/pipeline/report.ts';
import { NO_TRACES, type Span } from '../tracing/tracer.ts';
import { Attempts } from './attempt.ts';
import type { Attempt } from './attempt-results.ts';
import { attemptSpan, factsOf } from './attempt-trace.ts';
import type { JobFeed } from './job-feed.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import type { AttemptOutcome, JobLog } from './observer.ts';
import type { ClaimedPart, PartAttempt, PartRun } from './parts.ts';
import type { Peers } from './peers.ts';
import type { AttemptId, Claim } from './queue.ts';
import type { Recovery } from './recovery.ts';
import type { RunningJob } from './removals.ts';
import type { RunnerPool } from './runner-pool.ts';
import type { RunnerProcess } from './runner-process.ts';
import { ScratchWatch } from './scratch-watch.ts';

interface RunningEntry extends RunningJob {
  readonly fence: number;
  progress: Progress;
  /** Null: the job is not divided. */
  parts: { look(): void } | null;
}

/** A part of a job of this or another process. */
interface RunningPart {
  readonly attempt: PartAttempt;
  readonly runner: RunnerProcess;
  done: Promise<void>;
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
  readonly #scratch: ScratchWatch;
  readonly #running = new Map<string, RunningEntry & { done: Promise<void> }>();
  readonly #partsRunning = new Map<string, RunningPart>();
  #isOpen = false;
  /** A claim is in progress: the row of a job may be RUNNING before `#running` has it. */
  #isBusy = false;
  /** A call came since the loop last looked for runners and jobs. */
  #isWanted = false;
  #busy: Promise<void> = Promise.resolve();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const { queue, scratch, log } = parts.options;
    this.#scratch = new ScratchWatch(scratch, queue, (error) =>
      log.error({ err: error }, 'the files of a running job could not be measured'),
    );
    this.#attempts = new Attempts(parts.options, parts.recovery, this.#scratch);
  }

  /** The jobs that run here. */
  get running(): ReadonlyMap<string, RunningEntry & { readonly done: Promise<void> }> {
    return this.#running;
  }

  /** All attempts that run here, of jobs and of parts. */
  attempts(): readonly AttemptId[] {
    return [
      ...[...this.#running].map(([id, { fence }]) => ({ id, fence })),
      ...[...this.#partsRunning.values()].map(({ attempt }) => attempt),
    ];
  }

  /** Resolves when no attempt runs here. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values(), ...this.#partsRunning.values()].map(({ done }) => done));
  }

  /** Ends the work of an attempt that is no longer the current one. */
  end(attempt: AttemptId): void {
    const { id, fence, part } = attempt;
    const job = this.#running.get(id);
    if (part !== undefined) this.#partsRunning.get(keyOf({ id, fence, part }))?.runner.kill('cancelled');
    else if (job?.fence === fence) job.runner.kill('cancelled');
  }

  /** Ends the parts of a job that run here. */
  endParts(id: string): void {
    for (const { attempt, runner } of this.#partsRunning.values())
      if (attempt.id === id) runner.kill('cancelled');
  }

  /** News of a job: parts of it may have ended. */
  look(id: string): void {
    this.#running.get(id)?.parts?.look();
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
      const isHeld = (id: string, fence: number, part?: PartRun): boolean =>
        part === undefined
          ? this.#running.get(id)?.fence === fence
          : this.#partsRunning.has(keyOf({ id, fence, part }));
      const expiresAt = options.queue.now() + options.outputRetentionMs;
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
    // A busy process does not ask the database at all: it hears of every new job.
    while (this.#isOpen && !recovery.isUnderway && pool.hasFree) {
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
    if (claim.part !== undefined) {
      this.#beginPart(claim, claim.part, runner, claimedFrom);
      return;
    }
    const { tracer = NO_TRACES, log } = this.#parts.options;
    const span = attemptSpan(tracer, claim, claimedFrom);
    const attempt: Attempt = { ...claim, span, facts: factsOf(claim), errorCode: null };
    log.info(attempt.facts, 'an attempt at a job began');
    const entry: RunningEntry & { done: Promise<void> } = {
      fence: claim.fence,
      progress: { fraction: 0, stage: 'opening' },
      parts: null,
      runner,
      done: Promise.resolve(),
    };
    this.#running.set(id, entry);
    this.#parts.feed.changed(id);
    entry.done = this.#attempt(attempt, entry);
  }

  #beginPart(claim: Claim, part: ClaimedPart, runner: RunnerProcess, claimedFrom: number): void {
    const { job, fence } = claim;
    const attempt = { id: job.id, fence, part: { number: part.number, run: part.run } };
    const entry: RunningPart = { attempt, runner, done: Promise.resolve() };
    this.#partsRunning.set(keyOf(attempt), entry);
    const span = attemptSpan(this.#parts.options.tracer ?? NO_TRACES, claim, claimedFrom);
    entry.done = this.#partAttempt(claim, part, entry, span);
  }

  async #partAttempt(
    claim: Claim,
    part: ClaimedPart,
    { attempt, runner }: RunningPart,
    span: Span,
  ): Promise<void> {
    const { options, pool, recovery, isBeingRemoved, peers } = this.#parts;
    const { shared } = options.queue;
    if (shared === null) throw new Error('a queue that is not shared has no parts');
    const facts = factsOf(claim);
    const began = performance.now();
    let outcome = 'unrecorded';
    options.log.info(facts, 'a part of a job began');
    try {
      if (isBeingRemoved(attempt.id)) runner.kill('cancelled');
      // Most services never run one.
      const { PartAttempts } = await import('./part-attempt.ts');
      outcome = await new PartAttempts(options, shared.parts, recovery, this.#scratch).make(
        claim,
        part,
        runner,
      );
    } catch (error) {
      options.log.error({ ...facts, err: error }, 'the end of a part could not be recorded');
      recovery.report(error);
    } finally {
      options.log.info(
        { ...facts, outcome, ms: Math.round(performance.now() - began) },
        'a part of a job ended',
      );
      span.set({ 'geomill.job.outcome': outcome });
      if (outcome !== 'succeeded') span.fail(outcome);
      span.end();
      await peers?.ended(attempt);
      this.#partsRunning.delete(keyOf(attempt));
      pool.giveBack(runner);
      // Its job may run here, too.
      this.look(attempt.id);
    }
  }

  async #attempt(claim: Attempt, entry: RunningEntry): Promise<void> {
    const { options, pool, recovery, feed, isBeingRemoved, peers } = this.#parts;
    const { id } = claim.job;
    const began = performance.now();
    let outcome: AttemptOutcome = 'unrecorded';
    try {
      if (isBeingRemoved(id)) entry.runner.kill('cancelled');
      outcome = await this.#attempts.make(claim, entry.runner, {
        onProgress(progress) {
          entry.progress = progress;
          feed.progressed(id, progress);
          peers?.progressed(id, progress);
        },
        onParts(parts) {
          entry.parts = parts;
        },
      });
    } catch (error) {
      options.log.error({ ...claim.facts, err: error }, 'the end of a job could not be recorded');
      // The row is still RUNNING: `reconcile` or the next start handles it.
      recovery.report(error);
    } finally {
      options.observer?.attemptEnded(outcome);
      this.#tellEnd(claim, outcome, began);
      if (entry.parts !== null) this.endParts(id);
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
  {
    requeued,
    failed,
    parts = [],
  }: {
    readonly requeued: readonly string[];
    readonly failed: readonly string[];
    readonly parts?: readonly PartAttempt[];
  },
): void {
  for (const jobId of requeued)
    log.warn({ jobId, outcome: 'requeued' }, 'took up a job whose worker or runner is gone');
  for (const jobId of failed)
    log.warn({ jobId, outcome: 'failed' }, 'took up a job whose worker or runner is gone');
  for (const { id: jobId, fence, part } of parts)
    log.warn({ jobId, fence, part: part.number }, 'took up a part of a job whose worker or runner is gone');
}

function keyOf({ id, fence, part }: PartAttempt): string {
  return `${id} ${fence} ${part.number} ${part.run}`;
}
