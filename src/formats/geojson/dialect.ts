import type { JsonDialect } from '../../io/json-window.ts';

export const GEOJSON: JsonDialect = {
  name: 'GeoJSON',
  syntax: 'GEOJSON_SYNTAX',
  structure: 'GEOJSON_STRUCTURE',
};
