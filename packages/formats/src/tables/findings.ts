/** Findings of tables with positions in columns. */
import { dropped, findingTable, info, lost } from '@geomill/core/messages/catalogue-entries.ts';

export const tableFindings = findingTable({
  SRID_STATED: info('geometries state the SRID {srid}, the CRS in which they were read', 'feature'),
  RECORD_SKIPPED: dropped('unreadable records were skipped: {reason}', 'record'),
  TYPE_NOT_KEPT: info(
    "column '{field}' is text although nearly all of its values are {type}: others are not{example?}",
    'value',
  ),
  CSV_NO_POSITION: info(
    "the CSV has no columns with a position: its rows are features without geometry; name columns of coordinates with '{field:csv_options.x_column}' and '{field:csv_options.y_column}', a column of geometries with '{field:csv_options.geometry_column}', and the line of the names with '{field:csv_options.header_line}'; columns: {columns}",
  ),
  CSV_NO_NAMES: info(
    "the CSV begins with a line of values, not of names: it was read as data; say '{field:csv_options.has_header}' if it has the names",
  ),
  DELIMITER_FOUND: info(
    "the columns of {source} are separated by {delimiter}, not by a comma; '{field:csv_options.delimiter}' states the separator",
  ),
  LINES_SKIPPED: info(
    "{lines|line} before the header, beginning with '{text}', were skipped; '{field:csv_options.header_line}' states another line as the header",
  ),
  TABLE_SKIPPED: lost(
    "{lines|line} before the header, beginning with '{text}', look like another table, whose rows were skipped: convert each table from a file of its own; '{field:csv_options.header_line}' states another line as the header",
  ),
  UNITS_SKIPPED: info("the row after the header has units ('{units}') and was skipped"),
  TRAILING_DELIMITERS: info('rows end with {delimiter}, which the header does not; no column was made of it'),
  GEOMETRY_COLUMN_FOUND: info(
    "the geometries were read from column '{column}' ({notation}); '{field:csv_options.geometry_column}' states another column",
  ),
  COORDINATE_COLUMNS_FOUND: info(
    "positions were read from {columns}; '{field:csv_options.x_column}' and '{field:csv_options.y_column}' state other columns",
  ),
  COORDINATE_PARTS_FOUND: info(
    "positions were read from {columns}, because names and values show that these belong to the columns of '{field:csv_options.x_column}' and '{field:csv_options.y_column}'",
  ),
  POINT_COLUMN_FOUND: info(
    "positions were read from column '{column}' ({order}); '{field:csv_options.point_column}' states another column",
  ),
  COORDINATE_NOTATION: info('the coordinates in {columns} were read {notation}'),
  COORDINATES_MISSING: info(
    'features have no geometry because their coordinates are empty or a word such as NULL',
    'feature',
  ),
  COORDINATES_ZERO: info(
    'features are at 0, 0, which is often written for a missing position; they were kept',
    'feature',
  ),
  DECIMAL_COMMA_KEPT: info(
    'numbers with a decimal comma were kept as text (columns {columns}); to read numbers, {set:csv_options.decimal_comma=true}',
  ),
  HEIGHT_KEPT: info(
    "column '{column}' was kept as a field; to make it the Z of the points, name it with '{field:csv_options.z_column}'",
  ),
});
