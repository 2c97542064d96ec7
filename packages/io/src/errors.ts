/** Errors of files and archives. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const ioErrors = errorTable({
  OUTPUT_CHANGED: user(
    400,
    "'{file}' was created or changed by another program in the meantime, so it was left as it is; run the command again",
  ),
  INPUT_UNREADABLE: user(400, '{source} cannot be read: {reason}'),
  TEXT_ENCODING_INVALID: user(400, '{source}: byte {offset} is not valid {encoding}; {advice}'),
  ZIP_INVALID: user(400, '{source} is not a readable zip archive: {reason}'),
  ZIP_ENTRY_NAME: user(
    400,
    "{source}: the name of entry '{entry}' points outside the archive; remove the entry",
  ),
  ZIP_OVERLAP: user(
    400,
    "{source}: entries '{first}' and '{second}' overlap at byte {offset} of the archive; create the archive again",
  ),
  GZIP_INVALID: user(
    400,
    '{source} is not a readable gzip file: {reason}; use an undamaged copy, or unpack it first',
  ),
  XML_SYNTAX: user(400, '{source}, line {line}, column {column}: {reason}'),
  FILE_NOT_FOUND: user(400, "cannot open '{path}': {reason}"),
  OUTPUT_NOT_WRITABLE: user(400, "cannot write '{path}': {reason}"),
});
