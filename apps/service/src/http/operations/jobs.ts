/** One job as a whole: GET and DELETE /v1/jobs/{job_id}. */
import { failure } from '@geomill/core/messages/errors.ts';
import { baseUrlOf, jobsOf } from '../context.ts';
import { httpErrors } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { ref } from '../schemas/schema.ts';
import { describeJob } from './job-document.ts';
import { findJob, jobIdParameter } from './result.ts';

export const getJob: Operation = {
  id: 'getJob',
  method: 'GET',
  path: '/v1/jobs/{job_id}',
  tag: 'Jobs',
  access: 'jobs:read',
  summary: 'Get a job',
  description: 'State, progress, times, attempts, expiry, and the report or error.',
  parameters: [jobIdParameter],
  responses: {
    200: { description: 'The job.', content: { 'application/json': { schema: ref('Job') } } },
  },
  examples: ['curl BASE_URL/v1/jobs/JOB_ID'],
  handle: async (context, request, reply) => {
    const job = await findJob(context, request);
    reply.header('cache-control', 'no-store');
    return describeJob(job, jobsOf(context, request).progressOf(job), baseUrlOf(context, request));
  },
};

export const deleteJob: Operation = {
  id: 'deleteJob',
  method: 'DELETE',
  path: '/v1/jobs/{job_id}',
  tag: 'Jobs',
  access: 'jobs:write',
  summary: 'Cancel or delete a job',
  description:
    'A queued or running job is cancelled: it becomes `FAILED` with the code `CANCELLED`; when the response arrives, it has ' +
    'stopped and its input is deleted. A job that has ended is deleted with its output; downloads in progress continue. To ' +
    'delete a running job, send the request twice. An `Idempotency-Key` refers to its job until the record is deleted: ' +
    'repeating the request returns the cancelled job, not a new one.',
  parameters: [jobIdParameter],
  responses: { 204: { description: 'The job was cancelled or deleted.' } },
  examples: ['curl -f -X DELETE BASE_URL/v1/jobs/JOB_ID'],
  handle: async (context, request, reply) => {
    const { job_id: id } = request.params as { readonly job_id: string };
    const isDone = id.length <= 100 && (await jobsOf(context, request).remove(id));
    if (!isDone) throw failure(httpErrors.JOB_UNKNOWN, { id: id.slice(0, 100) });
    return reply.code(204).send();
  },
};
