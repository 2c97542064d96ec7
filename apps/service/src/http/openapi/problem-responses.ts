/** Errors of operations, as shared responses of the document. */
import type { Operation, ResponseRecord } from '../operation.ts';
import { ref } from '../schemas/schema.ts';

const PROBLEM_CONTENT = { 'application/problem+json': { schema: ref('Problem') } } as const;

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Number of seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const;

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'Accepted credentials and the required scope.',
    schema: { type: 'string' },
    required: true,
  },
} as const;

interface ProblemResponse {
  /** Name among the components. */
  readonly name: string;
  readonly description: string;
  readonly headers?: ResponseRecord['headers'];
}

const PROBLEMS: Readonly<Record<number, ProblemResponse>> = {
  400: {
    name: 'BadRequest',
    description: 'The request or its data is invalid; `detail` says what is wrong and where.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The credentials are missing or were rejected; the reason is not disclosed.',
    headers: CHALLENGE,
  },
  403: {
    name: 'Forbidden',
    description:
      'The credentials lack the required scope, which `detail` names; or a web page of another origin called an open service.',
    headers: CHALLENGE,
  },
  404: { name: 'NotFound', description: 'Resource not found.' },
  408: { name: 'RequestTimeout', description: 'The request was not received in time.' },
  409: { name: 'Conflict', description: 'Not possible in the current state, which `detail` names.' },
  410: { name: 'Gone', description: 'The output has expired; submit the job again.' },
  412: { name: 'TusVersionUnsupported', description: 'The header `Tus-Resumable` is missing or not 1.0.0.' },
  413: { name: 'TooLarge', description: 'A limit is exceeded; `detail` names the limit and its setting.' },
  415: {
    name: 'UnsupportedType',
    description: 'The media type of the body is not supported.',
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The range is outside the output.',
    headers: {
      'Content-Range': { description: '`bytes */LENGTH`', schema: { type: 'string' } },
    },
  },
  422: {
    name: 'IdempotencyConflict',
    description: 'The Idempotency-Key was already used for a different request.',
  },
  423: {
    name: 'Locked',
    description: 'The upload is being written by another request; retry later.',
    headers: RETRY_AFTER,
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests, jobs, open connections or wrong credentials; retry later.',
    headers: RETRY_AFTER,
  },
  431: { name: 'HeadersTooLarge', description: 'The headers of the request are too large.' },
  460: {
    name: 'ChecksumMismatch',
    description: 'The body does not have the stated checksum and was discarded.',
  },
  500: {
    name: 'InternalError',
    description: 'Internal error; `detail` contains the reference of the log entry.',
  },
  503: {
    name: 'Unavailable',
    description:
      'The queue is full, the service is starting or stopping, its database or storage is not available, or the token issuer is unreachable.',
    headers: RETRY_AFTER,
  },
  507: {
    name: 'InsufficientStorage',
    description: 'The disk is full; the service recovers when space is freed.',
    headers: RETRY_AFTER,
  },
};

/** Errors that every operation can return. */
export const ALWAYS: readonly number[] = [400, 408, 431, 500];

const PROBLEM_NAMES: readonly string[] = Object.values(PROBLEMS).map(({ name }) => name);

/** Whether a named response is a problem that means the same everywhere. */
export function isSharedProblem(responseName: string): boolean {
  return PROBLEM_NAMES.includes(responseName);
}

export function problemComponents(): Record<string, ResponseRecord> {
  return Object.fromEntries(
    Object.values(PROBLEMS).map(({ name, description, headers }) => [
      name,
      { description, ...(headers === undefined ? {} : { headers }), content: PROBLEM_CONTENT },
    ]),
  );
}

/** Problem statuses that follow from the inputs of an operation, so that its record need not list them. */
export function impliedProblems({ parameters, method, access, tag }: Operation): number[] {
  const statuses = [...ALWAYS];
  if (access !== 'public') statuses.push(401, 403, 429, 503);
  if (tag === 'Credentials') statuses.push(503);
  if (tag === 'Credentials' && method === 'POST') statuses.push(429);
  if (parameters.some((parameter) => parameter.in === 'path')) statuses.push(404);
  if (method === 'POST') statuses.push(413, 415, 503);
  if (method !== 'GET' && method !== 'OPTIONS') statuses.push(507);
  if (parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')) statuses.push(409, 422);
  return statuses;
}

/** A response in the document. A record may replace the description of a problem only. */
export function responseOf(status: number, record: ResponseRecord | undefined): object {
  const shared = PROBLEMS[status];
  if (record === undefined) {
    if (shared === undefined) throw new Error(`no shared response for status ${status}`);
    return { $ref: `#/components/responses/${shared.name}` };
  }
  if (status < 400) return record;
  return {
    ...(shared?.headers === undefined ? {} : { headers: shared.headers }),
    content: PROBLEM_CONTENT,
    ...record,
  };
}
