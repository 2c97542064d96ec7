/** DWG: the facts that need no codec. */
import type { Format } from '../../format.ts';
import { readOptions } from '../read-options.ts';
import { DWG_PATTERN } from './facts.ts';
import { dwgErrors, dwgFindings } from './messages.ts';

export const dwg: Format = {
  id: 'dwg',
  name: 'DWG',
  title: 'AutoCAD DWG (R14 to 2018)',
  summary:
    'read only: all drawing entities of R14 to 2018, with blocks, curves, texts, hatches and attributes',
  aliases: [],
  extensions: ['.dwg'],
  signatures: [{ found: 'a DWG', pattern: DWG_PATTERN }],
  endMark: true,
  sample: 'harbour.dwg',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'image/vnd.dwg',
  outputExtension: '.dwg',
  inputCrs: 'request',
  outputLayers: 'one',
  parts: 'layers',
  holdsIds: true,
  outputFields: 'with features',
  mixedValues: 'kept',
  errors: dwgErrors,
  findings: dwgFindings,
  readOptions,
  writeOptions: { type: 'object', properties: {}, additionalProperties: false },
  loadReader: async () => (await import('./read.ts')).reader,
  outputAdvice: 'write a .dxf, which CAD programs open and save as DWG',
  loadWriter: null,
};
