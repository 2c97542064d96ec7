/** Errors and findings of GeoPackage. */
import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

export const gpkgErrors = errorTable({
  GPKG_NO_FEATURES: user(400, '{source} is a GeoPackage without a feature layer; it contains {found}'),
  GPKG_TOO_MANY_FIELDS: user(
    400,
    "layer '{layer}' has {fields|field}, and a GeoPackage table at most {limit}; write GeoJSON or CSV, or drop fields",
  ),
  GPKG_LAYER_READ_ONLY: user(
    400,
    "layer '{layer}' of the target cannot get features: it is a view or a table without row numbers; append to the table behind it",
  ),
  GPKG_ROW_NOT_ADDED: user(
    400,
    "a feature cannot be added to layer '{layer}': table '{table}' of the target refuses it ({reason})",
  ),
  GPKG_ROW: user(400, "table '{table}', row {row}: {reason}"),
  OUTPUT_NOT_EXTENDED: user(400, "'{file}' cannot be extended: {reason}; write to a new file"),
  OUTPUT_IN_USE: user(
    400,
    "'{file}' is open in another program, which keeps its last changes in '{beside}'; close it there",
  ),
  OUTPUT_LOCKED: user(
    400,
    "'{file}' is being changed by another program; wait until that program has saved it, or close it there",
  ),
});

export const gpkgFindings = findingTable({
  SRID_DIFFERS: info(
    'geometries state srs_id {srid} in a layer with srs_id {expected}; that of the layer was used',
    'feature',
  ),
  PLAIN_WKB: info('geometries in plain WKB instead of GeoPackage blobs were read', 'feature'),
  FID_REASSIGNED: changed(
    "features of layer '{layer}' were given new values of '{column}', the primary key: {reason}",
    'feature',
  ),
  ORDER_BY_KEY: changed(
    "features of layer '{layer}' changed their order: '{column}', the primary key, determines it",
    'feature',
  ),
  DATETIME_OFFSET_KEPT: info(
    "times of field '{field}' were written with their offset, although the {format} standard allows UTC only; to convert them, {set:output.datetimes=utc}",
    'value',
  ),
  GEOMETRIES_PROMOTED: info(
    "single geometries of layer '{layer}' were stored as {type} with one part, so that the layer has one geometry type; to keep them, {set:output.promote=false}",
    'feature',
  ),
  GEOMETRIES_MADE_MULTI: info(
    "single geometries were stored as {type} with one part, the type of layer '{layer}' of the target",
    'feature',
  ),
  GEOMETRY_TYPE_WIDENED: changed(
    "layer '{layer}' of the target was declared as {type} and is declared as GEOMETRY now: features of another type were added",
    'feature',
  ),
  CONSTRAINT_NOT_MET: changed(
    "layer '{layer}': {what} of {fields} is not declared, because the values do not meet it: {reason}",
  ),
  CONTENT_NOT_COPIED: lost('{what} of {file} cannot be kept: {reason}'),
  FIELD_ALIAS_TAKEN: changed(
    "layer '{layer}': the alternative name '{alias}' of field '{field}' is stored as its title, because another field has it",
  ),
  CATALOGUE_STALE: info("layer '{layer}': {problem}"),
  IDS_AS_FIELD: changed(
    "feature ids of layer '{layer}' that are not 64-bit integers are stored in the field '{field}'",
    'feature',
  ),
});
