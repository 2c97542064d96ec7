/** CSV (RFC 4180) with the geometry as well-known text in one column. Rules and losses: docs/formats/csv.md. */
import type { Format } from '../format.ts';
import { errors } from './errors.ts';
import { findings } from './findings.ts';

export const csv: Format<typeof errors, typeof findings> = {
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
  errors,
  findings,
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
        description: 'Name of the column with WKT (case-sensitive), or its number, counted from 1.',
      },
      delimiter: {
        enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'],
        description:
          'Delimiter between columns. Default: a comma. If the header has the geometry column only with another of these delimiters, that one is used.',
      },
      has_header: {
        type: 'boolean',
        default: true,
        description: 'false: the first line is data, and the columns are column_1, column_2, ...',
      },
      encoding: {
        type: 'string',
        maxLength: 40,
        default: 'utf-8',
        description: 'Text encoding, such as utf-8, windows-1252 or shift_jis.',
      },
      on_error: {
        enum: ['fail', 'skip'],
        default: 'fail',
        description:
          'Effect of a row with a wrong number of cells or invalid WKT: fail the job, or skip the row and count it.',
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
          'Significant digits of coordinates. Default: as many as the value needs; 15 if coordinates were transformed.',
      },
      delimiter: {
        enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'],
        default: ',',
        description: 'Delimiter between columns.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
