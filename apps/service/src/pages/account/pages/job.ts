/** One job of the signed-in user: state, report, steps, downloads, cancellation and deletion. */
import { type Html, type HtmlValue, html } from '../../html.ts';
import type { OwnJob, OwnJobDetails } from '../own-jobs.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { Visit } from '../visit.ts';
import {
  downloads,
  inputText,
  layerTable,
  severityBadges,
  stateBadge,
  stepTable,
  warningTables,
  workText,
} from './job-parts.ts';
import { layout } from './layout.ts';
import { postForm, time } from './parts.ts';

const PATH = '/account/jobs/:id';

export const jobRoutes: readonly AccountRoute[] = [
  { method: 'GET', path: PATH, access: 'user', handle: (visit, { id }) => jobPage(visit, id) },
  {
    method: 'GET',
    path: `${PATH}/output`,
    access: 'user',
    handle: (visit, { id }) => ({
      raw: (reply) => visit.area.options.usage.sendOutput(visit.user.id, id, visit.request, reply),
    }),
  },
  {
    method: 'GET',
    path: `${PATH}/findings`,
    access: 'user',
    handle: (visit, { id }) => ({
      raw: (reply) => visit.area.options.usage.sendFindings(visit.user.id, id, visit.request, reply),
    }),
  },
  { method: 'GET', path: `${PATH}/report`, access: 'user', handle: (visit, { id }) => reportFile(visit, id) },
  { method: 'POST', path: `${PATH}/cancel`, access: 'user', handle: (visit, { id }) => cancel(visit, id) },
  { method: 'GET', path: `${PATH}/delete`, access: 'user', handle: (visit, { id }) => deletePage(visit, id) },
  { method: 'POST', path: `${PATH}/delete`, access: 'user', handle: (visit, { id }) => remove(visit, id) },
];

export function jobPath(visit: Visit, { id }: Pick<OwnJob, 'id'>, more = ''): string {
  return visit.href(pathOf(id, more));
}

function pathOf(id: string, more = ''): string {
  return `/account/jobs/${encodeURIComponent(id)}${more}`;
}

async function jobPage(visit: Visit, id: string): Promise<Answer> {
  const job = await visit.area.options.usage.details(visit.user.id, id);
  const facts: readonly (readonly [string, HtmlValue])[] = [
    ['State', stateBadge(job)],
    ['Work', workText(job)],
    ['Input', inputText(job)],
    ['Submitted', time(job.createdAt)],
    ['Started', time(job.startedAt, 'not yet')],
    ['Ended', time(job.endedAt, 'not yet')],
    ...(job.report === null ? [] : [['Warnings', severityBadges(job.severities)] as const]),
    ['Id', html`<code>${job.id}</code>`],
  ];
  const body = html`${job.error === null ? null : html`<p class="fault" role="alert">${job.error}</p>`}
${job.summary === null ? null : html`<p>${job.summary}.</p>`}
<dl>${facts.map(([head, fact]) => html`<div><dt>${head}</dt><dd>${fact}</dd></div>`)}</dl>
<p class="soft">Times are in UTC.</p>
${downloads(job, (path) => jobPath(visit, job, path))}
${stepTable(job.steps)}
${layerTable(job)}
${warningTables(job)}
${job.request === null ? null : html`<h2>Request</h2><pre><code>${job.request}</code></pre>`}
${endForms(visit, job)}`;
  return { page: layout(visit, { title: `Job ${job.inputNames[0] ?? job.id}`, body }) };
}

function endForms(visit: Visit, job: OwnJobDetails): Html {
  if (job.endedAt !== null)
    return html`<h2>Delete</h2>
<p>The record, the report and the output are deleted.</p>
<p><a class="button danger" href="${jobPath(visit, job, '/delete')}">Delete this job</a></p>`;
  return html`<h2>Cancel</h2>
${postForm(visit, pathOf(job.id, '/cancel'), html`<p>The job stops, and its input is deleted.</p><button class="danger">Cancel this job</button>`)}`;
}

async function reportFile(visit: Visit, id: string): Promise<Answer> {
  const { report } = await visit.area.options.usage.details(visit.user.id, id);
  return {
    raw: (reply) =>
      reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="report-${id.replace(/[^\w-]/g, '')}.json"`)
        .send(report ?? 'null\n'),
  };
}

async function cancel(visit: Visit, id: string): Promise<Answer> {
  const isCancelled = await visit.area.options.usage.cancel(visit.user.id, id);
  await visit.leave({
    notice: isCancelled ? 'The job was cancelled.' : 'The job had ended before it could be cancelled.',
  });
  return { redirect: visit.href(pathOf(id)) };
}

async function deletePage(visit: Visit, id: string): Promise<Answer> {
  const job = await visit.area.options.usage.details(visit.user.id, id);
  const name = job.inputNames[0] ?? job.id;
  const body = html`<p>${workText(job)}, submitted ${time(job.createdAt)}. The record, the report and the output are deleted. This cannot be undone.</p>
${postForm(
  visit,
  pathOf(id, '/delete'),
  html`<button class="danger">Delete</button> <a class="cancel" href="${jobPath(visit, job)}">Keep it</a>`,
)}`;
  return { page: layout(visit, { title: `Delete job ${name}?`, body }) };
}

async function remove(visit: Visit, id: string): Promise<Answer> {
  await visit.area.options.usage.delete(visit.user.id, id);
  await visit.leave({ notice: 'The job was deleted.' });
  return { redirect: visit.href('/account/jobs') };
}
