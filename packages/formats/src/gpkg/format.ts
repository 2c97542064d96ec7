/** OGC GeoPackage 1.0 to 1.4 (12-128r19), a SQLite database. Rules and losses: docs/formats/gpkg.md. */
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { tableOption } from '../tables/column-options.ts';
import { gpkgErrors, gpkgFindings } from './messages.ts';

export const gpkg: Format = {
  id: 'gpkg',
  name: 'GeoPackage',
  title: 'GeoPackage',
  summary: 'all layers and column types, views, curves; written with a spatial index',
  aliases: ['geopackage'],
  extensions: ['.gpkg'],
  signatures: [{ found: 'a GeoPackage or another SQLite database', magic: 'SQLite format 3\0' }],
  endMark: true,
  sample: 'harbour.gpkg',
  jsonSchema: null,
  isWarmedUp: false,
  // OGC 12-128r19, annex "Media types".
  mediaType: 'application/geopackage+sqlite',
  outputExtension: '.gpkg',
  inputCrs: 'file',
  outputLayers: 'many',
  parts: 'layers',
  isExtendable: true,
  isBinary: true,
  isReadInParts: true,
  holdsIds: true,
  outputFields: 'declared',
  holdsTables: true,
  heldFacts: [
    'alias',
    'title',
    'description',
    'mediaType',
    'width',
    'notNull',
    'unique',
    'default',
    'domain',
  ],
  checksConstraints: true,
  holdsLayerFacts: true,
  keepsOtherContent: true,
  mixedValues: 'text',
  errors: gpkgErrors,
  findings: gpkgFindings,
  readOptions: { type: 'object', properties: {}, additionalProperties: false },
  writeOptions: {
    type: 'object',
    properties: {
      ...tableOption,
      ...domainOptions,
      spatial_index: {
        type: 'boolean',
        default: true,
        description:
          'Write a spatial index for each layer (RTree extension), with which map programs find visible features quickly. false makes the file about an eighth smaller.',
      },
      promote: {
        type: 'boolean',
        default: true,
        description:
          'A layer of lines and multi lines becomes a layer of type MULTILINESTRING, and one of polygons and multi polygons of type MULTIPOLYGON: single geometries are stored as multi geometries with one part. false keeps them, and the layer has the type GEOMETRY.',
      },
      datetimes: {
        enum: ['keep', 'utc'],
        default: 'keep',
        description:
          'keep: times with an offset other than UTC and times without a time zone are written unchanged, as in GDAL. utc: offsets are converted to UTC as the standard requires, and times without a time zone count as UTC.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
