/** One job of the signed-in user: state, report, steps, downloads, cancellation and deletion. */
import { type Html, type HtmlValue, html } from '../../html.ts';
import type { OwnJob, OwnJobDetails, OwnStep, OwnWarning } from '../own-jobs.ts';
import type { AccountRoute, Answer } from '../route.ts';
import type { Visit } from '../visit.ts';
import { layout } from './layout.ts';
import { badge, postForm, size, table, time } from './parts.ts';

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

const STATE_KINDS = { QUEUED: 'plain', RUNNING: 'plain', SUCCESS: 'good', FAILED: 'bad' } as const;

export function stateBadge({ state }: Pick<OwnJob, 'state'>): Html {
  return badge(STATE_KINDS[state], state);
}

/** "transform geojson to gpkg". */
export function workText({ operation, inputFormat, outputFormat }: OwnJob): string {
  return `${operation} ${inputFormat}${outputFormat === null ? '' : ` to ${outputFormat}`}`;
}

/** The output can be downloaded. */
export function hasOutput({ outputBytes, outputUntil }: OwnJob, now: number): boolean {
  return outputBytes !== null && outputUntil !== null && outputUntil > now;
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
    ...(job.report === null ? [] : [['Warnings', severityBadges(job)] as const]),
    ['Id', html`<code>${job.id}</code>`],
  ];
  const body = html`${job.error === null ? null : html`<p class="fault" role="alert">${job.error}</p>`}
${job.summary === null ? null : html`<p>${job.summary}.</p>`}
<dl>${facts.map(([head, fact]) => html`<div><dt>${head}</dt><dd>${fact}</dd></div>`)}</dl>
<p class="soft">Times are in UTC.</p>
${downloads(visit, job)}
${job.steps.length === 0 ? null : html`<h2>Steps</h2>${stepTable(job.steps)}`}
${layers(job)}
${warnings(job.warnings, job.hiddenWarnings)}
${job.request === null ? null : html`<h2>Request</h2><pre><code>${job.request}</code></pre>`}
${endForms(visit, job)}`;
  return { page: layout(visit, { title: `Job ${job.inputNames[0] ?? job.id}`, body }) };
}

function inputText({ inputNames, inputBytes }: OwnJob): string {
  const names = inputNames.slice(0, 10).join(', ');
  const more = inputNames.length > 10 ? ` and ${inputNames.length - 10} more` : '';
  return `${names}${more}${inputBytes === null ? '' : ` (${size(inputBytes)})`}`;
}

function severityBadges({ severities: { info, changed, lost } }: OwnJobDetails): HtmlValue {
  if (info + changed + lost === 0) return 'none';
  const kinds = [
    [lost, 'lost', 'bad'],
    [changed, 'changed', 'plain'],
    [info, 'info', 'plain'],
  ] as const;
  return kinds.flatMap(([count, name, kind]) => (count === 0 ? [] : [badge(kind, `${count} ${name}`), ' ']));
}

function downloads(visit: Visit, job: OwnJobDetails): Html | null {
  const output = hasOutput(job, Date.now())
    ? html`<a class="button" href="${jobPath(visit, job, '/output')}" download>Download the output (${size(job.outputBytes ?? 0)})</a>`
    : job.outputBytes === null
      ? null
      : html`<span class="soft">The output (${size(job.outputBytes)}) has expired.</span>`;
  const report =
    job.report === null
      ? null
      : html`<a href="${jobPath(visit, job, '/report')}" download>Report as JSON</a>`;
  if (output === null && report === null) return null;
  const until = hasOutput(job, Date.now())
    ? html`<p class="soft">The output is available until ${time(job.outputUntil)}.</p>`
    : null;
  return html`<h2>Downloads</h2><p>${output} ${report}</p>${until}`;
}

function stepTable(steps: readonly OwnStep[]): Html {
  const rows = steps.map((step, i) => [
    html`${i + 1}. ${step.type}`,
    html`${step.featuresIn}`,
    html`${step.featuresOut}`,
    step.changes,
    step.crs.join(', '),
    html`<span class="nowrap">${step.seconds} s</span>`,
    step.parameters === null ? '' : html`<code>${step.parameters}</code>`,
  ]);
  const heads = ['Step', 'Features in', 'Features out', 'Difference', 'CRS', 'Time', 'Parameters'];
  return table('Steps in their order', heads, rows);
}

function layers({ readLayers, writtenLayers }: OwnJobDetails): Html | null {
  const rows = [
    ...readLayers.map(({ name, features }) => [name, 'read', html`${features}`]),
    ...writtenLayers.map(({ name, features }) => [name, 'written', html`${features}`]),
  ];
  if (rows.length === 0) return null;
  return html`<h2>Layers</h2>${table('Layers of the input and the output', ['Layer', 'Direction', 'Features'], rows)}`;
}

const SEVERITY_TITLES = {
  lost: 'Lost: data of the input is not in the output',
  changed: 'Changed: values, geometries or names differ from those of the input',
  info: 'Info: the output is as requested',
} as const;

function warnings(all: readonly OwnWarning[], hidden: number): Html | null {
  if (all.length === 0) return null;
  const groups = (['lost', 'changed', 'info'] as const).map((severity) => {
    const group = all.filter((warning) => warning.severity === severity);
    if (group.length === 0) return null;
    const rows = group.map(({ code, text }) => [html`<code>${code}</code>`, text]);
    return html`<h3>${SEVERITY_TITLES[severity]}</h3>${table(`Warnings of severity ${severity}`, ['Code', 'Warning'], rows)}`;
  });
  const more = hidden === 0 ? null : html`<p class="soft">${hidden} more warnings are not listed.</p>`;
  return html`<h2>Warnings</h2>${groups}${more}`;
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
