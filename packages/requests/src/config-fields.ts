/**
 * All fields of a config: names, JSON Schema and meaning. Requests are checked against this table (parse-job-request.ts)
 * and documented from it (config-schema.ts). A new field or spelling is added here only.
 */
import { failOnSeverities } from '@geomill/core/messages/findings.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { type Format, isInputFormat, isOutputFormat } from '@geomill/formats/format.ts';
import { MAX_STEPS } from '@geomill/operations/requested-steps.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import type { JobRequest } from '@geomill/pipeline/request.ts';

/** The operation that a config belongs to, and what its path already states. */
export interface Endpoint {
  readonly operation: JobRequest['operation'];
  /** Id of the format named by the path; null: the config names it. */
  readonly inputFormat: string | null;
  /** nested: `{"input": {"format": ...}}`. flat: `{"input_format": ...}`. Both are accepted; this one is documented. */
  readonly spelling: 'nested' | 'flat';
  /**
   * A request without the CRS of a file that does not store one is accepted. The job finds it in the file, or fails with
   * suggestions. Absent: such a request is rejected.
   */
  readonly isCrsOptional?: true;
  /** An output without a CRS keeps that of the input, as on the command line. Absent: it is in EPSG:4326. */
  readonly keepsCrs?: true;
}

export interface Registries {
  readonly formats: readonly Format[];
  readonly transformations: readonly Transformation[];
}

export interface ConfigField {
  /** A dot separates `input` or `output` from the member. The first name is the preferred one. */
  readonly nested: readonly string[];
  /** Absent: same as `nested`. */
  readonly flat?: readonly string[];
  /** The preferred name in a flat config of the job API. Absent: the first one of `flat`. */
  readonly flatJobName?: string;
  readonly operations: readonly JobRequest['operation'][];
  readonly description: string;
  readonly schema: (registries: Pick<Registries, 'formats'>) => JsonSchema;
  /** The schema in words, for messages: "'to_file' must be true or false". */
  readonly shouldBe: string;
}

const ALL = ['transform', 'append', 'merge', 'inspect'] as const;
const CRS_IN_WORDS = 'an EPSG code such as 28350, "28350" or "EPSG:28350"';

const EPSG_PATTERN = '^\\s*(?:[Ee][Pp][Ss][Gg]:)?[0-9]{1,9}\\s*$';

/** "local" and "source" in any letter case. */
const LOCAL_PATTERN = '^\\s*[Ll][Oo][Cc][Aa][Ll]\\s*$';
const SOURCE_PATTERN = '^\\s*[Ss][Oo][Uu][Rr][Cc][Ee]\\s*$';

const epsgCode: JsonSchema = {
  type: ['string', 'integer'],
  pattern: `${EPSG_PATTERN}|${LOCAL_PATTERN}`,
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

const UPLOAD_IN_WORDS = 'the id of an upload';

const uploadId: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  examples: ['7d3c2f9a-5b1e-4c8d-9f60-2a1b3c4d5e6f'],
};

const uploadIds: JsonSchema = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 100 },
  minItems: 1,
  // No more files can be sent, whatever MAX_FILES says.
  maxItems: 100_000,
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
    flatJobName: 'input_epsg',
    operations: ['transform', 'append', 'inspect'],
    description:
      'CRS of the input (of the target of an append), for files that do not define one; "local": a plan whose position is not known. A file that defines a different CRS is rejected; a drawing that does so is reported.',
    schema: () => epsgCode,
    shouldBe: CRS_IN_WORDS,
  },
  overrideCrs: {
    nested: ['input.override_crs'],
    flat: ['input_override_crs', 'override_crs'],
    operations: ['transform', 'inspect'],
    description:
      'true: read the input in `input.epsg` although the file defines a different CRS, for instance because its .prj is wrong; the report says so (CRS_CONTRADICTED). Coordinates are not changed. Default: such a request is rejected (CRS_CONFLICT).',
    schema: () => ({ type: 'boolean', default: false }),
    shouldBe: 'true or false',
  },
  appendCrs: {
    nested: ['append_crs_mapping'],
    operations: ['append'],
    description:
      'CRS of the files to append: one for all files, or a list with one entry per file, in the order of the files; null: the file defines it.',
    schema: () => epsgCodes,
    shouldBe: `${CRS_IN_WORDS}, or a list of them`,
  },
  mergeCrs: {
    nested: ['input_crs_mapping'],
    operations: ['merge'],
    description:
      'CRS of the files to merge: one for all files, or a list with one entry per file, in the order of the files; null: the file defines it.',
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
      'HTTP or HTTPS address from which the service fetches the input, instead of a file in the request. Only hosts allowed by the operator.',
    schema: () => ({
      type: 'string',
      minLength: 1,
      maxLength: 8192,
      examples: ['https://data.example.org/harbour.zip'],
    }),
    shouldBe: 'a URL',
  },
  inputUpload: {
    nested: ['input.upload'],
    flat: ['input_upload'],
    operations: ['transform', 'inspect'],
    description: `Id of an upload (POST /v1/uploads) that is the input, instead of a file in the request.`,
    schema: () => uploadId,
    shouldBe: UPLOAD_IN_WORDS,
  },
  targetUpload: {
    nested: ['target_upload', 'input.upload'],
    flat: ['target_upload', 'input_upload'],
    operations: ['append'],
    description: 'Id of an upload that is the target, instead of a file in the request.',
    schema: () => uploadId,
    shouldBe: UPLOAD_IN_WORDS,
  },
  appendUploads: {
    // `input_uploads`: as the parts of a form, a rerun has the same names for an append and a merge.
    nested: ['append_uploads', 'input_uploads'],
    operations: ['append'],
    description: 'Ids of uploads to append, in their order; after the files in the request, if it has any.',
    schema: () => uploadIds,
    shouldBe: `a list of ids of uploads`,
  },
  mergeUploads: {
    nested: ['input_uploads'],
    operations: ['merge'],
    description: 'Ids of uploads to merge, in their order; after the files in the request, if it has any.',
    schema: () => uploadIds,
    shouldBe: `a list of ids of uploads`,
  },
  mergeAttributes: {
    nested: ['attributes'],
    operations: ['merge'],
    description:
      'Fields of the merged layer. union: those of all files; a file without a field gives null. intersection: those that all files have. none: no fields, the default. Names may differ in letter case; types are wide enough for all values.',
    schema: () => ({ type: 'string', enum: ['union', 'intersection', 'none'], default: 'none' }),
    shouldBe: '"union", "intersection" or "none"',
  },
  sourceField: {
    nested: ['source_field'],
    operations: ['merge'],
    description:
      'Name of a new field, after all others, with the name of the file of each feature, and of the layer if the file has several. Default: no such field.',
    schema: () => ({ ...layerName, minLength: 1, examples: ['source'] }),
    shouldBe: 'the name of a field',
  },
  transformations: {
    nested: ['transformations'],
    operations: ALL,
    description: 'Transformations of the features, applied in this order.',
    // The items are checked by transformations/requested-steps.ts, with the schemas of their parameters.
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
    description:
      'CRS of the output; "source": that of the input, or of the last reproject step. Default: EPSG:4326; of an append: that of the target.',
    schema: () => ({ ...epsgCode, pattern: `${EPSG_PATTERN}|${LOCAL_PATTERN}|${SOURCE_PATTERN}` }),
    shouldBe: `${CRS_IN_WORDS}, or "source"`,
  },
  failOn: {
    nested: ['fail_on'],
    operations: ['transform', 'append', 'merge'],
    description:
      'Fail with FINDINGS_REFUSED, without output, if the report has a warning of this severity or a worse one: `lost`, or `changed`, which includes `lost`.',
    schema: () => ({ type: 'string', enum: failOnSeverities }),
    shouldBe: '"changed" or "lost"',
  },
  strict: {
    nested: ['strict'],
    operations: ALL,
    description:
      'true: reject all unknown keys, and fail with COORDINATE_OUT_OF_RANGE, without output, if a longitude is beyond 360 or a latitude beyond 90 degrees. Default: an unknown key that looks like a known one is rejected, others are ignored and reported; coordinates are an error if more than 1 % of the features have such a position, and otherwise a warning.',
    schema: () => ({ type: 'boolean', default: false }),
    shouldBe: 'true or false',
  },
  acceptImpossibleCoordinates: {
    nested: ['accept_impossible_coordinates'],
    operations: ['transform', 'append', 'merge'],
    description:
      'true: convert positions as they are, and report them, however many have a longitude beyond 360 or a latitude beyond 90 degrees. Default: the job fails with COORDINATES_IMPOSSIBLE, without output, if more than 1 % of the features of a layer have such a position.',
    schema: () => ({ type: 'boolean', default: false }),
    shouldBe: 'true or false',
  },
  exact: {
    nested: ['exact'],
    operations: ['transform', 'append', 'merge'],
    description:
      'true: PROJ transforms every position. Default: where an operation is smooth, positions of large inputs are transformed by polynomials that PROJ has verified to 0.1 micrometres.',
    schema: () => ({ type: 'boolean', default: false }),
    shouldBe: 'true or false',
  },
  textOnly: {
    nested: ['text_only'],
    operations: ['inspect'],
    description:
      'true: describe only how the text of the file is read (`text` of the result), also if its encoding or its columns are wrong, for which an inspection fails. `layers` is empty then.',
    schema: () => ({ type: 'boolean', default: false }),
    shouldBe: 'true or false',
  },
  layerName: {
    nested: ['output.layer_name'],
    flat: ['layer_name', 'output_layer_name'],
    operations: ['transform', 'merge', 'inspect'],
    description:
      'Name of the layer of the output. Only for outputs with one layer. Default: the name of the layer of the input; of a merge: that of the output file.',
    schema: () => ({ ...layerName, minLength: 1, examples: ['buildings'] }),
    shouldBe: 'the name of a layer',
  },
  splitBy: {
    nested: ['output.split_by'],
    flat: ['split_by', 'output_split_by'],
    operations: ['transform', 'inspect'],
    description:
      'Field by whose values the features are divided, after the steps, or an expression (docs/expressions.md), such as `year(built)`; an object is one in JSON. Each value becomes a layer or a file (see `output.split_into`), at most 1,000 in an output; its name is the value.',
    schema: () => ({
      ...layerName,
      type: ['string', 'object'],
      minLength: 1,
      examples: ['district', 'year(built)'],
    }),
    shouldBe: 'the name of a field, or an expression',
  },
  splitInto: {
    nested: ['output.split_into'],
    flat: ['split_into', 'output_split_into'],
    operations: ['transform', 'inspect'],
    description:
      'With `output.split_by`. layers: each value is a layer of one file; only for gpkg and dxf, where it is the default. files: each value is a file in a zip archive; the default of the other formats.',
    schema: () => ({ type: 'string', enum: ['layers', 'files'] }),
    shouldBe: '"layers" or "files"',
  },
  toFile: {
    nested: ['output.to_file'],
    flat: ['to_file', 'output_to_file'],
    operations: ALL,
    description:
      'false: return the FeatureCollection itself as application/json. Only for output formats that are JSON.',
    schema: () => ({ type: 'boolean', default: true }),
    shouldBe: 'true or false',
  },
} as const satisfies Record<string, ConfigField>;

export type FieldId = keyof typeof CONFIG_FIELDS;

/** All names of a field; the one for messages comes first. */
export function fieldNames(id: FieldId, { spelling }: Endpoint): readonly string[] {
  const { nested, flat = [] }: ConfigField = CONFIG_FIELDS[id];
  return spelling === 'nested' ? [...nested, ...flat] : [...flat, ...nested];
}

/** Names of a format option: `input.encoding` and `input_encoding`, the preferred spelling first. */
export function optionNames(
  side: 'input' | 'output',
  name: string,
  { spelling }: Endpoint,
): readonly string[] {
  const names = [`${side}.${name}`, `${side}_${name}`];
  return spelling === 'nested' ? names : names.reverse();
}

/** Names of the group of a format's read options: `input.csv_options` and `csv_options`. */
export function groupNames(key: string, { spelling }: Endpoint): readonly string[] {
  const names = [`input.${key}`, key];
  return spelling === 'nested' ? names : names.reverse();
}
