/** GET /v1/jobs: the jobs there are, a page at a time. */
import { failure } from '@geomill/core/messages/errors.ts';
import { listWithin } from '@geomill/core/messages/short-text.ts';
import type { FastifyRequest } from 'fastify';
import { hasScope } from '../../accounts/principal.ts';
import type { ListPosition } from '../../jobs/job.ts';
import { ANY_OWNER, type JobState, jobOperations, jobStates, type Viewer } from '../../jobs/job.ts';
import type { JobFilter } from '../../jobs/queue.ts';
import { baseUrlOf, ownerOf } from '../context.ts';
import { httpErrors } from '../errors.ts';
import { cursorText, parseCursor } from '../list-cursor.ts';
import type { Operation } from '../operation.ts';
import { ref, TEXT } from '../schemas/schema.ts';
import { describeShortly } from './job-document.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Of the jobs of a page. One alone takes at most 30,000, so no page is empty. */
const MAX_PAGE_BYTES = 900_000;

export const listJobs: Operation = {
  id: 'listJobs',
  method: 'GET',
  path: '/v1/jobs',
  tag: 'Jobs',
  access: 'jobs:read',
  summary: 'List jobs',
  description:
    'Your jobs, newest first, in pages: pass `next_cursor` to get the next page; it is null on the last page. Jobs submitted or ' +
    'deleted meanwhile do not cause duplicates or gaps.',
  parameters: [
    {
      in: 'query',
      name: 'limit',
      schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      description: 'Maximum number of jobs per page. A page that would exceed 1 MB has fewer.',
    },
    { in: 'query', name: 'cursor', schema: TEXT, description: 'The `next_cursor` of the previous page.' },
    {
      in: 'query',
      name: 'status',
      schema: { type: 'string', enum: jobStates },
      description: 'Only jobs in this state.',
    },
    {
      in: 'query',
      name: 'operation',
      schema: { type: 'string', enum: jobOperations },
      description: 'Only jobs with this operation.',
    },
    {
      in: 'query',
      name: 'owner',
      schema: { type: 'string', minLength: 1, maxLength: 200 },
      description:
        'Account whose jobs are listed, or `*` for all. Any account other than your own requires the scope `admin`.',
    },
  ],
  responses: {
    200: {
      description: 'A page of jobs.',
      headers: { Link: { description: 'With `rel="next"`: the next page (RFC 8288).', schema: TEXT } },
      content: { 'application/json': { schema: ref('JobPage') } },
    },
  },
  examples: ['curl "BASE_URL/v1/jobs?status=FAILED&limit=10"'],
  handle: async (context, request, reply) => {
    const { limit, after, filter } = readQuery(request);
    // One more shows whether there is a next page.
    const found = await context.service.jobsOf(viewerOf(request)).list(filter, after, limit + 1);
    const baseUrl = baseUrlOf(context, request);
    const jobs = listWithin(
      found.slice(0, limit).map((job) => describeShortly(job, baseUrl)),
      MAX_PAGE_BYTES,
    );
    const nextCursor = found.length > jobs.length ? cursorText(found[jobs.length - 1]) : null;
    reply.header('cache-control', 'no-store');
    if (nextCursor !== null)
      reply.header('link', `<${baseUrl}/v1/jobs?${nextQuery(request, nextCursor)}>; rel="next"`);
    return { jobs, next_cursor: nextCursor };
  },
};

/** The account whose jobs the request asks for. Throws SCOPE_MISSING. */
function viewerOf(request: FastifyRequest): Viewer {
  const own = ownerOf(request);
  const { owner = own } = request.query as ListQuery;
  if (owner === own) return own;
  if (request.principal === null || !hasScope(request.principal, 'admin'))
    throw failure(httpErrors.SCOPE_MISSING, { scope: 'admin' });
  return owner === '*' ? ANY_OWNER : owner;
}

interface ListQuery {
  readonly owner?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly status?: JobState;
  readonly operation?: JobFilter['operation'];
}

function readQuery({ query }: FastifyRequest): {
  readonly limit: number;
  readonly after: ListPosition | null;
  readonly filter: JobFilter;
} {
  const { limit = DEFAULT_LIMIT, cursor, status = null, operation = null } = query as ListQuery;
  const after = cursor === undefined ? null : parseCursor(cursor, 'jobs');
  return { limit, after, filter: { state: status, operation } };
}

function nextQuery({ query }: FastifyRequest, cursor: string): string {
  const { limit, status, operation, owner } = query as ListQuery;
  const pairs = Object.entries({ limit, status, operation, owner, cursor });
  return new URLSearchParams(
    pairs.flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)] as [string, string]],
    ),
  ).toString();
}
