import { type ErrorEntries, user } from '../../catalogue-entries.ts';

export const errors = {
  GEOJSON_SYNTAX: user(400, 'GeoJSON byte {offset}: {reason}'),
  GEOJSON_STRUCTURE: user(400, 'GeoJSON byte {offset}: {reason}'),
} as const satisfies ErrorEntries;
