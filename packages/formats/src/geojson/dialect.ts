import type { JsonDialect } from '@geomill/io/json-window.ts';
import { geojsonErrors } from './messages.ts';

export const GEOJSON: JsonDialect = {
  name: 'GeoJSON',
  syntax: geojsonErrors.GEOJSON_SYNTAX,
  structure: geojsonErrors.GEOJSON_STRUCTURE,
};
