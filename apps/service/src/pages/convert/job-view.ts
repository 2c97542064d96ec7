/** The page of a job: its progress, then the report and the download, or the error and the form again. */
import { variantOf } from '@geomill/formats/format.ts';
import { formatNamed } from '@geomill/formats/format-by-id.ts';
import { outputFormats } from '@geomill/formats/registry.ts';
import type { OwnInspection, OwnJobDetails } from '../account/own-jobs.ts';
import {
  findingsLink,
  hasOutput,
  inputText,
  layerTable,
  severityBadges,
  stateBadge,
  stepTable,
  warningTables,
  workText,
} from '../account/pages/job-parts.ts';
import { size, table, time } from '../account/pages/parts.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import { commandsOf } from './commands.ts';
import { type FormValues, formatByName, valuesIn } from './form-fields.ts';
import { convertForm, type Suggestions } from './form-view.ts';
import { frame } from './frame.ts';
import { inspectionView } from './inspection-view.ts';
import { sentence } from './start-view.ts';
import type { Visitor } from './visitor.ts';

/** `inspection`: null if the job is no inspection, has not ended, or its output is gone. */
export function jobPage(visitor: Visitor, job: OwnJobDetails, inspection: OwnInspection | null): Html {
  const name = job.inputNames[0] ?? job.id;
  const title = job.operation === 'inspect' ? `${name}: inspection` : name;
  const body = html`<h1>${name}</h1>
${job.endedAt === null ? running(visitor, job) : job.state === 'FAILED' ? failed(visitor, job) : done(visitor, job, inspection)}`;
  return frame(visitor, { title, body });
}

/** True: the page shows something that changes by itself. */
export function isUnfinished({ endedAt }: Pick<OwnJobDetails, 'endedAt'>): boolean {
  return endedAt === null;
}

function running(visitor: Visitor, job: OwnJobDetails): Html {
  const percent = Math.floor((job.progress ?? 0) * 100);
  const what = job.operation === 'inspect' ? 'Reading' : 'Converting';
  const state =
    job.state === 'QUEUED'
      ? html`<p role="status">Waiting for its turn.</p>`
      : html`<p role="status">${what}: ${percent} %<progress max="100" value="${percent}" aria-label="${what}"></progress></p>`;
  return html`<div class="outcome">${state}${removeForm(visitor, job, 'Cancel', 'second')}</div>
<p class="soft">${inputText(job)}. This page reloads by itself; it can be closed and opened again later.</p>`;
}

function failed(visitor: Visitor, job: OwnJobDetails): Html {
  const values = valuesOf(job);
  const suggestions: Suggestions | null =
    job.suggestions.length === 0 ? null : { field: 'input_crs', list: job.suggestions };
  return html`<div class="fault" role="alert"><p>${sentence(job.error ?? 'the job failed')}</p></div>
${warningTables(job)}
<h2>Try again</h2>
${convertForm(visitor, { values, suggestions })}
${end(visitor, job)}`;
}

function done(visitor: Visitor, job: OwnJobDetails, inspection: OwnInspection | null): Html {
  if (job.operation === 'inspect') return inspected(visitor, job, inspection);
  const now = Date.now();
  const download = hasOutput(job, now)
    ? html`<a class="button" href="${jobHref(visitor, job, '/output')}" download>Download ${job.outputName ?? 'the output'} (${size(job.outputBytes ?? 0)})</a>`
    : html`<span class="soft">The output has expired.</span>`;
  const until = hasOutput(job, now)
    ? html` The output is available until ${time(job.outputUntil)} UTC.`
    : null;
  return html`<div class="outcome"><p><b>${sentence(job.summary ?? workText(job))}</b></p>${download}</div>
<p class="soft">${inputText(job)}, ${workText(job)}.${until} <a href="${jobHref(visitor, job, '/report')}" download>Report as JSON</a> ${findingsLink(job, jobHref(visitor, job, '/findings'))}</p>
${warningTables(job)}
${layerTable(job)}
${stepTable(job.steps)}
${commands(visitor, job)}
${end(visitor, job)}`;
}

function inspected(visitor: Visitor, job: OwnJobDetails, inspection: OwnInspection | null): Html {
  const values = valuesOf(job);
  const found =
    inspection === null
      ? html`<p class="soft">The result has expired, or is too long for a page.</p>`
      : inspectionView(inspection, values.input_crs !== undefined);
  const json = hasOutput(job, Date.now())
    ? html` <a href="${jobHref(visitor, job, '/output')}" download="inspection.json">Result as JSON</a>`
    : null;
  return html`<p class="soft">${inputText(job)}.${json}</p>
${found}
${warningTables(job)}
<h2>Convert it</h2>
<p>Choose the file again: inputs are deleted when their job ends.</p>
${convertForm(visitor, { values, suggestions: null })}
${commands(visitor, job)}
${end(visitor, job)}`;
}

/** What was entered in the form, for the next one. */
function valuesOf({ request, inputNames, inputFormat }: OwnJobDetails): FormValues {
  if (request === null) return {};
  const { input, transformations, output } = JSON.parse(request) as {
    readonly input: { readonly epsg?: string; readonly layer?: readonly string[] };
    readonly transformations: readonly {
      readonly type: string;
      readonly params: Readonly<Record<string, unknown>>;
    }[];
    readonly output?: Readonly<Record<string, unknown>>;
  };
  const { tolerance, units } = transformations.find(({ type }) => type === 'simplify')?.params ?? {};
  const text = (value: unknown): string => (value === undefined ? '' : String(value));
  return valuesIn({
    input_crs: text(input.epsg),
    input_format: formatByName(inputNames[0] ?? '')?.id === inputFormat ? '' : inputFormat,
    layer: input.layer?.length === 1 ? input.layer[0] : '',
    output_format: formatName(output),
    output_crs: output?.epsg === 'source' ? '' : text(output?.epsg),
    decimals: text(output?.decimals),
    tolerance: text(tolerance),
    units: text(units),
  });
}

/** As the form names it: the format, or the variant that its options select. */
function formatName(output: Readonly<Record<string, unknown>> = {}): string {
  const format = formatNamed(outputFormats, String(output.format));
  return format === undefined ? '' : (variantOf(format, output)?.names[0] ?? format.id);
}

function commands(visitor: Visitor, job: OwnJobDetails): Html | null {
  const found = commandsOf(job, { baseUrl: visitor.baseUrl, needsKey: !visitor.isOpen });
  if (found === null) return null;
  const key = visitor.isOpen
    ? null
    : html` <code>GEOMILL_KEY</code> is an <a href="${visitor.href('/account/keys')}">API key</a> of yours.`;
  const cli =
    found.cli === null
      ? null
      : html`<p>On your own computer, with geomill installed:</p><pre class="command"><code class="whole">${found.cli}</code></pre>`;
  return html`<h2>As a command</h2>
<p>With this service:${key}</p>
<pre class="command"><code class="whole">${found.curl}</code></pre>
${cli}`;
}

function end(visitor: Visitor, job: OwnJobDetails): Html {
  return html`<h2>Delete</h2>
<p>The record, the report and the output are deleted at once. This cannot be undone.</p>
${removeForm(visitor, job, 'Delete this job', 'second')}`;
}

function removeForm(visitor: Visitor, job: OwnJobDetails, label: string, kind: string): Html {
  return html`<form method="post" action="${jobHref(visitor, job, '/remove')}">${visitor.formToken()}
<button class="${kind}">${label}</button></form>`;
}

function jobHref(visitor: Visitor, { id }: Pick<OwnJobDetails, 'id'>, more = ''): string {
  return visitor.href(`/jobs/${encodeURIComponent(id)}${more}`);
}

/** The jobs of one form. `missing`: how many of them were deleted meanwhile. */
export function jobsPage(visitor: Visitor, jobs: readonly OwnJobDetails[], missing: number): Html {
  const rows = jobs.map((job): HtmlValue[] => [
    html`<a href="${jobHref(visitor, job)}">${job.inputNames[0] ?? job.id}</a>`,
    stateBadge(job),
    job.state === 'FAILED'
      ? html`<span class="reason">${(job.error ?? '').slice(0, 500)}</span>`
      : (job.summary ?? ''),
    job.report === null ? '' : html`${severityBadges(job.severities)}`,
    hasOutput(job, Date.now()) && job.operation !== 'inspect'
      ? html`<a href="${jobHref(visitor, job, '/output')}" download>${job.outputName ?? 'output'}</a> <span class="nowrap">(${size(job.outputBytes ?? 0)})</span>`
      : '',
  ]);
  const left = jobs.filter(isUnfinished).length;
  const state =
    left === 0
      ? 'All files are done.'
      : `${left} of ${jobs.length} files are not done yet. This page reloads by itself.`;
  const body = html`<h1>${jobs.length} files</h1>
<p role="status">${state}${missing === 0 ? null : ` ${missing} more are deleted.`}</p>
${rows.length === 0 ? null : table('Files of this form', ['File', 'State', 'Result', 'Warnings', 'Output'], rows)}
<p><a href="${visitor.href('/')}">Convert other files</a></p>`;
  return frame(visitor, { title: `${jobs.length} files`, body });
}
