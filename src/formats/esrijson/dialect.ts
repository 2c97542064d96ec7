import type { JsonDialect } from '../../io/json-window.ts';

export const ESRIJSON: JsonDialect = {
  name: 'EsriJSON',
  syntax: 'ESRIJSON_SYNTAX',
  structure: 'ESRIJSON_STRUCTURE',
};
