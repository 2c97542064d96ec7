/** Read options of tables with positions in columns, in the records of their formats. */

/** A column by its name (case-sensitive) or by its number, counted from 1. */
const COLUMN = { type: ['string', 'integer'], minimum: 1, minLength: 1, maxLength: 65_536 };

const minutesOf = (axis: string): string =>
  `Column with the minutes of ${axis}_column, which has whole degrees. Default: recognised by name and values, such as lon_min beside lon_deg.`;
const secondsOf = (axis: string): string => `Column with the seconds of ${axis}_column.`;
const hemisphereOf = (axis: string, letters: string): string =>
  `Column with the letters of ${axis}_column, ${letters}. Default: recognised by name and values.`;

export const columnOptions = {
  geometry_column: {
    ...COLUMN,
    description:
      'Column with geometries as WKT, hexadecimal WKB (EWKB) or GeoJSON. Default: geom_wkt, or else the only column with geometries.',
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
};

export const rowOptions = {
  on_error: {
    enum: ['fail', 'skip'],
    default: 'fail',
    description:
      'Effect of a row with a wrong number of cells, an invalid geometry or invalid coordinates: fail the job, or skip the row and count it.',
  },
};

/** Write options. */
export const geometryOptions = {
  geometry: {
    enum: ['wkt', 'xy', 'none'],
    description:
      'wkt: a column geom_wkt. xy: columns lon and lat, x and y in a projected CRS, and z where features have one; points only. none: no geometries. Default: wkt, or none for a table without geometries.',
  },
};

/** Write option of formats that have no other choice for geometries. */
export const tableOption = {
  geometry: {
    enum: ['keep', 'none'],
    description:
      'keep: features with geometries. none: tables without geometries. Default: keep, or none for a table without geometries.',
  },
};
