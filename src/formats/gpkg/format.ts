/** OGC GeoPackage 1.0 to 1.4 (12-128r19), a SQLite database. Rules and losses: docs/formats/gpkg.md. */
import type { Format } from '../format.ts';

export const gpkg: Format = {
  id: 'gpkg',
  name: 'GeoPackage',
  title: 'GeoPackage',
  summary: 'all layers and column types, views, curves; written with a spatial index',
  aliases: ['geopackage'],
  extensions: ['.gpkg'],
  signatures: [{ found: 'a GeoPackage or another SQLite database', magic: 'SQLite format 3\0' }],
  sample: 'harbour.gpkg',
  jsonSchema: null,
  isWarmedUp: false,
  // OGC 12-128r19, annex "Media types".
  mediaType: 'application/geopackage+sqlite',
  outputExtension: '.gpkg',
  inputCrs: 'file',
  outputLayers: 'many',
  holdsIds: true,
  outputFields: 'declared',
  readOptions: { type: 'object', properties: {}, additionalProperties: false },
  writeOptions: {
    type: 'object',
    properties: {
      spatial_index: {
        type: 'boolean',
        default: true,
        description:
          'Whether layers get a spatial index (RTree extension), with which map programs find what is in view. false saves an eighth of the file.',
      },
      datetimes: {
        enum: ['keep', 'utc'],
        default: 'keep',
        description:
          'keep: times with an offset other than UTC, and times without a zone, are written as they are, as GDAL does. utc: the standard to the letter; offsets are converted, times without a zone are taken for UTC.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
