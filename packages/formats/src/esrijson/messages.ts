/** Errors and findings of EsriJSON. */
import { errorTable, findingTable, info, lost, user } from '@geomill/core/messages/catalogue-entries.ts';

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

export const esrijsonFindings = findingTable({
  ESRIJSON_INCOMPLETE: lost(
    "layer '{layer}' is not complete: the server states that it has more features than it sent (exceededTransferLimit); download the remaining pages, too",
  ),
  ESRIJSON_MEMBERS_IGNORED: lost('members of features were ignored: {names}', 'feature'),
  ESRIJSON_GEOMETRY_UNKNOWN: lost(
    'geometries without any coordinates that EsriJSON defines were read as no geometry',
    'feature',
  ),
  ESRIJSON_CODES_KEPT: info(
    'fields with coded values have codes, not the names of the domains: {fields}; {set:input.coded_values=names} reads the names',
  ),
  ESRIJSON_CODE_UNKNOWN: info(
    "values of field '{field}' that are not in its domain were read as the codes",
    'value',
  ),
  ESRIJSON_SETS_SPLIT: info(
    "layer '{layer}' is written as several layers, one for each kind of geometry: {names}",
  ),
  ESRIJSON_IDS_ADDED: info(
    "features of layer '{layer}' were given the numbers from 1 as '{field}', the object id",
  ),
  ESRIJSON_IDS_UNORDERED: info(
    "values of '{field}', the object id of layer '{layer}', are not in ascending order; whether they are unique was not checked",
  ),
});
