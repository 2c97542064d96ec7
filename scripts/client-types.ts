/**
 * The types of the client, made from the OpenAPI document. Run as a program it writes them to dist/client, where the compiler
 * finds them as if they were in src/client (`rootDirs` in tsconfig.json). Alternative rejected: openapi-typescript, which needs the
 * compiler API of TypeScript 5; TypeScript 7 has none. Keywords of JSON Schema that the document does not use are errors here.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenApiDocument } from '../apps/service/src/http/openapi/types.ts';
import type { JsonSchema } from '../packages/core/src/schemas/schema-check.ts';
import { describedInterface } from './generate-docs.ts';

const REF = '#/components/schemas/';

const HEAD = `/**
 * Types of the requests and responses of the service.
 *
 * Generated from the OpenAPI document by scripts/client-types.ts.
 */`;

/** Keywords that would change a type, which the document does not use. */
const NOT_KNOWN = ['allOf', 'not', 'if', 'patternProperties', 'prefixItems', 'dependentSchemas'];

export function renderClientTypes({ components, paths }: OpenApiDocument): string {
  const schemas = Object.entries(components.schemas).filter(([, schema]) => !isFile(schema));
  const parts = schemas.map(([name, schema]) => declaration(name, schema));
  const configs = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths)) {
    const operation = methods.post;
    const content = (operation?.requestBody as RequestBodyObject | undefined)?.content;
    const config = content?.['multipart/form-data']?.schema.properties?.config;
    if (config === undefined) continue;
    const name = `${operation.operationId[0].toUpperCase()}${operation.operationId.slice(1)}Config`;
    // Configs of several paths are schemas of their own, named after the first.
    if (config.$ref !== `${REF}${name}`)
      parts.push(declaration(name, { description: `Config of POST ${path}.`, ...config }));
    const match = /^\/v1\/transform\/(\w+)(?:\/(\w+))?$/.exec(path);
    if (match === null) continue;
    const [, format, verb = 'transform'] = match;
    configs.set(verb, [...(configs.get(verb) ?? []), `  ${format}: ${name};`]);
  }
  for (const [verb, members] of configs) {
    const name = `${verb[0].toUpperCase()}${verb.slice(1)}Configs`;
    const says = `/** Configs of ${verb}, by the format of the input. */`;
    parts.push([says, `export interface ${name} {`, ...members, '}'].join('\n'));
  }
  return `${[HEAD, ...parts].join('\n\n')}\n`;
}

interface RequestBodyObject {
  readonly content: Readonly<Record<string, { readonly schema: SchemaObject }>>;
}

interface SchemaObject extends JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaObject;
  readonly items?: SchemaObject;
  readonly contentMediaType?: string;
  readonly anyOf?: readonly SchemaObject[];
  readonly oneOf?: readonly SchemaObject[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
}

/** Parts of a form that are one or more files have no type: the client takes them as arguments. */
function isFile({ contentMediaType, items }: SchemaObject): boolean {
  return contentMediaType !== undefined || (items !== undefined && isFile(items));
}

function declaration(name: string, schema: SchemaObject): string {
  const type = typeOf(schema, '');
  const isObject = type.startsWith('{\n') && schema.anyOf === undefined && schema.oneOf === undefined;
  const body = isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`;
  return `${comment(schema.description ?? schema.title, '')}export ${body}`;
}

function typeOf(schema: SchemaObject, indent: string): string {
  const unknown = NOT_KNOWN.find((keyword) => keyword in schema);
  if (unknown !== undefined)
    throw new Error(`scripts/client-types.ts does not know the keyword '${unknown}'`);
  if (schema.$ref !== undefined) return schema.$ref.slice(REF.length);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, indent)));
  if (schema.type === undefined)
    return schema.properties === undefined ? 'unknown' : objectOf(schema, indent);
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return union(types.map((type) => simpleType(type, schema, indent)));
}

function simpleType(type: string, schema: SchemaObject, indent: string): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = schema.items === undefined ? 'unknown' : typeOf(schema.items, indent);
      return `${isUnion(item) ? `(${item})` : item}[]`;
    }
    case 'object':
      return objectOf(schema, indent);
    default:
      return type;
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: SchemaObject,
  indent: string,
): string {
  const entries = Object.entries(properties);
  const inner = `${indent}  `;
  if (entries.length === 0) {
    if (additionalProperties === false) return 'Record<string, never>';
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'}>`;
  }
  const members = entries.map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema.description, inner, schema.default)}${inner}${key}${mark}: ${typeOf(schema, inner)};`;
  });
  return ['{', ...members, `${indent}}`].join('\n');
}

/** Whether the type has a | outside of braces. */
function isUnion(type: string): boolean {
  let depth = 0;
  for (const character of type) {
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (character === '|' && depth === 0) return true;
  }
  return false;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(value);
}

function comment(description: string | undefined, indent: string, standard?: unknown): string {
  const byDefault = standard === undefined ? '' : ` Default: \`${JSON.stringify(standard)}\`.`;
  const said = `${description ?? ''}${byDefault}`.replace(/\s*\n\s*/g, ' ').replaceAll('*/', '*\\/');
  return said === '' ? '' : `${indent}/** ${said.trim()} */\n`;
}

if (import.meta.main) {
  const path = fileURLToPath(new URL('../dist/client/openapi-types.d.ts', import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, renderClientTypes(describedInterface()));
}
