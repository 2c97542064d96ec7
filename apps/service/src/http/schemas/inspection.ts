/** The result of an inspection (pipeline/inspection.ts) in the API. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { SUGGESTIONS } from './problem.ts';
import { reportSchemas } from './report.ts';
import { closedObject, count, FLAG, listOf, nullable, ref, TEXT, text } from './schema.ts';

const crs = closedObject({
  name: TEXT,
  authority: nullable(closedObject({ name: TEXT, code: TEXT })),
  kind: { type: 'string', enum: ['geographic', 'projected', 'other'] },
  unit_name: text('Horizontal unit of the coordinates: `degree`, `metre`, ...'),
  origin: {
    type: 'string',
    enum: ['file', 'request', 'assumed'],
    description:
      'How the CRS is known: the file (or its format) states it, the request states it, or the coordinates show it.',
  },
});

const layer = closedObject({
  name: TEXT,
  features: count('Number of features, including those without a geometry.'),
  geometry_types: {
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'Number of features by geometry type.',
  },
  has_z: FLAG,
  has_m: FLAG,
  extent: nullable(
    { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
    'West, south, east, north in the CRS of the layer; null if the layer has no coordinates.',
  ),
  crs: nullable(crs, 'Null if neither the file nor the request defines a usable CRS.'),
  crs_suggestions: SUGGESTIONS,
  metres_per_unit: nullable(
    { type: 'number' },
    'Unit of the coordinates, if the file defines a unit but no CRS.',
  ),
  encoding: nullable(TEXT, 'Text encoding of the attributes.'),
  fields: listOf(
    closedObject({
      name: TEXT,
      type: TEXT,
      non_null: count('Features with a value.'),
      facts: nullable(
        { type: 'object', additionalProperties: true },
        'What the file says of the field besides: alias, title, description, media_type, width, not_null, unique, default and domain (a list of values with their texts, a range or a pattern), each only if there is one. Null: nothing.',
      ),
    }),
    'In file order.',
  ),
});

const textTable = closedObject({
  delimiter: TEXT,
  header_line: nullable(count('Line of the header, counted from 1.'), 'Null: the file has no header.'),
  columns: listOf(TEXT, 'Names of the columns, at most 100.'),
  column_count: count('Number of columns.'),
  rows: listOf(
    closedObject({
      line: count('Line of the row, counted from 1.'),
      cells: listOf(TEXT, 'The beginning of each cell, of at most 100 columns.'),
      problem: nullable(TEXT, 'Why the row cannot be read as a feature; null: it can.'),
    }),
    'The first rows, at most 8.',
  ),
  options: nullable(
    { type: 'object', description: 'Read options that state the columns of the position.' },
    'Null: no position was found in the columns.',
  ),
});

const fileText = closedObject({
  encoding: text('Encoding in which the file is read.'),
  origin: {
    type: 'string',
    enum: ['file', 'request', 'content', 'default'],
    description:
      'How the encoding is known: the file states it, the request states it, it was guessed from the texts, or nothing states it.',
  },
  candidates: listOf(
    closedObject({ encoding: TEXT, samples: listOf(TEXT, 'The same texts of the file, at most 5.') }),
    'The file in each plausible encoding, the most plausible first, at most 8. Empty if all text is ASCII or UTF-16.',
  ),
  table: nullable(textTable, 'The columns of a CSV; null for other formats.'),
});

const reported = reportSchemas.Report.properties as Readonly<Record<string, JsonSchema>>;

const outcome = closedObject({
  format: TEXT,
  crs: text('CRS of the output.'),
  media_type: TEXT,
  bytes: count('Size that the output would have, in bytes.'),
  features: reported.features,
  steps: reported.steps,
  fields: reported.fields,
  reprojections: reported.reprojections,
  warnings: listOf(ref('Finding'), 'What the conversion would tolerate, change or drop.'),
  severities: reported.severities,
});

const failedOutcome = closedObject({ format: TEXT, error: ref('JobError') });

export const inspectionSchemas: Readonly<Record<string, JsonSchema>> = {
  InlineOutput: {
    anyOf: [ref('FeatureCollection'), ref('Inspection')],
    description: 'Inline output of a conversion, or the result of an inspection.',
  },
  Inspection: {
    ...closedObject({
      format: TEXT,
      layers: listOf(layer),
      text: nullable(fileText, 'How the text of the file is read. Null for formats with one encoding.'),
      warnings: listOf(ref('Finding')),
      output: {
        anyOf: [outcome, failedOutcome, { type: 'null' }],
        description:
          'Dry run of the conversion to the requested output; the file is discarded. Has `error` if the conversion fails. ' +
          'Null if the config has no output.',
      },
    }),
    description: 'Contents of a file.',
  },
};
