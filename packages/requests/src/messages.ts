/** Errors and findings of configs and job documents. */
import { errorTable, findingTable, info, user } from '@geomill/core/messages/catalogue-entries.ts';

export const requestErrors = errorTable({
  CRS_LIST_LENGTH: user(
    400,
    "'{field:path}' lists {listed} CRS for {files|file}; give one CRS for all files, or one for each, with null for a file that states its own",
  ),
  INLINE_NOT_POSSIBLE: user(
    400,
    "'{field:path}' can be false only for the output format GeoJSON, not for {format}",
  ),
  INPUT_URL_DISABLED: user(
    400,
    "'{field:path}' is not enabled on this service (INPUT_URL_HOSTS is not set); send the file itself as part '{part}'",
  ),
});

export const requestFindings = findingTable({
  UNKNOWN_KEY: info("'{path}' is an unknown key and was ignored"),
  UNKNOWN_KEYS: info('{count|more unknown key was|more unknown keys were} ignored'),
  PATH_IGNORED: info(
    "'{field:path}' is a path for geomill run and was ignored: the request has the file itself",
  ),
});
