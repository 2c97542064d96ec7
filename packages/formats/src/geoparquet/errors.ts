import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const geoparquetErrors = errorTable({
  GEOPARQUET_NO_GEOMETRY: user(
    400,
    "{source} is a Parquet file without a geometry column: it has no valid GeoParquet metadata, no column of type GEOMETRY or GEOGRAPHY and no binary column with a usual name such as geometry, geom or wkb_geometry; its columns: {columns}. {possible}If one of them holds WKB, name it with '{field:input.geometry_column}'",
  ),
  GEOPARQUET_COLUMN: user(400, '{stated?}{source} {reason}'),
  GEOPARQUET_ROW: user(400, "{source}, row {record}, column '{column}': {reason}"),
});
