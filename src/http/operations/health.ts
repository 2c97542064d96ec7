/** For orchestrators and monitoring: /healthz, /readyz, /metrics. */
import type { Operation } from '../operation.ts';

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
    'For load balancers. Returns 503 while the service starts or stops, 507 while the disk is full, and 503 while jobs cannot be stored for another reason; `detail` names it. The service becomes ready by itself when the cause is gone.',
  parameters: [],
  responses: {
    200: {
      description: 'The service accepts jobs.',
      content: { 'application/json': { schema: statusSchema('ready') } },
    },
    503: {
      description: 'The service is starting or stopping, or cannot store jobs; `detail` gives the reason.',
    },
    507: { description: 'The disk is full.' },
  },
  examples: ['curl BASE_URL/readyz'],
  handle: async ({ service }, _request, reply) => {
    reply.header('cache-control', 'no-store');
    service.checkServing();
    return { status: 'ready' };
  },
};

export const getMetrics: Operation = {
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Operation',
  access: 'admin',
  publicOnLoopback: true,
  summary: 'Get metrics',
  description: 'Metrics in the Prometheus text format; docs/operate.md describes each of them.',
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
