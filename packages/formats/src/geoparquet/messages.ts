/** Errors and findings of GeoParquet. */
import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

export const geoparquetErrors = errorTable({
  GEOPARQUET_NO_GEOMETRY: user(
    400,
    "{source} is a Parquet file without a geometry column: it has no valid GeoParquet metadata, no column of type GEOMETRY or GEOGRAPHY and no binary column with a usual name such as geometry, geom or wkb_geometry; its columns: {columns}. {possible}If one of them holds WKB, name it with '{field:input.geometry_column}'",
  ),
  GEOPARQUET_COLUMN: user(400, '{stated?}{source} {reason}'),
  GEOPARQUET_ROW: user(400, "{source}, row {record}, column '{column}': {reason}"),
});

export const geoparquetFindings = findingTable({
  GEOPARQUET_COLUMN_ASSUMED: info(
    "{source} has no GeoParquet metadata; the geometries were read from column '{column}', which {reason}",
  ),
  GEOPARQUET_COORDINATES_FOUND: info(
    "{source} has no geometry column; positions were read from {columns}; '{field:input.x_column}' and '{field:input.y_column}' state other columns",
  ),
  GEOPARQUET_NO_POSITION: info(
    "{source} has no column with geometries and no columns with a position: its rows are features without geometry; name a column of WKB with '{field:input.geometry_column}', or columns of coordinates with '{field:input.x_column}' and '{field:input.y_column}'; columns: {columns}",
  ),
  GEOPARQUET_METADATA_IGNORED: info('the GeoParquet metadata of {source} was ignored: {reason}'),
  SCHEMA_KEY_IGNORED: info(
    "alternative names, descriptions and widths of the columns of {source} were not read: the text of the key '{key}' is not JSON",
  ),
  GEOMETRY_COLUMN_AS_FIELD: info(
    "column '{column}' has geometries, too, and was read as a field of {type} values; '{field:input.geometry_column}' selects another column as the geometry",
  ),
  BOX_COLUMN_SKIPPED: info("column '{column}' was not read: it has the bounding boxes of the geometries"),
  COLUMN_NOT_READ: lost("column '{column}' was not read: {reason}"),
  EDGES_NOT_STRAIGHT: changed(
    'the edges of the geometries are {edges}; they were read as straight lines between the positions',
  ),
  EPOCH_DROPPED: lost('the epoch of the coordinates, {epoch}, was dropped'),
  TIMES_TO_UTC: changed(
    "times of field '{field}' with an offset were written in UTC: a Parquet column has none",
    'value',
  ),
  TIMES_MIXED: changed(
    "field '{field}' has times with and without a time zone; those without were written as UTC",
    'value',
  ),
  TIMES_CUT: lost("fractions of a second of field '{field}' were cut off after microseconds", 'value'),
});
