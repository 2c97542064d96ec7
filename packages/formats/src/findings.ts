/** Findings that several formats raise. */
import {
  changed,
  dropped,
  findingTable,
  info,
  lost,
  measured,
  repaired,
  split,
} from '@geomill/core/messages/catalogue-entries.ts';

export const formatFindings = findingTable({
  CRS_MEMBER_IGNORED: info(
    "the crs member '{crs}' of the GeoJSON was ignored: GeoJSON is read as EPSG:4326 unless '{field:input.epsg}' states another CRS",
  ),
  CRS_NOT_WRITTEN: info('the output does not state its CRS ({crs}): {reason}'),
  ORDINATE_FILLED: changed(
    'missing {ordinate} values were written as 0: in {format} a geometry has {ordinate} at every position or at none',
    'feature',
  ),
  EMPTY_TO_NULL: changed(
    'empty geometries were written as null: {format} does not distinguish them',
    'feature',
  ),
  RINGS_REORDERED: repaired(
    'rings whose orientation contradicts their nesting were sorted into shells and holes',
    'feature',
  ),
  MULTIPATCH_TO_POLYGONS: changed('MultiPatch shapes were read as polygons', 'feature'),
  COLLECTION_SPLIT: split('geometry collections were split by geometry type', 'feature'),
  EXTRA_ORDINATES: lost(
    'positions with more than three numbers: the numbers after the third were ignored',
    'position',
  ),
  GEOMETRY_NOT_DRAWN: dropped(
    'features without geometry, or with an empty one, were dropped: {format} cannot store them',
    'feature',
  ),
  GEOMETRY_NOT_WRITTEN: info("geometries were not written: '{field:output.geometry}' is none", 'feature'),
  GEOMETRY_NOT_IN_TARGET: lost(
    "geometries were dropped: the target '{layer}' is a table without geometries",
    'feature',
  ),
  COORDINATES_ROUNDED: measured(
    changed(
      'coordinates were rounded to {decimals|decimal place}, which moved positions by up to {displacement} m; for more, {set:output.decimals}',
      'feature',
    ),
    'displacement',
  ),
  FIELD_RENAMED: changed("field '{from}' of layer '{layer}' is written as '{to}'"),
  FIELD_RETYPED: changed("field '{field}' of layer '{layer}' is written as {to} instead of {from}"),
  FIELD_DROPPED: lost("field '{field}' of layer '{layer}' was dropped: {reason}"),
  FIELD_NOT_FOUND: info("no feature has the field '{field}' that '{field:option}' names"),
  COLUMN_RENAMED: changed(
    "the column of {column} of layer '{layer}' is named '{to}', because a field is named '{field}'",
  ),
  IDS_DROPPED: info(
    'feature ids that are only row numbers of the input were not kept: {format} cannot store them',
    'feature',
  ),
  TEXT_REPLACED: lost(
    "bytes of field '{field}' that are not valid {encoding} were replaced{advice?}",
    'value',
  ),
  NUMBER_ROUNDED: changed("numbers of field '{field}' were rounded to fit {format}", 'value'),
  NUMBER_NOT_FINITE: lost(
    "infinite numbers and NaN of field '{field}' were written as null: {format} cannot store them",
    'value',
  ),
  FIELD_CONSTRAINTS_DROPPED: info("layer '{layer}': {what} of {fields} is not kept: {reason}", 'field'),
  FIELD_DESCRIPTIONS_DROPPED: lost("layer '{layer}': {what} of {fields} is not kept: {reason}", 'field'),
  LAYER_DESCRIPTION_DROPPED: lost("layer '{layer}': {what} is not kept: {reason}"),
  FILE_DESCRIPTION_DROPPED: lost('{what} is not kept: {reason}'),
  LAYER_CONTENT_DROPPED: lost("layer '{layer}': {what} is not kept: the output has features and fields"),
  ATTRIBUTES_SKIPPED: lost('{what} was skipped: {reason}'),
  FILE_CONTENT_DROPPED: lost('{what} of the file is not kept: the output has features and fields'),
  VALUE_INVALID: lost("values of field '{field}' that are not a valid {type} were read as null", 'value'),
  VALUE_NOT_WRITTEN: lost(
    "values of field '{field}' that {format} cannot store as {type} were written as null",
    'value',
  ),
  ENCODING_NAME_UNKNOWN: info("{file} states the unknown text encoding '{name}', which was ignored"),
  ENCODING_CONTRADICTED: info(
    '{file} states the encoding {encoding}, but its texts are valid UTF-8 and were read so; if that is wrong, {set:input.encoding}',
  ),
  LAYER_RENAMED: changed(
    "layer '{from}' is written as '{to}': {format} does not allow the name, or another layer has it",
  ),
  LAYER_SKIPPED: lost("'{layer}' was skipped: {reason}"),
  DATETIME_ASSUMED_UTC: changed(
    "times of field '{field}' without a time zone were written as UTC, the only time zone of {format}",
    'value',
  ),
  DATETIME_TO_UTC: changed(
    "times of field '{field}' with an offset were converted to UTC, the only time zone of {format}",
    'value',
  ),
});
