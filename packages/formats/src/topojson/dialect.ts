import type { JsonDialect } from '@geomill/io/json-window.ts';
import { topojsonErrors } from './messages.ts';

export const TOPOJSON: JsonDialect = {
  name: 'TopoJSON',
  syntax: topojsonErrors.TOPOJSON_SYNTAX,
  structure: topojsonErrors.TOPOJSON_STRUCTURE,
};
