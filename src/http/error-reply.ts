/**
 * Errors as problem details (RFC 9457). A user's fault is told word for word; what is ours is logged and answered with
 * a general sentence and a reference that finds the log entry.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, failure, GeomillError, isDiskFull } from '../errors.ts';
import { formats } from '../formats/registry.ts';
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
}

const PROBLEM_MEDIA_TYPE = 'application/problem+json';
/** Nobody knows when space is freed; the service notices within two seconds. */
const STORAGE_RETRY_SECONDS = 5;

export function problemOf(error: GeomillError, detail = error.message): Problem {
  const { path } = error.params;
  return {
    type: problemType(error.code),
    title: problemTitle(error.code),
    status: error.status,
    detail,
    ...(typeof path === 'string' && error.status === 400 ? { errors: [{ path, message: detail }] } : {}),
  };
}

/** Headers of an output that a problem which comes up late must not carry. */
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
  // As bytes: to a text Fastify would add a charset, which this media type does not have.
  const body = Buffer.from(JSON.stringify(problem));
  return reply.code(problem.status).header('content-type', PROBLEM_MEDIA_TYPE).send(body);
}

/** Answers any thrown value. */
function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = recognize(request, thrown);
  for (const name of OUTPUT_HEADERS) reply.removeHeader(name);
  if (error !== null && error.fault === 'user') {
    const { seconds, allowed, bytes } = error.params;
    if (error.status === 503 || error.status === 429) reply.header('retry-after', String(seconds));
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

/** All that may go wrong outside of our own code too: unknown routes, bad HTTP, what Fastify refuses. */
export function registerErrorReplies(
  app: FastifyInstance,
  routes: readonly RoutePattern[],
  formatIds: readonly string[],
): void {
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0];
    const match = routes.find(({ pattern }) => pattern.test(path));
    const { method } = request;
    throw match === undefined
      ? unknownPath(method, path, formatIds)
      : failure('METHOD_NOT_ALLOWED', { path: path.slice(0, 200), method, allowed: match.methods });
  });
}

/** Paths exist for every format that is known; where one was meant for another format, that is told. */
function unknownPath(method: string, path: string, formatIds: readonly string[]): GeomillError {
  const value = /^\/v1\/transform\/([^/]+)(?:\/(?:append|merge))?\/?$/.exec(path)?.[1];
  if (value !== undefined && !formatIds.includes(value))
    return failure('PATH_FORMAT_UNKNOWN', { value: value.slice(0, 40), known: formatIds.join(', ') });
  return failure('ROUTE_UNKNOWN', { method, path: path.slice(0, 200) });
}

export interface RoutePattern {
  readonly pattern: RegExp;
  /** As in the Allow header: "GET, HEAD". */
  readonly methods: string;
}

/** For requests that Node's parser refuses, before there is a request at all. */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  headers: SecurityHeaders,
): void {
  if (socket.destroyed || error.code === 'ECONNRESET') return;
  answerOnSocket(brokenRequest(error), socket, headers);
}

/** Answers where there is no reply to answer with, and closes the connection. */
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

/** For paths that the router cannot read. Its own answer would be no problem, repeat the path, and come past all hooks. */
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
  sendError(request, reply.headers(headers), failure('HTTP_INVALID', { reason }));
}

function brokenRequest(error: Error & { code?: string }): GeomillError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return failure('HEADERS_TOO_LARGE', { limit: 16384 });
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('REQUEST_TIMEOUT', {});
  return failure('HTTP_INVALID', { reason: error.message.replace(/^Parse Error: /, '') });
}

/** The coded error behind a thrown value; null: our fault. */
function recognize(request: FastifyRequest, thrown: unknown): GeomillError | null {
  if (thrown instanceof GeomillError) return thrown;
  // Whatever was written: a file, a job's row, an account's.
  if (isDiskFull(thrown)) return failure('STORAGE_FULL', { what: 'this request' }, undefined, thrown);
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return null;
  const status = Number(thrown.statusCode);
  if (status === 415)
    return failure('BODY_TYPE', {
      type: request.headers['content-type'] ?? 'none',
      expected: 'multipart/form-data',
    });
  if (status >= 400 && status < 500) return failure('HTTP_INVALID', { reason: thrown.message });
  return null;
}

function problemType(code: ErrorCode): string {
  return `urn:geomill:error:${code.toLowerCase().replaceAll('_', '-')}`;
}

const UPPER_CASE = /^(json|crs|dbf|wkt|wkb|url|http)$/;

/** CONFIG_NOT_JSON -> "Config not JSON". The same for every occurrence, as RFC 9457 asks. */
function problemTitle(code: ErrorCode): string {
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
/** Not a registered scheme, but the place where clients look for what there is. */
const BY_KEY = `ApiKey ${REALM}`;

/** WWW-Authenticate (RFC 9110, 11.6.1; RFC 6750, 3). Null: the error is not about credentials. */
function challengeOf({ code, params }: GeomillError): string | null {
  switch (code) {
    case 'CREDENTIALS_MISSING':
    case 'ORIGIN_REFUSED':
    case 'HOST_REFUSED':
      // Without a code: nothing was wrong yet.
      return `Bearer ${REALM}, ${BY_KEY}`;
    case 'CREDENTIALS_INVALID':
      // The same for a key and for a token, whatever was wrong with it.
      return `Bearer ${REALM}, error="invalid_token", ${BY_KEY}`;
    case 'SCOPE_MISSING':
      return `Bearer ${REALM}, error="insufficient_scope", scope="${params.scope}", ${BY_KEY}`;
    default:
      return null;
  }
}
