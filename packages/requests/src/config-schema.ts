/** JSON Schemas (2020-12) of configs, composed from config-fields.ts and the records of the registries. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { type Format, isInputFormat, isOutputFormat, type OptionsSchema } from '@geomill/formats/format.ts';
import { inputFormats } from '@geomill/formats/registry.ts';
import {
  CONFIG_FIELDS,
  type ConfigField,
  type Endpoint,
  type FieldId,
  fieldNames,
  groupNames,
  optionNames,
} from './config-fields.ts';

export interface FormatRegistry {
  readonly formats: readonly Format[];
}

/**
 * Schema of the config of an operation, each field under its preferred name. Refers to
 * '#/components/schemas/TransformationStep'. Other members are allowed: an unknown member is a warning, not an error.
 */
export function configSchema(endpoint: Endpoint, registries: FormatRegistry): JsonSchema {
  const readable = registries.formats
    .filter(isInputFormat)
    .filter(({ id }) => endpoint.inputFormat === null || endpoint.inputFormat === id);
  const properties = new Map<string, JsonSchema>();
  const required = new Set<string>();
  for (const id of Object.keys(CONFIG_FIELDS) as FieldId[]) {
    const field: ConfigField = CONFIG_FIELDS[id];
    if (!field.operations.includes(endpoint.operation)) continue;
    if (id === 'inputFormat' && endpoint.inputFormat !== null) continue;
    const [name] = fieldNames(id, endpoint);
    properties.set(name, {
      ...field.schema(registries),
      description: descriptionOf(id, endpoint, readable),
    });
    if (isRequired(id, endpoint, readable)) required.add(name);
  }
  for (const [name, schema] of readOptions(readable, endpoint)) properties.set(name, schema);
  for (const [name, schema] of writeOptions(registries.formats))
    properties.set(optionNames('output', name, endpoint)[0], schema);
  return nestedObject(properties, required);
}

/** The input documents of a JSON body, in the order in which they count. */
export interface JsonDocuments {
  /** Member with one document, which counts first. */
  readonly single: string;
  readonly singleRequired: boolean;
  /** Member with a list of at least one document; null: no such member. */
  readonly list: string | null;
  /** Name of their format. */
  readonly format: string;
}

/** Documents of a JSON body; null: the endpoint takes forms only, as the format of its inputs is not JSON. */
export function jsonDocumentsOf({ operation, inputFormat }: Endpoint): JsonDocuments | null {
  const format = inputFormats.find(({ id }) => id === inputFormat);
  if (format === undefined || format.jsonSchema === null) return null;
  const { id, name } = format;
  const target = `target_${id}`;
  switch (operation) {
    case 'transform':
      return { single: `input_${id}`, singleRequired: true, list: null, format: name };
    case 'append':
      return { single: target, singleRequired: true, list: `append_${id}_list`, format: name };
    case 'merge':
      return { single: target, singleRequired: false, list: `input_${id}_list`, format: name };
    case 'inspect':
      return null;
  }
}

/** Schema of a JSON body: its documents and the fields of the config. */
export function jsonBodySchema(
  endpoint: Endpoint,
  { single, list, format }: JsonDocuments,
  registries: FormatRegistry,
): JsonSchema {
  const config = configSchema({ ...endpoint, spelling: 'flat' }, registries);
  const members = config.properties as Record<string, JsonSchema>;
  const document: JsonSchema = { type: 'object', description: `A ${format} object.` };
  return {
    ...config,
    properties: {
      [single]: document,
      ...(list === null ? {} : { [list]: { type: 'array', items: document, minItems: 1 } }),
      ...members,
    },
    // Documents are not: the config may name uploads or a URL instead.
    ...(config.required === undefined ? {} : { required: config.required }),
  };
}

function isRequired(id: FieldId, { operation }: Endpoint, inputFormats: readonly Format[]): boolean {
  if (id === 'outputFormat') return operation !== 'inspect';
  if (id === 'inputFormat') return true;
  const isCrs = id === 'inputCrs' || id === 'appendCrs' || id === 'mergeCrs';
  return isCrs && operation !== 'inspect' && inputFormats.every(({ inputCrs }) => inputCrs === 'request');
}

function descriptionOf(id: FieldId, endpoint: Endpoint, inputFormats: readonly Format[]): string {
  const { description } = CONFIG_FIELDS[id];
  const others = fieldNames(id, endpoint).slice(1);
  const also = others.length === 0 ? '' : ` Also called ${others.map((name) => `\`${name}\``).join(', ')}.`;
  const needing = inputFormats.filter(({ inputCrs }) => inputCrs === 'request').map((format) => format.id);
  const isInput = id === 'inputCrs' && endpoint.inputFormat === null && needing.length > 0;
  return description + (isInput ? ` Required for ${needing.join(' and ')}.` : '') + also;
}

function readOptions(formats: readonly Format[], endpoint: Endpoint): [string, JsonSchema][] {
  const plain = formats.filter(({ readOptionsKey }) => readOptionsKey === undefined);
  const named = mergedOptions(plain.map((format) => [format.id, format.readOptions])).map(
    ([name, schema]): [string, JsonSchema] => [optionNames('input', name, endpoint)[0], schema],
  );
  const grouped = formats.flatMap(({ readOptionsKey, readOptions: schema, id }): [string, JsonSchema][] =>
    readOptionsKey === undefined
      ? []
      : [[groupNames(readOptionsKey, endpoint)[0], { ...schema, description: `Options for reading ${id}.` }]],
  );
  return [...named, ...grouped];
}

const keptWriteOptions = new WeakMap<readonly Format[], [string, JsonSchema][]>();

/** The same for all of forty operations, so computed once for each registry. */
function writeOptions(formats: readonly Format[]): [string, JsonSchema][] {
  const kept = keptWriteOptions.get(formats);
  if (kept !== undefined) return kept;
  const made = mergedOptions(
    formats.filter(isOutputFormat).map((format) => [format.id, format.writeOptions]),
  );
  keptWriteOptions.set(formats, made);
  return made;
}

/** Options of several formats by name. An option with different schemas in different formats matches any of them. */
function mergedOptions(formats: readonly (readonly [string, OptionsSchema])[]): [string, JsonSchema][] {
  const byName = new Map<string, Map<string, { schema: JsonSchema; ids: string[] }>>();
  for (const [id, { properties }] of formats)
    for (const [name, schema] of Object.entries(properties)) {
      const variants = byName.get(name) ?? new Map<string, { schema: JsonSchema; ids: string[] }>();
      byName.set(name, variants);
      const key = JSON.stringify(schema);
      const variant = variants.get(key) ?? { schema: schema as JsonSchema, ids: [] };
      variants.set(key, variant);
      variant.ids.push(id);
    }
  return [...byName].map(([name, variants]): [string, JsonSchema] => {
    const schemas = [...variants.values()].map(({ schema, ids }) => ({
      ...schema,
      description: `Only for ${ids.join(', ')}. ${String(schema.description ?? '')}`.trim(),
    }));
    return [name, schemas.length === 1 ? schemas[0] : { anyOf: schemas }];
  });
}

/** `input.format` becomes a property `format` of an object `input`. */
function nestedObject(
  properties: ReadonlyMap<string, JsonSchema>,
  required: ReadonlySet<string>,
): JsonSchema {
  const plain: Record<string, JsonSchema> = {};
  const groups = new Map<string, { properties: Map<string, JsonSchema>; required: Set<string> }>();
  for (const [path, schema] of properties) {
    const [first, inner] = path.split('.', 2);
    if (inner === undefined) {
      plain[first] = schema;
      continue;
    }
    const group = groups.get(first) ?? { properties: new Map(), required: new Set() };
    groups.set(first, group);
    group.properties.set(inner, schema);
    if (required.has(path)) group.required.add(inner);
  }
  const names = [...required].filter((path) => !path.includes('.'));
  for (const [name, group] of groups) {
    plain[name] = nestedObject(group.properties, group.required);
    if (group.required.size > 0) names.push(name);
  }
  return { type: 'object', properties: plain, ...(names.length > 0 ? { required: names } : {}) };
}
