/** The HTTP application, without listening: tests inject requests, `geomill serve` listens. */
import type { Server } from 'node:http';
import multipart from '@fastify/multipart';
import { failure } from '@geomill/core/messages/errors.ts';
import { isInputFormat } from '@geomill/formats/format.ts';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { keepPace } from './body-pace.ts';
import { registerBrowserPaths } from './browser-paths.ts';
import type { HttpContext } from './context.ts';
import { allowOrigins } from './cors.ts';
import { lingerAfterEarlyAnswers } from './early-answers.ts';
import {
  answerBrokenPath,
  answerBrokenRequest,
  answerOnSocket,
  registerErrorReplies,
} from './error-reply.ts';
import { httpErrors } from './errors.ts';
import type { Operation } from './operation.ts';
import { registerOperation, routePatterns, sendOperationHeaders } from './register-operation.ts';
import { requestIdOf, traceRequests } from './request-trace.ts';
import { type SecurityHeaders, securityHeaders, sendSecurityHeaders } from './security-headers.ts';

/** Added to the longest possible wait for a job: a connection without traffic for that long is closed. */
const IDLE_MARGIN_SECONDS = 60;

export interface RouteName {
  readonly method: string;
  /** With `:name` for parameters. */
  readonly url: string;
}

/** `onRoute` is called for every route, including those registered later. */
export async function buildApp(
  context: HttpContext,
  operations: readonly Operation[],
  logger: FastifyBaseLogger | false,
  onRoute?: (route: RouteName) => void,
): Promise<FastifyInstance> {
  const headers = securityHeaders(context.config.baseUrl);
  const app = Fastify({
    ...(logger === false ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    connectionTimeout: (context.config.syncTimeoutSeconds + IDLE_MARGIN_SECONDS) * 1000,
    // No limit for a whole request: large uploads may be slow. body-pace.ts enforces a minimum rate.
    requestTimeout: 0,
    // Node's own response would lack our headers.
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    // Requests that still arrive on open connections are answered: the service stops after the last response.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, headers),
    frameworkErrors: (error, request, reply) => answerBrokenPath(error, request, reply, headers),
    trustProxy: context.config.trustedProxies?.split(',') ?? false,
    routerOptions: { maxParamLength: 200 },
  });
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) onRoute?.({ method: one, url });
  });
  traceRequests(app, context.tracer);
  await takeBodies(app);
  answerExpectationsLate(app);
  refuseTunnels(app, headers);
  const { minUploadRate: minBytesPerSecond, uploadTimeoutSeconds: maxSeconds } = context.config;
  keepPace(app, { minBytesPerSecond, maxSeconds, timers: context.timers }, headers);
  app.decorateRequest('principal', null);
  sendSecurityHeaders(app, headers);
  sendOperationHeaders(app);
  app.addHook('onRequest', async ({ headers: { host, expect }, raw }, reply) => {
    // A proxy that keeps connections open has closed them before the service does.
    if (context.service.isLeaving) reply.header('connection', 'close');
    if (host === undefined && raw.httpVersion === '1.1')
      throw failure(httpErrors.HTTP_INVALID, { reason: 'the Host header is missing' });
    if (expect !== undefined && !isContinue(expect))
      throw failure(httpErrors.EXPECTATION_UNKNOWN, { expectation: expect });
  });
  await allowOrigins(app, context.config.corsOrigins);
  app.addHook('onResponse', async (request, reply) => {
    context.metrics.requestDone(
      request.method,
      request.routeOptions.url ?? 'unknown',
      reply.statusCode,
      reply.elapsedTime,
    );
  });
  lingerAfterEarlyAnswers(app, { timers: context.timers });
  const formatIds = context.formats.filter(isInputFormat).map(({ id }) => id);
  registerErrorReplies(app, routePatterns(operations), formatIds);
  for (const operation of operations) registerOperation(app, context, operation);
  registerBrowserPaths(app, context);
  return app;
}

/** Bodies are read by the operations, as streams; nothing is parsed or buffered before. */
async function takeBodies(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  await app.register(multipart);
}

/**
 * Answers `Expect: 100-continue` after the onRequest hooks of the route, so that a rejected request uploads nothing. Node
 * itself would always answer 100.
 */
function answerExpectationsLate(app: FastifyInstance): void {
  const server = app.server as Server;
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (request, response) => {
      server.emit('request', request, response);
    });
  app.addHook('preParsing', async (request, reply) => {
    // Unknown paths and methods are rejected after the hooks and need no body.
    if (request.is404) return;
    if (isContinue(request.headers.expect)) reply.raw.writeContinue();
  });
}

function isContinue(expectation: string | undefined): boolean {
  return expectation?.toLowerCase() === '100-continue';
}

/** Rejects CONNECT; Node would close the connection without a response. */
function refuseTunnels(app: FastifyInstance, headers: SecurityHeaders): void {
  (app.server as Server).on('connect', (_request, socket) => {
    const reason = 'CONNECT is not supported: this is not a proxy';
    answerOnSocket(failure(httpErrors.HTTP_INVALID, { reason }), socket, headers);
  });
}
