/** The errors that operations answer with, as shared responses of the document. */
import type { Operation, ResponseRecord } from '../operation.ts';
import { ref } from '../schemas/schema.ts';

const PROBLEM_CONTENT = { 'application/problem+json': { schema: ref('Problem') } } as const;

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which it is worth to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const;

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'Which credentials there are, and which scope is needed.',
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
    description: 'Something in the request, or in the data, is wrong; the detail says what and where.',
  },
  401: {
    name: 'Unauthorized',
    description: 'No credential was sent, or one that is not accepted; why not is not told.',
    headers: CHALLENGE,
  },
  403: {
    name: 'Forbidden',
    description:
      'The credential does not have the scope that is needed, which the detail names; or a page of another origin asks an open service.',
    headers: CHALLENGE,
  },
  404: { name: 'NotFound', description: 'There is no such thing.' },
  408: { name: 'RequestTimeout', description: 'The request was not completed in time.' },
  409: { name: 'Conflict', description: 'Not in this state; the detail says which it is in.' },
  410: { name: 'Gone', description: 'The output has expired; submit the job again.' },
  413: { name: 'TooLarge', description: 'Larger than a limit; the detail names limit and setting.' },
  415: {
    name: 'UnsupportedType',
    description: 'The body is of another media type than the documented ones.',
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The range lies outside of the output.',
    headers: {
      'Content-Range': { description: '`bytes */LENGTH`', schema: { type: 'string' } },
    },
  },
  422: { name: 'IdempotencyConflict', description: 'The Idempotency-Key came before with another request.' },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests, jobs, open connections or wrong credentials; try again later.',
    headers: RETRY_AFTER,
  },
  431: { name: 'HeadersTooLarge', description: 'The headers of the request are too large.' },
  500: {
    name: 'InternalError',
    description: 'Our fault; the detail gives the reference under which the cause is logged.',
  },
  503: {
    name: 'Unavailable',
    description:
      'The queue is full, the service starts or stops or cannot store jobs, or the issuer of a token cannot be asked.',
    headers: RETRY_AFTER,
  },
  507: {
    name: 'InsufficientStorage',
    description: 'No disk space is left for what the request needs; the service recovers when some is freed.',
    headers: RETRY_AFTER,
  },
};

/** What the server itself answers, whatever the operation. */
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

/** Statuses of problems that follow from what an operation takes; its record need not name them. */
export function impliedProblems({ parameters, method, access, tag }: Operation): number[] {
  const statuses = [...ALWAYS];
  if (access !== 'public') statuses.push(401, 403, 429);
  // The issuer of a token may have to be asked.
  if (access !== 'public') statuses.push(503);
  if (tag === 'Credentials' && method === 'POST') statuses.push(429);
  if (parameters.some((parameter) => parameter.in === 'path')) statuses.push(404);
  if (method === 'POST') statuses.push(413, 415, 503);
  // What changes something needs space for it, if only for a moment.
  if (method !== 'GET') statuses.push(507);
  if (parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')) statuses.push(409, 422);
  return statuses;
}

/** A response as the document has it: what a record says of a problem may be its description alone. */
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
