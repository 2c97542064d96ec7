import { changed, findingTable, lost } from '@geomill/core/messages/catalogue-entries.ts';

export const geojsonFindings = findingTable({
  FOREIGN_MEMBERS_DROPPED: lost('foreign members of the GeoJSON were dropped: {names}'),
  BBOX_NOT_WRITTEN: changed("a sequence of features has no bounding box: '{field:output.bbox}' was ignored"),
});
