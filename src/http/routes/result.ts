/** GET /result/status/{id} and /result/output/{id}: the job surface's view of a job. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { failure } from '../../errors.ts';
import { errorText, type Job } from '../../jobs/job.ts';
import { baseUrlOf, type HttpContext } from '../context.ts';
import { sendOutput } from '../send-output.ts';

export function registerResult(app: FastifyInstance, context: HttpContext): void {
  app.get('/result/status/:id', async (request, reply) => {
    const job = await findJob(context, request);
    reply.header('cache-control', 'no-store');
    return statusOf(job, baseUrlOf(context, request));
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/result/output/:id',
    handler: async (request, reply) => sendOutput(context, request, reply, await findJob(context, request)),
  });
}

/** Exactly the fields that the specification has for each state. */
function statusOf(job: Job, baseUrl: string): Readonly<Record<string, string>> {
  const status = { job_id: job.id, status: job.state };
  if (job.state === 'SUCCESS') return { ...status, output_url: outputUrl(job, baseUrl) };
  if (job.state === 'FAILED' && job.error !== null) return { ...status, error: errorText(job.id, job.error) };
  return status;
}

export function outputUrl(job: Job, baseUrl: string): string {
  return `${baseUrl}/result/output/${job.id}`;
}

/** The job that the path names. Throws JOB_UNKNOWN. */
export async function findJob({ service }: HttpContext, request: FastifyRequest): Promise<Job> {
  const { id } = request.params as { id: string };
  const job = id.length > 100 ? null : await service.get(id);
  if (job === null) throw failure('JOB_UNKNOWN', { id: id.slice(0, 100) });
  return job;
}
