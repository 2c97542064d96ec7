/**
 * The main loop of a runner process: performs one task after the other and answers each with 'done' or 'failed'. The
 * function that performs a task is a parameter, so that tests run the same loop with a conversion of their own.
 */
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { asGeomillError, failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { MAX_LOGGED, shortText } from '@geomill/core/messages/short-text.ts';
import type { Division } from '@geomill/pipeline/division/division.ts';
import type { PartOrder } from '@geomill/pipeline/division/run-part.ts';
import { pipelineErrors } from '@geomill/pipeline/errors.ts';
import { NO_FEATURES } from '@geomill/pipeline/findings-file.ts';
import type { JobReport, Progress } from '@geomill/pipeline/report.ts';
import type { ConversionPaths, JobRequest } from '@geomill/pipeline/request.ts';
import { openChildEnd } from '../processes/process-channel.ts';
import { openDivision, type RunnerDivision } from './runner-division.ts';
import type { FromRunner, RunnerTask, ToRunner } from './runner-messages.ts';

/** Performs a task. Its report is bounded. */
export type Perform = (
  request: JobRequest,
  paths: ConversionPaths,
  control: {
    readonly signal: AbortSignal;
    onProgress(progress: Progress): void;
    readonly division?: Division;
  },
) => Promise<JobReport>;

export type PerformPart = (order: PartOrder, onProgress: (fraction: number) => void) => Promise<void>;

/** Minimum time between two progress messages of one stage. */
const PROGRESS_INTERVAL_MS = 100;

/**
 * Performs tasks until the channel closes. When the service ends, by kill -9 or otherwise, the channel closes and
 * this process ends; the next service starts its job again.
 */
export function serveTasks(
  perform: Perform,
  warm: (directory: string) => Promise<void>,
  performPart: PerformPart = () => Promise.reject(new Error('no parts here')),
): void {
  // Never aborted: the service cancels by killing the process, which also stops code that checks no signal.
  const { signal } = new AbortController();
  let division: RunnerDivision | null = null;
  const send = openChildEnd<ToRunner, FromRunner>((message) => {
    if (message.type === 'run') {
      const { paths, division: settings } = message.task;
      division = settings === undefined ? null : openDivision(settings.partBytes, paths.inputs[0].path, send);
      void runTask(perform, message.task, { signal, ...(division === null ? {} : { division }) }, send);
    } else if (message.type === 'part') void runPartTask(performPart, message.order, send);
    else if (message.type === 'own' || message.type === 'result') division?.receive(message);
    // A failed warm-up is ignored: the job will report the error.
    else
      void warm(message.directory).then(
        () => send({ type: 'warmed' }),
        () => send({ type: 'warmed' }),
      );
  });
  send({ type: 'loaded' });
}

type Send = (message: FromRunner) => void;

async function runTask(
  perform: Perform,
  task: RunnerTask,
  control: Omit<Parameters<Perform>[2], 'onProgress'>,
  send: Send,
): Promise<void> {
  try {
    const report = await perform(task.request, task.paths, { ...control, onProgress: progressSender(send) });
    const findingsBytes = appendFindings(task.paths);
    send({
      type: 'done',
      report,
      ...(findingsBytes === 0 ? {} : { findingsBytes }),
    });
  } catch (thrown) {
    sendFailure(thrown, send);
  }
}

async function runPartTask(perform: PerformPart, order: PartOrder, send: Send): Promise<void> {
  const tell = progressSender(send);
  try {
    await perform(order, (fraction) => tell({ fraction, stage: 'converting' }));
    send({ type: 'part-done' });
  } catch (thrown) {
    sendFailure(thrown, send);
  }
}

function sendFailure(thrown: unknown, send: Send): void {
  const error = recognize(thrown);
  const log = error.fault === 'ours' ? stackOf(error) : null;
  send({ type: 'failed', error: error.toPlain(), log });
}

/**
 * Appends the findings to the output, so that both are taken over, counted and removed as one file. Returns their
 * bytes; 0: there are none.
 */
function appendFindings({ findingsPath, outputPath }: ConversionPaths): number {
  if (findingsPath === undefined || !existsSync(findingsPath)) return 0;
  const findings = readFileSync(findingsPath);
  if (findings.subarray(-NO_FEATURES.length).toString() === NO_FEATURES) return 0;
  appendFileSync(outputPath, findings);
  rmSync(findingsPath);
  return findings.length;
}

function progressSender(send: Send): (progress: Progress) => void {
  let lastSentAt = 0;
  let lastStage: Progress['stage'] | null = null;
  return (progress) => {
    const now = performance.now();
    // A new stage is always sent: there are few, and the next message may be minutes away.
    if (now - lastSentAt < PROGRESS_INTERVAL_MS && progress.stage === lastStage) return;
    lastSentAt = now;
    lastStage = progress.stage;
    send({ type: 'progress', progress });
  };
}

/** Node reports lack of memory in the runner by errors of its own. */
function recognize(thrown: unknown): GeomillError {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  if (cause instanceof Error) {
    const code = 'code' in cause ? cause.code : undefined;
    const allocation =
      cause instanceof RangeError && /allocation failed|invalid array buffer length/i.test(cause.message);
    if (code === 'ERR_WORKER_OUT_OF_MEMORY' || code === 'ERR_MEMORY_ALLOCATION_FAILED' || allocation)
      return failure(pipelineErrors.JOB_OUT_OF_MEMORY, { limit: 'RUNNER_MEMORY' }, undefined, cause);
  }
  return asGeomillError(thrown);
}

function stackOf(error: GeomillError): string {
  const { cause } = error;
  return shortText((cause instanceof Error ? cause.stack : error.stack) ?? error.message, MAX_LOGGED);
}
