/**
 * The documentation page: the OpenAPI document for readers, one HTML page without a script, from the same process. Why no
 * viewer is used: docs/decisions/api-docs-page.md.
 */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { escapeHtml, type Html, html } from '../../pages/html.ts';
import { isSharedProblem } from '../openapi/problem-responses.ts';
import { isSharedField } from '../openapi/shared-fields.ts';
import type { OpenApiDocument, OperationObject } from '../openapi/types.ts';
import type { ResponseRecord } from '../operation.ts';
import { markdown } from './markdown.ts';
import { BASE_URL_MARK, operationView, responseRow } from './operation-view.ts';
import { schemaView } from './schema-view.ts';
import { STYLE, STYLE_HASH } from './style.ts';

/** The page loads nothing and runs nothing; its style is in it and named by its hash. */
export const PAGE_POLICY = `default-src 'none'; style-src '${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface RoutedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** Gives the page for an address of the service; all but the address is made once. */
export function docsPage(document: OpenApiDocument): (baseUrl: string) => string {
  const parts = pageOf(document).text.split(BASE_URL_MARK);
  return (baseUrl) => parts.join(escapeHtml(baseUrl));
}

function pageOf(document: OpenApiDocument): Html {
  const { info, tags, components } = document;
  const groups = groupsOf(document);
  const resolve = (schema: JsonSchema): JsonSchema => {
    const name = String(schema.$ref ?? '').replace('#/components/schemas/', '');
    return isSharedField(name) ? components.schemas[name] : schema;
  };
  const named = namedSchemas(document);
  const sent = sentSchemas(document);
  const response = (name: string): ResponseRecord => components.responses[name];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>geomill ${String(info.version)}: HTTP interface</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${navigation(document, groups)}
<main id="main">
<header>
<h1>geomill <small>${String(info.version)}</small></h1>
${markdown(String(info.description))}
<p>The service is at <code>${BASE_URL_MARK}</code>. Machine-readable: <a href="${BASE_URL_MARK}/openapi.json">openapi.json</a>
(OpenAPI ${document.openapi}).</p>
<p>The examples are shell commands with <code>curl</code>. Run those that send <code>samples/…</code> in the geomill directory. Replace
<var>JOB_ID</var> and <var>TASK_ID</var> with values from an earlier response.</p>
</header>
${tags.map(
  ({ name, description }) => html`<section id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${name}</h2>
${markdown(description)}
${(groups.get(name) ?? []).map(({ method, path, operation }) => operationView(method, path, operation, { resolve, response, direction: 'request' }))}
</section>
`,
)}
${errorsSection(document)}
<section id="schemas" aria-labelledby="schemas-title">
<h2 id="schemas-title">Schemas</h2>
${named.map(
  ([name, schema]) => html`<article id="schema-${name}" aria-labelledby="schema-${name}-title">
<h3 id="schema-${name}-title">${name}</h3>
${schemaView(schema, { resolve, direction: sent.has(name) ? 'request' : 'answer' })}
</article>
`,
)}
</section>
</main>
</body>
</html>
`;
}

/** Shared fields are shown where they are used. */
function namedSchemas({ components }: OpenApiDocument): [string, JsonSchema][] {
  return Object.entries(components.schemas).filter(([name]) => !isSharedField(name));
}

/** Names of the schemas used in requests. */
function sentSchemas({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      visit(components.schemas[name]);
    }
  };
  for (const methods of Object.values(paths))
    for (const { requestBody } of Object.values(methods)) visit(requestBody);
  return names;
}

function groupsOf({ paths }: OpenApiDocument): Map<string, RoutedOperation[]> {
  const groups = new Map<string, RoutedOperation[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags;
      const group = groups.get(tag) ?? [];
      groups.set(tag, group);
      group.push({ method, path, operation });
    }
  return groups;
}

function navigation(document: OpenApiDocument, groups: Map<string, RoutedOperation[]>): Html {
  const names = namedSchemas(document).map(([name]) => name);
  return html`<nav aria-label="Contents">
<p><a class="brand" href="${BASE_URL_MARK}/">geomill</a></p>
${document.tags.map(
  ({ name }) => html`<p><a href="#${name}">${name}</a></p>
<ul>${(groups.get(name) ?? []).map(
    ({ method, operation: { operationId, summary } }) =>
      html`<li><a href="#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${summary}</a></li>`,
  )}</ul>`,
)}
<p><a href="#errors">Errors</a></p>
<p><a href="#schemas">Schemas</a></p>
<details><summary>All ${names.length}</summary><ul>${names.map(
    (name) => html`<li><a href="#schema-${name}">${name}</a></li>`,
  )}</ul></details>
</nav>
`;
}

function errorsSection({ components, paths }: OpenApiDocument): Html {
  const statuses = new Map<string, string>();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const [status, response] of Object.entries(operation.responses))
      if ('$ref' in response) {
        const name = String(response.$ref).slice('#/components/responses/'.length);
        if (isSharedProblem(name)) statuses.set(status, name);
      }
  const rows = [...statuses]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, name]) => responseRow(status, components.responses[name], `status-${status}`));
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>Every error is a <a href="#schema-Problem">Problem</a>. These responses are common to all operations.</p>
<div class="scroll"><table>
<thead><tr><th scope="col">status</th><th scope="col">meaning</th><th scope="col">body</th><th scope="col">headers</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>
`;
}
