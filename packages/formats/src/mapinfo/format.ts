/** MapInfo tables (TAB), and MapInfo's interchange format (MIF and MID): the facts that need no codec. */

import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format, OptionsSchema } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { mapInfoErrors, mapInfoFindings, mifFindings } from './messages.ts';

const readOptions: OptionsSchema = {
  type: 'object',
  properties: {
    encoding: {
      type: 'string',
      minLength: 1,
      maxLength: 40,
      description:
        'Text encoding, such as windows-1251, if the file states none or a wrong one. Default: the one of the charset that it states.',
    },
    styles: {
      type: 'boolean',
      default: false,
      description:
        'Pens, brushes and symbols of objects become fields: pen_width, pen_pattern, pen_color, brush_pattern, brush_color, brush_background, symbol, symbol_color, symbol_size.',
    },
  },
  additionalProperties: false,
};

export const mapinfo: Format = {
  id: 'mapinfo',
  name: 'MapInfo TAB',
  title: 'MapInfo table (.tab with .dat, .map and .id)',
  summary:
    'read only: native tables and those of dBASE files, all kinds of objects, texts as points, styles as fields',
  aliases: ['tab', 'mitab'],
  extensions: ['.tab', '.tab.zip'],
  sharedExtensions: ['.zip'],
  fileParts: ['.tab', '.dat', '.map', '.id', '.ind'],
  signatures: [
    { found: 'a MapInfo table', pattern: /^\s*!table\b/i },
    { found: 'a zip archive with a MapInfo table', member: /\.tab$/i },
  ],
  endMark: true,
  sample: 'harbour.tab.zip',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/zip',
  outputExtension: '.tab',
  inputCrs: 'file',
  outputLayers: 'many',
  parts: 'files',
  isBinary: true,
  holdsIds: false,
  outputFields: 'declared',
  mixedValues: 'text',
  errors: mapInfoErrors,
  findings: mapInfoFindings,
  readOptions,
  writeOptions: { type: 'object', properties: {}, additionalProperties: false },
  loadReader: async () => (await import('./read-tab.ts')).reader,
  outputAdvice: 'write a .mif, which MapInfo and QGIS open',
  loadWriter: null,
};

export const mif: Format = {
  id: 'mif',
  name: 'MapInfo MIF',
  title: 'MapInfo interchange format (.mif with .mid)',
  summary: 'all kinds of objects, all charsets, texts as points, styles as fields',
  aliases: ['mapinfo-mif', 'mif/mid'],
  extensions: ['.mif', '.mif.zip'],
  sharedExtensions: ['.zip'],
  fileParts: ['.mif', '.mid'],
  signatures: [
    {
      found: 'a MIF file of MapInfo',
      pattern: /^\s*version\s+\d+\s*[\r\n]+\s*(?:charset|delimiter|coordsys|columns)\b/i,
    },
    { found: 'a zip archive with a MIF file of MapInfo', member: /\.mif$/i },
  ],
  // An archive shows its end, and a .mif alone does not.
  endMark: /^PK/,
  sample: 'harbour.mif.zip',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/zip',
  outputExtension: '.mif.zip',
  inputCrs: 'file',
  outputLayers: 'many',
  parts: 'files',
  looseExtension: '.mif',
  holdsIds: false,
  outputFields: 'declared',
  mixedValues: 'text',
  errors: {},
  findings: mifFindings,
  readOptions,
  writeOptions: {
    type: 'object',
    properties: { ...digitOptions, ...domainOptions, ...sidecarOptions },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read-mif.ts')).reader,
  loadWriter: async () => (await import('./write-mif.ts')).writer,
};
