/** Errors of tables with positions in columns, in the words of a CSV. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const tableErrors = errorTable({
  CSV_SYNTAX: user(400, 'CSV line {line}: {reason}{advice?}'),
  CSV_BLANK: user(
    400,
    '{source} has only blank lines where its header is expected ({bytes} bytes); was the upload or export interrupted?',
  ),
  CSV_COLUMN_MISSING: user(
    400,
    "the CSV has no geometry column 'geom_wkt', and no other columns with a position were recognised; its columns: {found}. {possible}Name columns of coordinates with '{field:csv_options.x_column}' and '{field:csv_options.y_column}', a column of geometries with '{field:csv_options.geometry_column}'. If the names are in a later line, state it with '{field:csv_options.header_line}'",
  ),
  CSV_COLUMN_UNKNOWN: user(400, "'{field:path}': the CSV has no column '{column}'; its columns: {found}"),
  CSV_GEOMETRY_AMBIGUOUS: user(
    400,
    "the CSV has several columns with a position: {possible}. Choose with '{field:csv_options.x_column}' and '{field:csv_options.y_column}', or with '{field:csv_options.geometry_column}'{parts}",
  ),
  CSV_COMMA_AMBIGUOUS: user(
    400,
    "the comma in '{value}' (column '{column}') can be a decimal mark or separate thousands: {set:csv_options.decimal_comma=true} if it is a decimal mark, and {set:csv_options.decimal_comma=false} if it separates thousands",
  ),
  CSV_LETTERS_APART: user(
    400,
    "CSV line {line}: with '{value}' column '{column}' looks like the hemispheres of column '{coordinate}': name it with '{field:option}' to apply its letters, or name only '{field:csv_options.x_column}' and '{field:csv_options.y_column}' to keep it as a field",
  ),
  CSV_ANGLE_PARTS: user(
    400,
    "columns {columns} are named like degrees, minutes and seconds, but their values are not: degrees are whole numbers, the others from 0 to below 60, for both coordinates. Name columns with '{field:csv_options.x_column}' and '{field:csv_options.y_column}', and with '{field:csv_options.x_minutes_column}', '{field:csv_options.x_seconds_column}' and the same for y where the degrees have no decimals",
  ),
  CSV_HEADER_MISSING: user(
    400,
    "the first line has a position ('{name}') instead of names: {set:csv_options.has_header=false}, which names the columns column_1, column_2 and so on. If the names are in a later line, state it with '{field:csv_options.header_line}'",
  ),
  CSV_GEOMETRY: user(400, "CSV line {line}, column '{column}': {reason} in '{value}'{advice?}"),
  CSV_GEOMETRY_LATE: user(
    400,
    "CSV line {line}, column '{column}': '{value}' is a geometry, but the column has none in the first rows, so positions were read from other columns: choose with '{field:csv_options.geometry_column}', or with '{field:csv_options.x_column}' and '{field:csv_options.y_column}'",
  ),
  CSV_POINTS_ONLY: user(
    400,
    'columns of coordinates hold one point for each feature, but {found}: write WKT ({set:output.geometry=wkt}), or add a transformation to points such as centroid or explode',
  ),
  CSV_SRIDS: user(
    400,
    "CSV line {line}, column '{column}': the geometry states SRID {srid}, but {other}; all rows need the same CRS: split the file by SRID and convert each part",
  ),
  CSV_ZONES: user(
    400,
    "CSV line {line}, column '{column}': the row is in UTM zone {zone}, but {other}; all rows need the same CRS: split the file by zone and convert each part, or name the coordinates with '{field:csv_options.x_column}' and '{field:csv_options.y_column}' if the zones are others",
  ),
  CSV_POINT_ORDER: user(
    400,
    "CSV line {line}, column '{column}': '{value}' does not state whether latitude or longitude comes first: {set:csv_options.point_order=lat_lon} if it is latitude, and {set:csv_options.point_order=lon_lat} if it is longitude",
  ),
});
