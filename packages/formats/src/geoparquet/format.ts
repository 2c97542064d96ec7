/** GeoParquet 1.1 and 2.0, and Parquet with geometry types. Rules and losses: docs/formats/geoparquet.md. */
import { FACT_KINDS } from '@geomill/core/columns/field-facts.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { columnOptions, tableOption } from '../tables/column-options.ts';
import { geoparquetErrors, geoparquetFindings } from './messages.ts';

const COLUMN = { type: 'string', minLength: 1, maxLength: 65_536 };

export const geoparquet: Format = {
  id: 'geoparquet',
  name: 'GeoParquet',
  title: 'GeoParquet and Parquet with geometry types',
  summary: 'versions 0.1 to 2.0, WKB and native encodings, all codecs but LZO; written with bounding boxes',
  aliases: ['parquet'],
  extensions: ['.parquet', '.geoparquet'],
  signatures: [{ found: 'Parquet', pattern: /^PAR1[^\w,;|"\s]/ }],
  endMark: true,
  sample: 'harbour.parquet',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/vnd.apache.parquet',
  outputExtension: '.parquet',
  inputCrs: 'file',
  outputLayers: 'one',
  parts: 'files',
  holdsIds: false,
  outputFields: 'declared',
  holdsTables: true,
  heldFacts: FACT_KINDS,
  holdsLayerFacts: true,
  mixedValues: 'text',
  errors: geoparquetErrors,
  findings: geoparquetFindings,
  readOptions: {
    type: 'object',
    properties: {
      geometry_column: {
        type: 'string',
        minLength: 1,
        maxLength: 65_536,
        description:
          'Column with the geometries: a geometry column, or a binary column with WKB. Default: the primary column of the GeoParquet metadata, or else a column of type GEOMETRY or GEOGRAPHY, or a binary column with a usual name such as geometry, geom or wkb_geometry.',
      },
      x_column: {
        ...COLUMN,
        description:
          'Column of numbers with x (longitude, easting). Default: in a file without a geometry column, recognised with y_column by name, such as lon and lat, if only one pair is possible.',
      },
      y_column: { ...COLUMN, description: 'Column of numbers with y (latitude, northing).' },
      z_column: { ...COLUMN, description: 'Column of numbers with z, beside x_column and y_column.' },
      keep_geometry_columns: columnOptions.keep_geometry_columns,
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: {
      ...tableOption,
      ...domainOptions,
      ...sidecarOptions,
      version: {
        enum: ['1.1', '2.0'],
        default: '1.1',
        description:
          '1.1: geometries as WKB with GeoParquet metadata, which most programs read. 2.0: also with the Parquet type GEOMETRY and its statistics.',
      },
      compression: {
        enum: ['zstd', 'gzip', 'none'],
        default: 'zstd',
        description: 'Compression of the data.',
      },
      bounding_boxes: {
        type: 'boolean',
        default: true,
        description:
          'Write a column bbox with the bounding box of each geometry (covering of GeoParquet 1.1), with which programs find the row groups of an area.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
