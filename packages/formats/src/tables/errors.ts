/** Errors of tables with positions in columns, in the words of their format. */
import { user } from '@geomill/core/messages/catalogue-entries.ts';
import type { TableWords } from './words.ts';

/** The entries by their kinds; the codes are those of the format. */
export function tableErrors<
  const Table extends string,
  const Lead extends string,
  const Row extends string,
  const Line extends string,
  const Blank extends string,
  const Options extends string,
  const Header extends string,
>(words: TableWords<Table, Lead, Row, Line, Blank, Options, Header>) {
  const { table, lead, row, line, blank, options, header } = words;
  return {
    SYNTAX: user(400, `${row}: {reason}{advice?}`),
    BLANK: user(400, blank),
    COLUMN_MISSING: user(
      400,
      `${table} has no geometry column 'geom_wkt', and no other columns with a position were recognised; its columns: {found}. {possible}Name columns of coordinates with '{field:${options}.x_column}' and '{field:${options}.y_column}', a column of geometries with '{field:${options}.geometry_column}'. If the names are in a later ${line}, state it with '{field:${header}}'`,
    ),
    COLUMN_UNKNOWN: user(400, `'{field:path}': ${table} has no column '{column}'; its columns: {found}`),
    GEOMETRY_AMBIGUOUS: user(
      400,
      `${table} has several columns with a position: {possible}. Choose with '{field:${options}.x_column}' and '{field:${options}.y_column}', or with '{field:${options}.geometry_column}'{parts}`,
    ),
    COMMA_AMBIGUOUS: user(
      400,
      `${lead}the comma in '{value}' (column '{column}') can be a decimal mark or separate thousands: {set:${options}.decimal_comma=true} if it is a decimal mark, and {set:${options}.decimal_comma=false} if it separates thousands`,
    ),
    LETTERS_APART: user(
      400,
      `${row}: with '{value}' column '{column}' looks like the hemispheres of column '{coordinate}': name it with '{field:option}' to apply its letters, or name only '{field:${options}.x_column}' and '{field:${options}.y_column}' to keep it as a field`,
    ),
    ANGLE_PARTS: user(
      400,
      `${lead}columns {columns} are named like degrees, minutes and seconds, but their values are not: degrees are whole numbers, the others from 0 to below 60, for both coordinates. Name columns with '{field:${options}.x_column}' and '{field:${options}.y_column}', and with '{field:${options}.x_minutes_column}', '{field:${options}.x_seconds_column}' and the same for y where the degrees have no decimals`,
    ),
    HEADER_MISSING: user(
      400,
      `${lead}the first ${line} has a position ('{name}') instead of names: {set:${options}.has_header=false}, which names the columns column_1, column_2 and so on. If the names are in a later ${line}, state it with '{field:${header}}'`,
    ),
    GEOMETRY: user(400, `${row}, column '{column}': {reason} in '{value}'{advice?}`),
    GEOMETRY_LATE: user(
      400,
      `${row}, column '{column}': '{value}' is a geometry, but the column has none in the first rows, so positions were read from other columns: choose with '{field:${options}.geometry_column}', or with '{field:${options}.x_column}' and '{field:${options}.y_column}'`,
    ),
    POINTS_ONLY: user(
      400,
      'columns of coordinates hold one point for each feature, but {found}: write WKT ({set:output.geometry=wkt}), or add a transformation to points such as centroid or explode',
    ),
    SRIDS: user(
      400,
      `${row}, column '{column}': the geometry states SRID {srid}, but {other}; all rows need the same CRS: split the file by SRID and convert each part`,
    ),
    ZONES: user(
      400,
      `${row}, column '{column}': the row is in UTM zone {zone}, but {other}; all rows need the same CRS: split the file by zone and convert each part, or name the coordinates with '{field:${options}.x_column}' and '{field:${options}.y_column}' if the zones are others`,
    ),
    POINT_ORDER: user(
      400,
      `${row}, column '{column}': '{value}' does not state whether latitude or longitude comes first: {set:${options}.point_order=lat_lon} if it is latitude, and {set:${options}.point_order=lon_lat} if it is longitude`,
    ),
  };
}
