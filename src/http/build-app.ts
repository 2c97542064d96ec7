/** The HTTP application, without listening: tests inject requests, `geomill serve` listens. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import multipart from '@fastify/multipart';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { failure } from '../errors.ts';
import { isInputFormat } from '../formats/format.ts';
import { keepPace } from './body-pace.ts';
import type { HttpContext } from './context.ts';
import { allowOrigins } from './cors.ts';
import {
  answerBrokenPath,
  answerBrokenRequest,
  answerOnSocket,
  registerErrorReplies,
} from './error-reply.ts';
import { allOperations } from './operations/all.ts';
import { registerOperation, routePatterns } from './register-operation.ts';
import { type SecurityHeaders, securityHeaders, sendSecurityHeaders } from './security-headers.ts';

/** A connection on which nothing moves for so long is closed; longer than any wait that was asked for. */
const IDLE_MARGIN_SECONDS = 60;
/** How long the rest of a refused body is read, so that the client gets to see the answer. */
const LINGER_MS = 5000;

export interface RouteName {
  readonly method: string;
  /** With `:name` for parameters. */
  readonly url: string;
}

/** `onRoute` is told of every route that there is, whoever registers it. */
export async function buildApp(
  context: HttpContext,
  logger: FastifyBaseLogger | false,
  onRoute?: (route: RouteName) => void,
): Promise<FastifyInstance> {
  const headers = securityHeaders(context.config.baseUrl);
  const app = Fastify({
    ...(logger === false ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    connectionTimeout: (context.config.syncTimeoutSeconds + IDLE_MARGIN_SECONDS) * 1000,
    // No bound on a whole request: a large file over a slow line takes its time. The idle bound above remains.
    requestTimeout: 0,
    // Node's own answer would come without our headers.
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, headers),
    frameworkErrors: (error, request, reply) => answerBrokenPath(error, request, reply, headers),
    trustProxy: context.config.trustedProxies?.split(',') ?? false,
    routerOptions: { maxParamLength: 200 },
  });
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) onRoute?.({ method: one, url });
  });
  await takeBodies(app);
  answerExpectationsLate(app);
  refuseTunnels(app, headers);
  keepPace(
    app,
    { minBytesPerSecond: context.config.minUploadRate, maxSeconds: context.config.uploadTimeoutSeconds },
    headers,
  );
  app.decorateRequest('principal', null);
  sendSecurityHeaders(app, headers);
  app.addHook('onRequest', async ({ headers: { host, expect }, raw }) => {
    if (host === undefined && raw.httpVersion === '1.1')
      throw failure('HTTP_INVALID', { reason: 'the Host header is missing' });
    if (expect !== undefined && !isContinue(expect))
      throw failure('EXPECTATION_UNKNOWN', { expectation: expect });
  });
  await allowOrigins(app, context.config.corsOrigins);
  app.addHook('onResponse', async (request, reply) => {
    context.metrics.requestDone(
      request.method,
      request.routeOptions.url ?? 'unknown',
      reply.statusCode,
      reply.elapsedTime,
    );
    finishBody(request, reply);
  });
  const operations = allOperations(context.formats);
  const formatIds = context.formats.filter(isInputFormat).map(({ id }) => id);
  registerErrorReplies(app, routePatterns(operations), formatIds);
  for (const operation of operations) registerOperation(app, context, operation);
  return app;
}

/** Bodies are read by the operations that take them, as streams: nothing is parsed, and nothing is held, before. */
async function takeBodies(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  await app.register(multipart);
}

/**
 * A client that sends `Expect: 100-continue` asks before it sends its body. Node answers yes by itself; here the
 * routes' onRequest hooks decide first, so a declared length above the limit costs no upload.
 */
function answerExpectationsLate(app: FastifyInstance): void {
  const server = app.server as Server;
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (request, response) => {
      server.emit('request', request, response);
    });
  app.addHook('preParsing', async (request, reply) => {
    // What is no path, or no method of it, is refused after the hooks, and needs no body.
    if (request.is404) return;
    if (isContinue(request.headers.expect)) reply.raw.writeContinue();
  });
}

function isContinue(expectation: string | undefined): boolean {
  return expectation?.toLowerCase() === '100-continue';
}

/** Node closes the connection of a CONNECT without a word. */
function refuseTunnels(app: FastifyInstance, headers: SecurityHeaders): void {
  (app.server as Server).on('connect', (_request, socket) => {
    const reason = 'CONNECT is not possible: this is no proxy';
    answerOnSocket(failure('HTTP_INVALID', { reason }), socket, headers);
  });
}

/**
 * After an answer that came before the end of the body, e.g. a refusal: reads on for a moment and drops what comes.
 * Closing at once would reset the connection, and many clients would report that instead of our answer.
 */
function finishBody({ raw }: FastifyRequest, _reply: FastifyReply): void {
  if (raw.complete || raw.destroyed) return;
  raw.unpipe();
  raw.resume();
  const { socket } = raw;
  const timer = setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, LINGER_MS).unref();
  raw.once('close', () => clearTimeout(timer));
}
