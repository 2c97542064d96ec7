/** GET /result/status/{job_id} and /result/output/{job_id}: the job API's view of a job. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { FastifyRequest } from 'fastify';
import { errorText, type Job, type JobSummary } from '../../jobs/job.ts';
import { baseUrlOf, type HttpContext, jobsOf } from '../context.ts';
import { httpErrors } from '../errors.ts';
import type { Operation, Parameter } from '../operation.ts';
import { outputResponses } from '../schemas/outputs.ts';
import { ref } from '../schemas/schema.ts';
import { sendOutput } from '../send-output.ts';

export const jobIdParameter: Parameter = {
  in: 'path',
  name: 'job_id',
  schema: { type: 'string' },
  description: 'Id returned by the submission.',
  required: true,
};

export const getStatus: Operation = {
  id: 'getStatus',
  method: 'GET',
  path: '/result/status/{job_id}',
  tag: 'Jobs',
  access: 'jobs:read',
  summary: 'Get the state of a job',
  description: 'Repeat until the state is SUCCESS or FAILED.',
  parameters: [jobIdParameter],
  responses: {
    200: { description: 'The state.', content: { 'application/json': { schema: ref('JobStatus') } } },
  },
  examples: ['curl BASE_URL/result/status/JOB_ID'],
  handle: async (context, request, reply) => {
    const job = await findJobSummary(context, request);
    reply.header('cache-control', 'no-store');
    return statusOf(job, baseUrlOf(context, request));
  },
};

export const getOutput: Operation = {
  id: 'getOutput',
  method: 'GET',
  path: '/result/output/{job_id}',
  tag: 'Jobs',
  access: 'jobs:read',
  summary: 'Download the output of a job',
  description:
    'Returns the file, or the FeatureCollection itself if `to_file` was false. Available until it expires.',
  parameters: [jobIdParameter],
  responses: outputResponses,
  examples: ['curl -OJ BASE_URL/result/output/JOB_ID'],
  handle: async (context, request, reply) =>
    sendOutput(context, request, reply, await findJob(context, request)),
};

/** Exactly the fields that the specification has for each state. */
function statusOf(job: JobSummary, baseUrl: string): Readonly<Record<string, string>> {
  const status = { job_id: job.id, status: job.state };
  if (job.state === 'SUCCESS') return { ...status, output_url: outputUrl(job, baseUrl) };
  if (job.state === 'FAILED' && job.error !== null) return { ...status, error: errorText(job.id, job.error) };
  return status;
}

export function outputUrl({ id }: { readonly id: string }, baseUrl: string): string {
  return `${baseUrl}/result/output/${id}`;
}

/** The job that the path names, as such or as a task. Throws JOB_UNKNOWN. */
export function findJob(context: HttpContext, request: FastifyRequest): Promise<Job> {
  return find(request, (id) => jobsOf(context, request).get(id));
}

/** The same for who needs neither request nor report: questions for the state are by far the most frequent. */
export function findJobSummary(context: HttpContext, request: FastifyRequest): Promise<JobSummary> {
  return find(request, (id) => jobsOf(context, request).summary(id));
}

async function find<Found>(
  request: FastifyRequest,
  get: (id: string) => Promise<Found | null>,
): Promise<Found> {
  const params = request.params as { readonly job_id: string } | { readonly task_id: string };
  const id = 'job_id' in params ? params.job_id : params.task_id;
  const job = id.length > 100 ? null : await get(id);
  if (job === null) throw failure(httpErrors.JOB_UNKNOWN, { id: id.slice(0, 100) });
  return job;
}
