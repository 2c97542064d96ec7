/**
 * Protects an open service, which needs no credentials, from web pages: a browser on the same machine can reach it and
 * sends requests on behalf of any page. Programs other than browsers are not affected.
 */
import { isIP } from 'node:net';
import { failure } from '@geomill/core/messages/errors.ts';
import type { FastifyRequest } from 'fastify';
import { type Config, isLoopback } from '../../settings/config.ts';
import { httpErrors } from '../errors.ts';

type Settings = Pick<Config, 'host' | 'baseUrl' | 'corsOrigins'>;

/** Checks a request without a credential to an open service. Throws ORIGIN_REFUSED, HOST_REFUSED. */
export function refuseForeignPages({ method, headers }: FastifyRequest, config: Settings): void {
  const { host = '', origin } = headers;
  // Reading is safe: without CORS, the browser hides the response from pages of other origins.
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && origin !== undefined && !isAllowed(origin, host, config))
    throw failure(httpErrors.ORIGIN_REFUSED, { origin: origin.slice(0, 100) });
  if (isLoopback(config.host) && !isOwnName(nameIn(host), config.baseUrl))
    throw failure(httpErrors.HOST_REFUSED, { host: host.slice(0, 100) });
}

/** `null` is the origin of pages that hide theirs; it never matches. */
function isAllowed(origin: string, host: string, { corsOrigins, baseUrl }: Settings): boolean {
  if (corsOrigins === '*' || corsOrigins?.split(',').includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  return page.host === host.toLowerCase() || (baseUrl !== null && page.origin === new URL(baseUrl).origin);
}

/**
 * Whether a Host header can name this service. Protects from DNS rebinding: when evil.example.org starts to resolve to
 * 127.0.0.1, the browser treats the service as the same origin, but sends that name as Host. Names without a dot cannot be
 * registered on the internet.
 */
function isOwnName(name: string, baseUrl: string | null): boolean {
  if (!name.includes('.') || isIP(name) !== 0 || name.endsWith('.localhost')) return true;
  return baseUrl !== null && new URL(baseUrl).hostname === name;
}

/** Without the port, and IPv6 without its brackets. */
function nameIn(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host);
  return bracketed !== null ? bracketed[1] : host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}
