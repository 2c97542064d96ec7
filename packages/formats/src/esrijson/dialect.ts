import type { JsonDialect } from '@geomill/io/json-window.ts';
import { esrijsonErrors } from './messages.ts';

export const ESRIJSON: JsonDialect = {
  name: 'EsriJSON',
  syntax: esrijsonErrors.ESRIJSON_SYNTAX,
  structure: esrijsonErrors.ESRIJSON_STRUCTURE,
};
