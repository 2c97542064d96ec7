/** The report of a conversion (pipeline/report.ts and findings.ts) in the API. */
import { severities } from '@geomill/core/messages/findings.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { catalogue } from '../../catalogue.ts';
import { closedObject, count, FLAG, listOf, nullable, ref, TEXT, text } from './schema.ts';

const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };

const layer = closedObject(
  {
    name: TEXT,
    file: text('File that contains the layer.'),
    features: count('Number of features read.'),
    feature_total: nullable(
      { type: 'integer', minimum: 0 },
      'Number of features of the layer, if only some of them were read, for a sample or near a box; null: not known. Absent: all were read.',
    ),
    crs: text('Source CRS, e.g. `EPSG:28350`, or WKT.'),
    crs_name: TEXT,
    encoding: nullable(TEXT, 'Text encoding of the attributes, if the format allows several.'),
    fields: listOf(closedObject({ name: TEXT, type: TEXT })),
    field_count: count('Number of fields, if `fields` does not list all of them.'),
  },
  ['feature_total', 'field_count'],
);

const approximated: JsonSchema = {
  ...closedObject({
    positions: count('Number of positions that polynomials transformed.'),
    exact_positions: count('Number of positions that PROJ transformed.'),
    largest_difference_meters: {
      type: 'number',
      minimum: 0,
      description:
        'Largest difference to PROJ at the points where the polynomials that were used were verified.',
    },
  }),
  description: 'How positions were transformed. Absent: PROJ transformed all of them.',
};

const reprojection = closedObject(
  {
    layer: TEXT,
    from: TEXT,
    to: TEXT,
    operation: text('Name of the coordinate operation in PROJ.'),
    accuracy_meters: nullable({ type: 'number' }, 'Accuracy in metres; null if unknown.'),
    ballpark: { ...FLAG, description: 'No datum shift was applied: positions can be off by 100 m or more.' },
    grids_used: listOf(TEXT),
    grids_missing: listOf(TEXT, 'Missing grids that would improve the accuracy.'),
    outside_area_of_use: {
      ...share,
      description:
        'Share of the features with positions outside the area of use of the source or target CRS.',
    },
    approximated,
  },
  ['approximated'],
);

const entries = count('Number of entries without the limit.');

/** Keys of ReportTotals. */
const totals: JsonSchema = {
  ...closedObject(
    {
      files: entries,
      layers: entries,
      fields_renamed: entries,
      fields_retyped: entries,
      fields_dropped: entries,
      reprojections: entries,
      output_layers: entries,
      steps: entries,
      warnings: entries,
    },
    [
      'files',
      'layers',
      'fields_renamed',
      'fields_retyped',
      'fields_dropped',
      'reprojections',
      'output_layers',
      'steps',
      'warnings',
    ],
  ),
  description:
    'True lengths of the lists that were truncated because the report was too long. Absent: all lists are complete.',
};

export const reportSchemas: Readonly<Record<string, JsonSchema>> = {
  Place: {
    ...closedObject(
      {
        file: text('File name, if there are several files.'),
        layer: TEXT,
        record: {
          type: 'integer',
          minimum: 1,
          description: 'Number of the feature or record in the layer, from 1.',
        },
        line: { type: 'integer', minimum: 1, description: 'Line number in a text file, from 1.' },
        column: { type: 'integer', minimum: 1, description: 'Column of the line in characters, from 1.' },
        offset: count('Byte offset in the file, from 0.'),
        id: text('Feature id or handle in the source.'),
        field: TEXT,
      },
      ['file', 'layer', 'record', 'line', 'column', 'offset', 'id', 'field'],
    ),
    description: 'A location in the data; members that are not known are absent.',
  },
  FindingPlace: {
    ...closedObject({
      type: { const: 'Feature' },
      properties: closedObject(
        {
          code: text('Code of the warning.'),
          severity: ref('Severity'),
          message: text('One sentence for people.'),
          file: text('Name of the file, of several.'),
          layer: TEXT,
          row: {
            type: 'integer',
            minimum: 1,
            description:
              'Number of the record in the layer; of a step or the writer, of the feature that came to it.',
          },
          line: { type: 'integer', minimum: 1, description: 'Line of a text file.' },
          id: text('Feature id, or handle in a DXF.'),
        },
        ['file', 'layer', 'row', 'line', 'id'],
      ),
      geometry: {
        anyOf: [ref('Geometry'), { type: 'null' }],
        description: 'The point or box of the feature in EPSG:4326; null: not known.',
      },
    }),
  },
  FindingCollection: {
    ...closedObject({
      type: { const: 'FeatureCollection' },
      totals: {
        type: 'object',
        additionalProperties: closedObject({
          count: count('Number in the report.'),
          listed: count('Number of features of the collection.'),
        }),
        description: 'Of each code.',
      },
      features: listOf(ref('FindingPlace')),
    }),
    description: 'The features that the warnings of a job are about, with their places.',
  },
  Finding: {
    ...closedObject({
      code: { type: 'string', enum: Object.keys(catalogue.findings), description: 'Stable code.' },
      severity: ref('Severity'),
      message: text('One sentence for people.'),
      count: count('Number of features, values or fields concerned.'),
      places: listOf(ref('Place'), 'The first few locations.'),
      params: {
        type: 'object',
        additionalProperties: { type: ['string', 'number'] },
        description: 'Values used in the message.',
      },
    }),
    description: 'A warning: something that was tolerated, changed or dropped, with a count.',
  },
  Severity: {
    type: 'string',
    enum: severities,
    description:
      'How the output differs from what was requested: `info`: not at all; `changed`: values, geometries or names differ ' +
      'from those of the input; `lost`: data of the input is not in the output. Whatever a request asks for, such as ' +
      'removing the features outside a clip polygon, is `info`.',
  },
  SeverityCounts: {
    ...closedObject({
      info: count('Kinds of warnings of severity `info`.'),
      changed: count('Kinds of warnings of severity `changed`.'),
      lost: count('Kinds of warnings of severity `lost`.'),
    }),
    description:
      'Number of kinds of warnings of each severity, also of those that a truncated list does not have.',
  },
  StepReport: {
    ...closedObject({
      type: text('Type of the transformation.'),
      parameters: nullable(
        { type: 'object', additionalProperties: true },
        'With defaults filled in, without those that were sent as files. Null: too long to be listed.',
      ),
      crs: listOf(TEXT, 'CRS of the features that the step got; several if the layers differ.'),
      features_in: count('Features that the step got, of all layers.'),
      features_out: count('Features that the next step, or the output, got.'),
      dropped: listOf(
        closedObject({
          reason: text('Code of the warning; `FILTERED`: the step does not select them.'),
          features: count('Number of features.'),
        }),
      ),
      merged: count('Features that are in the result as a part of others.'),
      generated: count('Additional features, for example by splitting.'),
      seconds: {
        type: 'number',
        minimum: 0,
        description: 'Time spent in the step, in all threads together; 0 for `reproject`.',
      },
    }),
    description:
      'One step. `features_in` is `features_out`, dropped and merged features together, less `generated`.',
  },
  RequestDocument: nullable(
    { type: 'object', additionalProperties: true },
    'The config as it was understood: preferred spellings, defaults filled in. It can be sent again as a config. Step ' +
      'parameters that were sent as files are not in it. Null: longer than 40 kB.',
  ),
  Report: {
    ...closedObject(
      {
        summary: text('What was done, in one sentence.'),
        operation: { type: 'string', enum: ['transform', 'append', 'merge'] },
        input: closedObject({
          format: TEXT,
          name: text('Name of the first file.'),
          files: listOf(
            closedObject({ name: TEXT, features: count('Number of features read from all layers.') }),
            'In the order of the request.',
          ),
          layers: listOf(layer),
        }),
        output: closedObject({
          format: TEXT,
          crs: TEXT,
          media_type: TEXT,
          byte_length: count('Size of the output in bytes.'),
          layers: listOf(
            closedObject(
              {
                name: TEXT,
                features: count('Number of features written.'),
                value: nullable(TEXT, 'Of a split output: the value of the features; null: they have none.'),
                files: listOf(
                  TEXT,
                  'Of an output that is split into files: names of the files; several for a shapefile of several kinds of geometries.',
                ),
              },
              ['value', 'files'],
            ),
          ),
        }),
        features: closedObject(
          {
            skipped: count(
              'Records of the input that are not features: unreadable ones, and those marked as deleted. Not in `read`.',
            ),
            read: count('Features read from the input.'),
            appended: count('Append only: features read from files other than the target.'),
            written: count('Features written to the output.'),
            dropped: count(
              'Features dropped by steps and by the output format; `steps` and the warnings give the reasons.',
            ),
            merged: count('Features that are in the output as a part of others.'),
            generated: count('Additional features made by steps, for example by splitting.'),
            repaired: count('Invalid geometries that were repaired.'),
            split: count('Features that were split.'),
          },
          ['appended'],
        ),
        steps: listOf(ref('StepReport'), 'In the order of the request.'),
        fields: closedObject({
          renamed: listOf(closedObject({ layer: TEXT, from: TEXT, to: TEXT })),
          retyped: listOf(closedObject({ layer: TEXT, field: TEXT, from: TEXT, to: TEXT })),
          dropped: listOf(closedObject({ layer: TEXT, field: TEXT, reason: TEXT })),
        }),
        reprojections: listOf(reprojection),
        warnings: listOf(ref('Finding')),
        severities: ref('SeverityCounts'),
        totals,
        request: ref('RequestDocument'),
        timings: closedObject({ total_ms: { type: 'number', minimum: 0 } }),
        fetched: {
          ...closedObject({ host: text('Host that sent the file.'), byte_length: count('Bytes received.') }),
          description: 'Details of an input that was fetched by URL.',
        },
        fetched_sources: {
          ...listOf(
            closedObject({ host: text('Host that sent the file.'), byte_length: count('Bytes received.') }),
          ),
          description: 'Files of steps that were fetched by URL, in the order of the steps.',
        },
      },
      ['fetched', 'fetched_sources', 'totals'],
    ),
    description:
      'What a conversion changed in the data. Every loss is listed. `read` is `written`, `dropped` and `merged` features ' +
      'together, less `generated`. A report has at most 1 MB: names are ' +
      'shortened to 200 characters (the end of a shortened name tells its length), and long lists are cut (see `totals`).',
  },
};
