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
  summary: 'Whether the process answers',
  description: 'For orchestrators: a process that does not answer is to be replaced.',
  parameters: [],
  responses: {
    200: { description: 'It does.', content: { 'application/json': { schema: statusSchema('ok') } } },
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
  summary: 'Whether the service takes jobs',
  description:
    'For load balancers. 503 while it starts or stops, 507 while the disk is full, 503 while jobs cannot be stored for another reason; the detail says which. It is ready again by itself when the cause is gone.',
  parameters: [],
  responses: {
    200: { description: 'It does.', content: { 'application/json': { schema: statusSchema('ready') } } },
    503: { description: 'It starts or stops, or cannot store jobs; the detail says why.' },
    507: { description: 'The disk is full.' },
  },
  examples: ['curl BASE_URL/readyz'],
  handle: async ({ service }, _request, reply) => {
    reply.header('cache-control', 'no-store');
    service.checkReady();
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
  summary: 'Figures for Prometheus',
  description: 'In the text format of Prometheus; docs/operate.md explains each.',
  parameters: [],
  responses: {
    200: { description: 'The figures.', content: { 'text/plain': { schema: { type: 'string' } } } },
  },
  examples: ['curl BASE_URL/metrics'],
  handle: async ({ metrics }, _request, reply) => {
    reply.header('content-type', metrics.mediaType);
    return metrics.text();
  },
};
