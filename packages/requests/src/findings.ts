/** Findings about configs and job documents. */
import { findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';

export const requestFindings = findingTable({
  UNKNOWN_KEY: info("'{path}' is an unknown key and was ignored"),
  UNKNOWN_KEYS: info('{count|more unknown key was|more unknown keys were} ignored'),
  PATH_IGNORED: info(
    "'{field:path}' is a path for geomill run and was ignored: the request has the file itself",
  ),
});
