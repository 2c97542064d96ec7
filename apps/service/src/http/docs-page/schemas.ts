/** The named schemas of the OpenAPI document: their list, and a page for each. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { type Html, html, joined } from '../../pages/html.ts';
import { isSharedField } from '../openapi/shared-fields.ts';
import type { OpenApiDocument } from '../openapi/types.ts';
import { layout } from './layout.ts';
import { BASE_URL_MARK, schemaHref } from './links.ts';
import { schemaView } from './schema-view.ts';

/** Shared fields are shown where they are used. */
function schemaNames({ components }: OpenApiDocument): string[] {
  return Object.keys(components.schemas).filter((name) => !isSharedField(name));
}

/** Shared fields in place of the references to them. */
export function resolver({ components }: OpenApiDocument): (schema: JsonSchema) => JsonSchema {
  return (schema) => {
    const name = String(schema.$ref ?? '').replace('#/components/schemas/', '');
    return isSharedField(name) ? components.schemas[name] : schema;
  };
}

/** The links of a page of operations. An address of a schema in this page is that of its link. */
export function schemasSection(document: OpenApiDocument): Html {
  return html`<section id="schemas" aria-labelledby="schemas-title">
<h2 id="schemas-title">Schemas</h2>
<p>Each has a page of its own.</p>
<ul class="names">${schemaNames(document).map(
    (name) => html`<li id="schema-${name}"><a href="${schemaHref(name)}">${name}</a></li>
`,
  )}</ul>
</section>
`;
}

/** Null: there is no such schema. */
export function schemaPage(document: OpenApiDocument, name: string): Html | null {
  const names = schemaNames(document);
  if (!names.includes(name)) return null;
  const direction = sentSchemas(document).has(name) ? 'request' : 'answer';
  const users = usersOf(document, name);
  const navigation = html`<p><a href="${BASE_URL_MARK}/docs">Operations</a></p>
<p>Schemas</p>
<ul>${names.map((other) => html`<li class="name"><a href="${schemaHref(other)}"${other === name ? html` aria-current="page"` : null}>${other}</a></li>`)}</ul>`;
  const content = html`<h1 id="schema-${name}">${name}</h1>
${users.length === 0 ? null : html`<p>Used by: ${joined(users, ', ')}.</p>`}
${schemaView(document.components.schemas[name], { resolve: resolver(document), direction })}`;
  return layout(`${name}: geomill ${String(document.info.version)}`, navigation, content);
}

/** Links to the operations and the other schemas that name the schema. */
function usersOf(document: OpenApiDocument, name: string): Html[] {
  const reference = `"#/components/schemas/${name}"`;
  const isUser = (value: unknown): boolean => JSON.stringify(value).includes(reference);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const schemas = schemaNames(document).filter((other) => other !== name);
  return [
    ...operations
      .filter(isUser)
      .map(({ operationId, summary }) => html`<a href="${BASE_URL_MARK}/docs#${operationId}">${summary}</a>`),
    ...schemas
      .filter((other) => isUser(document.components.schemas[other]))
      .map((other) => html`<a href="${schemaHref(other)}">${other}</a>`),
  ];
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
