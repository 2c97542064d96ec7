/** GET /v1/transform/result/{task_id} and /v1/transform/output/o_{task_id}: the versioned API's view of a job. */
import { errorText, type JobState, type JobSummary } from '../../jobs/job.ts';
import { baseUrlOf } from '../context.ts';
import type { Operation, Parameter } from '../operation.ts';
import { outputResponses } from '../schemas/outputs.ts';
import { ref } from '../schemas/schema.ts';
import { sendOutput } from '../send-output.ts';
import { findJob, findJobSummary } from './result.ts';

const taskIdParameter: Parameter = {
  in: 'path',
  name: 'task_id',
  schema: { type: 'string' },
  description: 'Id returned by the asynchronous request; also the id of the job.',
  required: true,
};

/** The words of the versioned API for the states of a job. */
const TASK_STATES: Readonly<Record<JobState, string>> = {
  QUEUED: 'TASK CREATED',
  RUNNING: 'PROCESSING',
  SUCCESS: 'SUCCESS',
  FAILED: 'FAILED',
};

export const getTask: Operation = {
  id: 'getTask',
  method: 'GET',
  path: '/v1/transform/result/{task_id}',
  tag: 'Transform',
  access: 'jobs:read',
  summary: 'Get the state of a task',
  description:
    'Repeat until the state is SUCCESS or FAILED. A task is a job: /v1/jobs/{job_id} returns more details.',
  parameters: [taskIdParameter],
  responses: {
    200: { description: 'The state.', content: { 'application/json': { schema: ref('Task') } } },
  },
  examples: ['curl BASE_URL/v1/transform/result/TASK_ID'],
  handle: async (context, request, reply) => {
    const job = await findJobSummary(context, request);
    reply.header('cache-control', 'no-store');
    return taskOf(job, baseUrlOf(context, request));
  },
};

export const getTaskOutput: Operation = {
  id: 'getTaskOutput',
  method: 'GET',
  path: '/v1/transform/output/o_{task_id}',
  tag: 'Transform',
  access: 'jobs:read',
  summary: 'Download the output of a task',
  description: 'Available until it expires.',
  parameters: [taskIdParameter],
  responses: outputResponses,
  examples: ['curl -f -OJ BASE_URL/v1/transform/output/o_TASK_ID'],
  handle: async (context, request, reply) =>
    sendOutput(context, request, reply, await findJob(context, request)),
};

export function taskUrl(id: string, baseUrl: string): string {
  return `${baseUrl}/v1/transform/result/${id}`;
}

export function taskOutputUrl(id: string, baseUrl: string): string {
  return `${baseUrl}/v1/transform/output/o_${id}`;
}

function taskOf(job: JobSummary, baseUrl: string): Readonly<Record<string, string>> {
  const state = TASK_STATES[job.state];
  const task = { state, message: messageOf(job) };
  if (job.state === 'SUCCESS') return { ...task, output_url: taskOutputUrl(job.id, baseUrl) };
  if (job.state === 'FAILED' && job.error !== null) return { ...task, error: errorText(job.id, job.error) };
  return task;
}

function messageOf({ state, outputKept, expiresAt }: JobSummary): string {
  const expiry = new Date(expiresAt ?? 0).toISOString();
  switch (state) {
    case 'QUEUED':
      return 'the task is queued';
    case 'RUNNING':
      return 'the task is running';
    case 'SUCCESS':
      return outputKept ? `the output is available until ${expiry}` : `the output expired at ${expiry}`;
    case 'FAILED':
      return 'the task failed';
  }
}
