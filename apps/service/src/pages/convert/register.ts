/** Registers the pages for converting and inspecting files in a browser: a form at `/`, and the jobs that it makes. */
import formBody from '@fastify/formbody';
import type { FieldForm } from '@geomill/core/messages/message.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendIndex } from '../../http/browser-paths.ts';
import type { HttpContext } from '../../http/context.ts';
import type { UsageSource } from '../account/own-jobs.ts';
import { PAGE_HEADERS, type SignedInPages } from '../account/register.ts';
import type * as answers from './answers.ts';
import type { Site } from './visitor.ts';
import { findWorkspace, registerWorkspaceFiles } from './workspace.ts';

/** Longer than any form of these pages without files. */
const MAX_FORM_BYTES = 16 * 1024;

/** `jobsIn`: the jobs, with errors in the words of a form. Call this before the application listens. */
export async function registerConvertPages(
  app: FastifyInstance,
  context: HttpContext,
  jobsIn: (form: FieldForm) => UsageSource,
  area: SignedInPages,
): Promise<void> {
  const workspace = context.config.web === 'on' ? findWorkspace() : null;
  if (workspace !== null) registerWorkspaceFiles(app, workspace, context.config.mapTilesUrl);
  let site: Site | undefined;
  /** Answers by a function of answers.ts, which is loaded at the first request. */
  const by =
    (choose: (functions: typeof answers) => answers.PageAnswer) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const loaded = await import('./answers.ts');
      site ??= { context, jobs: jobsIn(loaded.PAGE_FORM), area, workspace };
      return choose(loaded)(site, request, reply);
    };
  await app.register(async (scope) => {
    await scope.register(formBody, { bodyLimit: MAX_FORM_BYTES });
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(PAGE_HEADERS);
    });
    scope.setErrorHandler((error, request, reply) => by(({ faultPage }) => faultPage(error))(request, reply));
    const start = by(({ showStart }) => showStart);
    scope.get('/', async (request, reply) => sendIndex(context, request, reply) ?? start(request, reply));
    scope.post(
      '/',
      by(({ submit }) => submit),
    );
    scope.get(
      '/jobs',
      by(({ showJobs }) => showJobs),
    );
    scope.get(
      '/jobs/:id',
      by(({ showJob }) => showJob),
    );
    scope.get(
      '/jobs/:id/output',
      by(({ sendOutput }) => sendOutput),
    );
    scope.get(
      '/jobs/:id/findings',
      by(({ sendFindings }) => sendFindings),
    );
    scope.get(
      '/jobs/:id/report',
      by(({ sendReport }) => sendReport),
    );
    scope.post(
      '/jobs/:id/remove',
      by(({ remove }) => remove),
    );
  });
}
