/** Jobs as /v1/jobs tells them: the whole record of one, and the short one of lists, which is a part of it. */
import { reviveError } from '@geomill/core/messages/errors.ts';
import { shownFindings } from '@geomill/core/messages/findings.ts';
import { listWithin, MAX_COMPOSED, shortText } from '@geomill/core/messages/short-text.ts';
import { type Progress, snakeCaseKeys } from '@geomill/pipeline/report.ts';
import { errorDocument, reportDocument, requestDocument } from '@geomill/pipeline/report-document.ts';
import { catalogue } from '../../catalogue.ts';
import { convertedInputs, errorText, isFinal, type Job, type JobSummary } from '../../jobs/job.ts';
import { outputUrl } from './result.ts';

/** Maximum size of the list of files in the document of a job. */
const FILES_BYTES = 300_000;
/** Number of files of each job in a list of jobs. */
export const LISTED_FILES = 10;

/** `progress`: of a running job; null if it has reported none. */
export function describeJob(job: Job, progress: Progress | null, baseUrl: string): object {
  const { input, output } = job.request;
  const files = convertedInputs(job.inputs);
  const isInspection = job.operation === 'inspect';
  return {
    job_id: job.id,
    status: job.state,
    progress: progressOf(job, progress),
    attempts: job.attempts,
    operation: job.operation,
    input: {
      format: input.format,
      files: listWithin(
        files.map(({ name, byteLength }, i) => ({
          name,
          bytes: byteLength,
          crs: shortCrs(input.files[i].crs),
        })),
        FILES_BYTES,
      ),
      file_count: files.length,
    },
    output: {
      format: job.outputFormat,
      crs: isInspection ? null : shortCrs(output?.crs ?? null),
      ...describeOutput(job, baseUrl),
    },
    ...timesOf(job),
    timings: {
      waited_ms: job.startedAt === null ? null : job.startedAt - job.createdAt,
      ran_ms: job.startedAt === null || job.endedAt === null ? null : job.endedAt - job.startedAt,
    },
    // The report's own warnings begin with those of the request; before there is one, these are all.
    warnings: snakeCaseKeys(shownFindings(job.report?.warnings ?? job.requestFindings, catalogue)),
    // The report of an inspection is its output.
    report:
      job.report === null || !('input' in job.report) || job.request.operation === 'inspect'
        ? null
        : reportDocument(job.report, job.request, catalogue),
    request: requestDocument(job.request),
    error:
      job.error === null
        ? null
        : errorDocument(reviveError(job.error, catalogue), errorText(job.id, job.error)),
  };
}

/** `error` is the sentence alone and `warning_count` a number of kinds: a list of 200 is to be read, not studied. */
export function describeShortly(job: JobSummary, baseUrl: string): object {
  const files = convertedInputs(job.inputs);
  return {
    job_id: job.id,
    status: job.state,
    operation: job.operation,
    input: {
      format: job.inputFormat,
      files: files.slice(0, LISTED_FILES).map(({ name, byteLength }) => ({ name, bytes: byteLength })),
      file_count: files.length,
    },
    output: { format: job.outputFormat, ...describeOutput(job, baseUrl) },
    ...timesOf(job),
    warning_count: job.warningCount,
    severities: job.severities,
    error: job.error === null ? null : errorText(job.id, job.error),
  };
}

/** A request may state it as a WKT of any length. */
function shortCrs(crs: string | null): string | null {
  return crs === null ? null : shortText(crs, MAX_COMPOSED);
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
