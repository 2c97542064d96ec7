/** Errors and findings of file geodatabases. */
import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

export const filegdbErrors = errorTable({
  FILEGDB_NO_FEATURES: user(
    400,
    '{source} is a file geodatabase without a feature class that can be read; it contains {found}',
  ),
  FILEGDB_FILE: user(400, '{file}: {reason}'),
  FILEGDB_ROW: user(400, "table '{table}', row {row}, at byte {offset} of {file}: {reason}"),
  FILEGDB_COMPRESSED: user(
    400,
    "table '{table}' is compressed ({kind}), which only programs of Esri can read; uncompress the geodatabase in ArcGIS (tool 'Uncompress File Geodatabase Data'), or export the table as a GeoPackage",
  ),
});

export const filegdbFindings = findingTable({
  FILEGDB_ROW_COUNT: info(
    "table '{layer}' states {stated|row}, and its row index has {found}; those of the row index were read",
  ),
  FILEGDB_ROW_DELETED: info(
    'rows that are marked as deleted, but are still in the row index, were skipped',
    'row',
  ),
  FILEGDB_ROW_SHORT: lost(
    'rows that end before their last field were read; the fields that they do not have are null',
    'row',
  ),
  FILEGDB_CURVE_STRAIGHT: changed(
    'curves of a kind that is not documented (spirals, elliptic arcs without a centre) were read as straight lines',
    'feature',
  ),
  FILEGDB_CODES_KEPT: info(
    "fields of layer '{layer}' with coded values have the codes, not the descriptions of the domains: {fields}; {set:input.domains=text} reads the descriptions",
  ),
  FILEGDB_CODE_UNKNOWN: info(
    "values of field '{field}' that are not in its domain were read as the codes",
    'value',
  ),
  FILEGDB_RELATIONSHIP: lost(
    "the relationship class '{name}' between {tables} is not kept: an output has features and fields",
  ),
  FILEGDB_OTHER_ITEM: lost("{kind} '{name}' was not read: only feature classes and tables are"),
  FILEGDB_ITEM_UNREADABLE: info("the description of '{name}' in the catalogue cannot be read: {reason}"),
});
