/**
 * Errors as problem details (RFC 9457). User errors are returned in full; internal errors are logged, and the response has a
 * general sentence and the reference of the log entry.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { didYouMean } from '@geomill/core/messages/did-you-mean.ts';
import { failure, GeomillError, isDiskFull } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { textOf } from '@geomill/core/messages/message.ts';
import { formats } from '@geomill/formats/registry.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StoreFault } from '../storage/store-fault.ts';
import { httpErrors } from './errors.ts';
import type { SecurityHeaders } from './security-headers.ts';

export interface ProblemItem {
  /** Where in the request, e.g. `input.epsg`. */
  readonly path: string;
  readonly message: string;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly errors?: readonly ProblemItem[];
  /** Coordinate reference systems that the client may have meant. */
  readonly suggestions?: GeomillError['suggestions'];
  /** Values of the request that the detail proposes. */
  readonly fixes?: GeomillError['fixes'];
  /** What the process lacks to be ready. */
  readonly checks?: readonly { name: string; since: string; reason: string; action: string }[];
}

const PROBLEM_MEDIA_TYPE = 'application/problem+json';
/** The service notices freed disk space within two seconds. */
const STORAGE_RETRY_SECONDS = 5;

export function problemOf(error: GeomillError, detail = error.message): Problem {
  const path = error.params.path === undefined ? null : textOf(error.params.path);
  return {
    type: problemType(error.code),
    title: problemTitle(error.code),
    status: error.status,
    detail,
    ...(path !== null && error.status === 400 ? { errors: [{ path, message: detail }] } : {}),
    ...(error.suggestions.length > 0 ? { suggestions: error.suggestions } : {}),
    ...(error.fixes.length > 0 ? { fixes: error.fixes } : {}),
  };
}

/** Headers of an output that must not be sent with a problem. */
const OUTPUT_HEADERS = [
  'content-length',
  'content-disposition',
  'content-location',
  'content-range',
  'etag',
  'geomill-warnings',
  'last-modified',
  'metadata-input-format',
  'metadata-output-format',
  'metadata-request-size',
  'metadata-response-size',
  'metadata-transformations',
];

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  // As bytes: Fastify would add a charset to a string, which this media type does not have.
  const body = Buffer.from(JSON.stringify(problem));
  return reply.code(problem.status).header('content-type', PROBLEM_MEDIA_TYPE).send(body);
}

/** Sends the response to any thrown value. */
function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = recognize(request, thrown);
  for (const name of OUTPUT_HEADERS) reply.removeHeader(name);
  if (error !== null && error.fault === 'user') {
    const { seconds, allowed, bytes } = error.params;
    if (error.status === 503 || error.status === 429 || error.status === 423)
      reply.header('retry-after', String(seconds));
    if (error.status === 507) reply.header('retry-after', String(STORAGE_RETRY_SECONDS));
    const challenge = challengeOf(error);
    if (challenge !== null) reply.header('www-authenticate', challenge);
    if (error.code === 'METHOD_NOT_ALLOWED') reply.header('allow', String(allowed));
    if (error.code === 'RANGE_NOT_SATISFIABLE') reply.header('content-range', `bytes */${bytes}`);
    return sendProblem(reply, problemOf(error));
  }
  request.log.error({ err: thrown, reference: request.id }, 'a request failed by our fault');
  return sendProblem(reply, {
    type: problemType('INTERNAL'),
    title: problemTitle('INTERNAL'),
    status: 500,
    detail: `the service failed at this request; the cause is logged under reference ${request.id}`,
    instance: `urn:geomill:reference:${request.id}`,
  });
}

/** Registers the handlers for errors inside and outside of operations: unknown routes, bad HTTP, errors of Fastify. */
export function registerErrorReplies(
  app: FastifyInstance,
  routes: readonly RoutePattern[],
  formatIds: readonly string[],
): void {
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.setNotFoundHandler((request) => {
    throw wrongMethod(request, routes) ?? unknownPath(request.method, pathOf(request), formatIds);
  });
}

/** For another handler of unknown routes: answers a wrong method of a known path; null: an unknown path. */
export function refuseMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: readonly RoutePattern[],
): FastifyReply | null {
  const error = wrongMethod(request, routes);
  return error === null ? null : sendError(request, reply, error);
}

function wrongMethod(request: FastifyRequest, routes: readonly RoutePattern[]): GeomillError | null {
  const path = pathOf(request);
  const match = routes.find(({ pattern }) => pattern.test(path));
  if (match === undefined) return null;
  const { method } = request;
  return failure(httpErrors.METHOD_NOT_ALLOWED, { path: path.slice(0, 200), method, allowed: match.methods });
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0];
}

/** Paths exist for every known format; the error names an unknown format in a path. */
function unknownPath(method: string, path: string, formatIds: readonly string[]): GeomillError {
  const value = /^\/v1\/transform\/([^/]+)(?:\/(?:append|merge))?\/?$/.exec(path)?.[1];
  if (value !== undefined && !formatIds.includes(value))
    return failure(httpErrors.PATH_FORMAT_UNKNOWN, {
      value: value.slice(0, 40),
      hint: didYouMean(value, formatIds),
      known: formatIds.join(', '),
    });
  return failure(httpErrors.ROUTE_UNKNOWN, { method, path: path.slice(0, 200) });
}

export interface RoutePattern {
  readonly pattern: RegExp;
  /** Value of the Allow header: "GET, HEAD". */
  readonly methods: string;
}

/** Answers requests that Node's parser rejects, for which no request object exists. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  headers: SecurityHeaders,
): void {
  if (socket.destroyed || error.code === 'ECONNRESET') return;
  answerOnSocket(brokenRequest(error), socket, headers);
}

/** Answers on the socket, where no reply object exists, and closes the connection. */
export function answerOnSocket(error: GeomillError, socket: Duplex, headers: SecurityHeaders): void {
  const problem = problemOf(error);
  const body = JSON.stringify(problem);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (socket.writable)
    socket.end(
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}` +
        `Content-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Connection: close\r\n\r\n${body}`,
    );
}

/** Answers paths that the router cannot parse. Its own response is not a problem document, repeats the path and skips hooks. */
export function answerBrokenPath(
  { code }: { readonly code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
  headers: SecurityHeaders,
): void {
  const reason =
    code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? 'a part of its path is too long'
      : 'its path has a percent sign that does not begin two hexadecimal digits of UTF-8; write %25 for the sign itself';
  sendError(request, reply.headers(headers), failure(httpErrors.HTTP_INVALID, { reason }));
}

function brokenRequest(error: Error & { code?: string }): GeomillError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return failure(httpErrors.HEADERS_TOO_LARGE, { limit: 16384 });
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure(httpErrors.REQUEST_TIMEOUT, {});
  return failure(httpErrors.HTTP_INVALID, { reason: error.message.replace(/^Parse Error: /, '') });
}

/** The coded error of a thrown value; null: an internal error. */
function recognize(request: FastifyRequest, thrown: unknown): GeomillError | null {
  // Its detail is not in the answer.
  if (thrown instanceof StoreFault) request.log.error({ err: thrown }, 'the store failed at a request');
  if (thrown instanceof GeomillError) return thrown;
  if (isDiskFull(thrown))
    return failure(generalErrors.STORAGE_FULL, { what: 'this request' }, undefined, thrown);
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return null;
  const status = Number(thrown.statusCode);
  if (status === 415)
    return failure(httpErrors.BODY_TYPE, {
      type: request.headers['content-type'] ?? 'none',
      expected: 'multipart/form-data',
    });
  if (status >= 400 && status < 500) return failure(httpErrors.HTTP_INVALID, { reason: thrown.message });
  return null;
}

function problemType(code: string): string {
  return `urn:geomill:error:${code.toLowerCase().replaceAll('_', '-')}`;
}

const UPPER_CASE = /^(json|crs|dbf|wkt|wkb|url|http)$/;

/** CONFIG_NOT_JSON -> "Config not JSON". The same for every occurrence, as RFC 9457 requires. */
function problemTitle(code: string): string {
  const words = code
    .toLowerCase()
    .split('_')
    .map(
      (word) =>
        formats.find(({ id }) => id === word)?.name ?? (UPPER_CASE.test(word) ? word.toUpperCase() : word),
    );
  const text = words.join(' ');
  return text[0].toUpperCase() + text.slice(1);
}

const REALM = 'realm="geomill"';
/** Not a registered scheme, but it shows clients that API keys are accepted. */
const BY_KEY = `ApiKey ${REALM}`;

/** WWW-Authenticate (RFC 9110, 11.6.1; RFC 6750, 3). Null: the error is not about credentials. */
function challengeOf({ code, params }: GeomillError): string | null {
  switch (code) {
    case 'CREDENTIALS_MISSING':
    case 'ORIGIN_REFUSED':
    case 'HOST_REFUSED':
    case 'PAGE_REFUSED':
    case 'SESSION_MISSING':
      // No error code: no credential was sent.
      return `Bearer ${REALM}, ${BY_KEY}`;
    case 'CREDENTIALS_INVALID':
      // The same for keys and tokens and for all reasons.
      return `Bearer ${REALM}, error="invalid_token", ${BY_KEY}`;
    case 'SCOPE_MISSING':
      return `Bearer ${REALM}, error="insufficient_scope", scope="${params.scope}", ${BY_KEY}`;
    default:
      return null;
  }
}
