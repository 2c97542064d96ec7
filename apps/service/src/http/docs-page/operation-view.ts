/** One operation of the OpenAPI document for readers. */
import { type Html, type HtmlValue, html, joined } from '../../pages/html.ts';
import { isSharedProblem } from '../openapi/problem-responses.ts';
import type { OperationObject } from '../openapi/types.ts';
import type { MediaTypeRecord, Parameter, RequestBody, ResponseRecord } from '../operation.ts';
import { BASE_URL_MARK } from './links.ts';
import { inlineMarkdown, markdown } from './markdown.ts';
import { kindOf, meaningOf, type SchemaSetting, schemaView } from './schema-view.ts';

export interface OperationSetting extends SchemaSetting {
  /** The response of a name. */
  readonly response: (name: string) => ResponseRecord;
}

export function operationView(
  method: string,
  path: string,
  operation: OperationObject,
  setting: OperationSetting,
): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const samples = (operation['x-codeSamples'] ?? []) as readonly { readonly source: string }[];
  return html`<article id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title">${summary} <a class="anchor" href="#${operationId}" aria-label="Link to ${summary}">#</a></h3>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>
<span class="id">${operationId}</span></p>
${markdown(description)}
<p class="id">${needOf(operation)}</p>
${samples.length === 0 ? null : html`${samples.map(({ source }) => exampleView(source))}`}
${parameters.length === 0 ? null : parametersView(parameters)}
${requestBody === undefined ? null : bodyView(requestBody as RequestBody, setting)}
${responsesView(responses, setting)}
</article>
`;
}

function needOf({ security }: OperationObject): Html {
  const [scope] = security.flatMap(({ clientCredentials = [] }) => clientCredentials);
  return scope === undefined
    ? html`No credential required.`
    : html`Where credentials are required: one with the scope <code>${scope}</code>.`;
}

/** Placeholders are highlighted; the address of the service is filled in when the page is sent. */
function exampleView(source: string): Html {
  const parts = source
    .replaceAll('BASE_URL', BASE_URL_MARK)
    .split(/\b(JOB_ID|TASK_ID|CLIENT_ID|CLIENT_SECRET|SESSION_COOKIE)\b/);
  const marked = parts.map((part, i) => (i % 2 === 1 ? html`<var>${part}</var>` : part));
  return html`<pre><code>${marked}</code></pre>`;
}

function parametersView(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) => html`<tr>
<th scope="row"><code>${name}</code>${required === true ? html` <em>required</em>` : null}</th>
<td>${place}</td><td>${kindOf(schema)}</td><td>${inlineMarkdown(description)}${meaningOf({ ...schema, description: undefined })}</td></tr>`,
  );
  return html`<h4>Parameters</h4>
<div class="scroll"><table>
<thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">kind</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function bodyView({ description, content }: RequestBody, setting: SchemaSetting): Html {
  return html`<h4>Body</h4>
${markdown(description)}
${Object.entries(content).map(
  ([
    mediaType,
    { schema, example },
  ]) => html`<details class="body"><summary><code>${mediaType}</code></summary>
${schemaView(schema, setting)}
${example === undefined ? null : html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`}</details>`,
)}`;
}

function responsesView(responses: OperationObject['responses'], { response: named }: OperationSetting): Html {
  const own: Html[] = [];
  const shared: HtmlValue[] = [];
  for (const [status, response] of Object.entries(responses)) {
    const name = '$ref' in response ? String(response.$ref).slice('#/components/responses/'.length) : null;
    if (name !== null && isSharedProblem(name)) shared.push(html`<a href="#status-${status}">${status}</a>`);
    else own.push(responseRow(status, name === null ? (response as ResponseRecord) : named(name)));
  }
  return html`<h4>Answers</h4>
<div class="scroll"><table>
<thead><tr><th scope="col">status</th><th scope="col">meaning</th><th scope="col">body</th><th scope="col">headers</th></tr></thead>
<tbody>${own}</tbody></table></div>
${shared.length === 0 ? null : html`<p>Also the shared errors ${joined(shared, ', ')}.</p>`}`;
}

export function responseRow(
  status: string,
  { description, content = {}, headers = {} }: ResponseRecord,
  id = '',
): Html {
  const names = Object.keys(headers).map((name) => html`<code>${name}</code>`);
  return html`<tr><th scope="row"${id === '' ? null : html` id="${id}"`}>${status}</th><td>${inlineMarkdown(description)}</td>
<td>${joined(Object.entries(content).map(mediaTypeView), html`<br>`)}</td><td>${joined(names, ' ')}</td></tr>`;
}

function mediaTypeView([mediaType, { schema }]: [string, MediaTypeRecord]): Html {
  const isBytes = Object.keys(schema).length === 0;
  const isText = schema.type === 'string';
  return html`<code>${mediaType}</code>${isBytes || isText ? null : html` ${kindOf(schema)}`}`;
}
