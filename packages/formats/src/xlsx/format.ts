/** XLSX: the facts that need no codec. */
import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { columnOptions, geometryOptions, rowOptions } from '../tables/column-options.ts';
import { xlsxErrors, xlsxFindings } from './messages.ts';

export const xlsx: Format = {
  id: 'xlsx',
  name: 'XLSX',
  title: 'XLSX (Excel workbooks)',
  summary: 'sheets as layers, coordinate columns or WKT, typed cells, dates, formulas as values',
  aliases: ['xlsm'],
  extensions: ['.xlsx', '.xlsm'],
  signatures: [{ found: 'XLSX', member: /^xl\/workbook\d*\.xml$/i }],
  endMark: true,
  sample: 'harbour.xlsx',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  outputExtension: '.xlsx',
  inputCrs: 'request',
  outputLayers: 'many',
  parts: 'layers',
  holdsIds: false,
  outputFields: 'declared',
  holdsTables: true,
  heldFacts: ['alias', 'description', 'domain'],
  heldDomains: ['coded'],
  mixedValues: 'text',
  errors: xlsxErrors,
  findings: xlsxFindings,
  readOptionsKey: 'xlsx_options',
  readOptions: {
    type: 'object',
    properties: {
      ...columnOptions,
      has_header: {
        type: 'boolean',
        description:
          'false: the first row is data, and the columns are column_1, column_2, ... Default: false for a sheet without positions whose first row has a number, date or boolean in each column, else true.',
      },
      header_row: {
        type: 'integer',
        minimum: 1,
        maximum: 100_000,
        description:
          'Row of the header, counted from 1; the rows before it are skipped. Default: the first row, or a later one if only that names columns with a position.',
      },
      ...rowOptions,
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: { ...geometryOptions, ...digitOptions, ...domainOptions, ...sidecarOptions },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
