/**
 * Config fields that are sent as parts of a form instead of one part `config`, as in
 * `curl -F file=@roads.csv -F input_format=csv -F output_format=shp`.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { JsonTextError, parseJsonText } from '@geomill/core/text/json-syntax.ts';
import {
  CONFIG_FIELDS,
  type ConfigField,
  type Endpoint,
  type FieldId,
  fieldNames,
  optionNames,
  type Registries,
} from '@geomill/requests/config-fields.ts';
import { httpErrors } from './errors.ts';

/** Schemas of the fields and options of an endpoint by each of their names. */
export function plainFieldSchemas(
  endpoint: Endpoint,
  registries: Registries,
): ReadonlyMap<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  for (const { readOptions, writeOptions, readOptionsKey } of registries.formats) {
    for (const [side, options] of [['input', readOptions] as const, ['output', writeOptions] as const])
      for (const [name, schema] of Object.entries(options.properties))
        for (const path of optionNames(side, name, endpoint)) schemas.set(path, schema as JsonSchema);
    if (readOptionsKey !== undefined)
      for (const [name, schema] of Object.entries(readOptions.properties))
        schemas.set(`${readOptionsKey}.${name}`, schema as JsonSchema);
  }
  for (const id of Object.keys(CONFIG_FIELDS) as FieldId[]) {
    const field: ConfigField = CONFIG_FIELDS[id];
    if (field.operations.includes(endpoint.operation))
      for (const path of fieldNames(id, endpoint)) schemas.set(path, field.schema(registries));
  }
  return schemas;
}

/** The config that the parts mean. Throws CONFIG_NOT_JSON for a list or an object that is no JSON. */
export function configOfFields(
  texts: ReadonlyMap<string, string>,
  schemas: ReadonlyMap<string, JsonSchema>,
): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [path, text] of texts) {
    const value = typedValue(path, text, schemas.get(path) ?? {});
    const [group, leaf] = path.split('.', 2);
    if (leaf === undefined) config[path] = value;
    else config[group] = { ...(config[group] as object | undefined), [leaf]: value };
  }
  return config;
}

/** A text is converted only to a type that the schema accepts. */
function typedValue(path: string, text: string, schema: JsonSchema): unknown {
  const types = typesOf(schema);
  const trimmed = text.trim();
  if (types.has('boolean') && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true';
  if ((types.has('array') && trimmed.startsWith('[')) || (types.has('object') && trimmed.startsWith('{'))) {
    try {
      return parseJsonText(new TextEncoder().encode(text));
    } catch (error) {
      if (!(error instanceof JsonTextError)) throw error;
      const { position, reason } = error;
      const { line, column } = position;
      throw failure(httpErrors.CONFIG_NOT_JSON, { part: path, line, column, reason }, position, error);
    }
  }
  const isNumber = !types.has('string') && (types.has('number') || types.has('integer'));
  return isNumber && trimmed !== '' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
}

function typesOf({ type, anyOf, enum: values }: JsonSchema): ReadonlySet<unknown> {
  const stated = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const alternatives = (anyOf as readonly JsonSchema[] | undefined) ?? [];
  const named = ((values as readonly unknown[] | undefined) ?? []).map((value) => typeof value);
  return new Set([...stated, ...named, ...alternatives.flatMap((one) => [...typesOf(one)])]);
}
