/** Findings of this module. */
import { changed, findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';

export const jobFindings = findingTable({
  INPUT_LENGTH_UNKNOWN: info(
    "'{host}' sent no Content-Length; {bytes} bytes were received and completeness cannot be verified",
  ),
  INPUT_END_UNKNOWN: changed(
    "'{host}' sent no Content-Length, and the end of this file does not show that it is whole: {bytes} bytes were received, and more may be missing",
  ),
  LAYER_FETCHED: info(
    "layer '{layer}' of '{host}' was read completely: {features} features, as many as the server counts, with {requests} requests",
  ),
  LAYER_PARAMETERS_IGNORED: info(
    "parameters of the URL were not sent to '{host}', because all pages are read: {parameters}",
  ),
});
