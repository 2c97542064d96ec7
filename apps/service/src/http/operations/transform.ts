/** POST /transform: takes a job. */
import type { Endpoint } from '@geomill/requests/config-fields.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf, type HttpContext } from '../context.ts';
import type { Operation } from '../operation.ts';
import { submissionResponses } from '../schemas/outputs.ts';
import { sendJobFailure, sendOutput } from '../send-output.ts';
import { type AcceptedJob, refuseEarly, waitForJob } from '../submission.ts';
import { idempotencyKeyParameter, preferParameter, waitParameter } from './submission-parameters.ts';

const ENDPOINT: Endpoint = { operation: 'transform', inputFormat: null, spelling: 'nested' };

export const submitJob: Operation = {
  id: 'submitJob',
  method: 'POST',
  path: '/transform',
  tag: 'Jobs',
  access: 'jobs:write',
  summary: 'Submit a job',
  description:
    'Submits a file and returns the addresses of its state and output. The config is nested, or flat in part `payload`.',
  parameters: [waitParameter, preferParameter, idempotencyKeyParameter],
  submits: { endpoint: ENDPOINT, body: 'form' },
  responses: submissionResponses('JobAccepted'),
  examples: [
    `curl -F 'config={"input":{"format":"geojson"},"output":{"format":"shp","epsg":3857}}' -F input_file=@samples/harbour.geojson BASE_URL/transform`,
  ],
  refuseEarly: (context, request) => refuseEarly(false, context, request),
  handle: async (context, request, reply) => {
    const { submitRequest } = await import('../submit-job.ts');
    return answerJob(context, request, reply, await submitRequest(ENDPOINT, context, request));
  },
};

/** State and output of the job; the output itself, if the client waits for it. */
export async function answerJob(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  job: AcceptedJob,
): Promise<FastifyReply> {
  reply.header('location', `${baseUrlOf(context, request)}/result/status/${job.id}`);
  const { job: waited } = await waitForJob(context, request, reply, job.id, false);
  if (waited?.state === 'SUCCESS') return sendOutput(context, request, reply, waited);
  if (waited?.state === 'FAILED') return sendJobFailure(reply, waited);
  return reply.code(202).send({ job_id: job.id, status: waited?.state ?? job.state });
}
