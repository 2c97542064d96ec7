/**
 * Job documents: inputs, steps and outputs in one JSON object, for `geomill run` and as the config of a job. A document means
 * one config for each output; its errors name the paths of the document.
 */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { field, type MessageParam, type MessageParams } from '@geomill/core/messages/message.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { configSchema, type FormatRegistry } from './config-schema.ts';
import { describe, invalid, isObject } from './config-values.ts';

const OPERATIONS = ['transform', 'append', 'merge'] as const;
export type DocumentOperation = (typeof OPERATIONS)[number];

const MAX_OUTPUTS = 100;
const MAX_INPUTS = 10_000;

export interface JobDocument {
  readonly operation: DocumentOperation;
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly outputs: readonly Readonly<Record<string, unknown>>[];
  /** Steps and the other members. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Whether a config is written as a document. */
export function isDocument(config: unknown): config is Readonly<Record<string, unknown>> {
  if (!isObject(config)) return false;
  const has = (key: string): boolean => Object.hasOwn(config, key);
  // `operation` or `steps` alone is only an unknown key of a config.
  const isNamed = has('operation') || has('steps');
  return has('inputs') || has('outputs') || (isNamed && has('input') && has('output'));
}

/** Checks the structure; the members of inputs, steps and outputs are checked with the config. Throws CONFIG_INVALID. */
export function parseDocument(value: unknown): JobDocument {
  if (!isObject(value)) throw invalid('document', `must be a JSON object, not ${describe(value)}`);
  const { operation = 'transform', inputs, input, outputs, output, steps, transformations, ...rest } = value;
  const known = OPERATIONS.find((one) => one === operation);
  if (known === undefined)
    throw invalid('operation', `must be ${OPERATIONS.join(', ')}, not ${describe(operation)}`);
  if (steps !== undefined && transformations !== undefined)
    throw invalid('transformations', "is another name of 'steps'; use one of them");
  const from = listOf('inputs', inputs, 'input', input, MAX_INPUTS);
  if (known === 'transform' && from.length > 1)
    throw invalid(
      'inputs',
      `has ${from.length} entries, but transform takes one; set 'operation' to append or merge`,
    );
  return {
    operation: known,
    inputs: from,
    outputs: listOf('outputs', outputs, 'output', output, MAX_OUTPUTS),
    rest: {
      ...rest,
      ...((steps ?? transformations) === undefined ? {} : { transformations: steps ?? transformations }),
    },
  };
}

function listOf(
  plural: string,
  list: unknown,
  singular: string,
  one: unknown,
  limit: number,
): readonly Readonly<Record<string, unknown>>[] {
  if (list !== undefined && one !== undefined)
    throw invalid(singular, `contradicts '${plural}'; use one of them`);
  const entries = list ?? (one === undefined ? undefined : [one]);
  if (entries === undefined)
    throw invalid(plural, 'is required: a list of objects such as {"path": "roads.gpkg"}');
  if (!Array.isArray(entries) || entries.length === 0)
    throw invalid(plural, `must be a list with at least one object, not ${describe(entries)}`);
  if (entries.length > limit) throw invalid(plural, `has ${entries.length} entries; the limit is ${limit}`);
  return entries.map((entry: unknown, i) => {
    if (isObject(entry)) return entry;
    throw invalid(
      `${plural}[${i}]`,
      `must be an object such as {"path": "roads.gpkg"}, not ${describe(entry)}`,
    );
  });
}

/** Members that each of several inputs may have; others are those of the first one. */
const INPUT_MEMBERS: readonly string[] = ['path', 'upload', 'format', 'epsg', 'crs'];

/** The config of the job with the output at `index`. Throws CONFIG_INVALID. */
export function configOfDocument(
  { operation, inputs: [first, ...others], outputs, rest }: JobDocument,
  index: number,
): Record<string, unknown> {
  for (const [i, entry] of others.entries()) {
    const wrong = Object.keys(entry).find((key) => !INPUT_MEMBERS.includes(key));
    if (wrong !== undefined)
      throw invalid(
        `inputs[${i + 1}].${wrong}`,
        "is possible only in 'inputs[0]', and then concerns all inputs",
      );
    if (entry.format !== undefined && entry.format !== first.format)
      throw invalid(
        `inputs[${i + 1}].format`,
        "differs from that of 'inputs[0]'; all inputs have one format",
      );
  }
  const crsOf = ({ epsg, crs }: Readonly<Record<string, unknown>>): unknown => epsg ?? crs ?? null;
  const config: Record<string, unknown> = { ...rest, input: first, output: outputs[index] };
  if (operation === 'append') {
    config.append_crs_mapping = mapping(others.map(crsOf));
    config.append_uploads = uploadsOf(others, 1);
  }
  if (operation === 'merge') {
    const { epsg: _, crs: __, upload: ___, ...input } = first;
    config.input = input;
    config.input_crs_mapping = mapping([first, ...others].map(crsOf));
    config.input_uploads = uploadsOf([first, ...others], 0);
  }
  return config;
}

/** Null, as if it were missing, where no file has a CRS. */
function mapping(list: readonly unknown[]): readonly unknown[] | null {
  return list.every((crs) => crs === null) ? null : list;
}

/** Null if no file is an upload. Throws CONFIG_INVALID if only some are: the order of the files would be lost. */
function uploadsOf(
  inputs: readonly Readonly<Record<string, unknown>>[],
  firstIndex: number,
): readonly unknown[] | null {
  const ids = inputs.map(({ upload }) => upload ?? null);
  if (ids.every((id) => id === null)) return null;
  const without = ids.indexOf(null);
  if (without >= 0)
    throw invalid(
      `inputs[${firstIndex + without}].upload`,
      'is missing; either all of these inputs are uploads or none',
    );
  return ids;
}

/** An error of the config with the paths of the document. */
export function inDocument(thrown: unknown, index: number): unknown {
  if (!(thrown instanceof GeomillError)) return thrown;
  const params: MessageParams = Object.fromEntries(
    Object.entries(thrown.params).map(([name, param]) => [name, located(param, index)]),
  );
  return new GeomillError(thrown.entry, params, thrown.location, thrown);
}

function located(param: MessageParam, index: number): MessageParam {
  if (typeof param !== 'object') return param;
  if ('field' in param) return field(documentPath(param.field, index));
  return param.map((part) =>
    typeof part === 'string' ? part : { ...part, field: documentPath(part.field, index) },
  );
}

/** The path in a document of a path in the config of the output at `index`. */
export function documentPath(path: string, index: number): string {
  return path
    .replace(/^input\./, 'inputs[0].')
    .replace(/^output\./, `outputs[${index}].`)
    .replace(/^transformations\b/, 'steps')
    .replace(/^append_crs_mapping\[(\d+)\]$/, (_, i) => `inputs[${Number(i) + 1}].epsg`)
    .replace(/^input_crs_mapping\[(\d+)\]$/, (_, i) => `inputs[${i}].epsg`)
    .replace(/^append_uploads\[(\d+)\]$/, (_, i) => `inputs[${Number(i) + 1}].upload`)
    .replace(/^input_uploads\[(\d+)\]$/, (_, i) => `inputs[${i}].upload`);
}

/** JSON Schema of a document. Refers to '#/components/schemas/TransformationStep'. */
export function jobDocumentSchema(registries: FormatRegistry): JsonSchema {
  const endpoint = { operation: 'transform', inputFormat: null, spelling: 'nested' } as const;
  const { properties } = configSchema(endpoint, registries) as { properties: Record<string, JsonSchema> };
  const { input, output, transformations, ...rest } = properties;
  const merged = configSchema({ ...endpoint, operation: 'merge' }, registries);
  const { attributes, source_field } = merged.properties as Record<string, JsonSchema>;
  const withPath = ({ properties: own }: JsonSchema, description: string): JsonSchema => ({
    type: 'object',
    properties: { path: { type: 'string', minLength: 1, description }, ...(own as object) },
  });
  return {
    type: 'object',
    description:
      'A job with its inputs, steps and outputs, for `geomill run`, and with one input and one output as the config of a job.',
    properties: {
      operation: {
        type: 'string',
        enum: OPERATIONS,
        default: 'transform',
        description:
          'transform: one input. append: the features of the other inputs are added to the first one. merge: all inputs become one layer; see `attributes`.',
      },
      inputs: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_INPUTS,
        items: withPath(
          input,
          'File, or - for standard input. Only for geomill run; a service takes the file of the request, `upload` or `url`.',
        ),
      },
      steps: transformations,
      outputs: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_OUTPUTS,
        items: withPath(output, 'File, or - for standard output. Only for geomill run.'),
      },
      attributes,
      source_field,
      ...rest,
    },
    required: ['inputs', 'outputs'],
  };
}
