/** JSON Schemas for readers: a table of the properties, nested ones by their whole path, with kind and meaning. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { type Html, type HtmlValue, html, joined } from '../../pages/html.ts';
import { schemaHref } from './links.ts';
import { inlineMarkdown, markdown } from './markdown.ts';

/** The keywords of a schema that the view reads; keywords that no schema here uses are not included. */
interface SchemaFacts {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly contentMediaType?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaFacts>>;
  readonly additionalProperties?: boolean | SchemaFacts;
  readonly required?: readonly string[];
  readonly items?: SchemaFacts;
  readonly anyOf?: readonly SchemaFacts[];
  readonly oneOf?: readonly SchemaFacts[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** More values than this are folded away. */
const MANY_VALUES = 12;

export interface SchemaSetting {
  /** Resolves a reference to a shared field; returns other schemas unchanged. */
  readonly resolve: (schema: JsonSchema) => JsonSchema;
  /** Which properties are marked: in what is sent those that must be there, in what is answered those that may be absent. */
  readonly direction: 'request' | 'answer';
}

/** A named schema's or a body's whole view. */
export function schemaView(schema: JsonSchema, setting: SchemaSetting): Html {
  const facts = schema as SchemaFacts;
  const variants = facts.oneOf ?? facts.anyOf;
  const rows = propertyRows(facts, '', setting);
  return html`${facts.description === undefined ? null : markdown(facts.description)}${
    variants === undefined ? null : variantsView(variants, setting)
  }${
    rows.length > 0
      ? propertyTable(rows)
      : variants === undefined
        ? html`<p>${kindOf(facts)}${examplesOf(facts)}</p>`
        : null
  }`;
}

function variantsView(variants: readonly SchemaFacts[], setting: SchemaSetting): Html {
  if (variants.every((variant) => variant.properties === undefined))
    return html`<p>One of: ${joined(variants.map(kindOf), ', ')}</p>`;
  return html`${variants.map((variant) => {
    const rows = propertyRows(variant, '', setting);
    const title = variant.title ?? String(variant.properties?.type?.const ?? '');
    return html`<p class="variant">${title === '' ? kindOf(variant) : title}</p>${
      rows.length > 0 ? propertyTable(rows) : null
    }`;
  })}`;
}

function propertyTable(rows: readonly Html[]): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">property</th><th scope="col">kind</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function propertyRows(
  { properties = {}, required = [] }: SchemaFacts,
  prefix: string,
  setting: SchemaSetting,
): Html[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const schema = setting.resolve(field as JsonSchema) as SchemaFacts;
    const path = prefix + name;
    const row = html`<tr><th scope="row"><code>${path}</code>${markOf(required.includes(name), setting)}</th>
<td>${kindOf(schema)}</td><td>${meaningOf(schema)}</td></tr>`;
    return [
      row,
      ...innerObjects(schema).flatMap(([inner, title]) => propertyRows(inner, `${path}${title}`, setting)),
    ];
  });
}

function markOf(isRequired: boolean, { direction }: SchemaSetting): Html | null {
  if (direction === 'request') return isRequired ? html` <em>required</em>` : null;
  return isRequired ? null : html` <em>not always</em>`;
}

/** The objects whose properties have rows of their own: the property's object, or the object of its items. */
function innerObjects(schema: SchemaFacts): [schema: SchemaFacts, separator: string][] {
  if (schema.properties !== undefined) return [[schema, '.']];
  if (schema.items?.properties !== undefined) return [[schema.items, '[].']];
  // Two spellings of one object: the first one has rows, the other is described in words.
  const variant = schema.anyOf?.find(({ properties }) => properties !== undefined);
  return variant === undefined ? [] : [[variant, '.']];
}

export function meaningOf(schema: SchemaFacts): HtmlValue[] {
  const { description, default: byDefault } = schema;
  return [
    description === undefined ? null : inlineMarkdown(description),
    byDefault === undefined ? null : html` Default: <code>${JSON.stringify(byDefault)}</code>.`,
    examplesOf(schema),
  ];
}

function examplesOf({ examples = [] }: SchemaFacts): HtmlValue {
  if (examples.length === 0) return null;
  const shown = examples.map((example) => html`<code>${JSON.stringify(example)}</code>`);
  return html` Such as ${joined(shown, ' or ')}.`;
}

export function kindOf(schema: SchemaFacts): HtmlValue {
  const { $ref, type, items, additionalProperties } = schema;
  if ($ref !== undefined) return schemaLink($ref);
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) return choices(schema.enum);
  const variants = schema.oneOf ?? schema.anyOf;
  if (schema.contentMediaType !== undefined) return 'file';
  if (type === undefined) return variants === undefined ? 'any' : joined(variants.map(kindOf), ' or ');
  const types = typeof type === 'string' ? [type] : type;
  const names = types.map((name): HtmlValue => {
    if (name === 'array' && items !== undefined) return ['list of ', kindOf(items)];
    if (name === 'object' && typeof additionalProperties === 'object')
      return ['object of ', kindOf(additionalProperties)];
    return name === 'string' && schema.format !== undefined ? `${name} (${schema.format})` : name;
  });
  return [joined(names, ' or '), rangeOf(schema)];
}

function choices(values: readonly unknown[]): HtmlValue {
  const shown = joined(
    values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
    ' ',
  );
  if (values.length <= MANY_VALUES) return shown;
  return html`<details><summary>one of ${values.length}</summary>${shown}</details>`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: SchemaFacts): string {
  const to = maximum === undefined ? '' : ` to ${maximum}`;
  if (exclusiveMinimum !== undefined) return `, above ${exclusiveMinimum}${to}`;
  if (minimum !== undefined) return maximum === undefined ? `, from ${minimum}` : `, ${minimum}${to}`;
  return maximum === undefined ? '' : `,${to}`;
}

function schemaLink(reference: string): Html {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return html`<a href="${schemaHref(name)}">${name}</a>`;
}
