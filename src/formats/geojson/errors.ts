import { type ErrorEntries, user } from '../../catalogue-entries.ts';

export const errors = {
  GEOJSON_SYNTAX: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
  GEOJSON_STRUCTURE: user(400, 'GeoJSON byte {offset}: {reason}{position?}'),
} as const satisfies ErrorEntries;
