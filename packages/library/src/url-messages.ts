/** Errors and findings about files that are fetched from URLs, here and by the service. */
import { changed, errorTable, findingTable, info, user } from '@geomill/core/messages/catalogue-entries.ts';

export const urlErrors = errorTable({
  URL_INVALID: user(400, "'{field:path}' is not a URL that a file can be fetched from: {reason}"),
  URL_UNREACHABLE: user(
    400,
    "the file could not be fetched from '{host}': {reason}. Check the URL, or send the file itself",
  ),
  URL_STATUS: user(
    400,
    "'{host}' returned status {status} instead of {what}; check that the URL can be opened without signing in",
  ),
  URL_REDIRECT: user(400, "'{host}' redirects {how}; use the URL of the file itself"),
  URL_ENCODING: user(
    400,
    "'{host}' sent the file with a Content-Encoding, although none was requested; send the file itself",
  ),
  URL_PARTIAL: user(
    400,
    "'{host}' sent a part of the file, although all of it was requested; use another URL, or send the file itself",
  ),
  URL_INCOMPLETE: user(
    400,
    "the connection to '{host}' closed before the whole file was received; try again, or send the file itself",
  ),
  URL_LENGTH_WRONG: user(
    400,
    "'{host}' sent more bytes than its Content-Length states, so the end of the file is not known; send the file itself",
  ),
});

export const urlFindings = findingTable({
  INPUT_LENGTH_UNKNOWN: info(
    "'{host}' sent no Content-Length; {bytes} bytes were received and completeness cannot be verified",
  ),
  INPUT_END_UNKNOWN: changed(
    "'{host}' sent no Content-Length, and the end of this file does not show that it is whole: {bytes} bytes were received, and more may be missing",
  ),
});
