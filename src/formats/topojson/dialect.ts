import type { JsonDialect } from '../../io/json-window.ts';

export const TOPOJSON: JsonDialect = {
  name: 'TopoJSON',
  syntax: 'TOPOJSON_SYNTAX',
  structure: 'TOPOJSON_STRUCTURE',
};
