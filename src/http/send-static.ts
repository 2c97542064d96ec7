/** Answers that are the same until another version of geomill is installed. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf, matchesEntityTag } from './entity-tag.ts';

/** Short enough for an upgrade to be seen soon; the tag makes asking again cheap. */
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

/** The status of an answer without a body, and the headers, for records of operations. */
export const NOT_MODIFIED = {
  description: 'As it was: If-None-Match names it.',
  headers: { ETag: { description: 'Names this state of it.', schema: { type: 'string' } } },
} as const;

export const STATIC_HEADERS = {
  ...NOT_MODIFIED.headers,
  'Cache-Control': {
    description: 'It changes with the version of the service only.',
    schema: { type: 'string' },
  },
} as const;
