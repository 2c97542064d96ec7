/** The overview and the job list of the signed-in user. */
import { type Html, html } from '../../html.ts';
import type { OwnJob } from '../own-jobs.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { Visit } from '../visit.ts';
import { jobPath } from './job.ts';
import { hasOutput, severityBadges, stateBadge, workText } from './job-parts.ts';
import { layout } from './layout.ts';
import { size, table, time } from './parts.ts';

const DAY_MS = 24 * 3600_000;
const USAGE_DAYS = 30;
const ON_OVERVIEW = 5;
const ON_A_PAGE = 50;

export const overviewRoutes: readonly AccountRoute[] = [
  { method: 'GET', path: '/account', access: 'user', handle: overview },
  { method: 'GET', path: '/account/jobs', access: 'user', handle: jobsPage },
];

async function overview(visit: Visit): Promise<Answer> {
  const { usage, accounts } = visit.area.options;
  const { id } = visit.user;
  const { jobs } = await usage.page(id, null, ON_OVERVIEW);
  const active = (await accounts.credentials.list({ owner: id })).filter(
    (one) => accounts.credentials.stateOf(one) === 'active',
  );
  const count = (kind: string): number => active.filter((one) => one.kind === kind).length;
  const body = html`${await usagePanel(visit)}
<h2>Credentials</h2>
<ul>
<li><a href="${visit.href('/account/keys')}">API keys</a>: ${count('key')} active</li>
<li><a href="${visit.href('/account/clients')}">OAuth clients</a>: ${count('client')} active</li>
</ul>
<h2>Latest jobs</h2>
${jobTable(visit, jobs)}
${jobs.length === 0 ? null : html`<p><a href="${visit.href('/account/jobs')}">All jobs</a></p>`}`;
  return { page: layout(visit, { title: 'Overview', body }) };
}

async function usagePanel({ area, user }: Visit): Promise<Html> {
  const { usage } = area.options;
  const used = await usage.usage(user.id, Date.now() - USAGE_DAYS * DAY_MS);
  // Jobs whose records were deleted are not counted.
  const days = Math.min(USAGE_DAYS, Math.floor(usage.recordDays));
  const span =
    days < 1
      ? 'with records that are still kept'
      : days === 1
        ? 'in the last day'
        : `in the last ${days} days`;
  const facts: readonly (readonly [string, string])[] = [
    ['Jobs', String(used.jobs)],
    ['Failed', String(used.failedJobs)],
    ['Input', size(used.inputBytes)],
    ['Output', size(used.outputBytes)],
  ];
  return html`<h2>Usage</h2>
<p class="soft">Jobs ${span}.</p>
<dl class="tiles">${facts.map(([head, fact]) => html`<div><dt>${head}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

async function jobsPage(visit: Visit): Promise<Answer> {
  const { cursor } = visit.request.query as { cursor?: unknown };
  const from = typeof cursor === 'string' ? cursor : null;
  const { jobs, next } = await visit.area.options.usage.page(visit.user.id, from, ON_A_PAGE);
  const older =
    next === null
      ? null
      : html`<a class="button" rel="next" href="${visit.href('/account/jobs')}?cursor=${encodeURIComponent(next)}">Older jobs</a>`;
  const newest = from === null ? null : html`<a href="${visit.href('/account/jobs')}">Newest jobs</a>`;
  const body = html`${jobTable(visit, jobs)}<p>${older} ${newest}</p>`;
  return { page: layout(visit, { title: 'Jobs', body }) };
}

function jobTable(visit: Visit, jobs: readonly OwnJob[]): Html {
  if (jobs.length === 0) return html`<p class="soft">You have no jobs yet.</p>`;
  const now = Date.now();
  const rows = jobs.map((job) => [
    time(job.createdAt),
    stateBadge(job),
    workText(job),
    html`${job.inputNames.slice(0, 3).join(', ')}${job.inputNames.length > 3 ? ` and ${job.inputNames.length - 3} more` : null}`,
    job.inputBytes === null ? '' : html`<span class="nowrap">${size(job.inputBytes)}</span>`,
    outputCell(visit, job, now),
    job.endedAt === null || job.severities === null ? '' : severityBadges(job.severities),
    html`<a href="${jobPath(visit, job)}"><code>${job.id}</code></a>`,
  ]);
  return table(
    'Your jobs, newest first; times in UTC',
    ['Submitted', 'State', 'Work', 'Input', 'Size', 'Output', 'Warnings', 'Id'],
    rows,
  );
}

function outputCell(visit: Visit, job: OwnJob, now: number): Html | string {
  if (job.state === 'FAILED') return html`<span class="reason">${(job.error ?? '').slice(0, 300)}</span>`;
  if (job.outputBytes === null) return '';
  if (!hasOutput(job, now)) return `${size(job.outputBytes)}, expired`;
  return html`<a href="${jobPath(visit, job, '/output')}" class="nowrap" download>${size(job.outputBytes)}</a>`;
}
