/** The parts of a page about one job. */
import { type Html, type HtmlValue, html } from '../../html.ts';
import type { OwnJob, OwnJobDetails, OwnStep } from '../own-jobs.ts';
import { badge, size, table, time } from './parts.ts';

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

export function inputText({ inputNames, inputBytes }: OwnJob): string {
  const names = inputNames.slice(0, 10).join(', ');
  const more = inputNames.length > 10 ? ` and ${inputNames.length - 10} more` : '';
  return `${names}${more}${inputBytes === null ? '' : ` (${size(inputBytes)})`}`;
}

/** Counts of warnings, or "none". */
export function severityBadges({ info, changed, lost }: OwnJobDetails['severities']): HtmlValue {
  if (info + changed + lost === 0) return 'none';
  const kinds = [
    [lost, 'lost'],
    [changed, 'changed'],
    [info, 'info'],
  ] as const;
  return kinds.flatMap(([count, name]) => (count === 0 ? [] : [badge(name, `${count} ${name}`), ' ']));
}

/** Nothing where no warning has places, or they have expired. */
export function findingsLink(job: OwnJobDetails, href: string): Html | null {
  if (job.findingsBytes === 0 || !hasOutput(job, Date.now())) return null;
  return html`<a href="${href}" download>Places of warnings as GeoJSON</a>`;
}

/** Links to the output, the report and the places of warnings. */
export function downloads(job: OwnJobDetails, link: (path: string) => string): Html | null {
  const output = hasOutput(job, Date.now())
    ? html`<a class="button" href="${link('/output')}" download>Download the output (${size(job.outputBytes ?? 0)})</a>`
    : job.outputBytes === null
      ? null
      : html`<span class="soft">The output (${size(job.outputBytes)}) has expired.</span>`;
  const report = job.report === null ? null : html`<a href="${link('/report')}" download>Report as JSON</a>`;
  if (output === null && report === null) return null;
  const until = hasOutput(job, Date.now())
    ? html`<p class="soft">The output is available until ${time(job.outputUntil)}.</p>`
    : null;
  return html`<h2>Downloads</h2><p>${output} ${report} ${findingsLink(job, link('/findings'))}</p>${until}`;
}

export function stepTable(steps: readonly OwnStep[]): Html | null {
  if (steps.length === 0) return null;
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
  return html`<h2>Steps</h2>${table('Steps in their order', heads, rows)}`;
}

export function layerTable({ readLayers, writtenLayers }: OwnJobDetails): Html | null {
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

export function warningTables({
  warnings: all,
  hiddenWarnings: hidden,
}: Pick<OwnJobDetails, 'warnings' | 'hiddenWarnings'>): Html | null {
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
