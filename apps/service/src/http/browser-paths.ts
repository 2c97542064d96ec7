/** Addresses that people and browsers try by themselves. They are no part of the API, so OpenAPI does not list them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { baseUrlOf, type HttpContext } from './context.ts';
import { indexOf } from './operations/documents.ts';
import { sendStatic, staticContent } from './send-static.ts';

/** Three map layers. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><g stroke="#fff" stroke-linejoin="round">
<path fill="#7a9cc6" d="M8 8l7 3-7 3.500-7-3.500z"/><path fill="#4a7ab0" d="M8 5l7 3-7 3.500-7-3.500z"/>
<path fill="#1d4f8c" d="M8 1.500l7 3.500-7 3.500-7-3.500z"/></g></svg>`;

export function registerBrowserPaths(app: FastifyInstance, context: HttpContext): void {
  const toDocs = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.redirect(`${baseUrlOf(context, request)}/docs`);
  app.get('/docs/', toDocs);
  // Otherwise it is the page for converting files, which service.ts registers.
  if (context.config.web === 'off')
    app.get('/', (request, reply) => sendIndex(context, request, reply) ?? toDocs(request, reply));
  const icon = staticContent('image/svg+xml', ICON);
  app.get('/favicon.ico', (request, reply) => sendStatic(request, reply, icon));
}

/** Answers programs that ask for JSON with the entry point of the API; null: another program, or a browser. */
export function sendIndex(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | null {
  reply.header('vary', 'accept');
  return wantsJson(request.headers.accept) ? reply.send(indexOf(context, request)) : null;
}

/** A program that asks for JSON; browsers list HTML, and others accept anything. */
function wantsJson(accept = ''): boolean {
  return /(?:^|,)\s*application\/json\b/i.test(accept) && !/text\/html/i.test(accept);
}
