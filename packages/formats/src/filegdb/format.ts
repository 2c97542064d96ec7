/** Esri file geodatabases, versions 9 and 10 and those of ArcGIS Pro 3.2: the facts that need no codec. */
import type { Format } from '../format.ts';
import { filegdbErrors, filegdbFindings } from './messages.ts';

export const filegdb: Format = {
  id: 'filegdb',
  name: 'File geodatabase',
  title: 'Esri file geodatabase (.gdb folder, or zipped)',
  summary:
    'read only: all feature classes and tables, curves, Z and M, domains and subtypes as codes or texts',
  aliases: ['gdb', 'openfilegdb'],
  extensions: ['.gdb.zip', '.gdb'],
  sharedExtensions: ['.zip'],
  folderExtension: '.gdb',
  signatures: [{ found: 'an Esri file geodatabase', member: /(?:^|\/)a[0-9a-f]{8}\.gdbtable$/i }],
  endMark: true,
  sample: 'harbour.gdb.zip',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/zip',
  outputExtension: '.gdb.zip',
  inputCrs: 'file',
  outputLayers: 'many',
  parts: 'layers',
  isBinary: true,
  isReadInParts: true,
  holdsIds: true,
  outputFields: 'declared',
  mixedValues: 'text',
  errors: filegdbErrors,
  findings: filegdbFindings,
  readOptions: {
    type: 'object',
    properties: {
      domains: {
        enum: ['code', 'text', 'both'],
        default: 'code',
        description:
          'Values of fields with a domain of coded values, and of subtypes. code: the codes, as the file has them. text: their descriptions. both: the codes, and the descriptions in a field NAME_text after each.',
      },
    },
    additionalProperties: false,
  },
  writeOptions: { type: 'object', properties: {}, additionalProperties: false },
  loadReader: async () => (await import('./read.ts')).reader,
  outputAdvice: 'write a .gpkg, which ArcGIS and QGIS open',
  loadWriter: null,
};
