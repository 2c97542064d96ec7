import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { tableOption } from '../tables/column-options.ts';
import { shpErrors, shpFindings } from './messages.ts';

export const shp: Format = {
  id: 'shp',
  name: 'Shapefile',
  title: 'ESRI Shapefile, zipped',
  summary: 'zip archives with one or more shapefiles, all encodings, Z and M; .dbf tables',
  aliases: ['shapefile'],
  extensions: ['.zip', '.shp', '.shz', '.dbf'],
  fileParts: ['.shp', '.shx', '.dbf', '.prj', '.cpg'],
  tableParts: ['.dbf', '.cpg'],
  signatures: [
    { found: 'the .shp of a shapefile', magic: '\0\0\x27\x0a' },
    { found: 'a zip archive with a shapefile', member: /\.shp$/i },
  ],
  endMark: true,
  sample: 'harbour.zip',
  jsonSchema: null,
  isWarmedUp: true,
  mediaType: 'application/zip',
  outputExtension: '.zip',
  inputCrs: 'file',
  outputLayers: 'many',
  parts: 'files',
  looseExtension: '.shp',
  isBinary: true,
  isReadInParts: true,
  holdsIds: false,
  outputFields: 'declared',
  heldFacts: ['width'],
  holdsTables: true,
  mixedValues: 'text',
  errors: shpErrors,
  findings: shpFindings,
  readOptions: {
    type: 'object',
    properties: {
      encoding: {
        type: 'string',
        minLength: 1,
        maxLength: 40,
        description:
          'Text encoding of the .dbf, such as windows-1251, if the .cpg or the .dbf states none or a wrong one. Default: the encoding that they state.',
      },
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: {
      ...tableOption,
      ...domainOptions,
      ...sidecarOptions,
      compression: {
        enum: ['deflate', 'store'],
        default: 'deflate',
        description:
          'Of the files in the archive. store: none; the output is about twice as large, is made sooner, and other programs can read parts of it without unpacking.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
