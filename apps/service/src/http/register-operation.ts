/** Turns records of operations into routes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { failure } from '@geomill/core/messages/errors.ts';
import { type SchemaFault, schemaCheck } from '@geomill/core/schemas/schema-check.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accessOf, admit, authModeOf } from './auth/access.ts';
import { refuseForeignPages } from './auth/foreign-pages.ts';
import type { HttpContext } from './context.ts';
import type { RoutePattern } from './error-reply.ts';
import { httpErrors } from './errors.ts';
import type { Operation, Parameter } from './operation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    headers?: Readonly<Record<string, string>>;
  }
}

/** Sends the headers that records of operations have for all their responses. */
export function sendOperationHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(request.routeOptions.config?.headers ?? {});
  });
}

export function registerOperation(app: FastifyInstance, context: HttpContext, operation: Operation): void {
  const checkQuery = queryCheck(operation);
  const admitted = admission(context, operation);
  app.route({
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { headers: operation.headers?.(context.config) },
    // Before "100 Continue" and the body, so that rejected clients need not upload anything.
    onRequest: async (request) => {
      await admitted(request);
      checkQuery(request);
      await operation.refuseEarly?.(context, request);
    },
    handler: (request, reply) => operation.handle(context, request, reply),
  });
}

/** Identifies the principal, sets it on the request, and throws if it has no access. */
function admission(
  { auth, rate, config }: HttpContext,
  operation: Operation,
): (request: FastifyRequest) => Promise<void> {
  const access = accessOf(operation, config);
  if (access === 'public') {
    if (operation.access === 'public') return async () => {};
    // Public on this machine, but not for web pages of other origins.
    return async (request) => refuseForeignPages(request, config);
  }
  const mode = authModeOf(operation, config);
  const token = operation.token?.(config) ?? null;
  return async (request) => {
    if (token !== null && isSame(request.headers.authorization, `Bearer ${token}`)) return;
    const shown = await auth.identify(request);
    // Counted before the access check, so that rejected requests are limited, too.
    if (shown !== null) rate.count(shown, request.ip);
    if (shown === null && mode === 'open') refuseForeignPages(request, config);
    request.principal = admit(shown, access, mode);
    if (shown === null) rate.count(request.principal, request.ip);
  };
}

/** Takes the same time wherever they differ. */
function isSame(given: string | undefined, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(wanted));
}

/** Patterns of all paths, to distinguish a wrong method from a wrong path. */
export function routePatterns(operations: readonly Operation[]): RoutePattern[] {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of operations) {
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method));
    if (method === 'GET') known.add('HEAD');
  }
  return [...methods].map(([path, known]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: [...known].join(', '),
  }));
}

/**
 * Throws QUERY_INVALID. Values that are not known are refused everywhere, names only on the versioned API: clients of
 * the job API send some that mean nothing here.
 */
function queryCheck({ parameters, path }: Operation): (request: FastifyRequest) => void {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const properties = Object.fromEntries(known.map(({ name, schema }) => [name, schema]));
  const required = known.filter((parameter) => parameter.required === true).map(({ name }) => name);
  // Queries are text: "20" becomes 20 before it is compared with a schema of numbers.
  const check = schemaCheck({ type: 'object', properties, required }, 'coerce');
  const isStrict = path.startsWith('/v1/');
  return (request) => {
    const query = request.query as Readonly<Record<string, unknown>>;
    if (isStrict) for (const name of Object.keys(query)) refuseUnknown(name, known);
    const fault = check(query);
    if (fault !== null) throw wrongValue(fault, query);
  };
}

function refuseUnknown(name: string, known: readonly Parameter[]): void {
  if (known.some((parameter) => parameter.name === name)) return;
  const names = known.map((parameter) => parameter.name).join(', ');
  const reason =
    names === '' ? 'is unknown; this address has no parameters' : `is unknown; known parameters: ${names}`;
  throw failure(httpErrors.QUERY_INVALID, { name: name.slice(0, 60), reason });
}

function wrongValue({ keyword, path, reason }: SchemaFault, query: Readonly<Record<string, unknown>>): Error {
  const [name] = path;
  if (keyword === 'required') return failure(httpErrors.QUERY_INVALID, { name, reason });
  if (Array.isArray(query[name]))
    return failure(httpErrors.QUERY_INVALID, { name, reason: 'came more than once; send it once' });
  const given = String(query[name]).slice(0, 60);
  return failure(httpErrors.QUERY_INVALID, { name, reason: `is '${given}', but ${reason}` });
}
