import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const geojsonErrors = errorTable({
  GEOJSON_SYNTAX: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
  GEOJSON_STRUCTURE: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
});
