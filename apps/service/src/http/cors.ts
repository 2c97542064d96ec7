/** Which web pages may call the service from a browser (the CORS protocol of the Fetch standard). */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Length',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Geomill-Warnings',
  'Last-Modified',
  'Link',
  'Location',
  'Metadata-Input-Format',
  'Metadata-Output-Format',
  'Metadata-Request-Size',
  'Metadata-Response-Size',
  'Metadata-Transformations',
  'Preference-Applied',
  'Retry-After',
  'Traceresponse',
  'Tus-Checksum-Algorithm',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Defer-Length',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'WWW-Authenticate',
  'X-Request-Id',
];

const ALLOWED = [
  'apiKey',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Prefer',
  'Range',
  'Traceparent',
  'Tus-Resumable',
  'Upload-Checksum',
  'Upload-Defer-Length',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Request-Id',
];

/** The longest time for which browsers cache the response to a preflight. */
const MAX_AGE_SECONDS = 7200;

/**
 * `origins`: the setting CORS_ORIGINS; null: no CORS headers are sent. Call this before hooks that may reject requests: a
 * preflight has no credentials and is answered in this hook.
 *
 * Credentials mode is off: keys and tokens are sent in headers by the page itself, and the API uses no cookies.
 */
export async function allowOrigins(app: FastifyInstance, origins: string | null): Promise<void> {
  if (origins === null) return;
  const options: FastifyCorsOptions = {
    origin: origins === '*' ? '*' : origins.split(','),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ALLOWED,
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_SECONDS,
    strictPreflight: false,
  };
  await app.register(cors, {
    delegator: (request, done) => done(null, usesSession(request) ? { origin: false } : options),
  });
}

/** Everything below /account works with cookies, so it is only for pages of this service. */
function usesSession({ url, routeOptions }: FastifyRequest): boolean {
  // The route of a preflight is `*`; that of another request has no escapes, which `url` may have.
  return [url, routeOptions.url ?? ''].some((path) => /^\/account(?:[/?]|$)/.test(path));
}
