/** GET /v1/jobs/{id}: all there is to know about a job. */
import { errorText, isFinal, type Job } from '../../jobs/job.ts';
import type { Progress } from '../../pipeline/report.ts';
import { baseUrlOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { ref } from '../schemas/schema.ts';
import { findJob, jobIdParameter, outputUrl } from './result.ts';

export const getJob: Operation = {
  id: 'getJob',
  method: 'GET',
  path: '/v1/jobs/{job_id}',
  tag: 'Jobs',
  summary: 'All there is to know about a job',
  description: 'State, progress, times, attempts, expiry, the report or the error.',
  parameters: [jobIdParameter],
  responses: {
    200: { description: 'The job.', content: { 'application/json': { schema: ref('Job') } } },
  },
  examples: ['curl BASE_URL/v1/jobs/JOB_ID'],
  handle: async (context, request, reply) => {
    const job = await findJob(context, request);
    reply.header('cache-control', 'no-store');
    return describeJob(job, context.service.progressOf(job.id), baseUrlOf(context, request));
  },
};

function describeJob(job: Job, progress: Progress | null, baseUrl: string): object {
  const { input, output } = job.request;
  return {
    job_id: job.id,
    status: job.state,
    progress: progressOf(job, progress),
    attempts: job.attempts,
    operation: job.request.operation,
    input: {
      format: input.format,
      files: job.inputs.map(({ name, byteLength }, i) => ({
        name,
        bytes: byteLength,
        crs: input.files[i].crs,
      })),
    },
    output: {
      format: output?.format ?? null,
      crs: output?.crs ?? null,
      ...(job.output === null
        ? {}
        : {
            name: job.output.fileName,
            bytes: job.output.byteLength,
            media_type: job.output.mediaType,
            ...(job.outputKept ? { url: outputUrl(job, baseUrl) } : {}),
          }),
    },
    created_at: timeText(job.createdAt),
    started_at: timeText(job.startedAt),
    ended_at: timeText(job.endedAt),
    expires_at: timeText(job.expiresAt),
    timings: {
      waited_ms: job.startedAt === null ? null : job.startedAt - job.createdAt,
      ran_ms: job.startedAt === null || job.endedAt === null ? null : job.endedAt - job.startedAt,
    },
    // The report's own warnings begin with those of the request; before there is one, these are all.
    warnings: snakeCase(job.report?.warnings ?? job.requestFindings),
    report: snakeCase(job.report),
    error:
      job.error === null
        ? null
        : { code: job.error.code, message: errorText(job.id, job.error), place: job.error.place ?? null },
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

/** Keys as the API writes them. All keys of a report are ours, so none of the user's is changed. */
function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCase(inner),
    ]),
  );
}
