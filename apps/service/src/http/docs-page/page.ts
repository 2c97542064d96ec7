/**
 * The documentation: the OpenAPI document for readers, HTML pages without a script, from the same process. Why no viewer is used:
 * docs/decisions/api-docs-page.md.
 */
import { escapeHtml, type Html, html } from '../../pages/html.ts';
import { isSharedProblem } from '../openapi/problem-responses.ts';
import type { OpenApiDocument, OperationObject } from '../openapi/types.ts';
import type { ResponseRecord } from '../operation.ts';
import { layout } from './layout.ts';
import { BASE_URL_MARK, schemaHref } from './links.ts';
import { markdown } from './markdown.ts';
import { operationView, responseRow } from './operation-view.ts';
import { resolver, schemaPage, schemasSection } from './schemas.ts';

interface RoutedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export interface Documentation {
  /** The page of the operations, for an address of the service. */
  operations(baseUrl: string): string;
  /** Null: there is no such schema. */
  schema(name: string, baseUrl: string): string | null;
}

/** All but the address is made once for each page. */
export function documentation(document: OpenApiDocument): Documentation {
  const schemas = new Map<string, readonly string[]>();
  const operations = pieces(operationsPage(document));
  return {
    operations: (baseUrl) => operations.join(escapeHtml(baseUrl)),
    schema(name, baseUrl) {
      let made = schemas.get(name);
      if (made === undefined) {
        const page = schemaPage(document, name);
        if (page === null) return null;
        made = pieces(page);
        schemas.set(name, made);
      }
      return made.join(escapeHtml(baseUrl));
    },
  };
}

/** The texts between the addresses of the service. */
function pieces(page: Html): readonly string[] {
  return page.text.split(BASE_URL_MARK);
}

function operationsPage(document: OpenApiDocument): Html {
  const { info, tags, components } = document;
  const groups = groupsOf(document);
  const resolve = resolver(document);
  const response = (name: string): ResponseRecord => components.responses[name];
  const content = html`<header>
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
${schemasSection(document)}`;
  return layout(`geomill ${String(info.version)}: HTTP interface`, navigation(document, groups), content);
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

function navigation({ tags }: OpenApiDocument, groups: Map<string, RoutedOperation[]>): Html {
  return html`${tags.map(
    ({ name }) => html`<p><a href="#${name}">${name}</a></p>
<ul>${(groups.get(name) ?? []).map(
      ({ method, operation: { operationId, summary } }) =>
        html`<li><a href="#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${summary}</a></li>`,
    )}</ul>`,
  )}
<p><a href="#errors">Errors</a></p>
<p><a href="#schemas">Schemas</a></p>`;
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
<p>Every error is a <a href="${schemaHref('Problem')}">Problem</a>. These responses are common to all operations.</p>
<div class="scroll"><table>
<thead><tr><th scope="col">status</th><th scope="col">meaning</th><th scope="col">body</th><th scope="col">headers</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>
`;
}
