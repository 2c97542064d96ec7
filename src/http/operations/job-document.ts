/** Jobs as /v1/jobs tells them: the whole record of one, and the short one of lists, which is a part of it. */
import { convertedInputs, errorText, isFinal, type Job, type JobSummary } from '../../jobs/job.ts';
import { type Progress, snakeCaseKeys } from '../../pipeline/report.ts';
import { outputUrl } from './result.ts';

/** `progress`: of a running job, null where it has told none. */
export function describeJob(job: Job, progress: Progress | null, baseUrl: string): object {
  const { input, output } = job.request;
  const isInspection = job.operation === 'inspect';
  return {
    job_id: job.id,
    status: job.state,
    progress: progressOf(job, progress),
    attempts: job.attempts,
    operation: job.operation,
    input: {
      format: input.format,
      files: convertedInputs(job.inputs).map(({ name, byteLength }, i) => ({
        name,
        bytes: byteLength,
        crs: input.files[i].crs,
      })),
    },
    output: {
      format: job.outputFormat,
      crs: isInspection ? null : (output?.crs ?? null),
      ...describeOutput(job, baseUrl),
    },
    ...timesOf(job),
    timings: {
      waited_ms: job.startedAt === null ? null : job.startedAt - job.createdAt,
      ran_ms: job.startedAt === null || job.endedAt === null ? null : job.endedAt - job.startedAt,
    },
    // The report's own warnings begin with those of the request; before there is one, these are all.
    warnings: snakeCaseKeys(job.report?.warnings ?? job.requestFindings),
    // The report of an inspection is its output.
    report: isInspection ? null : snakeCaseKeys(job.report),
    error:
      job.error === null
        ? null
        : { code: job.error.code, message: errorText(job.id, job.error), place: job.error.place ?? null },
  };
}

/** `error` is the sentence alone and `warning_count` a number of kinds: a list of 200 is to be read, not studied. */
export function describeShortly(job: JobSummary, baseUrl: string): object {
  return {
    job_id: job.id,
    status: job.state,
    operation: job.operation,
    input: {
      format: job.inputFormat,
      files: convertedInputs(job.inputs).map(({ name, byteLength }) => ({ name, bytes: byteLength })),
    },
    output: { format: job.outputFormat, ...describeOutput(job, baseUrl) },
    ...timesOf(job),
    warning_count: job.warningCount,
    error: job.error === null ? null : errorText(job.id, job.error),
  };
}

function describeOutput({ id, output, outputKept }: JobSummary, baseUrl: string): object {
  if (output === null) return {};
  return {
    name: output.fileName,
    bytes: output.byteLength,
    media_type: output.mediaType,
    ...(outputKept ? { url: outputUrl({ id }, baseUrl) } : {}),
  };
}

function timesOf({ createdAt, startedAt, endedAt, expiresAt }: JobSummary): object {
  return {
    created_at: timeText(createdAt),
    started_at: timeText(startedAt),
    ended_at: timeText(endedAt),
    expires_at: timeText(expiresAt),
  };
}

function progressOf(job: Job, progress: Progress | null): object {
  if (isFinal(job.state)) return { fraction: 1, stage: 'ended' };
  if (job.state === 'QUEUED') return { fraction: 0, stage: 'waiting' };
  return progress ?? { fraction: 0, stage: 'opening' };
}

function timeText(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
