/** TopoJSON: the facts that need no codec. */

import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { topojsonErrors, topojsonFindings } from './messages.ts';

export const topojson: Format = {
  id: 'topojson',
  name: 'TopoJSON',
  title: 'TopoJSON 1.0 to 3.0, quantized and not',
  summary: 'objects as layers, shared borders written once, quantization',
  aliases: [],
  extensions: ['.topojson'],
  sharedExtensions: ['.json'],
  signatures: [{ found: 'TopoJSON', pattern: /^\s*\{.*?"type"\s*:\s*"Topology"/s }],
  endMark: true,
  sample: 'harbour.topojson',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/topo+json',
  outputExtension: '.topojson',
  inputCrs: 'fixed',
  fixedOutputCrs: { crs: 'EPSG:4326', unless: 'topojson_crs' },
  outputLayers: 'many',
  parts: 'layers',
  holdsIds: true,
  outputFields: 'with features',
  mixedValues: 'kept',
  errors: topojsonErrors,
  findings: topojsonFindings,
  readOptions: { type: 'object', properties: {}, additionalProperties: false },
  writeOptions: {
    type: 'object',
    properties: {
      ...domainOptions,
      ...sidecarOptions,
      ...digitOptions,
      quantization: {
        type: 'integer',
        minimum: 0,
        maximum: 1_000_000_000,
        default: 0,
        description:
          'Number of points of the grid along each axis to which coordinates are rounded, such as 100000; positions are then written as small differences. 0: coordinates are not rounded.',
      },
      topojson_crs: {
        enum: ['wgs84', 'requested'],
        default: 'wgs84',
        description: 'wgs84: always EPSG:4326. requested: the requested CRS with a crs member.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
