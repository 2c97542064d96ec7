/** DXF: the facts that need no codec. */
import type { Format } from '../format.ts';
import { dxfErrors, dxfFindings } from './messages.ts';
import { readOptions } from './read-options.ts';
import { writeOptions } from './write-options.ts';

export const dxf: Format = {
  id: 'dxf',
  name: 'DXF',
  title: 'AutoCAD DXF (text and binary, releases 9 to 2018)',
  summary: 'all drawing entities from release 9 on, text and binary; written with fills and attributes',
  aliases: [],
  extensions: ['.dxf'],
  signatures: [
    { found: 'a binary DXF', magic: 'AutoCAD Binary DXF' },
    { found: 'a DXF', pattern: /^\s*(?:999[ \t]*\r?\n.*\n\s*)*0[ \t]*\r?\n[ \t]*SECTION/ },
  ],
  endMark: true,
  sample: 'harbour.dxf',
  jsonSchema: null,
  isWarmedUp: false,
  // As registered with IANA.
  mediaType: 'image/vnd.dxf',
  outputExtension: '.dxf',
  inputCrs: 'request',
  outputLayers: 'one',
  parts: 'layers',
  holdsIds: true,
  outputFields: 'with features',
  mixedValues: 'kept',
  errors: dxfErrors,
  findings: dxfFindings,
  readOptions,
  writeOptions,
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
