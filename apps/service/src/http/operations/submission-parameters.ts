/** Header and query parameters of operations that submit a job. */
import type { Parameter } from '../operation.ts';

export const preferParameter: Parameter = {
  in: 'header',
  name: 'Prefer',
  schema: { type: 'string', examples: ['wait=30', 'respond-async'] },
  description:
    '`wait=SECONDS`: wait up to that long for the output, at most SYNC_TIMEOUT. `respond-async`: do not wait (RFC 7240).',
};

export const idempotencyKeyParameter: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  schema: { type: 'string', maxLength: 255 },
  description: 'Makes retries safe: repeating a request with the same key returns the same job.',
};

export const waitParameter: Parameter = {
  in: 'query',
  name: 'async',
  schema: { type: 'string', enum: ['true', 'false'], default: 'true' },
  description: '`false`: wait for the output and return it.',
};

export const asyncParameter: Parameter = {
  in: 'query',
  name: 'async',
  schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  description: '`true`: return a task at once; query its result until the output is available.',
};
