/** PMTiles 3 (docs.protomaps.com/pmtiles) with Mapbox Vector Tiles 2.1. Rules and losses: docs/formats/pmtiles.md. */
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { pmtilesErrors, pmtilesFindings } from './messages.ts';

const zoomOption = (description: string): object => ({
  type: 'integer',
  minimum: 0,
  maximum: 22,
  description,
});

export const pmtiles: Format = {
  id: 'pmtiles',
  name: 'PMTiles',
  title: 'PMTiles 3 with vector tiles (MVT 2.1)',
  summary: 'written: vector tiles for web maps, generalised for each zoom, in one file',
  aliases: [],
  extensions: ['.pmtiles'],
  signatures: [{ found: 'PMTiles, which can be written but not read', magic: 'PMTiles\x03' }],
  sample: 'harbour.pmtiles',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/vnd.pmtiles',
  outputExtension: '.pmtiles',
  inputCrs: 'fixed',
  // Projected by the writer: Web Mercator has no coordinates for the poles, and cuts at the antimeridian are made in degrees.
  fixedOutputCrs: { crs: 'EPSG:4326' },
  outputLayers: 'many',
  parts: 'layers',
  holdsIds: false,
  outputFields: 'declared',
  mixedValues: 'kept',
  needsMuchMemory: true,
  errors: pmtilesErrors,
  findings: pmtilesFindings,
  readOptions: { type: 'object', properties: {}, additionalProperties: false },
  writeOptions: {
    type: 'object',
    properties: {
      ...domainOptions,
      min_zoom: zoomOption('Smallest zoom with tiles. Default: 0.'),
      max_zoom: zoomOption(
        'Largest zoom with tiles; maps enlarge its tiles for larger ones. Default: chosen by the size of the details in the data, at most 14.',
      ),
      tile_size_limit: {
        type: 'integer',
        minimum: 1_000,
        maximum: 100_000_000,
        default: 500_000,
        description:
          'Maximum size of a compressed tile in bytes. Of larger ones the smallest features are left out and counted.',
      },
      small_features: {
        enum: ['points', 'drop'],
        default: 'points',
        description:
          'What lines and polygons smaller than half a pixel become at zooms below the largest: points, of which each pixel keeps one, or nothing.',
      },
    },
    additionalProperties: false,
  },
  loadReader: null,
  loadWriter: async () => (await import('./write.ts')).writer,
};
