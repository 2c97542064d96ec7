/** CSV (RFC 4180) with a column of geometries or columns of coordinates. Rules and losses: docs/formats/csv.md. */

import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { columnOptions, geometryOptions, rowOptions } from '../tables/column-options.ts';
import { csvErrors, csvFindings } from './messages.ts';

export const csv: Format = {
  id: 'csv',
  name: 'CSV',
  title: 'CSV with coordinates or WKT',
  summary: 'coordinate columns, WKT, WKB or GeoJSON, typed columns, any delimiter and encoding',
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
  parts: 'files',
  isReadInParts: true,
  isWrittenInParts: true,
  holdsIds: false,
  outputFields: 'declared',
  holdsTables: true,
  mixedValues: 'kept',
  errors: csvErrors,
  findings: csvFindings,
  readOptionsKey: 'csv_options',
  readOptions: {
    type: 'object',
    properties: {
      ...columnOptions,
      delimiter: {
        enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'],
        description:
          'Delimiter between columns. Default: a comma, or else that of these with which the header and the first rows have columns with a position.',
      },
      has_header: {
        type: 'boolean',
        default: true,
        description: 'false: the first line is data, and the columns are column_1, column_2, ...',
      },
      header_line: {
        type: 'integer',
        minimum: 1,
        maximum: 100_000,
        description:
          'Line of the header, counted from 1; the lines before it are skipped. Default: the first line, or a later one if only that names columns with a position.',
      },
      encoding: {
        type: 'string',
        maxLength: 40,
        default: 'UTF-8',
        description:
          'Text encoding, such as UTF-8, windows-1252 or Shift_JIS; upper and lower case are the same.',
      },
      ...rowOptions,
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: {
      ...domainOptions,
      ...sidecarOptions,
      ...geometryOptions,
      ...digitOptions,
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
