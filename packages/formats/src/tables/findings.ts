/** Findings of tables with positions in columns. */
import { dropped, findingTable, info, lost } from '@geomill/core/messages/catalogue-entries.ts';
import type { TableWords } from './words.ts';

/** Findings that are the same for every format. */
export const commonTableFindings = findingTable({
  SRID_STATED: info('geometries state the SRID {srid}, the CRS in which they were read', 'feature'),
  RECORD_SKIPPED: dropped('unreadable records were skipped: {reason}', 'record'),
  TYPE_NOT_KEPT: info(
    "column '{field}' is text although nearly all of its values are {type}: others are not{example?}",
    'value',
  ),
  UNITS_SKIPPED: info("the row after the header has units ('{units}') and was skipped"),
  TRAILING_DELIMITERS: info('rows end with {delimiter}, which the header does not; no column was made of it'),
  COORDINATE_NOTATION: info('the coordinates in {columns} were read {notation}'),
  COORDINATES_MISSING: info(
    'features have no geometry because their coordinates are empty or a word such as NULL',
    'feature',
  ),
  COORDINATES_ZERO: info(
    'features are at 0, 0, which is often written for a missing position; they were kept',
    'feature',
  ),
});

/** Findings in the words of a format, by their kinds; the codes are those of the format. */
export function tableFindings<
  const Table extends string,
  const Lead extends string,
  const Row extends string,
  const Line extends string,
  const Blank extends string,
  const Options extends string,
  const Header extends string,
>(words: TableWords<Table, Lead, Row, Line, Blank, Options, Header>) {
  const { table, lead, line, options, header } = words;
  return {
    NO_POSITION: info(
      `${table} has no columns with a position: its rows are features without geometry; name columns of coordinates with '{field:${options}.x_column}' and '{field:${options}.y_column}', a column of geometries with '{field:${options}.geometry_column}', and the ${line} of the names with '{field:${header}}'; columns: {columns}`,
    ),
    NO_NAMES: info(
      `${table} begins with a ${line} of values, not of names: it was read as data; {set:${options}.has_header=true} if it has the names`,
    ),
    LINES_SKIPPED: info(
      `${lead}skipped {lines|${line}} before the header: '{text}'; '{field:${header}}' states another ${line} as the header`,
    ),
    TABLE_SKIPPED: lost(
      `${lead}skipped {lines|${line}} before the header that look like another table: '{text}'; convert each table from a file of its own; '{field:${header}}' states another ${line} as the header`,
    ),
    GEOMETRY_COLUMN_FOUND: info(
      `${lead}the geometries were read from column '{column}' ({notation}); '{field:${options}.geometry_column}' states another column`,
    ),
    COORDINATE_COLUMNS_FOUND: info(
      `${lead}positions were read from {columns}; '{field:${options}.x_column}' and '{field:${options}.y_column}' state other columns`,
    ),
    COORDINATE_PARTS_FOUND: info(
      `${lead}positions were read from {columns}, because names and values show that these belong to the columns of '{field:${options}.x_column}' and '{field:${options}.y_column}'`,
    ),
    POINT_COLUMN_FOUND: info(
      `${lead}positions were read from column '{column}' ({order}); '{field:${options}.point_column}' states another column`,
    ),
    DECIMAL_COMMA_KEPT: info(
      `${lead}numbers with a decimal comma were kept as text (columns {columns}); to read numbers, {set:${options}.decimal_comma=true}`,
    ),
    HEIGHT_KEPT: info(
      `${lead}column '{column}' was kept as a field; to make it the Z of the points, name it with '{field:${options}.z_column}'`,
    ),
  };
}
