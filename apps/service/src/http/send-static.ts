/** Responses that change only with the version of geomill. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf, matchesEntityTag } from './entity-tag.ts';

/** Short, so that an upgrade takes effect soon; the entity tag makes revalidation cheap. */
const MAX_AGE_SECONDS = 300;

export interface StaticContent {
  readonly mediaType: string;
  readonly body: Buffer;
  readonly etag: string;
}

export function staticContent(mediaType: string, text: string): StaticContent {
  const body = Buffer.from(text);
  return { mediaType, body, etag: entityTagOf(body) };
}

export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, body, etag }: StaticContent,
): FastifyReply {
  reply.header('etag', etag).header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`);
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.header('content-type', mediaType).send(body);
}

/** The 304 response for records of operations. */
export const NOT_MODIFIED = {
  description: 'Not modified: If-None-Match has its tag.',
  headers: { ETag: { description: 'Tag of this version.', schema: { type: 'string' } } },
} as const;

export const STATIC_HEADERS = {
  ...NOT_MODIFIED.headers,
  'Cache-Control': {
    description: 'The document changes only with the version of the service.',
    schema: { type: 'string' },
  },
} as const;
