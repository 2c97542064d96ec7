/** DXF and DWG: the facts that need no codec. */
import { domainOptions } from '../domain-options.ts';
import type { Format, OptionsSchema } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { dwgErrors, dwgFindings, dxfErrors, dxfFindings } from './messages.ts';
import { writeOptions } from './write-options.ts';

/** Of drawings, whatever the form of the file. */
const readOptions: OptionsSchema = {
  type: 'object',
  properties: {
    layouts: {
      enum: ['model', 'all'],
      default: 'model',
      description: 'Layouts to read: only model space, or also paper spaces.',
    },
    blocks: {
      enum: ['explode', 'points'],
      default: 'explode',
      description:
        'explode: an INSERT becomes the entities of its block. points: a point with the name and attributes of the block.',
    },
    closed_polylines: {
      enum: ['lines', 'polygons'],
      default: 'lines',
      description: 'Geometry type of closed polylines, circles, ellipses and splines.',
    },
    curve_tolerance: {
      type: 'number',
      exclusiveMinimum: 0,
      description:
        'Maximum distance in drawing units between a curve and its straight steps, which turn by at most 4 degrees. Default: 1/10000 of the longer side of the extent that the drawing states.',
    },
    encoding: {
      type: 'string',
      minLength: 1,
      maxLength: 40,
      description:
        'Text encoding, if the drawing states none or a wrong one. Default: the encoding that it states.',
    },
    drawing_fields: {
      type: 'boolean',
      default: false,
      description:
        'Add the fields of the drawing (Layer, Color, ...) to the attributes of features that geomill wrote.',
    },
  },
};

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
  writeOptions: {
    ...writeOptions,
    properties: { ...writeOptions.properties, ...domainOptions, ...sidecarOptions },
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};

/** Matches the beginning of a DWG of any version. */
export const DWG_PATTERN = /^(?:AC(?:10\d\d|1\.\d|2\.\d\d)|MC0\.0)/;

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
  loadReader: async () => (await import('./dwg/read.ts')).reader,
  outputAdvice: 'write a .dxf, which CAD programs open and save as DWG',
  loadWriter: null,
};
