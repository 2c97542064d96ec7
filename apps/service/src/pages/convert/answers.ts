/** The answers of the pages for converting and inspecting files, which register.ts loads at the first request to them. */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { textOf } from '@geomill/core/messages/message.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { httpErrors } from '../../http/errors.ts';
import { refuseEarly } from '../../http/submission.ts';
import type { OwnJobDetails } from '../account/own-jobs.ts';
import { faultOf } from '../account/register.ts';
import { type Html, html } from '../html.ts';
import { type FormValues, fieldOfPath, PAGE_FORM, valuesIn } from './form-fields.ts';
import type { Suggestions } from './form-view.ts';
import { frame, signInPath } from './frame.ts';
import { isUnfinished, jobPage, jobsPage } from './job-view.ts';
import { MAX_FILES, receiveForm } from './receive-form.ts';
import { jobsPath, startPage } from './start-view.ts';
import { type Site, Visitor } from './visitor.ts';
import { workspaceHead, workspacePolicy } from './workspace.ts';

/** How long a submission waits, so that most jobs are done on the first page that follows. */
const WAIT_MS = 2000;
/** Time between reloads of a page with a running job. */
const RELOAD_SECONDS = 2;
/** Suggestions for the name of a CRS. */
const MAX_HITS = 6;

export { PAGE_FORM };

export type PageAnswer = (site: Site, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export const showStart: PageAnswer = async (site, request, reply) => {
  const { workspace, context } = site;
  const visitor = await Visitor.begin(site, request, reply);
  const state = { values: valuesIn(request.query), suggestions: null };
  if (workspace === null) return sendPage(reply, startPage(visitor, state));
  reply.header('content-security-policy', workspacePolicy(context.config.mapTilesUrl));
  const account = visitor.isOpen ? null : (visitor.email ?? '');
  const head = workspaceHead(workspace, (path) => visitor.href(path), account);
  return sendPage(reply, startPage(visitor, state, null, head));
};

export const sendOutput: PageAnswer = async (site, request, reply) => {
  const visitor = await Visitor.begin(site, request, reply);
  return site.jobs.sendOutput(visitor.owner, idOf(request), request, reply);
};

export const sendFindings: PageAnswer = async (site, request, reply) => {
  const visitor = await Visitor.begin(site, request, reply);
  return site.jobs.sendFindings(visitor.owner, idOf(request), request, reply);
};

export const sendReport: PageAnswer = async (site, request, reply) => {
  const visitor = await Visitor.begin(site, request, reply);
  const { id, report } = await site.jobs.details(visitor.owner, idOf(request));
  return reply
    .type('application/json; charset=utf-8')
    .header('content-disposition', `attachment; filename="report-${id}.json"`)
    .send(report ?? 'null\n');
};

function idOf(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id;
}

function sendPage(reply: FastifyReply, page: Html, status = 200): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page.text);
}

export async function submit(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = await Visitor.begin(site, request, reply);
  if (!visitor.isAdmitted) return reply.redirect(signInPath(visitor), 303);
  visitor.refuseForeignOrigin();
  const { context } = site;
  try {
    await refuseEarly(false, context, request);
  } catch (error) {
    return sendFormFault(visitor, reply, {}, [], error);
  }
  const { values, accepted, error } = await receiveForm(context, request, visitor.owner, (token) =>
    visitor.refuseForeignToken(token),
  );
  if (error !== null) return sendFormFault(visitor, reply, values, accepted, error);
  if (accepted.length === 1) await waitForEnd(visitor, accepted[0], reply);
  return reply.redirect(visitor.href(jobsPath(accepted)), 303);
}

async function waitForEnd(
  { owner, site: { context } }: Visitor,
  id: string,
  reply: FastifyReply,
): Promise<void> {
  if (!context.openRequests.hasRoom(owner)) return;
  const leave = context.openRequests.enter(owner);
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  try {
    await context.service.jobsOf(owner).waitForEnd(id, WAIT_MS, left.signal);
  } finally {
    leave();
  }
}

/** The error above the form, which is filled in as it was, except for the files. */
async function sendFormFault(
  visitor: Visitor,
  reply: FastifyReply,
  values: FormValues,
  accepted: readonly string[],
  thrown: unknown,
): Promise<FastifyReply> {
  const { status, text } = faultInForm(thrown, visitor.request);
  passRetryAfter(thrown, reply);
  const suggestions = await suggestionsFor(thrown, visitor);
  const page = startPage(visitor, { values, suggestions }, { message: text, accepted });
  return sendPage(reply, page, status);
}

/** Systems whose names or areas are like a text that is no code. */
async function suggestionsFor(thrown: unknown, { site }: Visitor): Promise<Suggestions | null> {
  if (!(thrown instanceof GeomillError) || thrown.code !== 'CRS_UNKNOWN') return null;
  const field = fieldOfPath(textOf(thrown.params.path ?? ''));
  if (field !== 'input_crs' && field !== 'output_crs') return null;
  const hits = (await site.context.crsSearch()).search(textOf(thrown.params.definition ?? ''), MAX_HITS);
  return hits.length === 0 ? null : { field, list: hits.map(({ code, name }) => ({ crs: code, name })) };
}

function faultInForm(thrown: unknown, request: FastifyRequest): { status: number; text: string } {
  if (!(thrown instanceof GeomillError) || thrown.fault !== 'user') return faultOf(thrown, request);
  return { status: thrown.status, text: thrown.inForm(PAGE_FORM).message };
}

function passRetryAfter(thrown: unknown, reply: FastifyReply): void {
  const seconds = thrown instanceof GeomillError ? thrown.params.seconds : undefined;
  if (seconds !== undefined) reply.header('retry-after', String(seconds));
}

export async function showJob(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = await Visitor.begin(site, request, reply);
  const id = idOf(request);
  if (!visitor.isAdmitted) return reply.redirect(signInPath(visitor, `/jobs/${encodeURIComponent(id)}`), 303);
  const job = await site.jobs.details(visitor.owner, id);
  const isInspected = job.operation === 'inspect' && job.state === 'SUCCESS';
  const inspection = isInspected ? await site.jobs.inspection(visitor.owner, id) : null;
  if (isUnfinished(job)) reloads(reply);
  return sendPage(reply, jobPage(visitor, job, inspection));
}

/** As `<meta http-equiv="refresh">`: browsers reload the page without script. */
function reloads(reply: FastifyReply): void {
  reply.header('refresh', String(RELOAD_SECONDS));
}

export async function showJobs(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = await Visitor.begin(site, request, reply);
  if (!visitor.isAdmitted) return reply.redirect(signInPath(visitor), 303);
  const { ids } = request.query as { ids?: unknown };
  const wanted = typeof ids === 'string' ? ids.split(',').slice(0, MAX_FILES) : [];
  const found: OwnJobDetails[] = [];
  for (const id of new Set(wanted)) {
    const job = await site.jobs.details(visitor.owner, id).catch(unlessUnknown);
    if (job !== null) found.push(job);
  }
  if (found.length === 0) throw failure(httpErrors.JOB_UNKNOWN, { id: wanted.join(',').slice(0, 100) });
  if (found.some(isUnfinished)) reloads(reply);
  return sendPage(reply, jobsPage(visitor, found, wanted.length - found.length));
}

function unlessUnknown(error: unknown): null {
  if (error instanceof GeomillError && error.code === 'JOB_UNKNOWN') return null;
  throw error;
}

/** Cancels a job, whose page then says so; deletes one that has ended. */
export async function remove(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = await Visitor.begin(site, request, reply);
  visitor.refuseForeignOrigin();
  visitor.refuseForeignToken(valuesIn(request.body).form_token ?? '');
  const { endedAt, id } = await site.jobs.details(visitor.owner, idOf(request));
  if (endedAt !== null) {
    await site.jobs.delete(visitor.owner, id);
    return reply.redirect(visitor.href('/'), 303);
  }
  await site.jobs.cancel(visitor.owner, id);
  return reply.redirect(visitor.href(jobsPath([id])), 303);
}

/** An error outside of the form. */
export function faultPage(thrown: unknown): PageAnswer {
  return async (site, request, reply) => {
    const { status, title, text } = faultOf(thrown, request);
    passRetryAfter(thrown, reply);
    const visitor = Visitor.forFault(site, request);
    const body = html`<h1>${title}</h1><p>${text}</p><p><a href="${visitor.href('/')}">Convert files</a></p>`;
    return sendPage(reply, frame(visitor, { title, body }), status);
  };
}
