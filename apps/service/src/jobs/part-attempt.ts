/** One run of a part of another attempt's job: gives it to a runner, and stores the results. */
import { join } from 'node:path';
import { asGeomillError, isDiskFull, type PlainError, plainError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { pipelineErrors } from '@geomill/pipeline/errors.ts';
import type { Progress } from '@geomill/pipeline/report.ts';
import { remoteInputErrors } from '../remote-input/errors.ts';
import { inputKey } from '../storage/store.ts';
import { factsOf } from './attempt-trace.ts';
import { jobErrors } from './errors.ts';
import { storageStillFails } from './failing-storage.ts';
import { resultName } from './job-parts.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import type { ClaimedPart, PartAttempt, PartQueue } from './parts.ts';
import type { Claim } from './queue.ts';
import { isUnavailable, type Recovery } from './recovery.ts';
import type { DeathCause, PartOutcome, RunnerProcess } from './runner-process.ts';
import type { ScratchWatch } from './scratch-watch.ts';

/** Bytes after those of a part, for the record that crosses its end, and for what a reader looks at beyond it. */
const SLACK_BYTES = 2 * 1024 ** 2;
/** Bytes of them that only help to recognise the end of a record. */
const MARGIN_BYTES = 256 * 1024;
const PROGRESS_MS = 1000;

export class PartAttempts {
  readonly #options: JobServiceOptions;
  readonly #queue: PartQueue;
  readonly #recovery: Recovery;
  readonly #scratch: ScratchWatch;

  constructor(options: JobServiceOptions, queue: PartQueue, recovery: Recovery, scratch: ScratchWatch) {
    this.#options = options;
    this.#queue = queue;
    this.#recovery = recovery;
    this.#scratch = scratch;
  }

  /** As Attempts.make; resolves with `succeeded`, `cancelled`, `requeued`, or the code of the error that the job fails with. */
  async make(claim: Claim, part: ClaimedPart, runner: RunnerProcess): Promise<string> {
    const { number, run } = part;
    const attempt = { id: claim.job.id, fence: claim.fence, part: { number, run } };
    const { log } = this.#options;
    const stopWatch = this.#scratch.begin(claim.job.owner, runner);
    try {
      return await this.#run(claim, part, attempt, runner);
    } catch (error) {
      if (isDiskFull(error) || isUnavailable(error))
        return await this.#afterStorageFault(attempt, part, runner, asGeomillError(error).toPlain());
      if (runner.death !== null) return await this.#afterDeath(attempt, part, runner, runner.death);
      const ending = await this.#retry(attempt, part, asGeomillError(error).toPlain());
      // Else its job has ended meanwhile, and its files with it.
      if (ending !== 'cancelled')
        log.error({ ...factsOf(claim), err: error }, 'a part of a job could not be carried out');
      return ending;
    } finally {
      stopWatch();
    }
  }

  async #run(claim: Claim, part: ClaimedPart, attempt: PartAttempt, runner: RunnerProcess): Promise<string> {
    const { job } = claim;
    const { runner: settings } = this.#options;
    if (runner.death !== null) return await this.#afterDeath(attempt, part, runner, runner.death);
    const { inputPaths, outputPath } = await runner.slot.prepare(1, 'result');
    const { slot } = runner;
    const parts = this.#files;
    const { task } = part;
    const get = async (name: string, path: string): Promise<string> => {
      const local = join(slot.directory, path);
      await parts.get(attempt, name, local);
      slot.giveInput(local);
      return path;
    };
    const session = await get(task.session, 'in/session');
    const tasks = await get(task.tasks, 'in/tasks');
    const moved: [string, string][] = [];
    for (const [i, { name, path }] of task.files.entries())
      moved.push([path, await get(name, `in/file-${i}`)]);
    let readableEnd: number | null = null;
    if (task.range !== undefined) {
      const { range } = task;
      const end = range === null ? 0 : range[1] + SLACK_BYTES;
      const [{ fileIndex }] = job.inputs;
      await parts.getInput(
        inputKey(job.id, fileIndex),
        inputPaths[0],
        range === null ? null : [range[0], end],
      );
      slot.giveInput(inputPaths[0]);
      if (range !== null) readableEnd = end - MARGIN_BYTES;
    }
    const order = { session, tasks, result: 'out/result', readableEnd, moved };
    const { gridDirectory, threads } = settings;
    const outcome = await runner.runPart({ ...order, gridDirectory, threads }, this.#progressTeller(attempt));
    let ending: string;
    if (outcome.kind === 'part done') ending = await this.#finish(attempt, outputPath);
    else if (outcome.kind === 'failed') ending = await this.#afterFailure(attempt, part, runner, outcome);
    else ending = await this.#afterDeath(attempt, part, runner, outcome);
    if (runner.death === null) slot.clear().catch(() => runner.kill('retired'));
    return ending;
  }

  async #finish(attempt: PartAttempt, path: string): Promise<string> {
    const name = resultName(attempt.part);
    await this.#files.put(attempt, name, path);
    if (await this.#recovery.keep(() => this.#queue.finish(attempt))) {
      this.#options.observer?.partRan();
      return 'succeeded';
    }
    await this.#files.remove(attempt, name);
    return 'cancelled';
  }

  get #files(): NonNullable<JobServiceOptions['store']['parts']> {
    const { parts } = this.#options.store;
    if (parts === null) throw new Error('a part was claimed, but the store is not shared');
    return parts;
  }

  #progressTeller(attempt: PartAttempt): (progress: Progress) => void {
    let lastAt = performance.now();
    return ({ fraction }) => {
      const now = performance.now();
      if (now - lastAt < PROGRESS_MS) return;
      lastAt = now;
      // Only shown: the next one tells more.
      this.#queue.progressed(attempt, fraction).catch(() => {});
    };
  }

  async #afterFailure(
    attempt: PartAttempt,
    part: ClaimedPart,
    runner: RunnerProcess,
    { error, log }: Extract<PartOutcome, { kind: 'failed' }>,
  ): Promise<string> {
    if (error.code === 'STORAGE_FULL') return this.#afterStorageFault(attempt, part, runner, error);
    if (log !== null)
      this.#options.log.error(
        { jobId: attempt.id, fence: attempt.fence, part: part.number, cause: log },
        'a part of a job failed by our fault',
      );
    return this.#fail(attempt, error);
  }

  async #afterDeath(
    attempt: PartAttempt,
    part: ClaimedPart,
    dead: RunnerProcess,
    { cause, detail }: { readonly cause: DeathCause; readonly detail: string },
  ): Promise<string> {
    const { runner, log } = this.#options;
    switch (cause) {
      case 'cancelled':
        // Its job has ended, or another run has replaced this one.
        return 'cancelled';
      case 'memory':
        return this.#fail(
          attempt,
          plainError(pipelineErrors.JOB_OUT_OF_MEMORY, {
            limit: `${Math.round(runner.memoryBytes / 1024 ** 2)} MiB, RUNNER_MEMORY`,
          }),
        );
      case 'scratch':
        return this.#fail(
          attempt,
          this.#scratch.errorOf(dead) ?? plainError(generalErrors.INTERNAL, { reason: detail }),
        );
      case 'message':
        log.error(
          { jobId: attempt.id, fence: attempt.fence, part: part.number, detail },
          'a runner was stopped for a message that it may not send',
        );
        return this.#fail(attempt, plainError(remoteInputErrors.RUNNER_MESSAGE_INVALID, { reason: detail }));
      case 'crash':
        log.warn(
          { jobId: attempt.id, fence: attempt.fence, part: part.number, detail },
          'the process of a part of a job died',
        );
        return this.#retry(
          attempt,
          part,
          plainError(jobErrors.JOB_ATTEMPTS_EXHAUSTED, { attempts: part.attempts, reason: detail }),
        );
      default:
        return this.#requeue(attempt, true);
    }
  }

  async #afterStorageFault(
    attempt: PartAttempt,
    part: ClaimedPart,
    runner: RunnerProcess,
    error: PlainError,
  ): Promise<string> {
    this.#options.log.warn(
      { jobId: attempt.id, fence: attempt.fence, part: part.number, error },
      error.code === 'STORAGE_FULL'
        ? 'no disk space was left for a part of a job'
        : 'the store failed for a part of a job',
    );
    if (await storageStillFails(runner, this.#options, this.#recovery)) return this.#requeue(attempt, true);
    return this.#retry(attempt, part, error);
  }

  /** Another attempt, or failure with this error after the last one. */
  async #retry(attempt: PartAttempt, part: ClaimedPart, error: PlainError): Promise<string> {
    if (part.attempts >= this.#options.maxAttempts) return this.#fail(attempt, error);
    return this.#requeue(attempt, false);
  }

  async #requeue(attempt: PartAttempt, uncounted: boolean): Promise<string> {
    const write = (): Promise<boolean> => this.#queue.requeue(attempt, uncounted);
    return (await this.#recovery.keep(write)) ? 'requeued' : 'cancelled';
  }

  async #fail(attempt: PartAttempt, error: PlainError): Promise<string> {
    return (await this.#recovery.keep(() => this.#queue.fail(attempt, error))) ? error.code : 'cancelled';
  }
}
