/** Findings of this module. */
import { findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';

export const jobFindings = findingTable({
  LAYER_FETCHED: info(
    "layer '{layer}' of '{host}' was read completely: {features|feature}, as many as the server counts, with {requests|request}",
  ),
  LAYER_PARAMETERS_IGNORED: info(
    "parameters of the URL were not sent to '{host}', because all pages are read: {parameters}",
  ),
});
