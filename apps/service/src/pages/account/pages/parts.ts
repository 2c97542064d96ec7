/** Building blocks of pages: forms, fields, tables, times, sizes. */
import { type Html, type HtmlValue, html } from '../../html.ts';
import type { Visit } from '../visit.ts';

/** A form that changes something; its token proves that it comes from a page of this service. */
export function postForm(visit: Visit, action: string, body: HtmlValue): Html {
  return html`<form method="post" action="${visit.href(action)}">
<input type="hidden" name="form_token" value="${visit.formToken}">
${body}
</form>`;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'date';
  readonly value?: string;
  readonly hint?: HtmlValue;
  /** Purpose of the field, for the browser and its password manager. */
  readonly autocomplete?: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
}

/** A label, an input, its hint, and the error of the submitted value. */
export function field({ form }: Visit, wanted: Field): Html {
  const { name, label, type = 'text', hint, autocomplete = 'off', maxLength } = wanted;
  const fault = form.faults.get(name);
  // Submitted values are kept, except passwords.
  const value = type === 'password' ? '' : form.has(name) ? form.text(name) : (wanted.value ?? '');
  const described = [hint === undefined ? '' : `${name}-hint`, fault === undefined ? '' : `${name}-fault`]
    .filter((id) => id !== '')
    .join(' ');
  return html`<div class="field">
<label for="${name}">${label}${wanted.isOptional === true ? html` <span class="soft">(optional)</span>` : null}</label>
${hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`}
${fault === undefined ? null : html`<p class="field-fault" id="${name}-fault">${fault}</p>`}
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"${[
    maxLength === undefined ? null : html` maxlength="${maxLength}"`,
    wanted.isOptional === true ? null : html` required`,
    described === '' ? null : html` aria-describedby="${described}"`,
    fault === undefined ? null : html` aria-invalid="true"`,
  ]}>
</div>`;
}

/** Identifies the account of a password form to the browser's password manager. */
export function username(email: string): Html {
  return html`<input class="unseen" type="text" value="${email}" autocomplete="username" aria-label="E-mail address" readonly tabindex="-1">`;
}

export interface Choice {
  readonly value: string;
  readonly label: HtmlValue;
  readonly isChecked: boolean;
}

/** A group of checkboxes. */
export function checkboxes({ form }: Visit, name: string, legend: string, choices: readonly Choice[]): Html {
  const fault = form.faults.get(name);
  return html`<fieldset id="${name}"${fault === undefined ? null : html` aria-describedby="${name}-fault"`}>
<legend>${legend}</legend>
${fault === undefined ? null : html`<p class="field-fault" id="${name}-fault">${fault}</p>`}
${choices.map(
  ({ value, label, isChecked }, i) => html`<div class="check">
<input type="checkbox" id="${name}-${i}" name="${name}" value="${value}"${isChecked ? html` checked` : null}>
<label for="${name}-${i}">${label}</label>
</div>
`,
)}</fieldset>`;
}

/** A table. Narrow screens show each row as a block with the head of each cell. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  const cell = (value: HtmlValue, column: number): Html =>
    column === 0
      ? html`<th scope="row" role="rowheader">${value}</th>`
      : value === ''
        ? html`<td role="cell"></td>`
        : html`<td role="cell" data-head="${heads[column]}"><span>${value}</span></td>`;
  // Explicit roles: browsers drop the implicit ones when rows are displayed as blocks.
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map((row) => html`<tr role="row">${row.map(cell)}</tr>\n`)}</tbody>
</table></div>`;
}

/** To the minute, UTC. */
export function time(at: number | null, none = 'never'): Html {
  if (at === null) return html`${none}`;
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`;
}

export function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A short text with a colour and a sign, so that meaning never depends on colour alone. */
export function badge(kind: 'good' | 'bad' | 'plain' | 'info' | 'changed' | 'lost', text: string): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}
