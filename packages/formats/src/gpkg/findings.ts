import { changed, findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';

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
  CATALOGUE_STALE: info("layer '{layer}': {problem}"),
  IDS_AS_FIELD: changed(
    "feature ids of layer '{layer}' that are not 64-bit integers are stored in the field '{field}'",
    'feature',
  ),
});
