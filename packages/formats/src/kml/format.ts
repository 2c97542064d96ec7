/** KML and KMZ: the facts that need no codec. */

import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { kmlErrors, kmlFindings } from './messages.ts';

const fieldOption = (description: string): object => ({
  type: 'string',
  minLength: 1,
  maxLength: 65_536,
  description,
});

export const kml: Format = {
  id: 'kml',
  name: 'KML',
  title: 'KML 2.0 to 2.3 and KMZ',
  summary: 'KML and KMZ: folders as layers, typed and untyped attributes, tracks, colours',
  aliases: ['kmz'],
  extensions: ['.kml', '.kmz'],
  signatures: [
    { found: 'KML', pattern: /<(?:\w+:)?kml\b/ },
    { found: 'a KMZ', member: /\.kml$/i },
  ],
  endMark: true,
  sample: 'harbour.kml',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/vnd.google-earth.kml+xml',
  outputExtension: '.kml',
  outputVariants: [
    {
      title: 'KMZ',
      names: ['kmz'],
      extensions: ['.kmz'],
      mediaType: 'application/vnd.google-earth.kmz',
      option: 'kmz',
      values: [true],
    },
  ],
  inputCrs: 'fixed',
  fixedOutputCrs: { crs: 'EPSG:4326' },
  outputLayers: 'many',
  parts: 'layers',
  holdsIds: false,
  outputFields: 'declared',
  heldFacts: ['alias'],
  mixedValues: 'text',
  errors: kmlErrors,
  findings: kmlFindings,
  readOptions: {
    type: 'object',
    properties: {
      standard_fields: {
        enum: ['all', 'used'],
        default: 'all',
        description:
          'Fields for the standard elements of a placemark (name, description, timestamp, begin, end, ...): all, as GDAL has them, or only those that have a value.',
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
      kmz: {
        type: 'boolean',
        default: false,
        description: 'Write a KMZ, which is a zip archive with the document.',
      },
      name_field: fieldOption("Field with the name of a feature. Default: 'name', in any case."),
      description_field: fieldOption(
        "Field with the description of a feature, which may be HTML. Default: 'description', in any case.",
      ),
      color_field: fieldOption(
        "Field with the colour of a feature: #rrggbb, or #rrggbbaa with opacity. Default: 'color'.",
      ),
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
