/** FlatGeobuf 3 (flatgeobuf.org). Rules and losses: docs/formats/flatgeobuf.md. */
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { flatgeobufErrors, flatgeobufFindings } from './messages.ts';

export const flatgeobuf: Format = {
  id: 'flatgeobuf',
  name: 'FlatGeobuf',
  title: 'FlatGeobuf 3',
  summary: 'all geometry and column types, curves, with or without index; written with a spatial index',
  aliases: ['fgb'],
  extensions: ['.fgb'],
  signatures: [{ found: 'a FlatGeobuf file', magic: 'fgb\x03' }],
  sample: 'harbour.fgb',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/flatgeobuf',
  outputExtension: '.fgb',
  inputCrs: 'file',
  outputLayers: 'one',
  parts: 'files',
  isBinary: true,
  holdsIds: false,
  outputFields: 'declared',
  heldFacts: ['alias', 'description', 'width', 'notNull', 'unique'],
  holdsLayerFacts: true,
  mixedValues: 'text',
  errors: flatgeobufErrors,
  findings: flatgeobufFindings,
  readOptions: { type: 'object', properties: {}, additionalProperties: false },
  writeOptions: {
    type: 'object',
    properties: {
      ...domainOptions,
      ...sidecarOptions,
      spatial_index: {
        type: 'boolean',
        default: true,
        description:
          'Write a spatial index (packed Hilbert R-tree), with which programs read only the features of an area, also over HTTP. The features are sorted by location. false keeps their order and makes the file smaller.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
