/** The page at `/`: what geomill is, and the form. */
import { inputFormats } from '@geomill/formats/registry.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import { convertForm, EMPTY_FORM, type FormState } from './form-view.ts';
import { frame, signInPath } from './frame.ts';
import type { Visitor } from './visitor.ts';

export interface Problem {
  /** A sentence; a full stop is added if it has none. */
  readonly message: string;
  /** Files of the same form that were accepted. */
  readonly accepted: readonly string[];
}

export function startPage(
  visitor: Visitor,
  state: FormState = EMPTY_FORM,
  problem: Problem | null = null,
  head: HtmlValue = null,
): Html {
  const body = html`<div class="intro">
<h1>Convert vector geodata</h1>
<p class="lead">geomill converts ${formatList()}, changes coordinate systems, and reports everything that was changed or lost on the way.</p>
</div>
<div class="columns">
<div>
${problem === null ? null : problemBox(visitor, problem)}
${visitor.isAdmitted ? convertForm(visitor, state) : signInBox(visitor)}
</div>
${aside(visitor)}
</div>`;
  return frame(visitor, {
    title: problem === null ? 'Convert vector geodata' : 'Error: Convert vector geodata',
    body,
    head,
  });
}

/** "GeoJSON, Shapefile, GeoPackage, DXF and CSV". */
function formatList(): string {
  const names = inputFormats.map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}

function problemBox(visitor: Visitor, { message, accepted }: Problem): Html {
  const others =
    accepted.length === 0
      ? null
      : html`<p><a href="${visitor.href(jobsPath(accepted))}">The first ${accepted.length} of the files</a> were accepted.</p>`;
  return html`<div class="fault" role="alert"><p>${sentence(message)}</p>${others}</div>`;
}

/** The page of a job, or of several. */
export function jobsPath(ids: readonly string[]): string {
  return ids.length === 1
    ? `/jobs/${encodeURIComponent(ids[0])}`
    : `/jobs?ids=${ids.map(encodeURIComponent).join(',')}`;
}

function signInBox(visitor: Visitor): Html {
  return html`<div class="outcome"><p>Sign in to convert files here. Your jobs are visible only to you and the administrators of this service.</p>
<a class="button" href="${signInPath(visitor)}">Sign in</a></div>`;
}

function aside(visitor: Visitor): Html {
  const operation = (id: string): string =>
    `${visitor.href('/docs')}#transform${id[0].toUpperCase()}${id.slice(1)}`;
  return html`<aside aria-label="About">
<h2>Formats</h2>
<ul>${inputFormats.map(
    ({ id, name, summary }) => html`<li><a href="${operation(id)}">${name}</a><span>${summary}</span></li>\n`,
  )}</ul>
<h2>For programs</h2>
<p>Everything here is also an <a href="${visitor.href('/docs')}">HTTP API</a> and a command line, with more operations. Results show the command, except for clipped files.</p>
</aside>`;
}
