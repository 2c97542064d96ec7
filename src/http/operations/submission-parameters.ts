/** Headers and query of operations that take a job. */
import type { Parameter } from '../operation.ts';

export const preferParameter: Parameter = {
  in: 'header',
  name: 'Prefer',
  schema: { type: 'string', examples: ['wait=30', 'respond-async'] },
  description:
    '`wait=SECONDS`: wait so long for the output, at most SYNC_TIMEOUT. `respond-async`: do not wait (RFC 7240).',
};

export const idempotencyKeyParameter: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  schema: { type: 'string', maxLength: 255 },
  description: 'The same key with the same request names the same job, however often it is sent.',
};

export const asyncParameter: Parameter = {
  in: 'query',
  name: 'async',
  schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  description: '`true`: answer at once with a task; its result tells when the output is there.',
};
