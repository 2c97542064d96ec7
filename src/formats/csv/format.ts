/** CSV (RFC 4180) with the geometry as well-known text in one column. Rules and losses: docs/formats/csv.md. */
import type { Format } from '../format.ts';

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  title: 'CSV with WKT geometry',
  summary: 'geometry as WKT, typed columns, any delimiter and encoding',
  aliases: [],
  extensions: ['.csv', '.tsv'],
  signatures: [],
  sample: 'harbour.csv',
  jsonSchema: null,
  isWarmedUp: true,
  mediaType: 'text/csv; charset=utf-8; header=present',
  outputExtension: '.csv',
  inputCrs: 'request',
  outputLayers: 'one',
  holdsIds: false,
  outputFields: 'declared',
  readOptionsKey: 'csv_options',
  readOptions: {
    type: 'object',
    properties: {
      geometry_column: {
        type: ['string', 'integer'],
        minimum: 1,
        minLength: 1,
        maxLength: 65_536,
        default: 'geom_wkt',
        description: 'Name of the column that holds WKT (case sensitive), or its number from 1.',
      },
      delimiter: {
        enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'],
        description:
          'What separates the columns. Default: a comma, or else the one of the four that lets the header name the geometry column.',
      },
      has_header: {
        type: 'boolean',
        default: true,
        description: 'false: the first line is data and the columns are called column_1, column_2, ...',
      },
      encoding: {
        type: 'string',
        maxLength: 40,
        default: 'utf-8',
        description: 'Text encoding by its usual name, such as utf-8, windows-1252 or shift_jis.',
      },
      on_error: {
        enum: ['fail', 'skip'],
        default: 'fail',
        description: 'What a ragged row or invalid WKT does: fail the job, or drop the row and count it.',
      },
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: {
      precision: {
        type: 'integer',
        minimum: 7,
        maximum: 15,
        description:
          'Significant digits of coordinates. Default: all that are needed, or 15 where they were transformed.',
      },
      delimiter: {
        enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'],
        default: ',',
        description: 'What separates the columns.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
