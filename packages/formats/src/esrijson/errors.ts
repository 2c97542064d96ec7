import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const esrijsonErrors = errorTable({
  ESRIJSON_SYNTAX: user(400, 'EsriJSON byte {offset}: {reason}{position?}'),
  ESRIJSON_STRUCTURE: user(400, 'EsriJSON byte {offset}: {reason}{position?}'),
  ESRIJSON_SERVER_ERROR: user(
    400,
    '{source} has no features but the error message of an ArcGIS server: {message}; correct the query and download the answer again',
  ),
  ESRIJSON_NO_FEATURES: user(
    400,
    "{source} has no features but {what}; download the answer of '/query' with 'where=1=1&outFields=*&f=json'",
  ),
});
