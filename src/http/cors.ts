/** Which web pages may call the service from a browser (the CORS protocol of the Fetch standard). */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

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
  'WWW-Authenticate',
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
];

/** Browsers keep an answer no longer than this. */
const MAX_AGE_SECONDS = 7200;

/**
 * `origins` as the setting CORS_ORIGINS has it; null: none, and nothing of CORS is sent. To be called before whatever may
 * refuse requests: a preflight carries no credentials and is answered in this hook.
 *
 * No credentials mode: keys and tokens come in headers, which a page has to know; there are no cookies to steal.
 */
export async function allowOrigins(app: FastifyInstance, origins: string | null): Promise<void> {
  if (origins === null) return;
  await app.register(cors, {
    origin: origins === '*' ? '*' : origins.split(','),
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ALLOWED,
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_SECONDS,
    strictPreflight: false,
  });
}
