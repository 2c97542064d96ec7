/** Errors and findings of GeoJSON. */
import { changed, errorTable, findingTable, lost, user } from '@geomill/core/messages/catalogue-entries.ts';

export const geojsonErrors = errorTable({
  GEOJSON_SYNTAX: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
  GEOJSON_STRUCTURE: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
});

export const geojsonFindings = findingTable({
  FOREIGN_MEMBERS_DROPPED: lost('foreign members of the GeoJSON were dropped: {names}'),
  JSONFG_PLACE_DROPPED: lost(
    "geometries in 'place' (JSON-FG) whose type is unknown were dropped; 'geometry' was read where there is one",
    'feature',
  ),
  JSONFG_TIME_DROPPED: lost("parts of the member 'time' (JSON-FG) that are unknown were dropped", 'feature'),
  JSONFG_EPOCH_DROPPED: lost('the epoch of the coordinates, {epoch}, was dropped'),
  JSONFG_LAYER_PER_CRS: changed(
    "'{type}' has features in several coordinate reference systems; each became a layer of its own: {layers}",
  ),
  JSONFG_BBOX_NOT_WRITTEN: changed(
    "the bounding box of JSON-FG is in WGS 84, and the output is in {crs}: '{field:output.bbox}' was ignored",
  ),
  BBOX_NOT_WRITTEN: changed("a sequence of features has no bounding box: '{field:output.bbox}' was ignored"),
});
