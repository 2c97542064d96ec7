/** What every answer is sent with: nothing we send is to be run, framed, guessed at or embedded by a browser. */
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

/** A year. Without includeSubDomains and preload: other names of the domain are not ours to decide about. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' } as const;

export type SecurityHeaders = Readonly<Record<string, string>>;

/** `baseUrl`: the public address; over http a browser would ignore the order to stay on https, and we don't give it. */
export function securityHeaders(baseUrl: string | null): SecurityHeaders {
  return { ...HEADERS, ...(baseUrl?.startsWith('https:') ? STRICT_TRANSPORT : {}) };
}

/** What is refused before it comes to a hook, in error-reply.ts, is sent with them there. */
export function sendSecurityHeaders(app: FastifyInstance, headers: SecurityHeaders): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
