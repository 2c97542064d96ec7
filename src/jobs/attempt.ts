/** One attempt at a job: hands it to a runner and files what comes of it, whatever comes of it. */
import { GeomillError, type PlainError } from '../errors.ts';
import type { InputLimits } from '../io/limits.ts';
import type { JobReport, Progress } from '../pipeline/report.ts';
import type { JobRequest } from '../pipeline/request.ts';
import { type FileStore, inputKey } from '../storage/store.ts';
import { isFinal, type Job, type JobOutput, type JobState, type JobSummary } from './job.ts';
import { describeOutput, type OutputFormat } from './output-name.ts';
import type { Claim, JobQueue } from './queue.ts';
import type { DeathCause, RunnerOptions, RunnerProcess } from './runner-process.ts';

export interface JobServiceOptions {
  readonly queue: JobQueue;
  readonly store: FileStore;
  readonly runner: RunnerOptions & { readonly count: number; readonly threads: number };
  readonly limits: InputLimits;
  readonly jobTimeoutMs: number;
  readonly maxAttempts: number;
  readonly graceMs: number;
  readonly outputRetentionMs: number;
  readonly recordRetentionMs: number;
  /** Facts of the output of a request. */
  readonly outputFormat: (request: JobRequest) => OutputFormat;
  readonly log: JobLog;
  readonly observer?: JobObserver;
}

/** The part of a pino logger that is used here. */
export interface JobLog {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}

/** Is told what happens; for metrics. */
export interface JobObserver {
  jobEnded(job: JobSummary, state: JobState, waitedMs: number, ranMs: number, outputBytes: number): void;
  runnerDied(cause: DeathCause): void;
}

export class Attempts {
  readonly #options: JobServiceOptions;

  constructor(options: JobServiceOptions) {
    this.#options = options;
  }

  /** Resolves when the job's row says what came of the attempt; rejects when that could not be recorded. */
  async make(claim: Claim, runner: RunnerProcess, onProgress: (progress: Progress) => void): Promise<void> {
    try {
      await this.#run(claim, runner, onProgress);
    } catch (error) {
      // A runner that dies takes its slot along; what fails for want of the slot is its death, no fault of the disk.
      if (runner.death === null) await this.#giveUp(claim, error);
      else await this.#afterDeath(claim, runner.death.cause, runner.death.detail);
    }
  }

  async #run(claim: Claim, runner: RunnerProcess, onProgress: (progress: Progress) => void): Promise<void> {
    const options = this.#options;
    const { job } = claim;
    if (runner.death !== null) return this.#afterDeath(claim, runner.death.cause, runner.death.detail);
    const format = options.outputFormat(job.request);
    const output = describeOutput(outputBasis(job), format);
    const { inputPaths, ...files } = runner.slot.prepare(job.inputs.length, output.pathName);
    for (const [index, path] of inputPaths.entries())
      await options.store.provide(inputKey(job.id, job.inputs[index].fileIndex), path);
    const timer = setTimeout(() => runner.kill('timeout'), options.jobTimeoutMs);
    const outcome = await runner.run(
      {
        request: job.request,
        place: {
          ...files,
          inputs: inputPaths.map((path, index) => ({ path, name: job.inputs[index].name })),
          gridDirectory: options.runner.gridDirectory,
          threads: options.runner.threads,
          limits: options.limits,
        },
      },
      onProgress,
    );
    clearTimeout(timer);
    if (outcome.kind === 'done') {
      const { byteLength } = await options.store.adopt(job.id, files.outputPath);
      await this.#succeed(
        claim,
        { byteLength, mediaType: format.mediaType, fileName: output.fileName },
        outcome.report,
      );
    } else if (outcome.kind === 'failed') {
      if (outcome.log !== null)
        options.log.error({ jobId: job.id, cause: outcome.log }, 'a job failed by our fault');
      await this.#fail(claim, outcome.error);
    } else {
      await this.#afterDeath(claim, outcome.cause, outcome.detail);
    }
    // A slot whose runner died is gone and is not to come back.
    if (runner.death === null) runner.slot.clear();
  }

  async #succeed(claim: Claim, output: JobOutput, report: JobReport): Promise<void> {
    const { queue, store, outputRetentionMs, observer } = this.#options;
    const warnings = [...claim.job.requestFindings, ...report.warnings];
    const expiresAt = Date.now() + outputRetentionMs;
    const current = await queue.succeed(claim, output, { ...report, warnings }, expiresAt);
    if (!current) return this.#discardOutput(claim.job);
    this.#tellEnd(claim, 'SUCCESS', observer, output.byteLength);
    await removeInputs(store, claim.job);
  }

  /** The output of an attempt that was replaced belongs to the current one; that of a cancelled job to nobody. */
  async #discardOutput({ id }: Job): Promise<void> {
    const { queue, store } = this.#options;
    const now = await queue.summary(id);
    if (now === null || (isFinal(now.state) && now.state !== 'SUCCESS')) await store.remove('output', id);
  }

  async #fail(claim: Claim, error: PlainError): Promise<void> {
    const { queue, store, outputRetentionMs, observer } = this.#options;
    if (!(await queue.fail(claim, error, Date.now() + outputRetentionMs))) return;
    this.#tellEnd(claim, 'FAILED', observer, 0);
    await removeInputs(store, claim.job);
  }

  async #afterDeath(claim: Claim, cause: DeathCause, detail: string): Promise<void> {
    const { queue, jobTimeoutMs, maxAttempts, runner, log } = this.#options;
    switch (cause) {
      case 'timeout':
        return this.#fail(claim, {
          code: 'JOB_TIMEOUT',
          params: { seconds: jobTimeoutMs / 1000, setting: 'JOB_TIMEOUT' },
        });
      case 'memory':
        // Not tried again: it would need as much the next time.
        return this.#fail(claim, {
          code: 'JOB_OUT_OF_MEMORY',
          params: { limit: `${Math.round(runner.memoryBytes / 1024 ** 2)} MiB, RUNNER_MEMORY` },
        });
      case 'cancelled':
        // Recorded before the runner was killed; unless that went wrong.
        return this.#fail(claim, { code: 'CANCELLED', params: {} });
      case 'stopped':
      case 'retired':
        await queue.requeue(claim, true);
        return;
      case 'crash':
        log.warn({ jobId: claim.job.id, attempt: claim.attempt, detail }, 'the process of a job died');
        if (claim.attempt >= maxAttempts)
          return this.#fail(claim, {
            code: 'JOB_ATTEMPTS_EXHAUSTED',
            params: { attempts: claim.attempt, reason: detail },
          });
        await queue.requeue(claim, false);
    }
  }

  /** Something of ours failed around the attempt: the disk, the database. */
  async #giveUp(claim: Claim, thrown: unknown): Promise<void> {
    const { log } = this.#options;
    log.error({ jobId: claim.job.id, err: thrown }, 'a job could not be carried out');
    const known = thrown instanceof GeomillError && thrown.fault === 'user' ? thrown.toPlain() : null;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    await this.#fail(claim, known ?? { code: 'INTERNAL', params: { reason } });
  }

  #tellEnd(claim: Claim, state: JobState, observer: JobObserver | undefined, outputBytes: number): void {
    const { job } = claim;
    const startedAt = job.startedAt ?? job.createdAt;
    observer?.jobEnded(job, state, startedAt - job.createdAt, Date.now() - startedAt, outputBytes);
  }
}

/** The name that the output's is made from. */
function outputBasis({ request, inputs }: Job): string {
  if (request.operation === 'merge') return 'merged';
  return inputs[0].isUnnamed ? 'output' : inputs[0].name;
}

export async function removeInputs(store: FileStore, job: JobSummary): Promise<void> {
  for (const { fileIndex } of job.inputs) await store.remove('input', inputKey(job.id, fileIndex));
}
