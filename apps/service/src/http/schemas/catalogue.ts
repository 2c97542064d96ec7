/** Formats and transformations as the catalogue lists them. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { STEP_GROUPS } from '@geomill/operations/transformation.ts';
import { closedObject, count, FLAG, listOf, nullable, ref, TEXT, text } from './schema.ts';

const schemaOfOptions: JsonSchema = { type: 'object', description: 'JSON Schema (2020-12) of the object.' };

const formatRecord = closedObject({
  id: text('Name for requests.'),
  aliases: listOf(TEXT, 'Other names for requests.'),
  name: text('Short name, such as `GeoPackage`.'),
  title: text('Name with the variants and versions that are supported.'),
  extensions: listOf(TEXT, 'File name extensions with the dot, the usual one first.'),
  file_parts: nullable(
    listOf(TEXT),
    'Extensions of the files that together are one input, sent as a zip archive; the file with the first of them has the features. Null: an input is one file.',
  ),
  folder_extension: nullable(
    TEXT,
    'Extension of the folders that are one input, each sent as a zip archive that contains the folder. Null: an input is no folder.',
  ),
  media_type: text('Media type of outputs.'),
  output_extension: text('File name extension of outputs.'),
  input: FLAG,
  output: FLAG,
  input_crs: {
    type: 'string',
    enum: ['fixed', 'file', 'request'],
    description:
      'Where the CRS of an input is defined. `fixed`: EPSG:4326 unless the request states another. `file`: in the file. `request`: in the request, which must state it.',
  },
  fixed_output_crs: nullable(
    closedObject({
      crs: text('CRS of outputs, whatever the request states.'),
      unless: nullable(
        text('Write option whose value is not `wgs84`, its default, where the CRS of the request counts.'),
        'Null: outputs have no other CRS.',
      ),
    }),
    'Null: outputs have the requested CRS.',
  ),
  layer_service: nullable(
    { type: 'string', enum: ['arcgis'] },
    'Kind of server whose layers are read as this format, page by page, by the URL of a layer; null: none.',
  ),
  output_layers: {
    type: 'string',
    enum: ['one', 'many'],
    description:
      '`many`: an output can have several layers. `one`: layers are combined, with a field `layer`.',
  },
  split_into: {
    type: 'string',
    enum: ['layers', 'files'],
    description:
      'What `split_by` divides an output into by default. `layers`: layers of one file. `files`: files in a zip archive, the only choice of formats without layers.',
  },
  read_options_key: nullable(
    text('Name of an object with the read options, beside `input` or in it.'),
    'Null: the read options are in `input`.',
  ),
  read_options: {
    ...schemaOfOptions,
    description: 'Read options (under `input`), as JSON Schema (2020-12).',
  },
  write_options: {
    ...schemaOfOptions,
    description: 'Write options (under `output`), as JSON Schema (2020-12).',
  },
  links: nullable(
    closedObject({ transform: TEXT, append: TEXT, merge: TEXT }),
    'Paths of the operations that read the format; null: it can only be written.',
  ),
});

/** Links of the entry point, by name. */
export const INDEX_LINKS = {
  documentation: '/docs',
  openapi: '/openapi.json',
  formats: '/v1/formats',
  transformations: '/v1/transformations',
  jobs: '/v1/jobs',
} as const;

const link: JsonSchema = { type: 'string', format: 'uri' };

export const catalogueSchemas: Readonly<Record<string, JsonSchema>> = {
  Index: closedObject({
    name: { const: 'geomill' },
    version: text('Version of the service.'),
    links: closedObject(Object.fromEntries(Object.keys(INDEX_LINKS).map((name) => [name, link]))),
    auth: {
      type: 'string',
      enum: ['open', 'required'],
      description: 'Whether requests need credentials.',
    },
    limits: closedObject({
      max_upload_bytes: count('Maximum total size of the files of a request, and of one upload.'),
      max_files: count('Maximum number of files in a request to append or merge.'),
      output_retention_seconds: count('How long an output is kept after its job has ended.'),
      record_retention_seconds: count('How long the record of a job is kept after the job has ended.'),
      upload_retention_seconds: count('How long an upload is kept after its last byte.'),
    }),
    fetches_urls: {
      type: 'boolean',
      description: 'Whether inputs can be URLs, of hosts that the operator allows (`INPUT_URL_HOSTS`).',
    },
    map_tiles: nullable(
      closedObject({
        url: text('Address of a tile, with `{z}`, `{x}` and `{y}`.'),
        attribution: nullable(text('Text to show on the map.')),
      }),
      'Map tiles that pages of the service show; null: none.',
    ),
  }),
  FormatRecord: formatRecord,
  FormatList: closedObject({
    formats: listOf(ref('FormatRecord')),
    unsupported: listOf(
      closedObject({
        name: text('Name of such a file in a sentence, such as `a MapInfo file`.'),
        extensions: listOf(TEXT, 'File name extensions with the dot.'),
        advice: text('How to convert it to a supported format.'),
      }),
      'Formats that are known only to say what to do with their files.',
    ),
  }),
  TransformationRecord: closedObject({
    id: text('The `type` of a step.'),
    title: TEXT,
    group: { type: 'string', enum: [...STEP_GROUPS], description: 'Group in a list of steps.' },
    summary: text('What the step is for, in one line.'),
    description: text('Description in Markdown, including the effect on attributes and ids.'),
    parameters: { ...schemaOfOptions, description: 'JSON Schema (2020-12) of the parameters.' },
    needs: listOf(listOf(TEXT), 'Of each list the step needs one parameter.'),
    main_parameters: listOf(
      TEXT,
      'Parameters that a form shows first: the needed ones, and the most used of the others.',
    ),
    file_parameter: nullable(
      closedObject({
        name: nullable(
          text('Parameter that can have the value instead, such as `clipping_geojson`.'),
          'Null: only a file has it.',
        ),
        part: text(
          'Part of a form with the file, such as `mask`; parameters about the file are `PART_upload`, `PART_format`, `PART_layer`, `PART_crs`, `PART_options` and `PART_filter`.',
        ),
        uses: {
          type: 'string',
          enum: ['polygons', 'features', 'attributes'],
          description: 'What the step uses of the features of a file.',
        },
      }),
      'Second source of the step: a file with features in any input format; null: none.',
    ),
    guarantees: listOf(TEXT, 'Properties that every result has.'),
    example: { type: 'object', description: 'Example of an entry of `transformations`.' },
  }),
  TransformationList: closedObject({
    transformations: listOf(ref('TransformationRecord')),
    groups: listOf(TEXT, 'Groups of the transformations, in the order of a list.'),
  }),
};
