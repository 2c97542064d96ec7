/** Ties requests to logs and traces: request ids, the caller's trace, and a span for each request. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withoutSecrets } from '../accounts/secret-text.ts';
import type { Job } from '../jobs/job.ts';
import { parseTraceparent, traceparentOf } from '../tracing/trace-context.ts';
import { NO_TRACES, type Tracer } from '../tracing/tracer.ts';

const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** Asked often, and by nobody who wants a trace of it. */
const UNTRACED = /^\/(?:healthz|readyz|metrics|assets\/.*)$/;
const NO_SPAN = NO_TRACES.span('', 'server', { parent: null });

/** The id that the client or a proxy sent as `X-Request-Id`, if it is plain and short; else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Every response has `X-Request-Id`, and `traceresponse` if it belongs to a trace. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    request.span = NO_SPAN;
    reply.header('x-request-id', request.id);
    const { method, routeOptions, headers } = request;
    const route = routeOptions.url;
    if (route === undefined || UNTRACED.test(route)) return done();
    const span = tracer.span(`${method} ${route}`, 'server', {
      parent: parseTraceparent(headers.traceparent),
      attributes: { 'http.request.method': method, 'http.route': route, 'url.scheme': request.protocol },
    });
    request.span = span;
    if (span.context === null) return done();
    tell(request, reply);
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw;
      span.set({
        'http.response.status_code': statusCode,
        'url.path': withoutSecrets(request.url.split('?', 1)[0]),
        'geomill.request.id': request.id,
      });
      if (!writableFinished) span.fail('aborted');
      else if (statusCode >= 500) span.fail(String(statusCode));
      span.end();
    });
    done();
  });
}

function tell(request: FastifyRequest, reply: FastifyReply): void {
  const { context } = request.span;
  if (context === null) return;
  reply.header('traceresponse', traceparentOf(context));
  request.log = request.log.child({ traceId: context.traceId });
  reply.log = request.log;
}

/** A request about a job belongs to the trace of the job, unless its client has a trace of its own. */
export function joinTraceOf({ id, trace }: Job, request: FastifyRequest, reply: FastifyReply): void {
  const { span } = request;
  const before = span.context;
  span.join(parseTraceparent(trace));
  span.set({ 'geomill.job.id': id });
  if (span.context !== before) tell(request, reply);
}
