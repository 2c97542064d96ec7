/** GPX: the facts that need no codec. */

import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { gpxErrors, gpxFindings } from './messages.ts';

export const gpx: Format = {
  id: 'gpx',
  name: 'GPX',
  title: 'GPX 1.0 and 1.1',
  summary: 'GPX: waypoints, routes and tracks with elevation, times and extensions; their points as layers',
  aliases: [],
  extensions: ['.gpx'],
  signatures: [{ found: 'GPX', pattern: /<(?:\w+:)?gpx\b/ }],
  endMark: true,
  sample: 'harbour.gpx',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/gpx+xml',
  outputExtension: '.gpx',
  inputCrs: 'fixed',
  fixedOutputCrs: { crs: 'EPSG:4326' },
  outputLayers: 'many',
  parts: 'files',
  holdsIds: false,
  outputFields: 'with features',
  mixedValues: 'text',
  errors: gpxErrors,
  findings: gpxFindings,
  readOptions: {
    type: 'object',
    properties: {
      points: {
        type: 'boolean',
        default: true,
        description:
          'Layers route_points and track_points, with a feature for each point of a route or track and all its values.',
      },
      standard_fields: {
        enum: ['used', 'all'],
        default: 'used',
        description:
          'Fields for the elements that GPX defines (ele, time, name, cmt, ...): those that have a value, or all, as GDAL has them.',
      },
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: {
      ...domainOptions,
      ...sidecarOptions,
      ...digitOptions,
      lines: {
        enum: ['auto', 'tracks', 'routes'],
        default: 'auto',
        description:
          "What lines become: tracks or routes. Default: routes for a layer named 'routes', else tracks. Multi lines are always tracks.",
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
