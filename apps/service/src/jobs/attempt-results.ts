/** Records how attempts at jobs ended, and removes the files that are not needed any more. */
import { asGeomillError, GeomillError, isDiskFull, type PlainError } from '@geomill/core/messages/errors.ts';
import type { JobReport } from '@geomill/pipeline/report.ts';
import { type FileStore, inputKey } from '../storage/store.ts';
import { NO_TRACES, type Span, traced } from '../tracing/tracer.ts';
import type { AttemptFacts } from './attempt-trace.ts';
import { isFinal, type JobOutput, type JobState, type JobSummary } from './job.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import type { AttemptOutcome, JobObserver } from './observer.ts';
import type { Claim } from './queue.ts';
import type { Recovery } from './recovery.ts';

/** An attempt while it is made here. */
export interface Attempt extends Claim {
  readonly span: Span;
  /** Names the attempt in the log. */
  readonly facts: AttemptFacts;
  /** Why the job failed, if this attempt made it fail. */
  errorCode: string | null;
}

/** Each method resolves when the result is in the job's row, however long that takes. */
export class AttemptResults {
  readonly #options: JobServiceOptions;
  readonly #recovery: Recovery;

  constructor(options: JobServiceOptions, recovery: Recovery) {
    this.#options = options;
    this.#recovery = recovery;
  }

  /** The result: the outcome, or an error of storage, after which the output of the attempt is removed. */
  async succeed(claim: Attempt, output: JobOutput, report: JobReport): Promise<AttemptOutcome | PlainError> {
    const { queue, store, outputRetentionMs, observer, tracer = NO_TRACES } = this.#options;
    const parent = claim.span.context;
    const record = (): Promise<boolean> =>
      traced(tracer, 'record result', 'internal', { parent }, () =>
        queue.succeed(claim, output, report, queue.now() + outputRetentionMs),
      );
    const recorded = await this.#recovery.keep(async () => {
      try {
        return await record();
      } catch (error) {
        if (error instanceof GeomillError && error.code === 'OUTPUT_STORAGE_EXCEEDED') return error.toPlain();
        if (isDiskFull(error)) return asGeomillError(error).toPlain();
        throw error;
      }
    });
    if (typeof recorded !== 'boolean' && recorded.code === 'STORAGE_FULL') {
      // Its output may fill the disk, so it is removed before waiting for space. A file that cannot be removed now is
      // replaced by the next attempt.
      await store.remove('output', claim.job.id, claim.fence).catch(() => {});
      return recorded;
    }
    if (typeof recorded !== 'boolean') {
      const outcome = await this.fail(claim, recorded);
      await this.#discardOutput(claim);
      return outcome;
    }
    if (!recorded) {
      await this.#discardOutput(claim);
      return this.#replaced(claim);
    }
    this.#tellEnd(claim, 'SUCCESS', observer, output.byteLength);
    await this.#removeInputs(claim);
    return 'succeeded';
  }

  /** The outcome of an attempt whose result is not wanted any more. */
  async #replaced({ job, fence }: Claim): Promise<AttemptOutcome> {
    const now = await this.#options.queue.summary(job.id);
    return now === null || (isFinal(now.state) && now.fence === fence) ? 'cancelled' : 'lost';
  }

  /**
   * Removes the output of an attempt that was replaced, or whose job was cancelled; where attempts share one file, only if the job
   * ended without an output. The inputs of an ended job are removed too.
   */
  async #discardOutput(claim: Attempt): Promise<void> {
    const { job, fence } = claim;
    const { queue, store } = this.#options;
    const now = await queue.summary(job.id);
    const isEnded = now === null || isFinal(now.state);
    const isCurrent = now?.state === 'SUCCESS' && now.fence === fence;
    if (store.isShared ? !isCurrent : isEnded && now?.state !== 'SUCCESS')
      await store.remove('output', job.id, fence);
    if (isEnded) await this.#removeInputs(claim);
  }

  /** Removes the files of an ended job. A file that cannot be removed now belongs to no job any more, and is swept. */
  async #removeInputs({ job, facts }: Attempt): Promise<void> {
    const { store, log } = this.#options;
    await removeInputs(store, job).catch((error: unknown) =>
      log.warn({ ...facts, err: error }, 'inputs of an ended job could not be removed'),
    );
  }

  async fail(claim: Attempt, error: PlainError): Promise<AttemptOutcome> {
    const { queue, outputRetentionMs, observer } = this.#options;
    const write = (): Promise<boolean> => queue.fail(claim, error, queue.now() + outputRetentionMs);
    if (!(await this.#recovery.keep(write))) return this.#replaced(claim);
    claim.errorCode = error.code;
    this.#tellEnd(claim, 'FAILED', observer, 0);
    await this.#removeInputs(claim);
    return error.code === 'CANCELLED' ? 'cancelled' : 'failed';
  }

  /** `uncounted`: the attempt does not count. */
  async requeue(claim: Attempt, uncounted: boolean): Promise<AttemptOutcome> {
    const write = (): Promise<boolean> => this.#options.queue.requeue(claim, uncounted);
    if (!(await this.#recovery.keep(write))) return this.#replaced(claim);
    return uncounted ? 'interrupted' : 'requeued';
  }

  #tellEnd(claim: Attempt, state: JobState, observer: JobObserver | undefined, outputBytes: number): void {
    const { job } = claim;
    const startedAt = job.startedAt ?? job.createdAt;
    observer?.jobEnded(
      job,
      state,
      startedAt - job.createdAt,
      this.#options.queue.now() - startedAt,
      outputBytes,
    );
  }
}

export async function removeInputs(store: FileStore, job: JobSummary): Promise<void> {
  for (const { fileIndex } of job.inputs) await store.remove('input', inputKey(job.id, fileIndex));
}
