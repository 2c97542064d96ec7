/**
 * Keeps web pages away from an open service, which asks nobody who they are: a browser on the machine reaches it, and
 * sends it what any page in any of its tabs says. Programs that are no browsers are not concerned.
 */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { type Config, isLoopback } from '../../config.ts';
import { failure } from '../../errors.ts';

type Settings = Pick<Config, 'host' | 'baseUrl' | 'corsOrigins'>;

/** For requests without a credential to what is open. Throws ORIGIN_REFUSED, HOST_REFUSED. */
export function refuseForeignPages({ method, headers }: FastifyRequest, config: Settings): void {
  const { host = '', origin } = headers;
  // What only reads gives nothing to a page of another origin: without CORS the browser does not let it see the answer.
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && origin !== undefined && !isAllowed(origin, host, config))
    throw failure('ORIGIN_REFUSED', { origin: origin.slice(0, 100) });
  if (isLoopback(config.host) && !isOwnName(nameIn(host), config.baseUrl))
    throw failure('HOST_REFUSED', { host: host.slice(0, 100) });
}

/** `null`, the origin of pages that hide theirs, is nobody in particular. */
function isAllowed(origin: string, host: string, { corsOrigins, baseUrl }: Settings): boolean {
  if (corsOrigins === '*' || corsOrigins?.split(',').includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  return page.host === host.toLowerCase() || (baseUrl !== null && page.origin === new URL(baseUrl).origin);
}

/**
 * Whether the service can be called so. A page of evil.example.org whose name comes to mean 127.0.0.1 while it is open
 * (DNS rebinding) is of the same origin to the browser; but it calls us by its own name. Names without a dot belong to
 * nobody out there.
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
