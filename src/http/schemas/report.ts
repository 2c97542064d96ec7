/** What a conversion did: pipeline/report.ts and findings.ts as the API writes them. */
import { findingCatalogue } from '../../findings.ts';
import type { JsonSchema } from '../operation.ts';
import { closedObject, count, FLAG, listOf, nullable, ref, TEXT, text } from './schema.ts';

const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };

const layer = closedObject(
  {
    name: TEXT,
    file: text('The file that it is a layer of.'),
    features: count('Features that were read.'),
    crs: text('Source CRS that was used, e.g. `EPSG:28350`, or WKT.'),
    crs_name: TEXT,
    encoding: nullable(TEXT, 'Text encoding of the attributes, where the format has a choice.'),
    fields: listOf(closedObject({ name: TEXT, type: TEXT })),
    field_count: count('How many fields the layer has, if `fields` does not list all of them.'),
  },
  ['field_count'],
);

const reprojection = closedObject({
  layer: TEXT,
  from: TEXT,
  to: TEXT,
  operation: text('Name of the coordinate operation as PROJ gives it.'),
  accuracy_meters: nullable({ type: 'number' }, 'Metres; null where PROJ does not know it.'),
  ballpark: { ...FLAG, description: 'Without a datum shift: positions can be off by 100 m or more.' },
  grids_used: listOf(TEXT),
  grids_missing: listOf(TEXT, 'Grids that would have made it more accurate.'),
  outside_area_of_use: {
    ...share,
    description: 'Share of the features with positions outside the area of use of the source or target CRS.',
  },
});

const entries = count('Entries there would be.');

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
      warnings: entries,
    },
    ['files', 'layers', 'fields_renamed', 'fields_retyped', 'fields_dropped', 'reprojections', 'warnings'],
  ),
  description: 'The lists that were cut because the report would be too long. Absent: all lists are whole.',
};

export const reportSchemas: Readonly<Record<string, JsonSchema>> = {
  Place: {
    ...closedObject(
      {
        file: text('Where there are several.'),
        layer: TEXT,
        record: { type: 'integer', minimum: 1, description: 'Feature or record in the layer, from 1.' },
        line: { type: 'integer', minimum: 1, description: 'Line of a text file, from 1.' },
        offset: count('Byte of the file, from 0.'),
        id: text('Feature id or handle as the source writes it.'),
        field: TEXT,
      },
      ['file', 'layer', 'record', 'line', 'offset', 'id', 'field'],
    ),
    description: 'Where in the data something lies; what is known of it.',
  },
  Finding: {
    ...closedObject({
      code: { type: 'string', enum: Object.keys(findingCatalogue), description: 'Does not change.' },
      message: text('One sentence for a person.'),
      count: count('How many features, values or fields it concerns.'),
      places: listOf(ref('Place'), 'The first few places.'),
      params: {
        type: 'object',
        additionalProperties: { type: ['string', 'number'] },
        description: 'What was filled into the sentence.',
      },
    }),
    description: 'Something that was tolerated, changed or left out, with a count: a warning.',
  },
  Report: {
    ...closedObject(
      {
        input: closedObject({
          format: TEXT,
          name: text('Of the first file.'),
          files: listOf(
            closedObject({ name: TEXT, features: count('Read of all its layers.') }),
            'In the order of the request.',
          ),
          layers: listOf(layer),
        }),
        output: closedObject({
          format: TEXT,
          crs: TEXT,
          media_type: TEXT,
          byte_length: count('Bytes of the output.'),
        }),
        features: closedObject(
          {
            read: count('From the input.'),
            appended: count('Of an append: those read that are not of the target.'),
            written: count('To the output.'),
            dropped: count('Left out; the warnings say why.'),
            repaired: count('Geometries that were not valid and were mended.'),
            split: count('Features that became several.'),
          },
          ['appended'],
        ),
        fields: closedObject({
          renamed: listOf(closedObject({ layer: TEXT, from: TEXT, to: TEXT })),
          retyped: listOf(closedObject({ layer: TEXT, field: TEXT, from: TEXT, to: TEXT })),
          dropped: listOf(closedObject({ layer: TEXT, field: TEXT, reason: TEXT })),
        }),
        reprojections: listOf(reprojection),
        warnings: listOf(ref('Finding')),
        totals,
        timings: closedObject({ total_ms: { type: 'number', minimum: 0 } }),
        fetched: {
          ...closedObject({ host: text('The host that sent it.'), byte_length: count('Bytes that came.') }),
          description: 'Of an input that was fetched by its URL.',
        },
      },
      ['fetched', 'totals'],
    ),
    description:
      'What a conversion did with the data. Nothing is lost that it does not tell. A report has at most 1 MB: names are ' +
      'shortened to 200 characters (the end of a shortened name tells its length), and long lists are cut (see `totals`).',
  },
};
