/** CSV (RFC 4180) with a column of geometries or columns of coordinates. Rules and losses: docs/formats/csv.md. */
import { digitOptions } from '../digit-options.ts';
import type { Format } from '../format.ts';
import { errors } from './errors.ts';
import { findings } from './findings.ts';

/** A column by its name (case-sensitive) or by its number, counted from 1. */
const COLUMN = { type: ['string', 'integer'], minimum: 1, minLength: 1, maxLength: 65_536 };

const minutesOf = (axis: string): string =>
  `Column with the minutes of ${axis}_column, which has whole degrees. Default: recognised by name and values, such as lon_min beside lon_deg.`;
const secondsOf = (axis: string): string => `Column with the seconds of ${axis}_column.`;
const hemisphereOf = (axis: string, letters: string): string =>
  `Column with the letters of ${axis}_column, ${letters}. Default: recognised by name and values.`;

export const csv: Format<typeof errors, typeof findings> = {
  id: 'csv',
  name: 'CSV',
  title: 'CSV with coordinates or WKT',
  summary: 'coordinate columns, WKT, WKB or GeoJSON, typed columns, any delimiter and encoding',
  aliases: [],
  extensions: ['.csv', '.tsv'],
  signatures: [],
  sample: 'harbour.csv',
  jsonSchema: null,
  isWarmedUp: true,
  mediaType: 'text/csv; charset=utf-8; header=present',
  outputExtension: '.csv',
  inputCrs: 'request',
  outputLayers: 'one',
  parts: 'files',
  holdsIds: false,
  outputFields: 'declared',
  errors,
  findings,
  readOptionsKey: 'csv_options',
  readOptions: {
    type: 'object',
    properties: {
      geometry_column: {
        ...COLUMN,
        description:
          'Column with geometries as WKT, hexadecimal WKB (EWKB) or GeoJSON. Default: geom_wkt, or else the only column with geometries, if its name says so, such as wkt or the_geom.',
      },
      x_column: {
        ...COLUMN,
        description:
          'Column with x (longitude, easting). Default: recognised with y_column by name and values, such as lon and lat, if only one pair is possible.',
      },
      y_column: { ...COLUMN, description: 'Column with y (latitude, northing).' },
      x_minutes_column: { ...COLUMN, description: minutesOf('x') },
      x_seconds_column: { ...COLUMN, description: secondsOf('x') },
      x_hemisphere_column: { ...COLUMN, description: hemisphereOf('x', 'E and W') },
      y_minutes_column: { ...COLUMN, description: minutesOf('y') },
      y_seconds_column: { ...COLUMN, description: secondsOf('y') },
      y_hemisphere_column: { ...COLUMN, description: hemisphereOf('y', 'N and S') },
      z_column: {
        ...COLUMN,
        description: 'Column with z. Default: a column of numbers named z; heights stay fields.',
      },
      point_column: {
        ...COLUMN,
        description:
          'Column with both coordinates, such as 47.37, 8.55. Default: a column whose name states the order, such as lat_lon.',
      },
      point_order: {
        enum: ['lat_lon', 'lon_lat'],
        description: 'Order of the coordinates in point_column, unless they have letters such as N and E.',
      },
      decimal_comma: {
        type: 'boolean',
        description:
          'true: numbers have a decimal comma (1234,50 or 1.234,50). Default: fields with such numbers are text; for coordinates the values show it.',
      },
      keep_geometry_columns: {
        type: 'boolean',
        default: false,
        description: 'Keep the columns that the geometry is read from as fields.',
      },
      delimiter: {
        enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'],
        description:
          'Delimiter between columns. Default: a comma, or else that of these with which the header and the first rows have columns with a position.',
      },
      has_header: {
        type: 'boolean',
        default: true,
        description: 'false: the first line is data, and the columns are column_1, column_2, ...',
      },
      header_line: {
        type: 'integer',
        minimum: 1,
        maximum: 100_000,
        description:
          'Line of the header, counted from 1; the lines before it are skipped. Default: the first line, or a later one if only that names columns with a position.',
      },
      encoding: {
        type: 'string',
        maxLength: 40,
        default: 'utf-8',
        description: 'Text encoding, such as utf-8, windows-1252 or shift_jis.',
      },
      on_error: {
        enum: ['fail', 'skip'],
        default: 'fail',
        description:
          'Effect of a row with a wrong number of cells, an invalid geometry or invalid coordinates: fail the job, or skip the row and count it.',
      },
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: {
      geometry: {
        enum: ['wkt', 'xy'],
        default: 'wkt',
        description:
          'wkt: a column geom_wkt. xy: columns lon and lat, x and y in a projected CRS, and z where features have one; points only.',
      },
      ...digitOptions,
      delimiter: {
        enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'],
        default: ',',
        description: 'Delimiter between columns.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
