/** Findings of steps. */
import {
  changed,
  divided,
  dropped,
  findingTable,
  info,
  lost,
  removed,
  repaired,
  single,
} from '@geomill/core/messages/catalogue-entries.ts';

export const stepFindings = findingTable({
  DOMAIN_CODE_UNKNOWN: info(
    "values of field '{field}' that are not in its domain were written as the codes",
    'value',
  ),
  GEOMETRY_REPAIRED: repaired('invalid geometries were repaired before {operation}', 'feature'),
  GEOMETRY_DROPPED: dropped('features were dropped because nothing was left after {operation}', 'feature'),
  PARTS_SEPARATED: divided(
    'multi-part features were split into one feature for each part; the first keeps the id, the others have none',
    'feature',
  ),
  COLLECTION_NOT_MERGED: info(
    'collections of several geometry types were kept unchanged and merged with nothing',
    'feature',
  ),
  FEATURES_OUTSIDE: removed('features outside the clip polygons were dropped', 'feature'),
  FEATURES_ERASED: removed('features inside the erase polygons were dropped', 'feature'),
  GEOMETRY_INVALID: info('geometries are invalid: {reason}', 'feature'),
  PARTS_COLLAPSED: changed('lines and rings smaller than the grid were dropped', 'feature'),
  LINE_NOT_CLOSED: info('lines that are not closed were not made polygons', 'feature'),
  EDGES_WITHOUT_FACE: lost('lines between crossings that bound no polygon were dropped', 'line'),
  DUPLICATES_DROPPED: removed('features that repeat an earlier one were dropped', 'feature'),
  SLIVERS_DROPPED: info(
    '{operation} dropped remains of features along the border of its polygons: pieces narrower than {tolerance}, and lines and points where a feature merely touches them',
    'feature',
  ),
  Z_INTERPOLATED: changed(
    '{operation} cut features and interpolated the Z values of new positions',
    'feature',
  ),
  MASK_REPAIRED: single(info("the polygons of '{field:path}' were invalid ({reason}) and were repaired")),
  MASK_CUT: single(
    info(
      "the polygons of '{field:path}' extend beyond what {crs} can represent; they were cut at {degrees} degrees around its area of use",
    ),
  ),
  JOIN_UNMATCHED: info("features have no match in '{source}': the new fields are null", 'feature'),
  JOIN_UNMATCHED_DROPPED: removed("features without a match in '{source}' were dropped", 'feature'),
  JOIN_FURTHER_MATCHES: lost(
    "features have several matches in '{source}', of which the first was taken; for all of them, {set:step.matches=all}",
    'feature',
  ),
  JOIN_KEY_TYPES: lost(
    "no key can match: field '{field}' is {type} and field '{sourceField}' of '{source}' is {sourceType}; to compare both as texts, {set:step.compare_as=text}, or as numbers, {set:step.compare_as=number}",
    'feature',
  ),
  SOURCE_ROWS_UNMATCHED: info("rows of '{source}' were not used: no feature matches them", 'row'),
  OVERLAY_OUTSIDE: removed("features outside of the polygons of '{source}' were dropped", 'feature'),
  OVERLAY_INSIDE: removed("features inside of the polygons of '{source}' were dropped", 'feature'),
  SOURCE_REPAIRED: info("polygons of '{source}' are invalid; they were repaired", 'feature'),
  SOURCE_NOT_SHOWN: lost(
    "features of '{source}' are where the CRS of the data has no coordinates; they were left out",
    'feature',
  ),
  TESTED_AS_REPAIRED: info(
    'features are invalid and were compared as repaired; their geometries were not changed',
    'feature',
  ),
  SOURCE_FIELD_RENAMED: single(
    changed(
      "field '{from}' of the second source is called '{to}': the name is taken; for other names, {set:step.prefix}",
    ),
  ),
  DISTANCE_SCALE_OFF: info(
    'distances in {crs} differ from distances on the ground by more than {percent} % here; to measure on the ellipsoid, {set:step.geodesic=true}',
  ),
  VALUE_NOT_CAST: lost("values of field '{field}' that are not {type} became null", 'value'),
  VALUE_NOT_COMPUTED: lost('values of {what} that have no result became null: {reason}', 'value'),
  VALUES_COLLAPSED: lost(
    "field '{field}': merged features had different values, and one of them was kept; choose which with '{field:step.aggregate}'",
    'feature',
  ),
});
