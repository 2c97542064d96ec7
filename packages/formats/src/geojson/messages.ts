/** Errors and findings of GeoJSON. */
import { changed, errorTable, findingTable, lost, user } from '@geomill/core/messages/catalogue-entries.ts';

export const geojsonErrors = errorTable({
  GEOJSON_SYNTAX: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
  GEOJSON_STRUCTURE: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
});

export const geojsonFindings = findingTable({
  FOREIGN_MEMBERS_DROPPED: lost('foreign members of the GeoJSON were dropped: {names}'),
  BBOX_NOT_WRITTEN: changed("a sequence of features has no bounding box: '{field:output.bbox}' was ignored"),
});
