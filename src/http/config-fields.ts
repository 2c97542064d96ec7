/**
 * Every field that a config may have, once: its names, its JSON Schema and what it means. Requests are checked by this
 * table (parse-job-request.ts) and documented from it (config-schema.ts), so the two cannot come apart. Adding a field
 * or a spelling is adding it here.
 */
import { type Format, isInputFormat, isOutputFormat } from '../formats/format.ts';
import type { JobRequest } from '../pipeline/request.ts';
import { MAX_STEPS } from '../transformations/requested-steps.ts';
import type { Transformation } from '../transformations/transformation.ts';
import type { JsonSchema } from './operation.ts';

/** Where a config comes in: what is asked for, and what the path tells already. */
export interface Surface {
  readonly operation: JobRequest['operation'];
  /** Id of the format that the path names; null: the config names it. */
  readonly inputFormat: string | null;
  /** nested: `{"input": {"format": ...}}`. flat: `{"input_format": ...}`. Both are read; this one is told of. */
  readonly spelling: 'nested' | 'flat';
}

export interface Registries {
  readonly formats: readonly Format[];
  readonly transformations: readonly Transformation[];
}

export interface ConfigField {
  /** A dot leads into `input` or `output`. The first name is the usual one. */
  readonly nested: readonly string[];
  /** Absent: the same. */
  readonly flat?: readonly string[];
  readonly operations: readonly JobRequest['operation'][];
  readonly description: string;
  readonly schema: (registries: Pick<Registries, 'formats'>) => JsonSchema;
  /** What the schema asks for, in words: "'to_file' must be true or false". */
  readonly shouldBe: string;
}

const ALL = ['transform', 'append', 'merge', 'inspect'] as const;
const CRS_IN_WORDS = 'an EPSG code such as 28350, "28350" or "EPSG:28350"';

const epsgCode: JsonSchema = {
  type: ['string', 'integer'],
  pattern: '^\\s*(?:[Ee][Pp][Ss][Gg]:)?[0-9]{1,9}\\s*$',
  maxLength: 60,
  minimum: 1,
  maximum: 999_999_999,
  examples: ['EPSG:28350', 28350],
};

const epsgCodes: JsonSchema = {
  anyOf: [
    epsgCode,
    {
      type: 'array',
      items: { anyOf: [epsgCode, { type: 'null' }] },
      minItems: 1,
      // No more files can be sent, whatever MAX_FILES says.
      maxItems: 100_000,
      examples: [['EPSG:28350', null]],
    },
  ],
};

const layerName: JsonSchema = { type: 'string', maxLength: 65_536 };

const formatNames = (formats: readonly Format[]): JsonSchema => ({
  enum: [...formats.map(({ id }) => id), ...formats.flatMap(({ aliases }) => aliases)],
});

export const CONFIG_FIELDS = {
  inputFormat: {
    nested: ['input.format'],
    flat: ['input_format'],
    operations: ALL,
    description: 'Format of the input, in any letter case.',
    schema: ({ formats }) => formatNames(formats.filter(isInputFormat)),
    shouldBe: 'the name of a format',
  },
  inputCrs: {
    nested: ['input.epsg', 'input.crs'],
    flat: ['input_crs', 'input_epsg'],
    operations: ['transform', 'append', 'inspect'],
    description:
      'CRS of the input (of an append: of its target), for files that state none. A file that states another one is refused.',
    schema: () => epsgCode,
    shouldBe: CRS_IN_WORDS,
  },
  appendCrs: {
    nested: ['append_crs_mapping'],
    operations: ['append'],
    description:
      'CRS of the files to append: one for all, or a list as long as they are, in their order; null: the file states it.',
    schema: () => epsgCodes,
    shouldBe: `${CRS_IN_WORDS}, or a list of them`,
  },
  mergeCrs: {
    nested: ['input_crs_mapping'],
    operations: ['merge'],
    description:
      'CRS of the files to merge: one for all, or a list as long as they are, in their order; null: the file states it.',
    schema: () => epsgCodes,
    shouldBe: `${CRS_IN_WORDS}, or a list of them`,
  },
  inputLayers: {
    nested: ['input.layer', 'input.layers'],
    flat: ['input_layer', 'layer'],
    operations: ALL,
    description: 'Name of the layer to read, or a list of names. Default: all.',
    schema: () => ({
      anyOf: [layerName, { type: 'array', items: layerName, minItems: 1, maxItems: 10_000 }],
    }),
    shouldBe: 'the name of a layer or a list of names',
  },
  inputUrl: {
    nested: ['input.url'],
    flat: ['input_url'],
    operations: ['transform', 'inspect'],
    description:
      'Where to fetch the input from, in place of a file; http or https. Only in forms, and from hosts that the operator allows.',
    schema: () => ({
      type: 'string',
      minLength: 1,
      maxLength: 8192,
      examples: ['https://data.example.org/harbour.zip'],
    }),
    shouldBe: 'a URL',
  },
  transformations: {
    nested: ['transformations'],
    operations: ALL,
    description: 'What is done to the features, in this order.',
    // Its items are checked, and told of, by transformations/requested-steps.ts, from the same parameter schemas.
    schema: () => ({
      type: 'array',
      maxItems: MAX_STEPS,
      items: { $ref: '#/components/schemas/TransformationStep' },
    }),
    shouldBe: 'a list',
  },
  outputFormat: {
    nested: ['output.format'],
    flat: ['output_format'],
    operations: ALL,
    description: 'Format of the output, in any letter case.',
    schema: ({ formats }) => formatNames(formats.filter(isOutputFormat)),
    shouldBe: 'the name of a format',
  },
  outputCrs: {
    nested: ['output.epsg', 'output.crs'],
    flat: ['output_crs', 'output_epsg'],
    operations: ALL,
    description: 'CRS of the output. Default: EPSG:4326.',
    schema: () => epsgCode,
    shouldBe: CRS_IN_WORDS,
  },
  toFile: {
    nested: ['output.to_file'],
    flat: ['to_file', 'output_to_file'],
    operations: ALL,
    description:
      'false: the FeatureCollection itself as application/json; only for output formats that are JSON.',
    schema: () => ({ type: 'boolean', default: true }),
    shouldBe: 'true or false',
  },
} as const satisfies Record<string, ConfigField>;

export type FieldId = keyof typeof CONFIG_FIELDS;

/** Every name of a field; the one to use in messages first. */
export function fieldNames(id: FieldId, { spelling }: Surface): readonly string[] {
  const { nested, flat = [] }: ConfigField = CONFIG_FIELDS[id];
  return spelling === 'nested' ? [...nested, ...flat] : [...flat, ...nested];
}

/** The name that an option of a format goes by: `input.encoding` or `input_encoding`; and the other way round. */
export function optionNames(
  side: 'input' | 'output',
  name: string,
  { spelling }: Surface,
): readonly string[] {
  const names = [`${side}.${name}`, `${side}_${name}`];
  return spelling === 'nested' ? names : names.reverse();
}

/** The name that the group of a format's read options goes by: `input.csv_options` or `csv_options`. */
export function groupNames(key: string, { spelling }: Surface): readonly string[] {
  const names = [`input.${key}`, key];
  return spelling === 'nested' ? names : names.reverse();
}
