/** For orchestrators and monitoring: /healthz, /readyz, /metrics. */
import type { FastifyInstance } from 'fastify';
import { failure } from '../../errors.ts';
import type { HttpContext } from '../context.ts';

export function registerHealth(app: FastifyInstance, { service, metrics }: HttpContext): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });
  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (!service.accepts) throw failure('SHUTTING_DOWN', { seconds: 5 });
    return { status: 'ready' };
  });
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.mediaType);
    return metrics.text();
  });
}
