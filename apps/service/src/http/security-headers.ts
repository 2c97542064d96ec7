/** Headers of every response: browsers must not execute, frame, sniff or embed it. */
import type { FastifyInstance } from 'fastify';

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  // Pages that CORS_ORIGINS allows fetch in CORS mode, to which this does not apply.
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** One year. Without includeSubDomains and preload, which would affect other hosts of the domain. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' } as const;

export type SecurityHeaders = Readonly<Record<string, string>>;

/** `baseUrl`: the public address. Strict-Transport-Security is sent for https only; browsers ignore it over http. */
export function securityHeaders(baseUrl: string | null): SecurityHeaders {
  return { ...HEADERS, ...(baseUrl?.startsWith('https:') ? STRICT_TRANSPORT : {}) };
}

/** Errors that occur before this hook get the headers in error-reply.ts. */
export function sendSecurityHeaders(app: FastifyInstance, headers: SecurityHeaders): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
