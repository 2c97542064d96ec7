/** What an inspection tells: pipeline/inspect.ts as the API writes it. */
import type { JsonSchema } from '../operation.ts';
import { reportSchemas } from './report.ts';
import { closedObject, count, FLAG, listOf, nullable, ref, TEXT, text } from './schema.ts';

const crs = closedObject({
  name: TEXT,
  authority: nullable(closedObject({ name: TEXT, code: TEXT })),
  kind: { type: 'string', enum: ['geographic', 'projected', 'other'] },
  unit_name: text('Horizontal unit of the coordinates: `degree`, `metre`, ...'),
});

const layer = closedObject({
  name: TEXT,
  features: count('Features, also those without a geometry.'),
  geometry_types: {
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'Features by geometry type.',
  },
  has_z: FLAG,
  has_m: FLAG,
  extent: nullable(
    { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
    'West, south, east, north in the CRS of the layer; null without positions.',
  ),
  crs: nullable(crs, 'Null where neither the file nor the request states one that can be used.'),
  metres_per_unit: nullable(
    { type: 'number' },
    'Of a file that states the unit of its coordinates and no CRS.',
  ),
  encoding: nullable(TEXT),
  fields: listOf(
    closedObject({ name: TEXT, type: TEXT, non_null: count('Features with a value.') }),
    'In the order of the file.',
  ),
});

const reported = reportSchemas.Report.properties as Readonly<Record<string, JsonSchema>>;

const outcome = closedObject({
  format: TEXT,
  crs: text('CRS of the output.'),
  media_type: TEXT,
  bytes: count('Length that the output would have.'),
  features: reported.features,
  fields: reported.fields,
  reprojections: reported.reprojections,
  warnings: listOf(ref('Finding'), 'What the conversion would tolerate, change and leave out.'),
});

const failedOutcome = closedObject({ format: TEXT, error: ref('JobError') });

export const inspectionSchemas: Readonly<Record<string, JsonSchema>> = {
  InlineOutput: {
    anyOf: [ref('FeatureCollection'), ref('Inspection')],
    description: 'The output of a request that wanted it inline, or of an inspection.',
  },
  Inspection: {
    ...closedObject({
      format: TEXT,
      layers: listOf(layer),
      warnings: listOf(ref('Finding')),
      output: {
        anyOf: [outcome, failedOutcome, { type: 'null' }],
        description:
          'What a conversion to the wanted output does: it is carried out, and the file thrown away. With `error` where it fails. ' +
          'Null where no output is wanted.',
      },
    }),
    description: 'What a file holds.',
  },
};
