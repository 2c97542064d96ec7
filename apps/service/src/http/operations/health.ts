/** For orchestrators and monitoring: /healthz, /readyz, /metrics. */
import { failure } from '@geomill/core/messages/errors.ts';
import { problemOf, sendProblem } from '../error-reply.ts';
import { httpErrors } from '../errors.ts';
import type { Operation } from '../operation.ts';

const RETRY_SECONDS = 5;

const statusSchema = (status: string) => ({
  type: 'object',
  properties: { status: { const: status } },
  required: ['status'],
  additionalProperties: false,
});

export const getHealth: Operation = {
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Operation',
  access: 'public',
  summary: 'Check liveness',
  description: 'For orchestrators: replace a process that does not answer.',
  parameters: [],
  responses: {
    200: {
      description: 'The process is running.',
      content: { 'application/json': { schema: statusSchema('ok') } },
    },
  },
  examples: ['curl BASE_URL/healthz'],
  handle: async (_context, _request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  },
};

export const getReadiness: Operation = {
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  tag: 'Operation',
  access: 'public',
  summary: 'Check readiness',
  description:
    'For load balancers. Returns 503 while this process cannot accept or run jobs: it starts or stops, or the database, the store, the disk or its runners fail. `checks` names each check that fails, since when, and what to do. The process becomes ready by itself when the cause is gone.',
  parameters: [],
  responses: {
    200: {
      description: 'The process accepts jobs, or runs them (`--role worker`).',
      content: { 'application/json': { schema: statusSchema('ready') } },
    },
    503: { description: 'This process is not ready; `checks` gives the reasons.' },
  },
  examples: ['curl BASE_URL/readyz'],
  handle: async ({ service }, _request, reply) => {
    reply.header('cache-control', 'no-store');
    const failed = await service.failedChecks();
    if (failed.length === 0) return { status: 'ready' };
    const reason = failed.map((check) => `${check.name}: ${check.reason}`).join('; ');
    const checks = failed.map(({ since, ...check }) => ({ ...check, since: new Date(since).toISOString() }));
    reply.header('retry-after', String(RETRY_SECONDS));
    return sendProblem(reply, { ...problemOf(failure(httpErrors.NOT_READY, { reason })), checks });
  },
};

export const getMetrics: Operation = {
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Operation',
  access: 'admin',
  publicOnLoopback: true,
  token: ({ metricsToken }) => metricsToken,
  summary: 'Get metrics',
  description:
    'Metrics in the Prometheus text format; docs/operate.md describes each of them. The token of `METRICS_TOKEN` gives access, too.',
  parameters: [],
  responses: {
    200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
  },
  examples: ['curl BASE_URL/metrics'],
  handle: async ({ metrics }, _request, reply) => {
    reply.header('content-type', metrics.mediaType);
    return metrics.text();
  },
};
