/** One attempt at a job: gives the job to a runner, and stores the output or records the failure. */
import { dirname, join, relative } from 'node:path';
import {
  asGeomillError,
  GeomillError,
  isDiskFull,
  type PlainError,
  plainError,
} from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { PLATFORM_TIMERS } from '@geomill/core/timers.ts';
import { describeOutput, type OutputFormat } from '@geomill/library/output-name.ts';
import { completedReport } from '@geomill/pipeline/completed-report.ts';
import { pipelineErrors } from '@geomill/pipeline/errors.ts';
import type { Progress } from '@geomill/pipeline/report.ts';
import type { ConversionPaths, JobRequest } from '@geomill/pipeline/request.ts';
import { catalogue } from '../catalogue.ts';
import { remoteInputErrors } from '../remote-input/errors.ts';
import type { JobFiles } from '../storage/workspace.ts';
import { NO_TRACES, traced } from '../tracing/tracer.ts';
import { type Attempt, AttemptResults } from './attempt-results.ts';
import { StageSpans } from './attempt-trace.ts';
import { jobErrors } from './errors.ts';
import { storageStillFails } from './failing-storage.ts';
import type { ProvidedInputs } from './fetch-input.ts';
import { convertedInputs, type Job, type JobInput } from './job.ts';
import type { JobServiceOptions } from './job-service-options.ts';
import type { AttemptOutcome } from './observer.ts';
import { provideInputs } from './provide-inputs.ts';
import type { Claim } from './queue.ts';
import { isUnavailable, type Recovery } from './recovery.ts';
import type { RunnerTask } from './runner-messages.ts';
import type { DeathCause, RunnerProcess, RunOutcome } from './runner-process.ts';
import type { ScratchWatch } from './scratch-watch.ts';

export interface AttemptEvents {
  onProgress(progress: Progress): void;
  /** The job may be divided; `look` is called when parts may have changed. */
  onParts(parts: { look(): void }): void;
}

const KILL_INTERVAL_MS = 1000;
/** Name of the file of findings, which the runner appends to the output. */
const FINDINGS = 'findings.geojson';

export class Attempts {
  readonly #options: JobServiceOptions;
  readonly #recovery: Recovery;
  readonly #results: AttemptResults;
  readonly #scratch: ScratchWatch;

  constructor(options: JobServiceOptions, recovery: Recovery, scratch: ScratchWatch) {
    this.#options = options;
    this.#recovery = recovery;
    this.#results = new AttemptResults(options, recovery);
    this.#scratch = scratch;
  }

  /**
   * Resolves with the outcome when the result of the attempt is in the job's row, however long that takes. Rejects when the service
   * stops before, or when the result cannot be recorded.
   */
  async make(claim: Attempt, runner: RunnerProcess, events: AttemptEvents): Promise<AttemptOutcome> {
    const stopWatch = this.#scratch.begin(claim.job.owner, runner);
    try {
      return await this.#run(claim, runner, events);
    } catch (error) {
      // The slot of a runner is removed when it dies: a missing slot is a dead runner, not a disk error.
      if (isDiskFull(error) || isUnavailable(error))
        return await this.#afterStorageFault(claim, runner, asGeomillError(error).toPlain());
      if (runner.death === null) return await this.#giveUp(claim, error);
      return await this.#afterDeath(claim, runner, runner.death);
    } finally {
      stopWatch();
    }
  }

  async #run(claim: Attempt, runner: RunnerProcess, events: AttemptEvents): Promise<AttemptOutcome> {
    const options = this.#options;
    const { job } = claim;
    if (runner.death !== null) return this.#afterDeath(claim, runner, runner.death);
    const basis = outputBasis(job.request, job.inputs);
    const files = await runner.slot.prepare(
      job.inputs.length,
      describeOutput(basis, this.#formatOf(job)).pathName,
    );
    const stopTimer = this.#endAfter(options.jobTimeoutMs, runner);
    let outcome: AttemptOutcome;
    try {
      const provided = await provideInputs(claim, files.inputPaths, runner, options);
      if (provided.kind === 'provided') outcome = await this.#convert(claim, runner, files, provided, events);
      else if (provided.kind === 'failed' && provided.error.code === 'STORAGE_FULL')
        outcome = await this.#afterStorageFault(claim, runner, provided.error);
      else if (provided.kind === 'failed')
        outcome = await this.#afterFailure(claim, provided.error, provided.log);
      else outcome = await this.#afterFetcherDeath(claim, runner, provided.detail, provided.log);
    } finally {
      stopTimer();
    }
    // The slot of a dead runner is removed already. Not awaited: `prepare` of the next job does that.
    if (runner.death === null) runner.slot.clear().catch(() => runner.kill('retired'));
    return outcome;
  }

  /** Kills the runner after this time, and repeats that until it has ended. */
  #endAfter(ms: number, runner: RunnerProcess): () => void {
    const { timers = PLATFORM_TIMERS } = this.#options;
    const end = (): void => {
      cancel = timers.after(KILL_INTERVAL_MS, end);
      try {
        runner.kill('timeout');
      } catch (error) {
        this.#options.log.error({ err: error }, 'a runner that is out of time could not be ended');
      }
    };
    let cancel = timers.after(ms, end);
    return () => cancel();
  }

  async #convert(
    claim: Attempt,
    runner: RunnerProcess,
    files: JobFiles,
    { inputs: provided, findings, fetched, fetchedSources }: ProvidedInputs,
    events: AttemptEvents,
  ): Promise<AttemptOutcome> {
    const options = this.#options;
    const { job } = claim;
    const inputs = convertedInputs(provided);
    const format = this.#formatOf(job);
    // The name of a fetched file is known only now.
    const { fileName, pathName } = describeOutput(outputBasis(job.request, inputs), format);
    const outputPath = join(dirname(files.outputPath), pathName);
    const { tracer = NO_TRACES } = options;
    const conversion = tracer.span('convert', 'internal', { parent: claim.span.context });
    const stages = new StageSpans(tracer, conversion.context);
    const outcome = await this.#perform(
      claim,
      runner,
      {
        request: job.request,
        paths: {
          outputPath,
          findingsPath: join(files.scratchDirectory, FINDINGS),
          scratchDirectory: files.scratchDirectory,
          inputs: inputs.map(({ name, isUnnamed }, index) => ({
            path: files.inputPaths[index],
            name,
            isUnnamed,
          })),
          stepInputs: Object.fromEntries(
            provided.flatMap(({ stepInput, name }, index) =>
              stepInput === undefined ? [] : [[stepInput, { path: files.inputPaths[index], name }]],
            ),
          ),
          gridDirectory: options.runner.gridDirectory,
          threads: options.runner.threads,
          limits: options.limits,
          ...(options.outputTimeMs === undefined ? {} : { timeMs: options.outputTimeMs }),
        },
      },
      inputs,
      {
        ...events,
        onProgress(progress) {
          stages.enter(progress.stage);
          events.onProgress(progress);
        },
      },
    );
    stages.end(outcome.kind === 'done');
    if (outcome.kind === 'failed') conversion.fail(outcome.error.code);
    if (outcome.kind === 'died') conversion.fail(`runner_${outcome.cause}`);
    conversion.end();
    if (outcome.kind === 'done') {
      const { findingsBytes } = outcome;
      const { byteLength } = await traced(
        tracer,
        'store output',
        'internal',
        { parent: claim.span.context },
        async (span) => {
          const stored = await options.store.adopt(job.id, claim.fence, outputPath, findingsBytes);
          span.set({ 'geomill.bytes': stored.byteLength });
          return stored;
        },
      );
      const ended = await this.#results.succeed(
        claim,
        {
          byteLength: byteLength - findingsBytes,
          mediaType: format.mediaType,
          fileName,
          ...(findingsBytes === 0 ? {} : { findingsBytes }),
        },
        // Untrusted: only its parts were checked.
        completedReport(
          outcome.report,
          [...job.requestFindings, ...findings],
          { fetched, fetchedSources },
          catalogue,
        ),
      );
      return typeof ended === 'string' ? ended : this.#afterStorageFault(claim, runner, ended);
    }
    if (outcome.kind === 'died') return this.#afterDeath(claim, runner, outcome);
    if (outcome.error.code === 'STORAGE_FULL') return this.#afterStorageFault(claim, runner, outcome.error);
    return this.#afterFailure(claim, outcome.error, outcome.log);
  }

  /** Runs the task; with the help of other workers where the input is large enough. */
  async #perform(
    claim: Claim,
    runner: RunnerProcess,
    task: RunnerTask,
    inputs: readonly JobInput[],
    events: AttemptEvents,
  ): Promise<RunOutcome> {
    const { queue, store, division, log } = this.#options;
    const bytes = inputs.reduce((sum, { byteLength }) => sum + (byteLength ?? 0), 0);
    if (division === undefined || queue.shared === null || store.parts === null || bytes < division.fromBytes)
      return runner.run(task, events.onProgress);
    const { JobParts } = await import('./job-parts.ts');
    const parts = new JobParts({
      attempt: { id: claim.job.id, fence: claim.fence },
      ...{ queue: queue.shared.parts, files: store.parts, runner, log },
      hasStoredInput: inputs[0].url === undefined,
      keep: (write) => this.#recovery.keep(write),
      onProgress: events.onProgress,
    });
    events.onParts(parts);
    try {
      return await Promise.race([
        runner.run(
          {
            request: task.request,
            paths: withinSlot(task.paths, runner.slot.directory),
            division: { partBytes: division.partBytes },
          },
          (progress) => parts.progressed(progress),
          (message) => parts.receive(message),
        ),
        parts.failed.then((error): RunOutcome => {
          // It waits for the part.
          runner.kill('retired');
          return { kind: 'failed', error, log: null };
        }),
      ]);
    } finally {
      await parts.close();
    }
  }

  #formatOf({ request }: Job): OutputFormat {
    return this.#options.outputFormat(request);
  }

  async #afterFailure(claim: Attempt, error: PlainError, log: string | null): Promise<AttemptOutcome> {
    if (log !== null) this.#options.log.error({ ...claim.facts, cause: log }, 'a job failed by our fault');
    return this.#results.fail(claim, error);
  }

  /** It is killed with the runner, with the same cause; if it dies alone, it has crashed. */
  async #afterFetcherDeath(
    claim: Attempt,
    runner: RunnerProcess,
    detail: string,
    log: string,
  ): Promise<AttemptOutcome> {
    if (runner.death !== null) return this.#afterDeath(claim, runner, runner.death);
    this.#options.log.error({ ...claim.facts, detail, log }, 'a fetching process died');
    return this.#afterDeath(claim, runner, { cause: 'crash', detail });
  }

  async #afterDeath(
    claim: Attempt,
    dead: RunnerProcess,
    { cause, detail }: { readonly cause: DeathCause; readonly detail: string },
  ): Promise<AttemptOutcome> {
    const { jobTimeoutMs, maxAttempts, runner, log } = this.#options;
    switch (cause) {
      case 'timeout':
        return this.#results.fail(
          claim,
          plainError(jobErrors.JOB_TIMEOUT, { seconds: jobTimeoutMs / 1000, setting: 'JOB_TIMEOUT' }),
        );
      case 'memory':
        // No retry: it would need as much memory the next time.
        return this.#results.fail(
          claim,
          plainError(pipelineErrors.JOB_OUT_OF_MEMORY, {
            limit: `${Math.round(runner.memoryBytes / 1024 ** 2)} MiB, RUNNER_MEMORY`,
          }),
        );
      case 'scratch':
        // No retry, as for memory.
        return this.#results.fail(
          claim,
          this.#scratch.errorOf(dead) ?? plainError(generalErrors.INTERNAL, { reason: detail }),
        );
      case 'cancelled':
        // Normally recorded before the runner was killed.
        return this.#results.fail(claim, plainError(generalErrors.CANCELLED, {}));
      case 'stopped':
      case 'retired':
      case 'frozen':
        return this.#results.requeue(claim, true);
      case 'message':
        // No retry: the same input would cause the same message.
        log.error({ ...claim.facts, detail }, 'a runner was stopped for a message that it may not send');
        return this.#results.fail(
          claim,
          plainError(remoteInputErrors.RUNNER_MESSAGE_INVALID, { reason: detail }),
        );
      case 'crash':
        log.warn({ ...claim.facts, detail }, 'the process of a job died');
        if (claim.job.attempts >= maxAttempts)
          return this.#results.fail(
            claim,
            plainError(jobErrors.JOB_ATTEMPTS_EXHAUSTED, { attempts: claim.job.attempts, reason: detail }),
          );
        return this.#results.requeue(claim, false);
    }
  }

  /**
   * If storage still fails after the files of the attempt are removed, the job is not the cause: the attempt does not count, and jobs
   * wait. Otherwise the job itself may be too large for the disk: it has as many attempts as one that crashes.
   */
  async #afterStorageFault(
    claim: Attempt,
    runner: RunnerProcess,
    error: PlainError,
  ): Promise<AttemptOutcome> {
    const { maxAttempts, log } = this.#options;
    log.warn(
      { ...claim.facts, error },
      error.code === 'STORAGE_FULL' ? 'no disk space was left for a job' : 'the store failed for a job',
    );
    const stillFails = await storageStillFails(runner, this.#options, this.#recovery);
    if (!stillFails && claim.job.attempts >= maxAttempts) return this.#results.fail(claim, error);
    return this.#results.requeue(claim, stillFails);
  }

  /** The service's disk or database failed during the attempt. */
  async #giveUp(claim: Attempt, thrown: unknown): Promise<AttemptOutcome> {
    const { log } = this.#options;
    log.error({ ...claim.facts, err: thrown }, 'a job could not be carried out');
    const known = thrown instanceof GeomillError && thrown.fault === 'user' ? thrown.toPlain() : null;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return this.#results.fail(claim, known ?? plainError(generalErrors.INTERNAL, { reason }));
  }
}

/** The paths relative to the slot, in which all workers arrange files alike. */
function withinSlot(paths: ConversionPaths, slot: string): ConversionPaths {
  const within = (path: string): string => relative(slot, path);
  const { inputs, stepInputs = {}, findingsPath, outputPath, scratchDirectory } = paths;
  return {
    ...paths,
    outputPath: within(outputPath),
    ...(findingsPath === undefined ? {} : { findingsPath: within(findingsPath) }),
    scratchDirectory: within(scratchDirectory),
    inputs: inputs.map((input) => ({ ...input, path: within(input.path) })),
    stepInputs: Object.fromEntries(
      Object.entries(stepInputs).map(([name, file]) => [name, { ...file, path: within(file.path) }]),
    ),
  };
}

/** The input name that the output is named after. */
function outputBasis(request: JobRequest, inputs: readonly JobInput[]): string {
  if (request.operation === 'merge') return 'merged';
  return inputs[0].isUnnamed ? 'output' : inputs[0].name;
}
