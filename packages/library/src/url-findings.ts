/** Findings about files that are fetched from URLs, here and by the service. */
import { changed, findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';

export const urlFindings = findingTable({
  INPUT_LENGTH_UNKNOWN: info(
    "'{host}' sent no Content-Length; {bytes} bytes were received and completeness cannot be verified",
  ),
  INPUT_END_UNKNOWN: changed(
    "'{host}' sent no Content-Length, and the end of this file does not show that it is whole: {bytes} bytes were received, and more may be missing",
  ),
});
